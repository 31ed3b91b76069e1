"""The book's page keeps its word."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "book.md"


@pytest.fixture
def examples():
    found = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return [compile(source, PAGE, "exec") for source in found]


def test_the_examples_in_python_run(book, examples, capsys):
    (book.folder.parent / "mine.py").write_text("def softmax(x):\n    return x.softmax(-1)\n")
    trying, adding = examples
    exec(trying, {})
    said = capsys.readouterr().out
    assert said.startswith("H-1 E-1 ")
    assert "\nbaseline " in said
    assert book.hypotheses.get("H-1").because == "one pass less over each row"
    exec(adding, {})
    assert capsys.readouterr().out.startswith("H-2 ")
    assert book.hypotheses.get("H-2").claim == "one pass less pays"
