"""Forms that write to a day: a paragraph more, or the whole file edited."""

import json
from collections.abc import Sequence
from datetime import date

from warpbook.journal.days.day_file import NOTHING
from warpbook.web import forms, show
from warpbook.web.markup import Markup, h

EDITOR = "edit-day"
HINT = (
    "Markdown. If somebody else writes to the file meanwhile, theirs stays: you are told, and what "
    "you wrote is kept beside it."
)


def adding(day: str, tracks: Sequence[str]) -> Markup:
    """`day` as the API takes it. Text, minutes and a track, each of which may be left out."""
    return h(
        '<form class="adding" data-post="/api/days/{}" data-done="added">'
        '<textarea name="text" rows="4" aria-label="text" placeholder="What you did. run:E-31 and '
        'kernel:softmax show their figures; - [ ] or tomorrow: is a plan."></textarea>'
        '<div class="row"><input name="minutes" data-type="number" inputmode="decimal" size="7" '
        'aria-label="minutes" placeholder="minutes" autocomplete="off">'
        '<input name="track" list="tracks" maxlength="100" size="12" aria-label="track" '
        'placeholder="track" autocomplete="off">{}<button class="main">Add</button></div>'
        '<p data-error role="alert"></p></form>',
        day, forms.offered("tracks", tracks),
    )  # fmt: skip


def editor(on: date) -> Markup:
    """The whole file; `assets/journal.js` loads it when the dialog is opened."""
    address = f"/api/days/{on}"
    text = forms.area(
        "text", "Text", HINT, 22, data_load=address, data_type="text", spellcheck="true",
        autofocus=True,
    )  # fmt: skip
    again = h('<button type="button" data-load-again>Load what is there now</button>')
    return forms.dialog(
        EDITOR, f"The file of {on}", f"{address}/replace",
        [text, forms.fixed("sha256", ""), again], "Write it", done="written",
    )  # fmt: skip


def beginning(on: date, text: str) -> Markup:
    """A day that has no file yet gets one, with the plans that are open."""
    body = json.dumps({"text": text, "sha256": NOTHING})
    return show.button("Begin it", f"/api/days/{on}/replace", body, tone="main")


def as_body(text: str) -> str:
    """What is to be added to a day, for a button."""
    return json.dumps({"text": text})
