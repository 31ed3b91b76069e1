"""Which track each entry counts for, and what it was called that day.

A count that goes on under another name is the same track. Pure: knows names and counts, in the
order of time, and nothing of dates.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from warpbook.journal.ids import plain

MOST_SKIPPED = 14  # days by which a count may go on under another name
LONGEST_NAME = 60
MOST_WORDS = 4  # of a name that only one entry has


@dataclass(frozen=True)
class Counted:
    """What an entry says: `Day 83/365 of CUDA`."""

    name: str = ""
    day: int | None = None
    of: int | None = None


@dataclass
class Track:
    name: str
    names: set[str] = field(default_factory=set)  # plain
    last: int | None = None
    of: int | None = None

    def goes_on(self, one: Counted) -> bool:
        if one.day is None or self.last is None or (one.of and self.of and one.of != self.of):
            return False
        return 0 < one.day - self.last <= MOST_SKIPPED

    def take(self, one: Counted) -> None:
        self.last = one.day if one.day is not None else self.last
        self.of = one.of or self.of


def assign(
    entries: Sequence[Counted], given: str | None, known: Iterable[str], default: str
) -> list[tuple[str, str]]:
    """Track and name of each, the oldest first. `given` is the person's word, `known` are names of
    tracks in the settings, `default` is for entries of a log that names none."""
    entries = [replace(one, name=name) for one, name in zip(entries, names(entries), strict=True)]
    tracks: list[Track] = []
    chosen: list[Track | None] = [named(tracks, one) for one in entries]
    if given is not None:
        return [(given, called(one.name, given)) for one in entries]
    settings = {plain(name): name for name in known}
    for track in tracks:
        track.name = next((settings[n] for n in sorted(track.names) if n in settings), track.name)
    made = []
    before = tracks[0] if tracks else None
    for one, own in zip(entries, chosen, strict=True):
        mine = own or (tracks[0] if len(tracks) == 1 else before)
        before = mine or before
        name = mine.name if mine else default
        made.append((name, called(one.name, name)))
    return made


def names(entries: Sequence[Counted]) -> list[str]:
    """What each calls its track. Many words that no other entry has are the text that follows the
    name: of them only the beginning that others have, if there is one."""
    counts = Counter(plain(one.name) for one in entries if one.name)
    sure = {name for name, count in counts.items() if count > 1 or len(name.split()) <= MOST_WORDS}
    return [one.name if plain(one.name) in sure else shortened(one.name, sure) for one in entries]


def shortened(name: str, sure: set[str]) -> str:
    words = name.split()
    for length in range(len(words) - 1, 0, -1):
        if plain(" ".join(words[:length])) in sure:
            return " ".join(words[:length])
    return ""


def named(tracks: list[Track], one: Counted) -> Track | None:
    name = one.name if len(one.name) <= LONGEST_NAME else ""
    if not name:
        for track in tracks:
            if track.goes_on(one):
                track.take(one)
                return track
        return None
    for track in tracks:
        if plain(name) in track.names or track.goes_on(one):
            track.names.add(plain(name))
            track.take(one)
            return track
    track = Track(name, {plain(name)})
    track.take(one)
    tracks.append(track)
    return track


def called(name: str, track: str) -> str:
    if not name or len(name) > LONGEST_NAME or plain(name) == plain(track):
        return ""
    return name
