"""What is judged inside a book is recorded there, and never in the way of the judgement."""

import re
import subprocess
import sys
from dataclasses import replace

import pytest

from warpbook.book.book import Book
from warpbook.cli import recording
from warpbook.cli.session import Asked, Session
from warpbook.core.codec import decode
from warpbook.core.comparison import Answer, Comparison
from warpbook.core.errors import BadInput
from warpbook.core.judgement import Judgement, Outcome, Status
from warpbook.kernels.shelf import load_problem, outline_of

JUDGEMENT = Judgement(
    "vector_add", "mine", "cpu", Status.CORRECT, "", (Outcome("1-fp32", Status.CORRECT),), "aa"
)
COMPARISON = Comparison(
    "vector_add", "1-fp32", "cpu", "passes", "my one", Answer.FASTER, 0.5, 0.4, 0.6, 0.1, "call",
    (2.0, 2.0), (1.0, 1.0), "aa", "bb",
)  # fmt: skip


@pytest.fixture
def book(tmp_path):
    folder = tmp_path / "book"
    Book.create(folder, author="ana").close()
    return folder


@pytest.fixture
def session():
    problem = load_problem("vector_add")
    asked = Asked("vector_add", None, warm=False, limit_s=1.0, keep=None)
    return Session(asked, "cpu", None, None, problem, outline_of(problem), [])


@pytest.fixture
def at_home(monkeypatch, tmp_path):
    """As a user, not as a run of the lab; and with no book about."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.delenv("WARPBOOK_RUN")
    monkeypatch.delenv("WARPBOOK", raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home)


def measurements(folder):
    book = Book.open(folder)
    try:
        return book.measurements.list()
    finally:
        book.close()


def test_a_judgement_is_recorded_whole_and_ends_with_a_claim_to_make(
    book, session, capsys, monkeypatch
):
    monkeypatch.chdir(book)
    monkeypatch.delenv("WARPBOOK", raising=False)
    recording.record_judgements(book, session, [JUDGEMENT], None, "my one.py")
    (kept,) = measurements(book)
    assert (kept.kind, kept.problem, kept.rungs, kept.device) == (
        "judgement", "vector_add", ["mine"], "cpu"
    )  # fmt: skip
    assert decode(Judgement, kept.document) == JUDGEMENT
    assert capsys.readouterr().out.splitlines() == [
        f"Recorded as {kept.name} in {book}.",
        "Make it a claim: warpbook try 'my one.py' --on vector_add --expect LOW..HIGH",
    ]


def test_a_comparison_is_recorded_and_its_claim_names_the_baseline(book, session, capsys):
    asked = replace(session.asked, device="cpu")
    session = replace(session, asked=asked)
    arms = ("passes", "mine.py")
    recording.record_comparison(book, session, COMPARISON, arms, "1-fp32", json=True)
    (kept,) = measurements(book)
    assert (kept.kind, kept.rungs, kept.workload) == ("comparison", ["passes", "my one"], "1-fp32")
    assert decode(Comparison, kept.document) == COMPARISON
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines()[-1] == (
        "warpbook: Make it a claim: warpbook try mine.py --on vector_add --against passes "
        f"--workload 1-fp32 --device cpu --book {book} --expect LOW..HIGH"
    )


def test_a_wrong_kernel_is_recorded_and_there_is_nothing_to_claim_of_it(book, session, capsys):
    wrong = replace(JUDGEMENT, status=Status.WRONG, outcomes=())
    recording.record_judgements(book, session, [wrong], None, "mine.py")
    assert len(measurements(book)) == 1
    assert "claim" not in capsys.readouterr().out


def test_a_warm_time_says_so_in_the_book(book, session, capsys):
    session = replace(session, asked=replace(session.asked, warm=True))
    recording.record_judgements(book, session, [JUDGEMENT], ("1-fp32",), "mine.py")
    recording.record_comparison(book, session, COMPARISON, ("passes", "mine.py"), None)
    compared, judged = (kept.document for kept in measurements(book))
    assert compared["notes"] == judged["outcomes"][0]["notes"] == [recording.WARM]


@pytest.mark.parametrize("harm", [b"this is no database", b""])
def test_a_book_that_cannot_be_used_is_one_line(book, session, capsys, harm):
    (book / "book.db").write_bytes(harm)
    recording.record_judgements(book, session, [JUDGEMENT], None, "mine.py")
    shown = capsys.readouterr()
    assert shown.out == ""
    (line,) = shown.err.splitlines()
    assert line.startswith(f"warpbook: not recorded in {book}: ")


def test_the_book_is_found_as_everywhere(at_home, book, monkeypatch):
    assert recording.book_in_use(None) is None
    assert recording.book_in_use(book) == book
    monkeypatch.setenv("WARPBOOK", str(book))
    assert recording.book_in_use(None) == book
    monkeypatch.setenv("WARPBOOK_RUN", "R-1")
    assert recording.book_in_use(None) is None


def test_a_book_that_is_asked_for_must_be_there(at_home, tmp_path, monkeypatch, capsys):
    with pytest.raises(BadInput, match="is no book"):
        recording.book_in_use(tmp_path / "nowhere")
    monkeypatch.setenv("WARPBOOK", str(tmp_path / "nowhere"))
    assert recording.book_in_use(None) is None
    assert capsys.readouterr().err.startswith("warpbook: nothing is recorded: ")


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("sys.modules['sqlalchemy'] = None", "not recorded in .*sqlalchemy.*warpbook\\[lab\\]"),
        ("book = None", "^$"),
    ],
)
def test_without_sqlalchemy_or_without_a_book_the_judgement_stands(book, before, said):
    program = f"""
import re, sys
from pathlib import Path
book = Path({str(book)!r})
{before}
from warpbook.cli.main import app
from warpbook.cli.recording import Entry, record, record_judgements
if book:
    assert not record(book, [Entry("judgement", "softmax", ("mine",), "", "cpu", {{}})], False)
else:
    record_judgements(None, None, [], None, "mine.py")
assert not sys.modules.get("sqlalchemy")
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ended.stdout == ""
    assert re.search(said, ended.stderr)


@pytest.mark.usefixtures("quick")
def test_judging_in_a_book_from_the_command_line(say, double, book, at_home):
    file = double.write("mine.py", "def double(x):\n    return x + x\n")
    judge = ("judge", double, "--file", file, "--workload", "63", "--device", "cpu", "--json")
    said = say(*judge, "--book", book)
    assert said.document["judgements"][0]["status"] == "correct"
    assert f"warpbook try {file} --on {double} --device cpu --book {book} --expect" in said.err
    (kept,) = measurements(book)
    assert (kept.problem, kept.workload) == (str(double), "63")
