"""The page on the functions keeps up with them, and its examples run."""

import inspect
import re
from pathlib import Path

import pytest

from warpbook import ops

PAGE = (Path(__file__).parents[3] / "docs" / "ops.md").read_text()


def test_the_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 5
    source = tmp_path / "examples.py"  # a graph is compiled from a function whose file can be read
    source.write_text("\n".join(blocks))
    exec(compile(source.read_text(), str(source), "exec"), {"__name__": "examples"})
    printed = capsys.readouterr().out
    said = re.findall(r"print\(error\)  # (.*)", PAGE)
    assert printed.splitlines()[: len(said)] == said


@pytest.mark.parametrize("name", ops.__all__)
def test_every_function_is_in_the_table_as_it_is(name):
    parameters = inspect.signature(getattr(ops, name)).parameters.values()
    positional = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    spelled = ", ".join(
        p.name if p.default is p.empty else f"{p.name}={spell(p.default)}" for p in positional
    )
    row = f"| `{name}({spelled}"
    assert row in PAGE, row


def spell(value):
    return f"{value:g}".replace("e-0", "e-") if isinstance(value, float) else repr(value)
