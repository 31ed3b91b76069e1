"""The book's page keeps its word."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "book.md"


def test_the_example_in_python_runs(book, capsys):
    (source,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec(compile(source, PAGE, "exec"), {})
    assert capsys.readouterr().out.startswith("H-1 ")
    assert book.hypotheses.get("H-1").claim == "one pass less pays"
