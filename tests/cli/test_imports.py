"""What is answered at once, and in which order the slow things start."""

import subprocess
import sys

import pytest

WITHOUT_TORCH = """
import sys
from warpbook.cli.main import main
sys.argv = ["warpbook", *{arguments!r}]
try:
    main()
except SystemExit:
    pass
print("torch" in sys.modules, file=sys.stderr)
"""

JUDGE_FIRST = """
import sys
from warpbook.measure.judge import Judge
def enter(self):
    print("torch" in sys.modules)
    raise SystemExit(0)
Judge.__enter__ = enter
from warpbook.cli.main import main
sys.argv = ["warpbook", "judge", "vector_add", "--rung", "passes"]
main()
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["judge", "--help"],
        ["--version"],
        ["judge", "vector_add", "--rung", "none"],
        ["judge", "vector_add", "--file", "none.py"],
        ["judge", "vector_add", "--file", "none.cu"],
        ["standings", "vector_add"],
        ["recheck", "none.jsonl"],
    ],
)
def test_help_and_mistakes_do_not_wait_for_torch(arguments):
    code = WITHOUT_TORCH.format(arguments=arguments)
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stderr.endswith("False\n")


WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = sys.modules["sqlalchemy"] = None
from warpbook.cli.main import main
sys.argv = ["warpbook", "try", "--help"]
main()
"""


def test_help_waits_for_no_library_of_numbers_or_tables():
    command = [sys.executable, "-c", WITHOUT_NUMPY]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_judge_starts_before_torch_is_imported_here():
    ended = subprocess.run(
        [sys.executable, "-c", JUDGE_FIRST], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "False\n"
