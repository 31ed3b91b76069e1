"""Lines of the running log, and the form for a note."""

from collections.abc import Sequence

from warpbook.book.browse.log_lines import LogLine
from warpbook.web import show
from warpbook.web.markup import Markup, attributes, h, join, text


def log_lines(lines: Sequence[LogLine], limit: int, last: int) -> Markup:
    """The newest first; `limit` is in characters a line. The browser keeps `last` as seen."""
    rows = join(row(line, limit) for line in lines)
    return h('<ol class="log" data-flip{}>{}</ol>', attributes(data_last=last), rows)


def row(line: LogLine, limit: int) -> Markup:
    return h(
        '<li data-key="e{}"><span class="at">{}</span><span class="what">{}</span>'
        '<span class="by muted">{}</span></li>',
        *(line.id, show.ago(line.at), said(line, limit), text(line.author, 40)),
    )


def said(line: LogLine, limit: int) -> Markup:
    """Its text is cut already; how much is left counts from the whole."""
    shown = show.linked(line.text[:limit])
    left = line.length - min(len(line.text), limit)
    if left <= 0:
        return shown
    return h('{}<span class="cut">… {} more characters</span>', shown, f"{left:,}")


def note_form() -> Markup:
    return h(
        '<form class="note" data-post="/api/notes" data-done="noted">'
        '<input name="text" required maxlength="2000" aria-label="a note for the log" '
        'placeholder="a note for the log"><button>Note</button></form>'
    )
