"""The quiz itself: one card after the other, by keyboard."""

from warpbook.journal.cards import sitting
from warpbook.web.markup import Markup, h
from warpbook.web.quiz import asking
from warpbook.web.shell import page
from warpbook.web.visit import Query, Visit, heading

LONGEST_TOPIC = 200
MOST_MORE = 1000


@page("/quiz/ask", "Quiz")
async def ask(visit: Visit) -> None:
    shown: tuple[str, int] | None = None

    async def render(query: Query) -> Markup:
        """What is shown stays until it is done with, whatever else falls due."""
        nonlocal shown
        topic, more = query.get("topic", "")[:LONGEST_TOPIC], more_of(query)
        sheet = await visit.desk.read(sitting.sheet, topic or None, shown, more)
        shown = (sheet.held.card.id, sheet.held.recall.reviews) if sheet.held else None
        back = h('<a href="/quiz">all topics</a>')
        return heading(topic or "Quiz", back) + h(
            '<div class="quiz">{}</div>', asking.quiz(sheet, topic, more)
        )

    await visit.panel(render, on="texts")


def more_of(query: Query) -> int:
    """How many new cards beyond those of a day."""
    asked = query.get("more", "")
    return min(int(asked), MOST_MORE) if asked.isdecimal() and len(asked) < 6 else 0
