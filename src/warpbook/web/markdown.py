"""What people write as Markdown, as markup: no HTML of theirs, no images, no links but safe ones.

Names such as H-3 lead to what they name. Knows nothing of where a text is from.
"""

from collections.abc import MutableMapping, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from warpbook.core.text import printable
from warpbook.web.markup import WITHIN, Markup, h, href, link
from warpbook.web.show import linked

LONGEST = 10_000  # what takes a parser longest then takes a quarter of a second
# Headings of a text stand below those of the page.
BELOW = {f"h{level}": f"h{min(level + 3, 6)}" for level in range(1, 7)}


class Renderer(RendererHTML):
    """The rules that differ from the usual ones; all others escape what they print."""

    def text(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: Any) -> str:
        content = tokens[at].content
        within = tokens[at].meta.get("within a link")
        return str(h("{}", content) if within else linked(content, LONGEST))

    def image(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: Any) -> str:
        """Never loaded: a link to it, if it may be followed."""
        source = str(tokens[at].attrs.get("src", ""))
        shown = f"image: {printable(tokens[at].content) or source}"
        if tokens[at].meta.get("within a link"):
            return str(h("{}", shown))
        return str(link(source, shown))


@cache
def parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False}, renderer_cls=Renderer)
    # Markdown allows any scheme but a few; we allow a few.
    made.validateLink = may_lead  # type: ignore[method-assign]
    return made


def may_lead(url: str) -> bool:
    return bool(href(url))


def markdown(text: str, limit: int = LONGEST) -> Markup:
    """A text of any length: past `limit` it is cut, and says by how much."""
    tokens = parser().parse(printable(text[:limit], lines=True))
    cleaned(tokens)
    made = parser().renderer.render(tokens, parser().options, {})
    left = len(text) - limit
    more = h('<p class="cut">… {} more characters</p>', f"{left:,}") if left > 0 else ""
    # All text in it was escaped by the renderer: this is the one place that trusts its output.
    return h('<div class="prose">{}{}</div>', Markup(made), more)


def cleaned(tokens: Sequence[Token]) -> None:
    """What cannot be seen is spelled out, also where it was written as an entity; links that lead
    away say so to the browser."""
    depth = 0
    for token in tokens:
        depth += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        token.content = printable(token.content, lines=True)
        token.tag = BELOW.get(token.tag, token.tag)
        if depth:
            token.meta["within a link"] = True
        if token.type == "link_open":
            outward(token.attrs)
        if token.children:
            cleaned(token.children)


def outward(attrs: MutableMapping[str, Any]) -> None:
    if not str(attrs.get("href", "")).startswith(WITHIN):
        attrs.update(rel="noreferrer noopener", target="_blank")
    if "title" in attrs:
        attrs["title"] = printable(str(attrs["title"]))
