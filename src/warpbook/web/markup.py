"""HTML built from data: every value is escaped, and what cannot be seen is spelled out.

The one way to markup is a template of ours and values put into it. Knows nothing of the book.
"""

from collections.abc import Iterable
from urllib.parse import urlencode, urlsplit

from markupsafe import Markup, escape

from warpbook.core.text import printable

__all__ = ["Markup", "attributes", "h", "href", "join", "link", "query_of", "text"]

CLIPPED = 2000
WITHIN = ("/", "#", "?")


def h(template: str, *values: object, **named: object) -> Markup:
    """`h("<b>{}</b>", claim)`: `template` is ours, the values are anybody's."""
    safe = [cell(value) for value in values]
    return Markup(template).format(*safe, **{name: cell(value) for name, value in named.items()})


def cell(value: object) -> Markup:
    if isinstance(value, Markup):
        return value
    if value is None:
        return Markup("")
    return escape(printable(str(value), lines=True))


def text(value: str, limit: int = CLIPPED) -> Markup:
    """A text of any length: past `limit` it is cut, and says by how much."""
    if len(value) <= limit:
        return cell(value)
    left = len(value) - limit
    return h('{}<span class="cut">… {} more characters</span>', value[:limit], f"{left:,}")


def join(parts: Iterable[Markup], separator: str = "") -> Markup:
    return Markup(separator).join(parts)


def attributes(**named: object) -> Markup:
    """` data-x="1" hidden`: underscores become dashes; True stands alone, None and False go."""
    made = []
    for name, value in named.items():
        spelled = name.rstrip("_").replace("_", "-")
        if value is True:
            made.append(Markup(f" {spelled}"))
        elif value is not None and value is not False:
            made.append(h(f' {spelled}="{{}}"', str(value)))
    return join(made)


def href(address: str) -> str:
    """An address that may stand in a link: http(s) or within the dashboard; else nothing."""
    if any(ord(character) <= 32 for character in address) or "\\" in address:
        return ""
    if address.startswith(WITHIN) and not address.startswith("//"):
        return address
    try:
        scheme = urlsplit(address).scheme
    except ValueError:
        return ""
    return address if scheme in ("http", "https") else ""


def link(address: str, label: object) -> Markup:
    """A label that leads somewhere, if the address may be followed; else the label alone."""
    safe = href(address)
    if not safe:
        return h("<span>{}</span>", label)
    away = Markup(' rel="noreferrer noopener" target="_blank"')
    return h('<a href="{}"{}>{}</a>', safe, "" if safe.startswith(WITHIN) else away, label)


def query_of(query: dict[str, str], **changes: object) -> str:
    """The query of an address with some parts changed; None takes one out. Changing anything but
    the page goes back to the first."""
    kept = {name: value for name, value in query.items() if name != "page" or "page" in changes}
    made = kept | {name: "" if value is None else str(value) for name, value in changes.items()}
    return "?" + urlencode({name: value for name, value in made.items() if value != ""})
