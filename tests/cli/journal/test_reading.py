"""`warpbook reading` and `warpbook feed`, as people and programs use them."""

import json

import pytest
import typer
from click.testing import CliRunner
from feed_server import FeedServer, rss

from warpbook.cli.main import app

COMMAND = typer.main.get_command(app)
HOSTILE = "\x1b[2Jbad\u202e *title* <script>\n## two"


@pytest.fixture
def say(book):
    def run(*arguments, status=0):
        ended = CliRunner().invoke(COMMAND, [str(word) for word in arguments])
        if ended.exception and not isinstance(ended.exception, SystemExit):
            raise ended.exception
        assert ended.exit_code == status, ended.stdout + ended.stderr
        assert "\x1b" not in ended.stdout + ended.stderr
        return ended

    return run


@pytest.fixture
def add(say):
    """Gives the id of what was added."""

    def run(*arguments):
        return json.loads(say("reading", "add", *arguments, "--json").stdout)["id"]

    return run


def titles(ended):
    return [one["title"] for one in json.loads(ended.stdout)]


def test_an_address_or_a_title_is_added_and_shown(say, add, book):
    id = add("https://arxiv.org/pdf/2205.14135v2", "--topic", "Attention", "--note", "Read it")
    shown = say("reading", "show", id[:5]).stdout
    assert f"{id}  arxiv.org/pdf/2205.14135v2" in shown
    for line in ("kind     paper", "state    queued", "where    reading/attention.md:3", "Read it"):
        assert line in shown
    other = add("A chapter", "--kind", "chapter", "--tier", "2", "--address", "https://a.example/")
    document = json.loads(say("reading", "show", "a chapter", "--json").stdout)
    assert (document["id"], document["tier"], document["questions"]) == (other, 2, [])
    assert "Read it" in (book / "reading" / "attention.md").read_text()


def test_what_is_there_already_is_told(say, add):
    id = add("https://example.org/x", "--topic", "t")
    said = say("reading", "add", "http://www.example.org/x?utm_source=a", status=2).stderr
    assert f"there already: {id}  example.org/x (t, queued)" in said


def test_an_item_goes_through_its_states(say, add):
    id = add("Some post")
    assert "up to    page 3" in say("reading", "start", id, "--up-to", "page 3").stdout
    assert "reading, up to page 3" in say("reading", "list").stdout
    assert "done     2026-01-04" in say("reading", "done", id, "--on", "2026-01-04").stdout
    assert "revisit  2026-02-01" in say("reading", "revisit", id, "--on", "2026-02-01").stdout
    assert "in the future" in say("reading", "done", id, "--on", "9000-01-01", status=2).stderr
    assert "no date" in say("reading", "done", id, "--on", "2026-02-30", status=2).stderr
    say("reading", "drop", id)
    assert titles(say("reading", "list", "--json")) == []
    assert titles(say("reading", "list", "--state", "dropped", "--json")) == ["Some post"]


def test_a_pull_request_is_followed_to_its_end(say, add):
    id = add("https://github.com/o/r/pull/3", "--state", "asked")
    assert "state    merged" in say("reading", "set", id, "--state", "merged").stdout
    assert "what is to change" in say("reading", "set", id, status=2).stderr
    shown = say("reading", "set", id, "--title", "Faster", "--tier", "1", "--kind", "code").stdout
    assert f"{id}  Faster" in shown
    assert "code, tier 1" in shown


def test_notes_and_questions(say, add):
    id = add("Some post")
    add("Another")
    say("reading", "note", id, "- a list of two")
    say("reading", "question", id, "why", "so?")
    assert "  open: why so?" in say("reading", "list", "--questions").stdout
    (asked,) = json.loads(say("reading", "list", "--questions", "--json").stdout)
    assert asked["questions"] == ["why so?"]
    shown = say("reading", "question", id, "why so?", "--answer", "because").stdout
    assert "Q: why so?\nA: because" in shown
    assert "open:" not in shown
    assert "- a list of two" in shown


def test_next_says_why(say, add):
    assert "nothing is queued" in say("reading", "next").stdout
    add("Later", "--tier", "2")
    add("Soon", "--tier", "1")
    shown = say("reading", "next").stdout
    assert "Soon" in shown.split("\n")[0]
    assert "why      tier 1, queued since" in shown
    found = json.loads(say("reading", "next", "--topic", "general", "--json").stdout)
    assert [(one["title"], one["why"][:6]) for one in found] == [
        ("Soon", "tier 1"),
        ("Later", "tier 2"),
    ]


def test_lists_are_pages_and_filtered(say, add):
    for number in range(5):
        add(f"Post {number}", "--topic", f"t{number % 2}", "--kind", "lecture")
    shown = say("reading", "list", "--limit", "2", "--offset", "1").stdout
    assert "more with --offset 3" in shown
    assert titles(say("reading", "list", "--topic", "t1", "--json")) == ["Post 1", "Post 3"]
    assert titles(say("reading", "list", "--search", "post 4", "--json")) == ["Post 4"]
    assert titles(say("reading", "list", "--kind", "paper", "--json")) == []
    assert "no state" in say("reading", "list", "--state", "lost", status=2).stderr


def test_doubles_are_listed_with_their_places(say, book):
    assert "nothing is there twice" in say("reading", "list", "--doubled").stdout
    (book / "reading").mkdir()
    text = "## A\n- address: https://example.org/x\n## B\n- address: http://example.org/x/\n"
    (book / "reading" / "t.md").write_text(text)
    ended = say("reading", "list", "--doubled")
    assert "reading/t.md:1" in ended.stdout
    assert "reading/t.md:3" in ended.stdout
    (double,) = json.loads(say("reading", "list", "--doubled", "--json").stdout)
    assert [one["title"] for one in double["items"]] == ["A", "B"]


def test_an_item_moves(say, add, book):
    id = add("Some post", "--topic", "a")
    assert "topic  other-topic" in say("reading", "move", id, "Other topic").stdout
    assert (book / "reading" / "a.md").read_text() == "# a\n"
    assert "already" in say("reading", "move", id, "other topic", status=2).stderr


def test_hostile_titles_do_not_drive_the_terminal(say, add, book):
    id = add(HOSTILE, "--note", HOSTILE, "--topic", "t")
    for verb in (["show", id], ["list"], ["next"], ["start", id, "--up-to", HOSTILE]):
        assert "<script>" in say("reading", *verb).stdout
    assert titles(say("reading", "list", "--json")) == [
        "\ufffd[2Jbad\u202e *title* <script> ## two"
    ]


@pytest.fixture
def web():
    server = FeedServer()
    yield server
    server.close()


def test_feeds_are_added_pulled_and_kept(say, web):
    web.pages |= {"/rss": rss("one", "two")}
    url = f"{web.address}/rss"
    assert "A blog, 2 items now" in say("feed", "add", url, "--topic", "news").stdout
    assert "no feeds" not in say("feed", "list").stdout
    pulled = json.loads(say("feed", "pull", "--json").stdout)
    assert [one["new"] for one in pulled["feeds"]] == [2]
    one, two = (item["id"] for item in pulled["added"])
    assert "2 in the inbox" in say("reading", "list").stdout
    say("reading", "drop", two)
    assert "news" in say("reading", "keep", one).stdout
    assert titles(say("reading", "list", "--topic", "news", "--json")) == ["one"]
    assert "0" in say("feed", "pull").stdout
    (listed,) = json.loads(say("feed", "list", "--json").stdout)
    assert (listed["title"], listed["seen"]) == ("A blog", 2)
    assert "dropped" in say("feed", "drop", "a blog").stdout
    assert json.loads(say("feed", "list", "--json").stdout) == []


def test_a_feed_that_fails_is_told_and_the_rest_is_kept(say, web):
    web.pages |= {"/rss": rss("one")}
    say("feed", "add", f"{web.address}/rss")
    assert "404" in say("feed", "add", f"{web.address}/gone", status=2).stderr
    say("feed", "add", f"{web.address}/gone", "--unchecked", "--title", HOSTILE)
    ended = say("feed", "pull", status=1)
    assert "\\x1b" not in ended.stderr
    assert "answered 404" in ended.stderr
    assert titles(say("reading", "list", "--state", "inbox", "--json")) == ["one"]
    assert json.loads(say("feed", "pull", "--json", status=1).stdout)["feeds"][1]["failed"]
