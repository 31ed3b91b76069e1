"""`warpbook teach`: the topics one can be taught and how far one is; a lesson on one of them."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from warpbook.cli.book import options
from warpbook.cli.guard import guarded
from warpbook.cli.journal.opening import journal_opened
from warpbook.cli.screen import console, plain_table, show_json
from warpbook.core.errors import BadInput
from warpbook.core.text import printable

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal
    from warpbook.journal.teaching.lesson import Lesson


@guarded
def teach(
    topic: Annotated[
        str | None,
        typer.Argument(metavar="TOPIC", help="A ladder, or a topic of your notes and cards."),
    ] = None,
    from_step: Annotated[
        int | None, typer.Option("--from", metavar="STEP", min=1, help="Begin at this step.")
    ] = None,
    restart: Annotated[
        bool, typer.Option("--restart", help="Begin anew; what was reviewed stays reviewed.")
    ] = False,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Be taught: a step, your questions, a quiz on all so far; q leaves, and the place is kept.

    Without a topic, list them and how far you are."""
    if topic is None and (restart or from_step is not None):
        raise BadInput("--from and --restart are of a topic: warpbook teach TOPIC")
    with journal_opened(book) as journal:
        if topic is None:
            return show_topics(journal, json)
        from warpbook.journal.teaching import lesson, material

        course = material.course_on(journal, topic)
        if json:
            if restart or from_step is not None:
                raise BadInput("--json only tells where you are; leave --from and --restart away")
            show_json(document(lesson.look(journal, course)))
            return 0
        from warpbook.cli.journal.classroom import converse

        return converse(lesson.begin(journal, course, from_step, restart))


def show_topics(journal: "Journal", json: bool) -> int:
    from warpbook.journal.teaching import lessons, material

    known = lessons.standings(journal.folder)
    rows = []
    for one in material.topics(journal):
        at = known.get(one.name)
        passed = len(at.passed) if at else 0
        row = {"topic": one.name, "title": one.title, "steps": one.steps or None, "has": one.has}
        rows.append(row | {"passed": passed, "at": at.at if at else None, **state_of(at, passed)})
    if json:
        show_json(rows)
        return 0
    table = plain_table()
    for heading in ("topic", "how far", "title"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(printable(str(row["topic"])), far(row), printable(named(row)))
    screen = console()
    screen.print(table)
    screen.print("begin or go on with: warpbook teach TOPIC", style="dim")
    return 0


def state_of(standing: Any, passed: int) -> dict[str, Any]:
    finished = bool(standing and standing.finished)
    return {"finished": finished, "missed": list(standing.missed) if standing else []}


def far(row: dict[str, Any]) -> str:
    if row["finished"]:
        return "done"
    if row["at"] is None:
        return f"{row['steps']} steps" if row["steps"] else "-"
    missed = f", {len(row['missed'])} missed" if row["missed"] else ""
    of = f" of {row['steps']}" if row["steps"] else ""
    return f"{row['passed']}{of}{missed}"


def named(row: dict[str, Any]) -> str:
    """The title of a course; of any other topic, what there is."""
    if row["steps"]:
        return str(row["title"])
    words = {"reading": ("to read", "to read"), "card": ("card", "cards"), "day": ("day", "days")}
    return ", ".join(f"{n} {words[kind][n != 1]}" for kind, n in sorted(row["has"].items()))


def document(lesson: "Lesson") -> dict[str, Any]:
    """Where somebody stands, and the step that is next or under way."""
    step = lesson.step
    return {
        "topic": lesson.topic,
        "title": lesson.course.title,
        "phase": lesson.phase,
        "steps": [{"number": one.number, "title": one.title} for one in lesson.course.steps],
        "passed": len(lesson.standing.passed),
        "missed": lesson.standing.missed,
        "step": {
            "number": step.number,
            "title": step.title,
            "text": step.text,
            "cards": [
                {"id": card.id, "question": card.question, "answer": card.answer}
                for card in step.cards
            ],
        },
        "waiting": [card.id for card in lesson.waiting],
    }
