"""The JSON API under /api: what the pages show and change, for programs and the pages' forms."""

from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer

import warpbook
from warpbook.web.api import (
    campaigns,
    cards,
    courses,
    days,
    errors,
    events,
    experiments,
    feeds,
    findings,
    hypotheses,
    looking,
    plans,
    queue,
    quiz,
    reading,
    runs,
    the_book,
    the_log,
    trying,
)
from warpbook.web.api.asking import refuse_unknown
from warpbook.web.desk import Desk
from warpbook.web.keys import Keys

ROUTERS = (
    the_book.router,
    campaigns.router,
    hypotheses.router,
    trying.router,
    experiments.router,
    runs.router,
    queue.router,
    findings.router,
    the_log.router,
    reading.router,
    feeds.router,
    cards.router,
    quiz.router,
    courses.router,
    events.router,
    days.router,
    plans.router,
    looking.router,
)
# For the OpenAPI: the guard has looked at the token before a request comes here.
BEARER = HTTPBearer(auto_error=False, description="The token in .dashboard/token of the book.")


def make_api(desk: Desk, keys: Keys) -> FastAPI:
    """To be mounted at /api, behind the guard."""
    api = FastAPI(
        title="Warpbook",
        description="A book's campaigns, hypotheses, experiments, runs, findings and journal.",
        version=warpbook.__version__,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Depends(BEARER), Depends(refuse_unknown)],
    )
    api.state.desk = desk
    api.state.keys = keys
    for router in ROUTERS:
        api.include_router(router)
    for route in api.routes:
        if isinstance(route, APIRoute):  # its docstring is one line
            route.summary, route.description = route.description, ""
    errors.install(api)
    return api
