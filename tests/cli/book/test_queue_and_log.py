"""The queue with its reasons, the running log, and an author's record."""

import json
import signal
import subprocess
import time


def test_the_queue_shows_order_and_reason(say, desk):
    desk.tried("one")
    desk.tried("two")
    desk.book.experiments.pin("E-2")
    said = say("queue")
    lines = [line for line in said.out.splitlines() if line.startswith(("1 ", "2 "))]
    assert lines[0].split()[:2] == ["1", "E-2"]
    assert "pinned: " in said.words
    assert "bits for H-2 (belief 0.5" in said.words
    document = say("queue", "--limit", "1", "--json").document
    assert [place["experiment"]["name"] for place in document["places"]] == ["E-2"]
    assert document["paused"] is False


def test_money_stands_beside_worth_where_there_is_a_price(say, desk):
    settings = desk.book.folder / "warpbook.toml"
    settings.write_text('currency = "EUR"\n[executors.local]\nprice_per_hour = 3.0\n')
    desk.tried()
    said = say("queue")
    assert "costs" in said.words
    assert "0.10 EUR" in said.words


def test_the_queue_is_paused_and_authors_are_held(say, desk):
    desk.tried()
    assert "paused: nothing starts" in say("queue", "pause").words
    assert "paused" not in say("queue", "resume").words
    assert "not taken: ana is held" in say("queue", "hold", "ana").words
    assert "not taken" not in say("queue", "unhold", "ana").words
    assert "behind the verb" in say("queue", "--json", "pause", status=2).err
    assert "the queue is empty" in say("experiment", "cancel", "E-1").words + say("queue").words


def test_who_is_held_is_shown_also_with_nothing_queued(say, book):
    assert (
        "nothing of a bot starts; warpbook queue unhold 'a bot'"
        in say("queue", "hold", "a bot").out
    )
    assert say("queue", "--json").document["held"] == ["a bot"]
    assert say("queue", "unhold", "a bot", "--json").document["held"] == []


def test_a_worker_with_nothing_to_do_says_where_to_look(say, desk):
    desk.tried()
    say("queue", "pause")
    assert "`warpbook queue` says why" in say("work", "--until-empty").err


def test_the_log_shows_the_last_lines_or_those_after_a_number(say, desk, book):
    desk.tried()
    last = book.log.last()
    assert say("log", "--limit", "1").out.split()[0] == str(last)
    first = say("log", "--after", "0", "--limit", "2", "--json").document
    assert [event["id"] for event in first] == [1, 2]
    assert say("log", "--kind", "verdict").out == "no such lines in the log\n"
    assert "prediction.locked" in say("log", "--kind", "prediction").out
    assert "note H-1: looks odd" in say("note", "looks odd", "--about", "h1").words
    assert "looks odd" in say("log", "--about", "H-1").words
    assert "note is empty" in say("note", " ", status=2).err
    assert "no hypothesis H-9" in say("note", "what", "--about", "H-9", status=2).err


def test_commits_of_the_watched_repository_come_into_the_log(say, book, tmp_path):
    watched = tmp_path / "code"
    watched.mkdir()
    who = ("-c", "user.name=ana", "-c", "user.email=ana@example.org")
    for command in (("init", "-q"), (*who, "commit", "-q", "--allow-empty", "-m", "one pass")):
        subprocess.run(["git", "-C", watched, *command], check=True)
    (book.folder / "warpbook.toml").write_text(f'watch = "{watched}"\n')
    assert "one pass" in say("log").words


def test_the_log_is_followed_until_interrupted(warpbook, book, desk):
    started = warpbook.start("log", "--follow", "--json", "--book", book.folder, "--kind", "note")
    try:
        book.log.note("first")
        line = started.stdout.readline()
        while json.loads(line)["text"] != "first":
            line = started.stdout.readline()
        book.log.note("second")
        assert json.loads(started.stdout.readline())["text"] == "second"
    finally:
        started.send_signal(signal.SIGINT)
        assert started.wait(120) == 130
        started.stdout.close()


def test_an_authors_record_is_shown(say, desk):
    for change in ("one", "two"):
        _, experiment = desk.tried(change)
        desk.results(experiment, 0.26, 0.27, 0.25)
    said = say("calibration")
    assert "ana 2 100% 1.11x" in said.words
    assert say("calibration", "--json").document[0]["hits"] == 2


def test_telemetry_is_averaged_over_a_span(say, book):
    from warpbook.book.telemetry import record

    now = time.time()
    samples = [
        {"at": now - age, "span_s": 1.0, "device": "cpu", "utilisation": used, "processes": []}
        for age, used in ((4000, 1.0), (2, 0.2), (1, 0.4))
    ]
    record(book, samples)
    assert "cpu" in say("telemetry").words
    assert "30%" in say("telemetry", "--device", "cpu").words
    assert len(say("telemetry", "--time", "2h", "--json").document["cpu"]) == 3
    assert "no samples of a device" in say("telemetry", "--device", "gpu", status=2).err


def test_measurements_are_listed(say, book):
    book.measurements.add("comparison", "softmax", ["a", "b"], "64x64", "cpu", {"ratio": 1})
    assert "M-1" in say("measurements", "softmax").words
    assert say("measurements", "gemv", "--json").document == []
