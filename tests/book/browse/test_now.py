"""What the page Now asks of a book."""

import time

import pytest

from warpbook.book import leases, run_folder, telemetry
from warpbook.book.book import Book
from warpbook.book.browse import devices, glance, running, spending, waiting, workers
from warpbook.book.browse.log_lines import LONGEST, Wanted, log_kinds, log_lines
from warpbook.core.steps import Steps


def sample(device, at, **more):
    unknown = dict.fromkeys(devices.MEASURED)
    return {"device": device, "at": at, "span_s": 1.0, "processes": [], **unknown, **more}


def folder_of(book, run):
    folder = book.folder / "runs" / run.name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_a_device_is_its_latest_sample_and_the_means_of_five_minutes(book):
    now = time.time()
    values = [sample("cpu", now - 290 + i, utilisation=i / 1000) for i in range(291)]
    telemetry.record(book, [sample("cpu", now - 400, utilisation=1.0), *values])
    (found,) = devices.devices(book)
    assert found.name == "cpu"
    assert found.at == now
    assert found.latest == {"utilisation": 0.29}
    history = found.recent["utilisation"]
    assert len(history) == devices.BUCKETS
    known = [value for value in history if value is not None]
    assert known == sorted(known)
    assert max(known) < 0.3


def test_times_without_samples_are_gaps(book):
    telemetry.record(book, [sample("cpu", 1000.0, power_w=9.0), sample("cpu", 1200.0, power_w=7.0)])
    (found,) = devices.devices(book)
    assert [value for value in found.recent["power_w"] if value is not None] == [9.0, 7.0]


def test_devices_that_left_long_ago_are_not_listed(book):
    now = time.time()
    telemetry.record(book, [sample("GPU-old", now - 3 * 86400), sample("GPU-new", now)])
    assert [one.name for one in devices.devices(book)] == ["GPU-new"]


def test_a_book_without_telemetry_has_no_devices(book):
    assert devices.devices(book) == []
    assert devices.devices_here(book)


def test_a_run_under_way_says_what_it_is_for(book, desk):
    claim, experiment = desk.tried("one pass")
    desk.result(experiment)
    run = desk.start(experiment)
    (found,), count = running.under_way(book)
    assert count == 1
    assert (found.run, found.experiment) == (run.name, experiment.name)
    assert (found.valid, found.wanted) == (1, 3)
    assert [one.name for one in found.claims] == [claim.name]
    assert (found.claims[0].low, found.claims[0].high) == (0.2, 0.3)


def test_progress_is_steps_and_the_end_of_the_log(book, desk):
    run = desk.start(desk.tried()[1])
    folder = folder_of(book, run)
    Steps(folder / run_folder.STEPS)("importing torch")
    (folder / run_folder.LOG).write_text("".join(f"line {i}\n" for i in range(100)))
    found = running.progress(book, run.name)
    assert [step.text for step in found.steps] == ["importing torch"]
    lines = found.output.split("\n")
    assert lines[-1] == "line 99"
    assert len(lines) == running.TAIL_LINES


def test_progress_follows_the_file(book, desk):
    run = desk.start(desk.tried()[1])
    steps = Steps(folder_of(book, run) / run_folder.STEPS)
    assert running.progress(book, run.name).steps == ()
    for text in ("first", "second"):
        steps(text)
        assert running.progress(book, run.name).steps[-1].text == text


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (b"\x1b[31mred\x1b[0m\n", "red"),
        (b" 10%\r 50%\r100%\r\n", "100%"),
        (b"\xff\xfe\n", "\ufffd\ufffd"),
        (b"no end", "no end"),
        (b"", ""),
    ],
)
def test_output_is_what_a_terminal_would_leave(content, shown):
    assert running.tail(content, cut=False) == shown


def test_a_line_of_ten_megabytes_is_cut(book, desk):
    run = desk.start(desk.tried()[1])
    (folder_of(book, run) / run_folder.LOG).write_bytes(b"x" * 10_000_000)
    found = running.progress(book, run.name)
    assert len(found.output) < 500
    assert found.total_bytes == 10_000_000


def test_a_run_whose_folder_is_gone_shows_nothing(book, desk):
    run = desk.start(desk.tried()[1])
    assert running.progress(book, run.name) == running.Progress((), "", 0)


def test_the_head_of_the_queue(book, desk):
    names = [desk.tried(f"idea {i}")[1].name for i in range(4)]
    book.experiments.pin(names[3])
    book.queue.pause()
    found = waiting.head(book, limit=2)
    assert found.total == 4
    assert found.paused
    assert len(found.places) == 2
    assert found.places[0].experiment == names[3]
    assert found.places[0].pinned
    assert found.places[0].claims[0].text == "idea 3 is faster"
    assert found.reordered.text == f"{names[3]} from 4 to 1: {names[3]} is pinned"


def test_what_an_author_on_hold_queued_says_so(book, desk):
    desk.tried()
    book.queue.hold("ana")
    found = waiting.head(book)
    assert found.held == ("ana",)
    assert found.places[0].blocked == "ana is held"


def test_spending_today_and_of_budgets(book, desk):
    book.campaigns.add("goal", budget_s=100.0, budget_money=4.0)
    experiment = desk.experiment(change="other", campaign="goal")
    desk.result(experiment, seconds=30.0, money=1.5)
    desk.result(desk.tried()[1], seconds=5.0)
    run = book.runs.list()[0]
    found = spending.spending(book, since=run.ended_at)
    assert (found.since_runs, found.since_s) == (1, 5.0)
    assert (found.total_s, found.total_money) == (35.0, 1.5)
    assert [one.campaign for one in found.campaigns] == ["goal", "inbox"]
    assert (found.campaigns[0].seconds, found.campaigns[0].budget_s) == (30.0, 100.0)


def test_a_worker_is_alive_while_it_is_heard_of(book):
    member = leases.join(book, "local")
    (found,) = workers.workers(book)
    assert found.name == member.name
    assert found.is_alive(time.time())
    assert not found.is_alive(time.time() + 60)
    leases.leave(book, member)
    assert workers.workers(book) == []


def test_the_log_is_paged_by_the_number_of_the_line(book):
    for number in range(7):
        book.log.note(f"note {number}")
    first = log_lines(book, Wanted(kind="note"), limit=3)
    assert [line.text for line in first.lines] == ["note 6", "note 5", "note 4"]
    second = log_lines(book, Wanted(before=first.older, kind="note"), limit=4)
    assert [line.text for line in second.lines] == ["note 3", "note 2", "note 1", "note 0"]
    assert second.older is None


def test_a_noun_stands_for_all_its_kinds(book, desk):
    _, experiment = desk.tried()
    desk.result(experiment)
    lines = log_lines(book, Wanted(kind="run")).lines
    assert [line.kind for line in lines] == ["run.valid", "run.started"]
    assert log_lines(book, Wanted(kind="no such kind")).lines == ()
    assert {"run.valid", "experiment.added"} <= {*log_kinds(book)}


def test_lines_about_something_and_with_words(book, desk):
    claim, experiment = desk.tried()
    book.log.note("the fan is loud: 100%", claim.name)
    book.log.note("the fan is quiet", experiment.name)
    about = log_lines(book, Wanted(subject="h1", kind="note")).lines
    assert [line.text for line in about] == ["the fan is loud: 100%"]
    assert len(log_lines(book, Wanted(words="FAN")).lines) == 2
    assert len(log_lines(book, Wanted(words="100%", kind="note")).lines) == 1


def test_a_long_note_is_cut_and_its_length_is_told(book):
    book.log.note("x" * 100_000)
    line = log_lines(book, Wanted(kind="note")).lines[0]
    assert len(line.text) == LONGEST
    assert line.length == 100_000


def test_how_far_a_book_is(book, desk, tmp_path):
    new = glance.glance(book)
    assert not new.has_experiments
    assert not new.has_results
    desk.result(desk.tried()[1])
    later = glance.glance(book)
    assert later.has_experiments
    assert later.has_results
    assert later.mark == new.mark
    other = Book.create(tmp_path / "other", author="ben")
    assert glance.glance(other).mark != new.mark
    other.close()
