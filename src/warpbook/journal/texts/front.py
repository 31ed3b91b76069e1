"""Front matter: `key: value` lines between two lines of `---` at the beginning of a text.

Knows YAML and nothing of which keys mean what. Lines are counted from 1, as editors do.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from warpbook.core.errors import BadInput

FENCE = "---"
LONGEST = 100_000  # characters
DEEPEST = 20
KEY = re.compile(r"([^\s:#'\"\[\]{},&*!|>%@`-][^:]*?)\s*:(?=\s|$)")
DATE = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")


@dataclass(frozen=True)
class Front:
    """`body` begins at `body_line`. `problem` is a line and what is wrong there; there are no
    values then."""

    values: Mapping[str, Any] = field(default_factory=dict)
    body: str = ""
    body_line: int = 1
    problem: tuple[int, str] | None = None


def split(text: str) -> Front:
    if not text.startswith(FENCE) or text.partition("\n")[0].rstrip() != FENCE:
        return Front(body=text)
    lines = text.split("\n")
    end = next((at for at in range(1, len(lines)) if lines[at].rstrip() == FENCE), None)
    if end is None:
        if len(lines) > 1 and KEY.match(lines[1]):
            return Front(body=text, problem=(1, "the front matter has no second line of ---"))
        return Front(body=text)
    body = "\n".join(lines[end + 1 :])
    try:
        values = loaded(lines[1:end])
    except Unusable as error:
        return Front({}, body, end + 2, (error.line, str(error)))
    return Front(values, body, end + 2)


class Unusable(Exception):
    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line


def loaded(lines: list[str]) -> dict[str, Any]:
    """The values in the lines between the two fences, the first of which is line 2."""
    block = "\n".join(lines)
    if not block.strip():
        return {}
    if len(block) > LONGEST:
        raise Unusable(2, f"front matter of more than {LONGEST} characters")
    unique(lines)
    values = parsed(block)
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise Unusable(2, "front matter is lines of `key: value`")
    for key in values:
        if not isinstance(key, str):
            raise Unusable(2, f"the key {key!r} of the front matter is no text; put it in quotes")
    return values


def unique(lines: list[str]) -> None:
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 2):
        found = KEY.match(line)
        if found and found[1] in seen:
            raise Unusable(number, f"{found[1]} is there twice, first in line {seen[found[1]]}")
        if found:
            seen[found[1]] = number


def parsed(block: str) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        if sum(map(block.count, "*[{-?")) > DEEPEST or "*" in block:
            refuse_tricks(yaml.parse(block, loader))
        return yaml.load(block, loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line if mark else 0
        said = error.problem or "cannot be read"
        raise Unusable(line + 2, f"front matter that is not YAML: {said}") from None
    except yaml.YAMLError as error:
        raise Unusable(2, f"front matter that is not YAML: {error}") from None
    except ValueError as error:
        raise Unusable(
            bad_date(block), f"front matter with a value that is none: {error}"
        ) from None


def refuse_tricks(events: Iterable[Any]) -> None:
    """An alias may stand for a text a million times as long, and deep nesting ends the program:
    front matter needs neither."""
    depth = 0
    for event in events:
        kind, line = type(event).__name__, event.start_mark.line + 2
        if kind == "AliasEvent":
            raise Unusable(line, "aliases (*name) are not read")
        depth += kind.endswith("StartEvent") - kind.endswith("EndEvent")
        if depth > DEEPEST:
            raise Unusable(line, "front matter that is nested too deeply")


def bad_date(block: str) -> int:
    """The line of the first date that is none: YAML does not say."""
    for number, line in enumerate(block.split("\n"), 2):
        for found in DATE.finditer(line):
            try:
                date(*map(int, found.groups()))
            except ValueError:
                return number
    return 2


def set_values(text: str, values: Mapping[str, Any]) -> str:
    """`text` with these keys set, and those whose value is None taken out. Only their lines are
    touched; a comment behind a value stays."""
    front = split(text)
    if front.problem:
        line, said = front.problem
        raise BadInput(f"line {line}: {said}; mend the front matter first, nothing was changed")
    lines = text.split("\n")[1 : front.body_line - 2] if front.body_line > 1 else []
    for key, value in values.items():
        lines = with_value(lines, key, value)
    if not any(line.strip() for line in lines):
        return front.body
    return "\n".join([FENCE, *lines, FENCE, front.body])


def with_value(lines: list[str], key: str, value: Any) -> list[str]:
    start = next((at for at, line in enumerate(lines) if names(line, key)), None)
    if start is None:
        return lines if value is None else [*lines, line_of(key, value)]
    end = end_of_value(lines, start)
    if value is None:
        return lines[:start] + lines[end:]
    return [*lines[:start], line_of(key, value) + comment_of(lines[start]), *lines[end:]]


def names(line: str, key: str) -> bool:
    found = KEY.match(line)
    return bool(found and found[1] == key)


def end_of_value(lines: list[str], start: int) -> int:
    """Past the lines that belong to the key: indented ones, and items of a list below it."""
    end = start + 1
    for at in range(start + 1, len(lines)):
        line = lines[at]
        if line.startswith((" ", "\t", "- ")) or line.rstrip() == "-":
            end = at + 1
        elif line.strip() and not line.startswith("#"):
            break
    return end


def line_of(key: str, value: Any) -> str:
    import yaml

    made = yaml.safe_dump(
        {key: value}, default_flow_style=True, allow_unicode=True, width=10**9, sort_keys=False
    )
    return str(made.strip()[1:-1])


def comment_of(line: str) -> str:
    """A comment at the end of a line, with the space before it."""
    after = max(line.rfind('"'), line.rfind("'"), 0)
    found = re.search(r"\s+#.*$", line[after:])
    return found[0] if found else ""
