"""What the verbs say of times that were really taken, on a small problem; never how long they
were."""

import pytest

from warpbook.book.book import Book
from warpbook.core.machine import cpu_name
from warpbook.core.standing import Mark
from warpbook.kernels.library import find_rung, read_outline
from warpbook.measure import standing
from warpbook.measure.receipts import read

pytestmark = pytest.mark.usefixtures("quick")

WRONG = """
    '''A factor short.'''


    def double(x):
        return x.clone()
"""
PLAIN = """
    def double(x):
        return x + x
"""
# So much slower than any of the others that nothing else on the machine can hide it.
SLOW = """
    import time

    def double(x):
        time.sleep(0.02)
        return x * 2
"""


def test_ladder_shows_every_rung_even_beside_a_wrong_one(say, double):
    double.with_ladder(slow=SLOW, wrong=WRONG, plain=PLAIN)
    lines = say("ladder", double, "--device", "cpu", status=1).out.splitlines()
    assert lines[0] == "double 1000 on cpu"
    slow, wrong, plain = lines[3:6]
    assert [line.split()[0] for line in (slow, wrong, plain)] == ["slow", "wrong", "plain"]
    assert " ms (" in slow
    assert "none (wrong)" in wrong
    assert "none" not in plain
    assert any(line.startswith("wrong: wrong on 63: ") for line in lines)
    assert max(map(len, lines)) <= 100


def test_a_ladder_in_a_book_is_recorded_rung_by_rung(say, double, tmp_path, monkeypatch):
    book = Book.create(tmp_path / "book", author="ana")
    monkeypatch.setenv("WARPBOOK_RUN", "")
    monkeypatch.setenv("WARPBOOK", str(book.folder))
    double.with_ladder(plain=PLAIN, again=PLAIN)
    said = say("ladder", double, "--device", "cpu")
    kept = book.measurements.list()
    book.close()
    assert sorted(one.rungs[0] for one in kept) == ["again", "plain"]
    assert {one.workload for one in kept} == {"1000"}
    assert "Make it a claim: warpbook try RUNG" in said.out


def test_compare_takes_a_name_and_a_file_and_answers(say, double, tmp_path):
    file = double.write("slow.py", SLOW)
    kept = tmp_path / "receipt.jsonl"
    said = say("compare", double, "plain", file, "--device", "cpu", "--keep", kept)
    assert said.out.startswith("slow is slower than plain on 1000, cpu: ")
    (receipt,) = read(kept)
    comparison = receipt.comparison
    assert (comparison.a, comparison.b, comparison.workload) == ("plain", "slow", "1000")
    assert comparison.answer == "slower"
    assert [source.shipped for source in receipt.request.sources] == [True, False]


@pytest.fixture
def marked(double, tmp_path, monkeypatch):
    """The problem's rung has a mark on this CPU: an hour, which any file is faster than."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    outline = read_outline(str(double))
    hour = 3600e6
    line = Mark(
        when="2026-01-04T10:00:00+00:00",
        problem="double",
        rung="plain",
        own=False,
        workload="1000",
        us=hour,
        low_us=hour,
        high_us=hour,
        of_floor=None,
        error=1.0,
        sha256=find_rung(outline, "plain").sha256,
        environment={"device": cpu_name()},
    )
    standing.append(standing.path_of(outline, cpu_name()), standing.to_line(line))
    return double


def test_judging_a_file_says_where_it_stands_and_keeps_its_mark(say, marked):
    file = marked.write("mine.py", PLAIN)
    arguments = ("judge", marked, "--file", file, "--device", "cpu")
    (found,) = say(*arguments, "--json").document["standings"]
    assert [mark["rung"] for mark in found["faster_than"]] == ["plain"]
    assert found["workload"] == "1000"
    listed = say("standings", marked, "--json").document["marks"]
    assert [mark["us"] for mark in listed if mark["own"]] == [found["us"]]
    assert "On 1000 it is faster than the one rung, " in say(*arguments).out


def test_a_shipped_rung_and_warm_caches_have_no_standing(say, marked):
    file = marked.write("mine.py", PLAIN)
    for arguments in (("--rung", "plain"), ("--file", file, "--warm")):
        said = say("judge", marked, *arguments, "--device", "cpu", "--json")
        assert said.document["standings"] == []
    listed = say("standings", marked, "--json").document["marks"]
    assert [mark["own"] for mark in listed] == [False]


def test_roofs_shows_what_was_measured_beside_theory(say):
    roofs = say("roofs", "--device", "cpu", "--json").document
    assert 0 < roofs["copy_bytes_per_s"] < roofs["peaks"]["bytes_per_s"]
    shown = say("roofs", "--device", "cpu").out
    assert shown.splitlines()[1].split() == ["roof", "measured", "at", "most", "reached"]
