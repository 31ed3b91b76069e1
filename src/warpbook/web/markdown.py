"""What people write as Markdown, as markup: no HTML of theirs, no images, no links but safe ones.

Names such as H-3 lead to what they name, code in a language we know is highlighted, and words can
be set apart. Knows nothing of where a text is from.
"""

import re
from collections.abc import Callable, MutableMapping, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from warpbook.core.text import printable
from warpbook.journal.days.figures import Figure, references
from warpbook.web.markup import WITHIN, Markup, h, href, join, link
from warpbook.web.show import linked

LONGEST = 10_000  # what takes a parser longest then takes a quarter of a second
# Headings of a text stand below those of the page.
BELOW = {f"h{level}": f"h{min(level + 3, 6)}" for level in range(1, 7)}
SUFFIXES = {
    "python": ".py", "py": ".py", "triton": ".py", "cuda": ".cu", "cu": ".cu", "c": ".cu",
    "cpp": ".cu", "c++": ".cu", "bash": ".sh", "sh": ".sh", "shell": ".sh", "json": ".json",
}  # fmt: skip
# What stands between these is set apart, by the class that the last of them stands for.
SET, APART = "\ue000", {"\ue001": "blank", "\ue002": "filled"}
SET_APART = re.compile(f"{SET}([^{SET}{''.join(APART)}]*)([{''.join(APART)}])")

DONE, DROPPED = ("done", "☑"), ("dropped", "☒")
BOXES = {"[ ] ": ("open", "☐"), "[x] ": DONE, "[X] ": DONE, "[-] ": DROPPED, "[~] ": DROPPED}


class Renderer(RendererHTML):
    """The rules that differ from the usual ones; all others escape what they print."""

    def text(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: Any) -> str:
        content = tokens[at].content
        if tokens[at].meta.get("within a link"):
            return with_parts(str(h("{}", content)))
        box, rest = boxed(content) if tokens[at].meta.get("begins an item") else ("", content)
        return with_parts(f"{box}{cited(rest, env.get('figure_of'))}")

    def code_inline(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: Any) -> str:
        return with_parts(str(h("<code>{}</code>", tokens[at].content)))

    def fence(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: Any) -> str:
        language = (tokens[at].info.split() or [""])[0].lower()
        return str(code(tokens[at].content, SUFFIXES.get(language, ""), env))

    def code_block(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: Any) -> str:
        return str(code(tokens[at].content, "", env))

    def table_open(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: Any) -> str:
        return '<div class="scroll" tabindex="0" role="region" aria-label="table"><table>'

    def table_close(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: Any) -> str:
        return "</table></div>"

    def image(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: Any) -> str:
        """Never loaded: a link to it, if it may be followed."""
        source = str(tokens[at].attrs.get("src", ""))
        shown = f"image: {printable(tokens[at].content) or source}"
        if tokens[at].meta.get("within a link"):
            return str(h("{}", shown))
        return str(link(source, shown))


def code(text: str, suffix: str, env: Any) -> Markup:
    if not env["highlight"]:
        return h("<pre><code>{}</code></pre>", text)
    from warpbook.web.source import highlighted

    return highlighted(text.rstrip("\n"), suffix)


@cache
def parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False}, renderer_cls=Renderer).enable("table")
    # Markdown allows any scheme but a few; we allow a few.
    made.validateLink = may_lead  # type: ignore[method-assign]
    return made


def may_lead(url: str) -> bool:
    return bool(href(url))


def set_apart(text: str, kind: str) -> str:
    """A text to be put into one that `markdown` is given; `kind` is its class."""
    end = next(end for end, name in APART.items() if name == kind)
    return SET + plain(text) + end


def plain(text: str) -> str:
    """Without what sets parts apart."""
    return re.sub(f"[{SET}{''.join(APART)}]", "", text)


def with_parts(html: str) -> str:
    """`html` is text of an element, escaped."""
    made = SET_APART.sub(lambda found: f'<b class="{APART[found[2]]}">{found[1]}</b>', html)
    return plain(made)


def markdown(
    text: str,
    limit: int = LONGEST,
    figure_of: Callable[[str], Figure] | None = None,
    highlight: bool = True,
) -> Markup:
    """A text of any length: past `limit` it is cut, and says by how much. With `figure_of`,
    references such as run:E-31 lead to what they name and show its figure. Code is highlighted
    where there is a style for it."""
    tokens = parser().parse(printable(text[:limit], lines=True))
    cleaned(tokens)
    made = parser().renderer.render(
        tokens, parser().options, {"figure_of": figure_of, "highlight": highlight}
    )
    left = len(text) - limit
    more = h('<p class="cut">… {} more characters</p>', f"{left:,}") if left > 0 else ""
    # All text in it was escaped by the renderer: this is the one place that trusts its output.
    return h('<div class="prose">{}{}</div>', Markup(made), more)


def cleaned(tokens: Sequence[Token]) -> None:
    """What cannot be seen is spelled out, also where it was written as an entity; links that lead
    away say so to the browser."""
    depth, before = 0, ""
    for token in tokens:
        depth += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        token.content = printable(token.content, lines=True)
        token.tag = BELOW.get(token.tag, token.tag)
        if depth:
            token.meta["within a link"] = True
        if token.type == "link_open":
            outward(token.attrs)
        if token.children:
            token.children[0].meta["begins an item"] = before == "list_item_open"
            cleaned(token.children)
        before = token.type if token.type != "paragraph_open" else before


def cited(text: str, figure_of: Callable[[str], Figure] | None) -> Markup:
    """A piece of text in which names, and references with their figures, lead to what they name."""
    if figure_of is None:
        return linked(text, LONGEST)
    parts, end = [], 0
    for start, stop, reference in references(text):
        parts += [linked(text[end:start], LONGEST), figure(text[start:stop], figure_of(reference))]
        end = stop
    return join([*parts, linked(text[end:], LONGEST)])


def figure(written: str, found: Figure) -> Markup:
    if not found.known:
        return h('<span class="cite unknown">{} <i>{}</i></span>', written, found.text)
    shown = h(" <b>{}</b>", found.text) if found.text else ""
    return h('<a class="cite" href="{}">{}{}</a>', href(found.address), written, shown)


def boxed(text: str) -> tuple[Markup | str, str]:
    """The box that an item begins with, and what is after it."""
    state = BOXES.get(text[:4])
    if state is None:
        return "", text
    name, mark = state
    made = h('<span class="box {0}" role="img" aria-label="{0}">{1}</span> ', name, mark)
    return made, text[4:]


def outward(attrs: MutableMapping[str, Any]) -> None:
    if not str(attrs.get("href", "")).startswith(WITHIN):
        attrs.update(rel="noreferrer noopener", target="_blank")
    if "title" in attrs:
        attrs["title"] = printable(str(attrs["title"]))
