"""HTML as people paste it into cards, as Markdown text. Knows no page, only the few tags that carry
meaning there; what it does not know leaves its words."""

import re
from html.parser import HTMLParser

MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`", "tt": "`", "kbd": "`"}
BLOCKS = {"div", "p", "ul", "ol", "tr", "table", "h1", "h2", "h3", "h4", "hr", "blockquote"}
SILENT = {"script", "style", "head", "title"}


class Writer(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.silent = 0
        self.verbatim = 0
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag in SILENT:
            self.silent += 1
        elif tag == "pre":
            self.verbatim += 1
            self.line("```\n")
        elif tag == "li":
            self.line("- ")
        elif tag == "img":
            self.parts.append(f"![{values.get('alt', '')}]({values.get('src', '')})")
        elif tag == "a":
            self.links.append(values.get("href", ""))
            self.parts.append("[")
        elif tag == "br":
            self.parts.append("\n")
        elif tag in BLOCKS:
            self.line()
        elif tag in ("td", "th"):
            self.parts.append(" | ")
        else:
            self.parts.append("" if self.verbatim else MARKS.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in SILENT:
            self.silent = max(self.silent - 1, 0)
        elif tag == "pre" and self.verbatim:
            self.verbatim -= 1
            self.line("```\n")
        elif tag == "a" and self.links:
            address = self.links.pop()
            self.parts.append(f"]({address})" if address else "]")
        elif tag in BLOCKS:
            self.line()
        elif not self.verbatim:
            self.parts.append(MARKS.get(tag, ""))

    def line(self, beginning: str = "") -> None:
        """A line of its own begins here."""
        last = next((part for part in reversed(self.parts) if part), "\n")
        if not last.endswith("\n"):
            self.parts.append("\n")
        self.parts.append(beginning)

    def handle_data(self, data: str) -> None:
        if self.silent:
            return
        data = data.replace("\xa0", " ")
        self.parts.append(data if self.verbatim else re.sub(r"\s+", " ", data))


def to_text(html: str) -> str:
    writer = Writer()
    writer.feed(html)
    writer.close()
    if writer.verbatim:
        writer.line("```")
    return "\n".join(line.rstrip() for line in "".join(writer.parts).split("\n")).strip()
