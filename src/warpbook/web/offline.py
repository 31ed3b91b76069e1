"""Pages' markup made fit for a file: what needs the dashboard is left out, links lead within the
file or nowhere.

Knows tags, and nothing of what the pages show.
"""

from collections.abc import Mapping
from html.parser import HTMLParser

from warpbook.web.markup import Markup, attributes, href

CONTROLS = {"button", "form", "dialog", "input", "select", "textarea", "script"}
VOID = {"input", "br", "hr", "img", "col", "wbr"}
ONLY_LIVE = ("data-post", "data-open", "data-body", "data-then", "data-scope")


def offline(markup: Markup, places: Mapping[str, str]) -> Markup:
    """`places` are the ids in the file by the addresses of pages: {"/hypotheses/H-1": "H-1"}."""
    parser = Offline(places)
    parser.feed(str(markup))
    parser.close()
    return Markup("".join(parser.made))


class Offline(HTMLParser):
    def __init__(self, places: Mapping[str, str]) -> None:
        super().__init__(convert_charrefs=False)
        self.places = places
        self.made: list[str] = []
        self.closing: list[tuple[str, str]] = []  # open tags, and how each is closed
        self.inside = 0  # how many tags are open within a control

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.inside or tag in CONTROLS or "data-query" in dict(attrs):
            self.inside += tag not in VOID
            return
        given = {name: value for name, value in attrs if not name.startswith(ONLY_LIVE)}
        if not self._in_picture():
            given.pop("id", None)  # several pages have the same
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
        place = self.places.get(address.partition("?")[0].partition("#")[0])
        if place is not None:
            given["href"] = f"#{place}"
        elif address.startswith(("#", "http://", "https://")) and href(address):
            given["href"] = address
        else:
            return "g" if self._in_picture() else "span"
        return "a"

    def _in_picture(self) -> bool:
        return any(open_ == "svg" for open_, _ in self.closing)


def spelled(given: Mapping[str, str | None]) -> Markup:
    return attributes(**{name: True if value is None else value for name, value in given.items()})
