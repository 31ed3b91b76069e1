"""What a search found: each with the way to its page, and the words that were found marked."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from warpbook.journal.days import figures
from warpbook.journal.search import Hit
from warpbook.web import show
from warpbook.web.markup import Markup, h, join, query_of, text

# Around what was found, in a snippet: characters that no text is shown with.
AROUND = ("\x02", "\x03")
LONGEST = 200
PLACES = {
    "day": "journal", "reading": "reading", "hypothesis": "hypotheses", "finding": "findings",
    "experiment": "experiments",
}  # fmt: skip
WHAT = {
    "plan": "something to do, in a day",
    "claim": "a measured claim in the text of a day",
    "question": "a question without an answer yet",
    "note": "a line that somebody wrote into the log",
}


def hits(found: Sequence[Hit]) -> Markup:
    return h('<ul class="list hits">{}</ul>', join(map(one, found)))


def one(hit: Hit) -> Markup:
    title, snippet = " ".join(hit.title.split()), bare(hit.snippet)
    where = f"{hit.path}:{hit.line}" if hit.path else hit.key
    where = f"event {hit.key}" if hit.kind == "note" else where
    same = snippet == title or not title
    label = marked(hit.snippet) if same else text(title, LONGEST)
    return h(
        '<li><div class="row">{} <a href="{}">{}</a><span class="muted">{}</span></div>{}</li>',
        show.chip(hit.kind, WHAT.get(hit.kind, "")), address(hit), label,
        ", ".join(filter(None, (where[:LONGEST], hit.date))),
        "" if same else h("<div>{}</div>", marked(hit.snippet)),
    )  # fmt: skip


def bare(snippet: str) -> str:
    return snippet.replace(AROUND[0], "").replace(AROUND[1], "")


def marked(snippet: str) -> Markup:
    """Whatever is between the marks is escaped like the rest."""
    before, *rest = snippet.split(AROUND[0])
    parts = [h("{}", bare(before))]
    for piece in rest:
        inside, _, after = piece.partition(AROUND[1])
        parts.append(h("<mark>{}</mark>{}", inside, bare(after)))
    return join(parts)


def address(hit: Hit) -> str:
    """The page that shows it."""
    if hit.kind == "note":
        return f"/log?before={int(hit.key) + 1}"
    if hit.kind in PLACES:
        return f"/{PLACES[hit.kind]}/{hit.key}"
    if hit.kind == "card":
        return figures.address(f"card:{hit.key}")
    folder, stem = PurePosixPath(hit.path).parts[0], PurePosixPath(hit.path).stem
    if folder == "journal":
        return f"/journal/{stem}"
    return "/reading" + query_of({}, topic=stem) if folder == "reading" else "/quiz"
