"""Tables: long ones are lines that are not broken, with the same cells."""

from io import StringIO

import pytest

from warpbook.cli.book.views import LONG, table
from warpbook.cli.screen import console


@pytest.mark.parametrize("count", [3, LONG + 1])
def test_columns_stand_below_each_other_however_many_rows_there_are(count):
    out = StringIO()
    rows = [(f"E-{number}", "字\x1b" if number == 2 else "text", "1") for number in range(count)]
    console(out).print(table(("id", "title", "runs"), rows, right=("runs",)))
    head, *lines = out.getvalue().splitlines()
    assert head.split() == ["id", "title", "runs"]
    assert [line.split() for line in lines] == [
        [a, b.replace("\x1b", "\\x1b"), c] for a, b, c in rows
    ]
    assert {len(line.rstrip()) for line in lines if "字" not in line} == {len(head.rstrip())}
