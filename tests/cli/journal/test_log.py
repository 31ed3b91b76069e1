"""`warpbook import log` and `warpbook export log`: first what would be, then with --write."""

import json

import pytest
from typer.testing import CliRunner

from warpbook.cli.main import app
from warpbook.journal.texts.textfile import MOST_BYTES

LOG = """\
# Notes

## Jan 2, 2024 - Day 1 of CUDA
5x over PyTorch. Read https://example.org/so\u2026

Q: What is a warp?
A: 32 threads.

## Jan 3
rest \x1b[2J

## February 30
never
"""


@pytest.fixture
def say(book):
    def run(*arguments, status=0):
        ended = CliRunner().invoke(app, [str(one) for one in arguments])
        if ended.exception and not isinstance(ended.exception, SystemExit):
            raise ended.exception
        assert ended.exit_code == status, ended.stdout + ended.stderr
        return ended

    return run


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.md"
    path.write_text(LOG)
    return path


def test_a_dry_run_says_all_and_changes_nothing(say, book, log):
    said = say("import", "log", log).stdout
    for words in (
        "track CUDA",
        "days: 2, 2024-01-02 to 2024-01-03",
        "dates: as written (1); its place among the entries (1)",
        "2024-01-02  line 3  Day 1\n",
        "2024-01-03  line 9  (its place among the entries, from 2024-01-02 in line 3)",
        "https://example.org/so\u2026 (cut short)",
        "line 6: What is a warp?",
        "2024-01-02: 5x over PyTorch",
        "log.md:12: February 30 is no date",
        "13: never",
        "1: # Notes",
        "nothing was changed; take it in with --write",
    ):
        assert words in said, words
    assert "\x1b" not in said
    assert not (book / "journal").exists() or not [*(book / "journal").glob("*.md")]


def test_what_is_said_again_is_told_and_kept(say, tmp_path):
    (tmp_path / "a.md").write_text(
        "## Jan 2, 2024 - Day 22 of CUDA\nx\n## Jan 4, 2024 - Day 22 of CUDA\ny\n"
        "## Jan 4, 2024 - Day 23 of CUDA\nz\n# Links\n- https://arxiv.org/abs/2205.14135v2 meh\n"
        "- https://example.org/b\n- https://arxiv.org/pdf/2205.14135\n"
    )
    said = say("import", "log", tmp_path / "a.md").stdout
    for words in (
        "lines 1 and 3: Day 22 of CUDA each; all are kept as they are",
        "lines 3 and 5: 2024-01-04 each; they become one day",
        "line 10: the item of line 8, arxiv.org/abs/2205.14135v2",
        "line 8: Links: https://arxiv.org/abs/2205.14135v2, 1 word of notes",
    ):
        assert words in said, words
    document = json.loads(say("import", "log", tmp_path / "a.md", "--json").stdout)
    assert [one["again"] for one in document["logs"][0]["reading"]] == [[10], []]


def test_a_long_log_is_summed_up(say, tmp_path):
    days = "".join(
        f"## 2020-{month:02}-{day:02}\n5x over PyTorch https://example.org/{month}/{day}\n\n---\n\n"
        f"## {month}/{day} of words\n"
        for month in range(1, 13)
        for day in range(1, 29)
    )
    wrong = "".join(f"## June {day}, 2020\nnever\n\nnot once\n" for day in range(31, 99))
    (tmp_path / "a.md").write_text(days + wrong)
    said = say("import", "log", tmp_path / "a.md").stdout
    assert len(said.split("\n")) < 90
    for words in (
        "days: 336, 2020-01-01 to 2020-12-28",
        "... 326 more; --json lists them all",
        "2020-12-28  line",
        "not understood: 204 lines",
        "(June 31, 2020 is no date)",
        "... 60 more, up to line",
    ):
        assert words in said, words
    document = json.loads(say("import", "log", tmp_path / "a.md", "--json").stdout)
    [one] = document["logs"]
    assert (len(one["days"]), len(one["not_understood"]), len(one["problems"])) == (336, 68, 68)


def test_written_twice_it_is_there_once(say, book, log):
    said = say("import", "log", log, "--write").stdout
    assert "taken in: 2 days, 1 reading, 1 card\n" in said
    assert "rest \x1b[2J" in (book / "journal" / "2024-01-03.md").read_text()
    again = say("import", "log", log, "--write").stdout
    assert "taken in: nothing new" in again
    assert "days: 2 (2 of them taken in before), 2024" in again


def test_the_document_has_the_same(say, log):
    said = json.loads(say("import", "log", log, "--write", "--json").stdout)
    [one] = said["logs"]
    assert [(day["date"], day["line"], day["day"]) for day in one["days"]] == [
        ("2024-01-02", 3, 1),
        ("2024-01-03", 9, None),
    ]
    assert one["written"]["days"] == 2
    assert one["not_understood"][-1]["texts"] == ["## February 30", "never"]
    assert one["problems"][0].endswith("log.md:12: February 30 is no date")
    assert one["reading"][0]["cut"]


def test_several_logs_and_what_settles_them(say, tmp_path):
    (tmp_path / "a.md").write_text("## March 3\nx\n")
    (tmp_path / "b.md").write_text("Day 3/365 of CUDA\ny\n")
    both = (tmp_path / "a.md", tmp_path / "b.md")
    asked = json.loads(say("import", "log", *both, "--json").stdout)
    whys = [one["not_understood"][0]["why"] for one in asked["logs"]]
    assert whys == [
        "nothing says which year it is; give --year",
        "no date, and no entry to count from; give --start",
    ]
    settled = say(
        "import", "log", *both, "--year", 2024, "--start", "2024-05-01", "--track", "gpu", "--json"
    )
    found = [one["days"][0] for one in json.loads(settled.stdout)["logs"]]
    assert [(day["date"], day["track"], day["called"]) for day in found] == [
        ("2024-03-03", "gpu", ""),
        ("2024-05-03", "gpu", "CUDA"),
    ]
    (tmp_path / "c.md").write_text("12/09/25\nx\n")
    for option, date in (("--day-first", "2025-09-12"), ("--month-first", "2025-12-09")):
        said = json.loads(say("import", "log", tmp_path / "c.md", option, "--json").stdout)
        assert said["logs"][0]["days"][0]["date"] == date


def test_the_order_can_be_said(say, tmp_path):
    (tmp_path / "a.md").write_text("## March 3, 2024\nx\n\n## November 20\ny\n")
    for option, year in (("--oldest-first", "2024"), ("--newest-first", "2023")):
        said = json.loads(say("import", "log", tmp_path / "a.md", option, "--json").stdout)
        assert said["logs"][0]["days"][1]["date"] == f"{year}-11-20"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--newest-first", "--oldest-first"), "exclude each other"),
        (("--month-first", "--day-first"), "exclude each other"),
        (("--start", "2024-02-30"), "is no date"),
        (("--track", " "), "--track is empty"),
        (("--year", "12"), "--year"),
    ],
)
def test_options_that_make_no_sense(say, log, arguments, words):
    assert words in say("import", "log", log, *arguments, status=2).stderr


def test_files_that_cannot_be_read_change_nothing(say, book, log, tmp_path):
    (tmp_path / "latin.md").write_bytes(b"## Jan 2, 2024\nna\xefve\n")
    (tmp_path / "binary.md").write_bytes(b"fine\nnot \0 fine\n")
    with open(tmp_path / "huge.md", "wb") as file:
        file.truncate(5 * MOST_BYTES)
    for name, words in (
        ("latin.md", "latin.md:2: not UTF-8"),
        ("binary.md", "binary.md:2: this is no text"),
        ("huge.md", "huge.md:1: 50.0 MB is more than"),
        ("none.md", "none.md: no such file"),
    ):
        said = say("import", "log", log, tmp_path / name, "--write", status=2)
        assert words in said.stderr
        assert "Traceback" not in said.stderr
    assert not [*(book / "journal").glob("*.md")]


def test_out_in_and_out_again(say, new_book, log, tmp_path):
    from shutil import copytree

    other = copytree(new_book, tmp_path / "other")
    say("import", "log", log, "--write")
    assert "2 days, 1 reading, 1 cards" in say("export", "log", tmp_path / "out.md").stdout
    said = say("import", "log", tmp_path / "out.md", "--write", "--book", other).stdout
    assert "taken in: 2 days, 1 reading, 1 card\n" in said
    made = json.loads(say("export", "log", tmp_path / "two.md", "--book", other, "--json").stdout)
    assert made["days"] == 2
    assert (tmp_path / "two.md").read_text() == (tmp_path / "out.md").read_text()
    assert "is there already" in say("export", "log", tmp_path / "out.md", status=2).stderr


def test_an_export_of_a_part(say, log, tmp_path):
    say("import", "log", log, "--write")
    part = ("--since", "2024-01-03", "--until", "2024-01-05", "--track", "CUDA", "--json")
    made = json.loads(say("export", "log", tmp_path / "part.md", *part).stdout)
    assert (made["days"], made["reading"], made["cards"]) == (1, 0, 0)
    assert "is no date" in say("export", "log", tmp_path / "x", "--since", "soon", status=2).stderr


def test_a_day_that_is_being_edited_waits(say, book, log):
    from warpbook.journal.texts import textfile

    with textfile.held(book / "journal" / "2024-01-03.md"):
        said = say("import", "log", log, "--write", status=1)
    assert "import the same again for the rest" in said.stderr
    assert "taken in: 1 day\n" in say("import", "log", log, "--write").stdout
