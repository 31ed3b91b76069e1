"""The whole log, the newest first: by kind, by subject, by its words; and notes."""

from collections.abc import Sequence

from warpbook.book.browse.log_lines import SEARCHED, LogPage, Wanted, log_kinds, log_lines
from warpbook.web import show
from warpbook.web.markup import Markup, attributes, h, join, query_of
from warpbook.web.now import log_lines as part
from warpbook.web.shell import page
from warpbook.web.visit import Query, Visit, heading
from warpbook.web.words import word

ROWS = 50
CHARACTERS = 2000
LONGEST_ASKED = 200


@page("/log", "Log")
async def log(visit: Visit) -> None:
    async def shown(query: Query) -> Markup:
        wanted = wanted_of(query)
        kinds = await visit.desk.view(log_kinds)
        found = await visit.desk.view(log_lines, wanted, ROWS)
        return log_page(found, wanted, kinds, dict(query))

    visit.title("Log")
    visit.fixed(heading("Log"))
    visit.fixed(show.section("Write a note", noting()))
    await visit.panel(shown)


def wanted_of(query: Query) -> Wanted:
    before = query.get("before", "")
    number = int(before) if before.isdecimal() and len(before) < 16 else None
    asked = (query.get(name, "").strip()[:LONGEST_ASKED] for name in ("kind", "subject", "words"))
    return Wanted(number, *asked)


def log_page(found: LogPage, wanted: Wanted, kinds: Sequence[str], query: dict[str, str]) -> Markup:
    if found.lines:
        body = part.log_lines(found.lines, CHARACTERS, found.last)
    else:
        body = show.empty("No line of the log is like that.")
    searched = Markup("")
    if wanted.words and found.last > SEARCHED:
        searched = h(
            '<p class="muted">Words are looked for in the newest {} lines.</p>', f"{SEARCHED:,}"
        )
    title = h("{} so far", h("{} {}", f"{found.last:,}", word("event", "events")))
    return show.section(
        title, filters(wanted, kinds) + searched + body + turning(found, wanted, query), id_="log"
    )


def filters(wanted: Wanted, kinds: Sequence[str]) -> Markup:
    nouns = sorted({kind.partition(".")[0] for kind in kinds})
    options = join(option(kind, kind == wanted.kind) for kind in sorted({*nouns, *kinds}))
    return h(
        '<form data-query role="search"><label>kind <select name="kind"><option value="">all'
        '</option>{}</select></label><label>about <input name="subject" size="8" value="{}" '
        'placeholder="H-3"></label><label>words <input name="words" type="search" value="{}">'
        '</label><input type="hidden" name="before" value=""></form>',
        *(options, wanted.subject, wanted.words),
    )


def option(kind: str, is_chosen: bool) -> Markup:
    return h("<option{}>{}</option>", attributes(value=kind, selected=is_chosen), kind)


def turning(found: LogPage, wanted: Wanted, query: dict[str, str]) -> Markup:
    newest = turn(query, None, "« the newest") if wanted.before is not None else ""
    older = turn(query, found.older, "older ›") if found.older is not None else ""
    return h('<nav class="pages" aria-label="pages of the log">{}{}</nav>', newest, older)


def turn(query: dict[str, str], before: int | None, label: str) -> Markup:
    return h('<a data-query href="{}">{}</a>', query_of(query, before=before), label)


def noting() -> Markup:
    return h(
        '<form class="note" data-post="/api/notes" data-done="noted">'
        '<input name="text" required maxlength="2000" aria-label="note" placeholder="what you saw, '
        'or want to remember"><input name="subject" size="8" aria-label="about" '
        'placeholder="H-3"><button>Note</button></form>'
    )
