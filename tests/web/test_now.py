"""The pages Now and Log: their parts from data, and what a browser sees of a book that changes."""

import re
import time
from contextlib import suppress

import pytest
from book_desk import TIME

from warpbook.book import leases, run_folder, telemetry
from warpbook.book.browse.claims import Claim
from warpbook.book.browse.devices import BUCKETS, MEASURED, Device
from warpbook.book.browse.log_lines import LogLine, LogPage, Wanted
from warpbook.book.browse.running import Progress, UnderWay
from warpbook.book.browse.spending import Spending, Spent
from warpbook.book.browse.waiting import Head, Reorder, Waiting
from warpbook.core.steps import Step, Steps
from warpbook.web.now.log_lines import log_lines
from warpbook.web.now.remembered import Remembered
from warpbook.web.now.running import running
from warpbook.web.now.spending import spending
from warpbook.web.now.tiles import tiles
from warpbook.web.now.waiting import waiting
from warpbook.web.now.workers import workers
from warpbook.web.pages.log import log_page, wanted_of

HOSTILE = '<img src=x onerror="alert(1)">\x1b[31m\u202e' + "y" * 5000
AT = "2026-01-04T10:00:00+00:00"


def device(name="cpu", processes=(), **latest):
    recent = {key: (None,) * (BUCKETS - 2) + (value, value) for key, value in latest.items()}
    return Device(name, time.time(), latest, recent, processes)


def under_way(**more):
    usual = {
        "run": "R-5", "experiment": "E-3", "title": "one pass", "campaign": "inbox",
        "author": "ana", "place": "cpu", "purpose": "evidence", "worker": "W-1", "started_at": AT,
        "stop_asked": False, "valid": 1, "wanted": 3, "cost_s": 41.0,
        "claims": (Claim("H-3", "it is faster", "open", 0.52, TIME, 0.1, 0.3),),
    }  # fmt: skip
    return UnderWay(**usual | more)


def place(**more):
    usual = {
        "position": 1, "experiment": "E-7", "title": "two rows", "author": "ana", "device": "cpu",
        "pinned": False, "priority": 0, "valid": 0, "wanted": 3, "cost_s": 41.0, "money": 0.0,
        "reason": "0.62 bits for H-3 (belief 0.55)", "blocked": "", "queued_at": AT, "claims": (),
    }  # fmt: skip
    return Waiting(**usual | more)


def words(markup):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", markup))


def test_a_tile_shows_only_what_is_known():
    found = device(utilisation=0.61, memory_bytes=5e9, memory_total_bytes=8e9)
    shown = words(tiles([found], {"cpu": "A CPU"}, [under_way()], frozenset(), True))
    assert "A CPU" in shown
    assert "61%" in shown
    assert "5.00 GB of 8.00 GB" in shown
    assert "R-5 of E-3" in shown
    assert "power" not in shown
    assert "temperature" not in shown


def test_a_device_without_samples_of_late_says_what_to_type():
    found = device(power_w=300.0)
    alone = words(tiles([found], {"cpu": "A CPU"}, [], frozenset({"cpu"}), False))
    assert re.search(r"no samples for [\d.]+ s : no worker is running here \( warpbook work", alone)
    watched = words(tiles([found], {"cpu": "A CPU"}, [], frozenset({"cpu"}), True))
    assert "warpbook work" not in watched


def test_a_device_that_was_never_sampled_has_a_tile():
    assert "no samples yet" in tiles([], {"GPU-1": "H200"}, [], frozenset(), False)


def test_a_gpu_that_others_use_says_so():
    found = device("GPU-1", (4321,), utilisation=1.0)
    assert "in use by others: process 4321" in tiles([found], {}, [], frozenset(), True)


def test_the_steps_of_a_run_have_their_time_and_the_last_goes_on():
    steps = (
        Step("2026-01-04T10:00:02+00:00", "importing torch"),
        Step("2026-01-04T10:00:07+00:00", "both in turns: round 1"),
    )
    shown = running([under_way()], 1, {"R-5": Progress(steps, "", 0)}, {}, False)
    assert "taken by W-1 2.0 s importing torch 5.0 s" in words(shown)
    assert "valid run 2 of 3 wanted" in shown
    assert shown.count("data-since") == 2
    assert "Nothing printed so far" in shown


def test_steps_that_only_count_are_one():
    steps = [Step(f"2026-01-04T10:00:0{i}+00:00", f"round {i}") for i in range(1, 8)]
    last = Step("2026-01-04T10:00:09+00:00", "recording")
    shown = running([under_way()], 1, {"R-5": Progress((*steps, last), "", 0)}, {}, False)
    assert "round 7 8.0 s recording" in words(shown)
    assert "round 6" not in shown


def test_before_the_first_result_it_says_so():
    progress = {"R-5": Progress((), "", 0)}
    assert "No run of this book has come out yet" in running([under_way()], 1, progress, {}, True)
    assert "come out yet" not in running([under_way()], 1, progress, {}, False)


def test_money_is_shown_where_it_has_a_price():
    found = Spending(2, 90.0, 1.5, 4000.0, 12.25, (Spent("goal", 50.0, 1.0, 100.0, None),), 2)
    priced = words(spending(found, "EUR", True))
    assert "90 s" not in priced
    assert "1.50 EUR in 2 runs" in priced
    assert "50% of 2 min" in priced
    free = Spending(0, 0.0, 0.0, 0.0, 0.0, (), 1)
    assert "EUR" not in spending(free, "EUR", False)


def test_a_place_in_the_queue_has_its_reason_and_its_cost():
    head = Head((place(money=0.04),), 21, False, (), Reorder(AT, "E-7 from 4 to 1: R-5 did it"))
    shown = words(waiting(head, "USD", True))
    assert "0.62 bits for H-3" in shown
    assert "about 41 s 0.04 USD" in shown
    assert "E-7 from 4 to 1: R-5 did it" in shown
    assert "All 21 that wait" in shown
    assert "from 4 to 1" not in words(waiting(head, "USD", False))


def test_what_is_not_taken_says_why():
    head = Head((place(blocked="ana is held"),), 1, True, ("ana",), None)
    shown = words(waiting(head, "USD", False))
    assert "not taken ana is held" in shown
    assert "Nothing starts; what runs goes on." in shown
    assert "Nothing of ana starts." in shown


def test_where_no_worker_is_alive_it_says_what_to_type():
    assert "warpbook work" in workers([], frozenset())


@pytest.mark.parametrize(
    "shown",
    [
        lambda: tiles([device(HOSTILE, power_w=1.0)], {HOSTILE: HOSTILE}, [], frozenset(), True),
        lambda: running(
            [under_way(title=HOSTILE, author=HOSTILE, campaign=HOSTILE)],
            1,
            {"R-5": Progress((Step(AT, HOSTILE),), HOSTILE * 20, 10_000_000)},
            {},
            False,
        ),
        lambda: waiting(
            Head(
                (place(title=HOSTILE, reason=HOSTILE, author=HOSTILE, blocked=HOSTILE),),
                1, False, (HOSTILE,), Reorder(AT, HOSTILE),
            ),
            HOSTILE, True,
        ),
        lambda: log_lines((LogLine(1, AT, HOSTILE, "note", "", HOSTILE, 10_000_000),), 200, 1),
        lambda: log_page(LogPage((), None, 1), Wanted(None, HOSTILE, HOSTILE, HOSTILE), [HOSTILE],
                         {"words": HOSTILE}),
    ],
)  # fmt: skip
def test_hostile_text_is_shown_as_text_and_cut(shown):
    markup = shown()
    assert "<img" not in markup
    assert "\x1b" not in markup
    assert "\u202e" not in markup
    assert len(markup) < 60_000


def test_the_log_is_told_how_much_of_a_line_is_left():
    line = LogLine(1, AT, "ana", "note", "", "x" * 2000, 10_000_000)
    assert "… 9,999,800 more characters" in log_lines((line,), 200, 1)


def test_what_is_asked_of_the_log_may_be_anything():
    assert wanted_of({"before": "12", "kind": " run "}) == Wanted(12, "run")
    assert wanted_of({"before": "-1x", "words": "y" * 999}) == Wanted(words="y" * 200)


def test_markup_is_made_again_only_for_other_data():
    made = []
    remembered = Remembered(lambda *shown: made.append(shown) or shown[0])
    assert [remembered(1, 2), remembered(1, 2), remembered(3, 2)] == [1, 1, 3]
    assert made == [(1, 2), (3, 2)]


def until(is_so):
    end = time.monotonic() + 60
    while not (found := is_so()) and time.monotonic() < end:
        time.sleep(0.05)
    assert found


def order(page):
    return page.locator(".queue > li").evaluate_all("all => all.map(one => one.dataset.key)")


def has(page, selector, text):
    page.locator(selector).filter(has_text=text).first.wait_for()


@pytest.fixture
def run(served):
    """A run under way, with its folder; ended after the test."""
    _, experiment = served.desk.tried(f"idea {time.monotonic_ns()}")
    run = served.desk.start(experiment)
    folder = served.folder / "runs" / run.name
    folder.mkdir(parents=True)
    yield run, folder
    with suppress(Exception):
        served.desk.record(run, served.desk.receipt(run))


@pytest.mark.browser
def test_an_empty_book_says_how_to_begin(page):
    page.goto("/")
    has(page, "#begin", "warpbook try")
    has(page, ".tile", "no worker is running here")
    assert page.locator("#since").is_hidden()


@pytest.mark.browser
def test_devices_and_what_runs_are_seen_live_and_as_text(page, served, run):
    run, folder = run
    page.goto("/")
    unknown = dict.fromkeys(MEASURED)
    sample = {"device": "cpu", "span_s": 1.0, "processes": [], **unknown}
    steps = Steps(folder / run_folder.STEPS)
    with open(folder / run_folder.LOG, "w") as log:
        for used, step, line in (
            (0.42, "importing torch", "<script>document.title = 'taken'</script>"),
            (0.43, "both in turns: round 1", "the next line"),
        ):
            telemetry.record(served.book, [sample | {"at": time.time(), "utilisation": used}])
            steps(step)
            print(line, file=log, flush=True)
            has(page, ".tile", f"{used:.0%}")
            has(page, ".steps .going", step)
            has(page, ".output", line)
    assert page.title() == "Now · Warpbook"


@pytest.mark.browser
def test_two_browsers_see_the_same_reorder(tabs, served):
    names = [served.desk.tried(f"order {i}")[1].name for i in range(3)]
    pages = [tabs(), tabs()]
    for page in pages:
        page.goto("/")
        page.locator(f".queue > li[data-key={names[2]}]").wait_for()
    chosen = order(pages[0])[2]
    pages[0].locator(f".queue > li[data-key={chosen}]").get_by_role("button", name="Pin").click()
    for page in pages:
        until(lambda page=page: order(page)[0] == chosen)
        has(page, ".cause", f"{chosen} from 3 to 1: {chosen} is pinned")
    assert order(pages[0]) == order(pages[1])
    for name in names:
        served.book.experiments.cancel(name)


@pytest.mark.browser
def test_buttons_change_the_book(page, served, run):
    """The page has followed before the next one is pressed: what moves is missed."""
    book, (run, _) = served.book, run
    _, experiment = served.desk.tried("for buttons")
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto("/")
    page.get_by_role("button", name="Pause").click()
    until(book.queue.paused)
    has(page, ".notice", "Nothing starts")
    page.get_by_role("button", name="Resume").click()
    page.locator(".notice").wait_for(state="detached")
    assert not book.queue.paused()
    row = page.locator(f".queue > li[data-key={experiment.name}]")
    row.locator("summary").click()
    row.get_by_label("priority").fill("7")
    row.get_by_role("button", name="Set").click()
    row.locator('[name=priority][value="7"]').wait_for()
    assert book.experiments.get(experiment.name).priority == 7
    row.get_by_role("button", name="Hold all of ana").click()
    until(lambda: book.queue.held() == ["ana"])
    page.get_by_role("button", name="Let it go on").click()
    page.locator(".notice").wait_for(state="detached")
    assert not book.queue.held()
    row.get_by_role("button", name="Cancel").click()
    until(lambda: book.experiments.get(experiment.name).state == "cancelled")
    row.wait_for(state="detached")
    page.locator(f"#{run.name}").get_by_role("button", name="Stop").click()
    until(lambda: book.runs.get(run.name).stop_asked)
    has(page, f"#{run.name}", "stopping")


@pytest.mark.browser
def test_a_worker_that_is_alive_is_seen(page, served):
    page.goto("/")
    has(page, "#workers", "warpbook work")
    member = leases.join(served.book, "local")

    def seen():
        leases.renew(served.book, member)  # one that was not heard of for long is not alive
        return page.locator("#workers").filter(has_text=f"alive {member.name}").count()

    until(seen)
    leases.leave(served.book, member)
    has(page, "#workers", "No worker is alive")


@pytest.mark.browser
def test_notes_and_what_changed_since_one_last_looked(page, served):
    page.goto("/")
    page.get_by_label("a note for the log").fill("a <b>first</b> note")
    page.get_by_role("button", name="Note").click()
    has(page, ".log", "a <b>first</b> note")
    page.goto("/log")
    has(page, ".log", "a <b>first</b> note")
    served.book.log.note("a <b>second</b> note, meanwhile")
    page.goto("/")
    has(page, "#since", "a <b>second</b> note, meanwhile")
    assert "first" not in page.locator("#since").text_content()
    page.get_by_role("button", name="Seen").click()
    page.reload()
    has(page, ".log", "second")
    assert page.locator("#since").is_hidden()


@pytest.mark.browser
def test_the_log_is_filtered_and_turned(page, served):
    for number in range(60):
        served.book.log.note(f"turned {number}")
    page.goto("/log")
    page.get_by_label("kind").select_option("note")
    page.locator('a[href*="kind=note"]').get_by_text("older").click()
    has(page, ".log", "turned 9")
    assert "kind=note&before=" in page.url
    page.get_by_label("words").fill("turned 33")
    has(page, ".log", "turned 33")
    until(lambda: page.locator(".log > li").count() == 1)


@pytest.mark.browser
def test_after_a_restart_the_page_goes_on_and_has_missed_nothing(tabs, served):
    page = tabs(expect_errors=True)
    page.goto("/")
    has(page, "#log", "the whole log")
    served.stop()
    served.book.log.note("written while the dashboard was away")
    served.start()
    has(page, ".log", "written while the dashboard was away")
    served.book.log.note("written after it came back")
    has(page, ".log", "written after it came back")
