"""`warpbook export post`: a day as posts, as people and programs read them."""

import json

import pytest
from typer.testing import CliRunner

from warpbook.cli.main import app
from warpbook.journal.sharing.post_weight import weight


@pytest.fixture
def run(book):
    (book / "journal").mkdir(exist_ok=True)
    return lambda *words: CliRunner().invoke(app, ["export", "post", *map(str, words)])


def write(book, text, on="2026-01-04"):
    (book / "journal" / f"{on}.md").write_text(text)


def test_a_day_as_one_post(run, book):
    write(book, "---\ntrack: [gpu, ml]\n---\n# Day 3\n\nIt *works*: https://example.org/a\n")
    ended = run("2026-01-04")
    assert ended.stdout == "Day 1 of gpu (the text says 3): It works: https://example.org/a\n"
    assert run("2026-01-04", "--track", "ml").stdout.startswith("Day 1 of ml: ")
    ended = run("2026-01-04", "--track", "x")
    assert (ended.exit_code, "is of gpu, ml, not of 'x'" in ended.stderr) == (2, True)


def test_a_long_day_is_cut_or_made_a_thread(run, book):
    write(book, "A sentence of some length, and one more.\n\n" * 20)
    document = json.loads(run("2026-01-04", "--json").stdout)
    assert document["limit"] == 280
    (only,) = document["posts"]
    assert only["text"].endswith(" …")
    posts = json.loads(run("2026-01-04", "--thread", "--json").stdout)["posts"]
    assert len(posts) > 2
    assert all(weight(one["text"]) == one["length"] <= 280 for one in posts)
    assert posts[0]["text"].startswith(f"1/{len(posts)} Day 1 of journal: A sentence")
    assert run("2026-01-04", "--thread").stdout.count("A sentence of some length") == 20


def test_nothing_in_it_drives_a_terminal(run, book):
    write(book, "\x1b[2Jred \x9b1m \u202e back")
    shown = run("2026-01-04").stdout
    assert not set("\x1b\x9b\u202e") & set(shown)


def test_what_cannot_be_posted_is_told(run, book):
    write(book, "---\nprivate: true\n---\nx")
    ended = run("2026-01-04")
    assert (ended.exit_code, "the day is private" in ended.stderr) == (2, True)
    ended = run("2026-01-05")
    assert (ended.exit_code, "there is no day 2026-01-05" in ended.stderr) == (2, True)
    assert run("2026-02-30").exit_code == 2
