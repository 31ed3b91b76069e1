"""Pages' markup made fit for a site without a script: links lead to its own pages, away or nowhere,
tips are titles, and times are dates.

Knows tags, and nothing of what the pages show.
"""

from collections.abc import Mapping

from warpbook.web.markup import Markup, h
from warpbook.web.offline import Offline, spelled

Attributes = list[tuple[str, str | None]]


def still(markup: Markup, places: Mapping[str, str], base: str = "") -> Markup:
    """`places` are the site's files by the addresses of pages: {"/kernels/x": "ladders/x.html"};
    `base` leads from where the markup stands to the site's folder: "../", or its address."""
    parser = Still(places, base)
    parser.feed(str(markup))
    parser.close()
    return Markup("".join(parser.made))


class Still(Offline):
    KEEPS_IDS = True

    def __init__(self, places: Mapping[str, str], base: str) -> None:
        super().__init__(places)
        self.base = base
        self.dated = 0  # times within which the words are left out

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        given, tip = self._told(tag, attrs)
        super().handle_starttag(tag, given)
        if self.inside:
            return
        if tip:
            self.made.append(tip)
        at = dict(attrs).get("datetime")
        if tag == "time" and at:
            self.made.append(h("{}", at[:10]))
            self.dated += 1

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        given, tip = self._told(tag, attrs)
        if tip and not self.inside:
            self.made.append(f"<{tag}{spelled(dict(given))}>{tip}</{tag}>")
            return
        super().handle_startendtag(tag, given)

    def handle_endtag(self, tag: str) -> None:
        if tag == "time" and not self.inside and self.dated:
            self.dated -= 1
        super().handle_endtag(tag)

    def _told(self, tag: str, attrs: Attributes) -> tuple[Attributes, str]:
        """The tip as an attribute, or in a picture as an element of its own. Nothing shows a tip
        to the keyboard, so that what has one and is no link is no stop for it."""
        known = dict(attrs)
        if "data-tip" not in known:
            return attrs, ""
        tip = known.pop("data-tip") or known.get("aria-label") or ""
        if tag != "a":
            known.pop("tabindex", None)
        if self._within("svg") or tag == "svg":
            return [*known.items()], str(h("<title>{}</title>", tip)) if tip else ""
        return [*known.items(), *([("title", tip)] if tip else [])], ""

    def _place(self, address: str) -> str:
        place = self.places.get(address.partition("?")[0].partition("#")[0])
        return "" if place is None else self.base + place

    def _text(self, text: str) -> None:
        if not self.dated:
            super()._text(text)
