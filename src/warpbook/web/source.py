"""Source code as markup: highlighted, and the difference between two."""

import difflib
from functools import lru_cache

from pygments import lex
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType

from warpbook.core.text import printable
from warpbook.web.markup import Markup, h, join, text

LONGEST = 200_000  # past this a text is shown plain, and cut
KINDS = {
    Token.Comment: "c", Token.Keyword: "k", Token.Literal.String: "s", Token.Literal.Number: "n",
    Token.Name.Function: "f", Token.Name.Class: "f", Token.Name.Builtin: "b",
    Token.Name.Decorator: "d",
}  # fmt: skip
LEXERS = {".py": "python", ".cu": "cuda", ".cuh": "cuda", ".sh": "bash", ".json": "json"}


@lru_cache(maxsize=64)
def highlighted(source: str, suffix: str = ".py") -> Markup:
    """`suffix` of its file says which language it is."""
    name = LEXERS.get(suffix)
    if name is None or len(source) > LONGEST:
        return h('<pre class="source" tabindex="0"><code>{}</code></pre>', text(source, LONGEST))
    lexer = get_lexer_by_name(name, stripnl=False)
    parts = (piece(kind, value) for kind, value in lex(printable(source, lines=True), lexer))
    return h('<pre class="source" tabindex="0"><code>{}</code></pre>', join(parts))


def piece(kind: _TokenType, value: str) -> Markup:
    at: _TokenType | None = kind
    while at is not None and at not in KINDS:
        at = at.parent
    return h("{}", value) if at is None else h('<span class="t{}">{}</span>', KINDS[at], value)


def difference(before: str, after: str, names: tuple[str, str] = ("before", "after")) -> Markup:
    """The lines that went and came, with three around them."""
    lines = difflib.unified_diff(
        before[:LONGEST].splitlines(), after[:LONGEST].splitlines(), *names, lineterm=""
    )
    made = [diff_line(line) for line in lines]
    if not made:
        return h('<p class="muted">{} and {} are the same.</p>', *names)
    return h('<pre class="source" tabindex="0"><code>{}</code></pre>', join(made))


def patch(text_: str) -> Markup:
    """A diff that was made elsewhere."""
    made = [diff_line(line) for line in text_[:LONGEST].splitlines()]
    return h('<pre class="source" tabindex="0"><code>{}</code></pre>', join(made))


def diff_line(line: str) -> Markup:
    kind = {"+": "add", "-": "del", "@": "tc"}.get(line[:1], "")
    return h('<span class="{}">{}</span>\n', kind, line) if kind else h("{}\n", line)
