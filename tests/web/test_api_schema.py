"""Whatever is sent to the API: an answer as its OpenAPI says, no failure, and the book is whole.

The book is thrown away, and nothing works on it.
"""

import math

import hypothesis
import pytest
import schemathesis
from api_served import serving_api
from book_desk import Desk
from schemathesis import checks
from schemathesis.generation import GenerationMode

from warpbook.book.audit.check import check
from warpbook.book.book import Book

CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
]
ENDLESS = "/events"
LONG = 1000
KNOWN = {
    "campaigns": "inbox", "hypotheses": "H-1", "experiments": "E-1", "runs": "R-1",
    "findings": "F-1", "measurements": "M-1", "authors": "ana",
}  # fmt: skip
quick = hypothesis.settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    suppress_health_check=list(hypothesis.HealthCheck),
)


def fill(book):
    desk = Desk(book)
    claim, experiment = desk.tried()
    desk.results(experiment, *[math.log(1.3)] * 3)
    book.findings.add("it pays", [("supports", experiment.name)])
    book.measurements.add("judgement", "softmax", ["online"], "small", "cpu", {"time_us": 1.0})
    desk.tried("other")
    return claim


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api") / "book"
    book = Book.create(folder, author="ana")
    fill(book)
    book.close()
    return folder


@pytest.fixture(scope="module")
def api(folder):
    with serving_api(folder) as served:
        yield served


def without_long_limits(document):
    """No text that is made up is as long, and a pattern with such a limit takes the maker up to a
    second, each time it is used."""
    if isinstance(document, list):
        for part in document:
            without_long_limits(part)
    elif isinstance(document, dict):
        if document.get("type") == "string" and document.get("maxLength", 0) > LONG:
            del document["maxLength"]
        for part in document.values():
            without_long_limits(part)


@pytest.fixture(scope="module")
def operations(api):
    document = api.get("/openapi.json").json()
    for path in document["paths"].values():
        for operation in path.values():
            del operation["security"]  # every request here has the token
    without_long_limits(document)
    schema = schemathesis.openapi.from_dict(document)
    found = [result.ok() for result in schema.get_all_operations()]
    assert len(found) > 50
    return [operation for operation in found if operation.path != ENDLESS]


def hold_to_schema(api, strategy):
    @quick
    @hypothesis.given(case=strategy)
    def sent(case):
        answer = case.call(base_url=f"{api.address}/api", headers=api.headers, timeout=60)
        case.validate_response(answer, checks=CHECKS, headers=api.headers)

    sent()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_the_api_keeps_to_its_schema(api, operations, folder, mode):
    for operation in operations:
        if mode is GenerationMode.NEGATIVE and not (operation.query or operation.body):
            continue
        hold_to_schema(api, operation.as_strategy(generation_mode=mode))
    assert check(folder).problems == []


def test_the_api_keeps_to_its_schema_on_what_is_there(api, operations, folder):
    for operation in operations:
        noun = operation.path.split("/")[1]
        if "{name}" not in operation.path or "{file}" in operation.path:
            continue
        known = operation.as_strategy(path_parameters={"name": KNOWN[noun]})
        hold_to_schema(api, known)
    assert check(folder).problems == []
