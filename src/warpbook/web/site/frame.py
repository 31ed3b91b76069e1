"""What is around every page of a site: its head, the ways to the other pages, its style.

Nothing in it needs a script, and its policy allows none; light and dark follow the reader's system.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import warpbook
from warpbook.web.markup import Markup, attributes, h, join
from warpbook.web.site.still import still
from warpbook.web.visit import ASSETS

STYLE, FEED = "style.css", "feed.xml"
WAYS = (
    ("index.html", "Days"),
    ("months.html", "Months"),
    ("reading.html", "Reading"),
    ("ladders.html", "Ladders"),
)
# `file:` so that a page opened from disk has its style; scripts, frames and pictures from elsewhere
# are never loaded.
POLICY = (
    "default-src 'none'; style-src 'self' file: 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
FRAME = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="{base}style.css">
<link rel="alternate" type="application/rss+xml" title="{site}" href="{base}feed.xml">
</head><body><header><a class="skip" href="#main">Skip to the page</a>
<a class="brand" href="{base}index.html">{site}</a><nav aria-label="pages">{ways}</nav>
<a href="{base}feed.xml">RSS</a></header>
<main id="main">{body}</main>
<footer>{made}, by Warpbook {version}</footer></body></html>
"""
MORE_STYLE = """
footer { max-width: 1320px; margin: 0 auto; padding: 0 20px 30px; color: var(--muted); font-size: 13px; }
.turning { display: flex; flex-wrap: wrap; gap: 4px 16px; justify-content: space-between; margin: 0 0 12px; }
article.item { border-top: 1px solid var(--line); padding: 10px 0; } article.item:first-of-type { border-top: 0; }
article.item h2 { margin: 0 0 4px; } article.item:target { background: var(--wash); }
"""  # noqa: E501


@dataclass(frozen=True)
class Page:
    """A file of the site and what is in it, with links as the dashboard has them. `by_machine`
    where all words of it are a machine's, such as the reason why a rung crashed."""

    path: str
    title: str
    body: Markup
    by_machine: bool = False


@dataclass(frozen=True)
class Around:
    """What all pages share."""

    site: str
    made: date
    places: Mapping[str, str]


def whole(page: Page, around: Around) -> str:
    base = "../" * page.path.count("/")
    return h(
        FRAME,
        policy=POLICY,
        title=page.title if page.title == around.site else f"{page.title} · {around.site}",
        site=around.site,
        base=base,
        ways=join(way(page, path, label, base) for path, label in WAYS),
        body=still(page.body, around.places, base),
        made=str(around.made),
        version=warpbook.__version__,
    )


def way(page: Page, path: str, label: str, base: str) -> Markup:
    here = page.path == path
    return h(
        '<a href="{}"{}>{}</a>', base + path, attributes(aria_current="page" if here else None),
        label,
    )  # fmt: skip


def style() -> str:
    """The dashboard's own, in one file."""
    parts = [file.read_text(encoding="utf-8") for file in sorted(ASSETS.glob("*.css"))]
    return re.sub(r"\n{2,}", "\n", "\n".join([*parts, MORE_STYLE]))
