"""The verbs of days, plans, claims, calendar and summary, as people and programs read them."""

import json
from datetime import datetime, timedelta

import pytest
from desk_of import desk_of
from typer.testing import CliRunner

from warpbook.cli.main import app
from warpbook.journal import journal

NOW = datetime.now()
TODAY = NOW.date()
YESTERDAY = TODAY - timedelta(days=1)
HOSTILE = "\x1b[31mred\x1b[0m \u202eevil [bold]x[/bold] <b>"


class Stopped(datetime):
    @classmethod
    def now(cls, tz=None):
        return NOW.astimezone(tz)


@pytest.fixture
def say(book, monkeypatch):
    """No midnight passes from one command to the next."""
    monkeypatch.setattr(journal, "datetime", Stopped)

    def run(*words, status=0):
        done = CliRunner().invoke(app, [*map(str, words)])
        assert done.exit_code == status, done.output
        return done

    return run


@pytest.fixture
def say_json(say):
    return lambda *words: json.loads(say(*words, "--json").stdout)


def file(book, on=TODAY):
    return book / "journal" / f"{on}.md"


def test_words_without_quotes_are_added(book, say):
    done = say("day", "finished", "the", "softmax", "rung")
    assert file(book).read_text() == "finished the softmax rung\n"
    assert "Day 1 of journal" in done.stdout


def test_what_is_wrong_in_the_text_itself_is_told_at_once(book, say):
    card = "Q: a warp?\nA: 32 threads.\n<!-- card:abcdefgh -->"
    say("day", card)
    done = say("day", card.replace("a warp", "a block"))
    assert f"journal/{TODAY}.md:5: card abcdefgh is also on line 1" in done.stderr


def test_an_item_is_text_and_no_option(book, say):
    say("day", "- [ ] read", "--minutes", 5)
    assert file(book).read_text() == "---\nminutes: 5\n---\n- [ ] read\n"


def test_another_day_and_track(book, say, say_json):
    say("day", "--date", "yesterday", "--track", "gpu", "words")
    say("day", "--date", YESTERDAY, "more")
    assert file(book, YESTERDAY).read_text() == "---\ntrack: gpu\n---\nwords\n\nmore\n"
    (listed,) = say_json("day", "list", "--track", "gpu")
    assert (listed["date"], listed["tracks"]) == (str(YESTERDAY), ["gpu"])
    assert say_json("day", "list", "--track", "ml") == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--date", "2026-02-30", "x"), "there is no such day"),
        (("--date", "9999-01-01", "x"), "is no date that can be used"),
        (("--date", "soon", "x"), "write 2026-01-04, today or yesterday"),
        (("--date", TODAY + timedelta(days=2), "x"), "is in the future"),
        (("--minutes", "1e9", "x"), "no number of minutes"),
        (("--minutes", "-1", "x"), "no number of minutes"),
        (("--minutes", "soon", "x"), "--minutes"),
    ],
)
def test_what_cannot_be_used_is_said(book, say, words, said):
    assert said in say("day", *words, status=2).stderr
    assert not file(book).exists()


def test_a_day_is_shown_with_live_figures_and_counts(book, say, say_json):
    with open(book / "warpbook.toml", "a") as settings:
        target = TODAY + timedelta(days=154)
        settings.write(
            f'[journal]\ntrack = "gpu"\n[journal.tracks.gpu]\nof = 365\ntarget = {target}\n'
        )
    with desk_of(book) as desk:
        claim, experiment = desk.tried()
        desk.results(experiment, 0.25, 0.25, 0.25)
    say("day", "--date", "yesterday", "tomorrow: try cp.async")
    say("day", "# Day 22")
    say("day", f"run:E-1 for {claim.name}, not F-9")
    shown = say("day", "show").stdout
    assert "Day 2 of gpu (the text says 22), 2/365, T - 154" in shown
    assert "run:E-1 [1.28x (1.27x-1.29x), 3 runs] for H-1 [supported, 1.28x" in shown
    assert "F-9 [not in this book]" in shown
    assert "- [ ] try cp.async" in shown
    document = say_json("day", "show")
    assert [figure["reference"] for figure in document["figures"]] == ["run:E-1", "H-1", "F-9"]
    assert document["counters"][0]["text"] == "Day 2 of gpu (the text says 22), 2/365, T - 154"
    assert document["claimed"][0]["day"] == 22


def test_hostile_text_drives_no_terminal(book, say):
    say("day", HOSTILE)
    say("plan", "add", HOSTILE)
    say("day", f"5x over torch {HOSTILE}")
    for words in (("day", "show"), ("day", "list"), ("plan",), ("claim",)):
        shown = say(*words).stdout
        assert "\\x1b[31mred" in shown
        assert "\x1b" not in shown
        assert "\u202e" not in shown


def test_there_is_no_such_day(say):
    assert "there is no day 2020-01-01" in say("day", "show", "2020-01-01", status=2).stderr


def test_a_file_of_the_future_and_a_bad_name_are_told_of(book, say):
    (book / "journal").mkdir()
    ahead = TODAY + timedelta(days=9)
    file(book, ahead).write_text("words")
    file(book, "2026-02-30").write_text("words")
    told = say("day", "list").stderr
    assert f"journal/{ahead}.md:1: {ahead} is in the future" in told
    assert "journal/2026-02-30.md:1: '2026-02-30' is no date" in told


def test_the_editor_opens_today(book, say, say_json, monkeypatch):
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "sh -c 'echo typed >> \"$0\"'")
    assert say_json("day")["changed"] is True
    assert file(book).read_text() == "typed\n"
    monkeypatch.setenv("EDITOR", "sh -c 'echo half >> \"$0\"; exit 4'")
    told = say("day", status=2).stderr
    assert f"ended with 4; journal/{TODAY}.md is as the editor left it" in told
    assert file(book).read_text() == "typed\nhalf\n"
    monkeypatch.setenv("EDITOR", "true")
    assert "nothing was written" in say("day", "--date", "yesterday").stderr


def test_what_waits_is_added_by_the_next_command(book, say):
    from warpbook.journal.texts import textfile

    say("day", "words")
    with textfile.held(file(book)):
        assert "waits in journal/.waiting/" in say("day", "later").stderr
        say("plan", "add", "a plan")
        assert file(book).read_text() == "words\n"
    say("calendar")
    assert file(book).read_text() == "words\n\nlater\n\n- [ ] a plan\n"


def test_a_draft_is_shown_or_put_into_the_day(book, say, say_json, monkeypatch):
    monkeypatch.setattr(journal, "datetime", datetime)  # runs are of the real day
    today = datetime.now().date()
    assert "nothing of" in say("day", "draft").stdout
    with desk_of(book) as desk:
        desk.result(desk.tried()[1])
    assert say("day", "draft").stdout == "- run:E-1 (new against old on small): run:R-1\n"
    assert not file(book, today).exists()
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "touch")
    say("day", "draft", "--edit")
    assert "run:R-1" in file(book, today).read_text()
    assert say_json("day", "draft") == {"date": str(today), "text": ""}


def test_plans_have_numbers_and_are_done_or_dropped(book, say, say_json):
    for text in ("one", "two", "three"):
        say("plan", "add", text)
    assert [line.split()[0] for line in say("plan").stdout.splitlines()[1:]] == ["1", "2", "3"]
    say("plan", "done", 1, 3)
    say("plan", "drop", "two")
    assert say_json("plan") == []
    states = [(plan["text"], plan["state"]) for plan in say_json("plan", "list", "--all")]
    assert states == [("one", "done"), ("two", "dropped"), ("three", "done")]
    assert file(book).read_text() == "- [x] one\n- [-] two\n- [x] three\n"
    assert "no open plan 'four'" in say("plan", "done", "four", status=2).stderr


def test_claims_are_listed_and_linked(book, say, say_json):
    with desk_of(book) as desk:
        desk.result(desk.tried()[1], 0.25)
    say("day", "got 5x over torch")
    (claim,) = say_json("claim", "list", "--state", "unverified")
    linked = say_json("claim", "link", claim["claim"], "E-1")
    assert linked["figure"]["text"] == "1.28x, 1 run"
    assert file(book).read_text() == "got 5x over torch (run:E-1)\n"
    assert "no state" in say("claim", "list", "--state", "odd", status=2).stderr


def test_the_calendar_shows_days_and_gaps(say, say_json):
    say("day", "--date", TODAY - timedelta(days=3), "--minutes", 30, "words")
    say("day", "words")
    shown = say("calendar").stdout
    assert sum(shown.count(mark) for mark in "\u2591\u2592\u2593\u2588") == 2
    assert "1 gap, 2 days missed" in shown
    assert f"{TODAY - timedelta(days=2)} to {YESTERDAY} (2 days)" in shown
    document = say_json("calendar")
    assert len(document["days"]) in (365, 366)
    assert document["streaks"]["missed"] == 2


def test_a_week_is_summed_up(say, say_json):
    say("day", "--minutes", 30, "words")
    document = say_json("summary")
    assert (document["kind"], document["days"], document["minutes"]) == ("week", [str(TODAY)], 30)
    assert "minutes  30 (journal 30)" in say("summary", "--month").stdout
    assert "one of the two" in say("summary", "--week", "--month", status=2).stderr
