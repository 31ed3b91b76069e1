"""A day as one document: its counts, its text, the figures it cites, its plans and claims.

What `day show --json` and the API answer with. Knows nothing of how a day is shown.
"""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING, Any

from warpbook.journal.days import claims, counters, figures, plans
from warpbook.journal.days.counters import Counter

if TYPE_CHECKING:
    from warpbook.journal.days.days import Day
    from warpbook.journal.journal import Journal


def document(journal: "Journal", day: "Day") -> dict[str, Any]:
    on = str(day.date)
    return {
        **day.document(),
        "path": day.path,
        "counters": [{**asdict(one), "text": counters.words(one)} for one in counted(journal, day)],
        "body": day.body,
        "body_line": day.body_line,
        "figures": [
            one.document() for one in figures.in_text(journal.index.connection, citing(day))
        ],
        "plans": [
            {"line": one.line, "text": one.text, "state": one.state}
            for one in plans.mentions(day.lines())
        ],
        "carried": [plan.document() for plan in plans.carried(journal, day.date)],
        "claims": claims.documents(journal.index.entries("claim", since=on, until=on)),
        "problems": [str(problem) for problem in day.problems],
    }


def counted(
    journal: "Journal", day: "Day", ranks: Mapping[date, Mapping[str, int]] | None = None
) -> list[Counter]:
    """`ranks` are those of all days, where they are known already."""
    ranked = (ranks or {}).get(day.date)
    if ranked is not None and not set(day.tracks) <= ranked.keys():
        ranked = None
    return counters.counters(
        journal.index.connection, journal.settings, day.date, day.tracks, day.claimed, day.called,
        ranked,
    )  # fmt: skip


def citing(day: "Day") -> str:
    """The body, and what the front matter links to."""
    named = [f"run:{run}" for run in day.runs]
    named += [f"kernel:{kernel}" for kernel in day.kernels]
    named += [f"reading:{item}" for item in day.reading]
    return "\n".join([day.body, "", *named])
