"""What a terminal shows of a text: whole words, paragraphs over its width, code as it is."""

import os
import pty
import subprocess
import sys

from warpbook.cli.journal.prompt import flowing

PROSE = """One paragraph
of two lines.

- an item
  that goes on
- another

```python
a = 1
b = 2
```
After the code
comes more.
| a | b |
| - | - |"""


def test_paragraphs_flow_and_code_lists_and_tables_stay():
    assert flowing(PROSE) == (
        "One paragraph of two lines.\n\n- an item that goes on\n- another\n\n"
        "```python\na = 1\nb = 2\n```\nAfter the code comes more.\n| a | b |\n| - | - |"
    )


def test_a_terminal_breaks_lines_between_words():
    main, other = pty.openpty()
    said = "from warpbook.cli.journal.prompt import show; show('word ' * 12, prose=True)"
    subprocess.run(
        [sys.executable, "-c", said], stdout=other, env={**os.environ, "COLUMNS": "32"}, check=True
    )
    shown = os.read(main, 4000).decode()
    os.close(other)
    os.close(main)
    assert [line.split() for line in shown.splitlines()] == [["word"] * 6, ["word"] * 6]
