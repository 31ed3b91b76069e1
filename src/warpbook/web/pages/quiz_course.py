"""A ladder's course: its steps to read, with their cards."""

from warpbook.journal.teaching import syllabus
from warpbook.web.markup import Markup
from warpbook.web.quiz import course as markup
from warpbook.web.shell import page
from warpbook.web.visit import Query, Visit


@page("/quiz/course/{problem}", "Course")
async def course(visit: Visit) -> None:
    problem = visit.params["problem"]

    async def render(query: Query) -> Markup:
        return markup.course(await visit.desk.read(syllabus.place, problem), query)

    visit.title(f"Course: {problem}")
    await visit.panel(render, on="texts")
