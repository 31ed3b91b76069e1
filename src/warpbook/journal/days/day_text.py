"""Changes to a day's text: a paragraph more, the tracks it counts for, the minutes it took.

Pure functions of texts. Only what is asked for changes; front matter that cannot be read is left
alone, and said so with its line.
"""

from typing import TYPE_CHECKING, Any

from warpbook.core.errors import BadInput
from warpbook.journal.days import days, plans
from warpbook.journal.texts import front

if TYPE_CHECKING:
    from warpbook.journal.settings import JournalSettings


def with_paragraph(text: str, paragraph: str) -> str:
    """At the end, after an empty line; an item right below the list that it continues."""
    added = paragraph.strip("\n").rstrip()
    if not added.strip():
        return text
    if "\n" not in added and plans.ITEM.fullmatch(added):
        return plans.with_item(text, added)
    return plans.with_block(text, added, "\n\n")


def with_counts(
    path: str,
    text: str,
    settings: "JournalSettings",
    track: str | None = None,
    minutes: float | None = None,
) -> str:
    """`track` joins those that the day counts for; `minutes` are added to what is there."""
    if track is None and minutes is None:
        return text
    day = usable(path, text, settings)
    given = front.split(text).values
    values: dict[str, Any] = {}
    tracks = [*day.tracks]
    if track and track not in tracks:
        # Before anything was written the default track is no more than a default.
        tracks = [*(tracks if given.get("track") or text.strip() else []), track]
        values["track"] = tracks if len(tracks) > 1 else track
    if minutes is not None:
        values["minutes"] = more_minutes(path, day, given.get("minutes"), track, tracks, minutes)
    return front.set_values(text, values)


def more_minutes(
    path: str, day: days.Day, given: object, track: str | None, tracks: list[str], more: float
) -> Any:
    """A plain number while it is all of the first track's; else a number for each."""
    if not days.is_minutes(more):
        raise BadInput(f"{more!r} is no number of minutes from 0 to {days.MOST}")
    of = track or tracks[0]
    by_track = dict(day.by_track) or {}
    total = sum(by_track.values()) + more
    if total > days.MOST:
        raise BadInput(
            f"{path}: with {number(more)} more it would be {number(total)} minutes, and a "
            f"day has {days.MOST}"
        )
    by_track[of] = by_track.get(of, 0) + more
    if isinstance(given, dict) or [*by_track] != [tracks[0]]:
        return {name: number(amount) for name, amount in by_track.items()}
    return number(by_track[of])


def number(value: float) -> int | float:
    """`90` and not `90.0`."""
    return int(value) if float(value).is_integer() else value


def with_names(path: str, text: str, settings: "JournalSettings", track: str, called: str) -> str:
    """For a day that was imported: its track is written down even where it is the default."""
    day = usable(path, text, settings)
    given = front.split(text).values
    tracks = [*day.tracks] if given.get("track") or text.strip() else []
    names = [name for name in (day.called, called) if name]
    values: dict[str, Any] = {}
    if track not in tracks:
        tracks.append(track)
        values["track"] = tracks if len(tracks) > 1 else track
    if called and called not in day.called.split(" / "):
        values["called"] = names if len(names) > 1 else called
    return front.set_values(text, values) if values else text


def usable(path: str, text: str, settings: "JournalSettings") -> days.Day:
    """The day, if its front matter can be read whole: what could not be would be written over."""
    day = days.parse(path, text, settings)
    if day.problems:
        raise BadInput(f"{day.problems[0]}; mend it first, nothing was changed")
    return day
