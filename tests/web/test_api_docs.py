"""docs/api.md keeps up with the routes and the errors."""

import re
from pathlib import Path

from warpbook.web import guard
from warpbook.web.api import errors, make_api

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text()


def test_every_route_is_in_the_docs_and_no_other():
    paths = make_api(None, None).openapi()["paths"]
    routes = {f"{verb.upper()} /api{path}" for path, verbs in paths.items() for verb in verbs}
    named = set(re.findall(r"^\| `.*", PAGE, re.MULTILINE))
    assert set(re.findall(r"`((?:GET|POST) /api[^`]*)`", "\n".join(named))) == routes


def test_every_error_is_in_the_docs():
    sources = [Path(module.__file__).read_text() for module in (guard, errors)]
    pairs = re.findall(r"(?<!\d)([45]\d\d),\s*\"(\w+)\"", "\n".join(sources))
    pairs += [(str(status), word) for status, word in errors.WORDS.items()]
    rows = dict(re.findall(r"^\| (\d{3}) \| ([^|]*) \|", PAGE, re.MULTILINE))
    for status, word in pairs:
        if status not in ("408", "414", "431", "500"):
            assert f"`{word}`" in rows[status], (status, word)
