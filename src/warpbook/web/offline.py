"""Pages' markup made fit for a file: what needs the dashboard is left out, links lead within the
file or nowhere.

Knows tags, and nothing of what the pages show.
"""

from collections.abc import Mapping
from html.parser import HTMLParser

from warpbook.web.markup import Markup, attributes, href

CONTROLS = {"button", "form", "dialog", "input", "select", "textarea", "script"}
VOID = {"input", "br", "hr", "img", "col", "wbr"}
ONLY_LIVE = ("data-post", "data-open", "data-body", "data-then", "data-scope", "data-query")


def offline(markup: Markup, places: Mapping[str, str]) -> Markup:
    """`places` are the ids in the file by the addresses of pages: {"/hypotheses/H-1": "H-1"}."""
    parser = Offline(places)
    parser.feed(str(markup))
    parser.close()
    return Markup("".join(parser.made))


class Offline(HTMLParser):
    """`KEEPS_IDS` where one page alone goes into a file: several have the same."""

    KEEPS_IDS = False

    def __init__(self, places: Mapping[str, str]) -> None:
        super().__init__(convert_charrefs=False)
        self.places = places
        self.made: list[str] = []
        self.closing: list[tuple[str, str]] = []  # open tags, and how each is closed
        self.inside = 0  # how many tags are open within a control

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.inside or self._only_live(tag, dict(attrs)):
            self.inside += tag not in VOID
            return
        given = {name: value for name, value in attrs if not name.startswith(ONLY_LIVE)}
        if not self.KEEPS_IDS and not self._within("svg"):
            given.pop("id", None)
        name = tag
        if tag == "a":
            name = self._link(given)
        if tag not in VOID:
            self.closing.append((tag, f"</{name}>"))
        self.made.append(f"<{name}{spelled(given)}>")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self.inside and tag not in CONTROLS:
            self.made.append(f"<{tag}{spelled(dict(attrs))}/>")

    def handle_endtag(self, tag: str) -> None:
        if self.inside:
            self.inside -= tag not in VOID
            return
        if not any(open_ == tag for open_, _ in self.closing):
            return
        while self.closing:
            open_, close = self.closing.pop()
            self.made.append(close)
            if open_ == tag:
                return

    def handle_data(self, data: str) -> None:
        self._text(data)

    def handle_entityref(self, name: str) -> None:
        self._text(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._text(f"&#{name};")

    def _text(self, text: str) -> None:
        if not self.inside:
            self.made.append(text)

    def _link(self, given: dict[str, str | None]) -> str:
        """What a link becomes: it leads to a part of the file, away, or nowhere."""
        address = given.pop("href", None) or ""
        place = self._place(address)
        if place:
            given["href"] = place
        elif address.startswith(("#", "http://", "https://")) and href(address):
            given["href"] = address
        else:
            return "g" if self._within("svg") else "span"
        return "a"

    def _place(self, address: str) -> str:
        """Where in the file that page is; empty where it is not."""
        place = self.places.get(address.partition("?")[0].partition("#")[0])
        return "" if place is None else f"#{place}"

    def _only_live(self, tag: str, given: Mapping[str, str | None]) -> bool:
        """Controls. Of links that ask the page for another view those with words of their own stay,
        as words; those that sort and turn pages go."""
        if tag in CONTROLS or "data-query" not in given:
            return tag in CONTROLS
        return tag != "a" or "aria-label" in given or self._within("nav")

    def _within(self, tag: str) -> bool:
        return any(open_ == tag for open_, _ in self.closing)


def spelled(given: Mapping[str, str | None]) -> Markup:
    return attributes(**{name: True if value is None else value for name, value in given.items()})
