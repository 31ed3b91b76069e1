"""Courses: what each ladder teaches, and how far one is."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Response

from warpbook.journal.journal import Journal
from warpbook.journal.teaching import syllabus
from warpbook.web.api import card_shapes as shapes
from warpbook.web.api.asking import TheJournal
from warpbook.web.api.cards import CHANGES
from warpbook.web.api.errors import described

router = APIRouter(tags=["courses"], responses=described())
ProblemName = Annotated[
    str, Path(pattern="^[a-z0-9_]+$", max_length=100, description="The ladder: softmax.")
]
StepNumber = Annotated[int, Path(ge=1, le=1000)]


@router.get("/courses", response_model=list[shapes.Course], operation_id="courses")
async def courses(ask: TheJournal) -> Response:
    """Every ladder's course, and how far one is in it"""
    return await ask(lambda journal: [syllabus.document(one) for one in syllabus.places(journal)])


@router.get("/courses/{problem}", response_model=shapes.CourseView, operation_id="course")
async def course(ask: TheJournal, problem: ProblemName) -> Response:
    """One course with its steps and their cards"""
    return await ask(lambda journal: document(syllabus.place(journal, problem)))


def document(one: syllabus.Place) -> dict[str, Any]:
    steps = [syllabus.step_document(one, step) for step in one.course.steps]
    return syllabus.document(one) | {"all_steps": steps}


@router.post(
    "/courses/{problem}/steps/{number}/presented", response_model=shapes.CourseView,
    operation_id="present_step", responses=CHANGES,
)  # fmt: skip
async def presented(ask: TheJournal, problem: ProblemName, number: StepNumber) -> Response:
    """Note that a step was read: its cards join the deck"""

    def made(journal: Journal) -> Any:
        return document(syllabus.present(journal, problem, number))

    return await ask(made)
