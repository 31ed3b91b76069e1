"""What a view of the graph shows, what it folds, and what a filter leaves of it."""

import hashlib
import shutil
from datetime import UTC, datetime, timedelta

import pytest
from book_desk import FAST, TIME, Desk
from many import many_claims, many_experiments

from warpbook.book.book import Book
from warpbook.book.browse.knowledge import MOST_NODES
from warpbook.book.browse.neighbourhood import OPEN_PAGE, Ask, view
from warpbook.book.tables import Experiment, Hypothesis
from warpbook.core.errors import BadInput
from warpbook.core.run import Arm, Plan


def arm(name):
    own = name.endswith(".py")
    text = f"# {name}" if own else None
    digest = hashlib.sha256(name.encode()).hexdigest()
    return Arm(name, digest, rung=name.removesuffix(".py"), text=text)


def kernels(change, baseline, problem="softmax"):
    return Plan("kernel", "64x64", "cpu", arm(baseline), arm(change), (TIME,), problem)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A new book, and one in which H-1 has two experiments and a finding, H-2 an experiment with
    kernels; made once and copied."""
    folder = tmp_path_factory.mktemp("books")
    Book.create(folder / "new", author="ana").close()
    shutil.copytree(folder / "new", folder / "known")
    book = Book.open(folder / "known", author="ana")
    desk = Desk(book)
    book.campaigns.add("speed")
    first = desk.claim("first", campaign="speed", tags=["memory"])
    second = desk.claim("second", campaign="speed", tags=["launch"])
    one = desk.experiment(first, change="one")
    desk.experiment(first, change="two")
    desk.results(one, FAST, FAST, FAST)
    desk.experiment(second, plan=kernels("mine.py", "online"))
    book.findings.add("It is faster.", [("supports", "H-1")], tags=["memory"])
    book.close()
    return folder


def copied(folder, to):
    shutil.copytree(folder, to)
    return Book.open(to, author="ana")


@pytest.fixture
def book(folders, tmp_path):
    found = copied(folders / "new", tmp_path / "book")
    yield found
    found.close()


@pytest.fixture
def known(folders, tmp_path):
    found = copied(folders / "known", tmp_path / "book")
    yield found
    found.close()


def ids(found, kind=""):
    return {node.id for node in found.nodes if kind in ("", node.kind)}


def triples(found):
    return {(edge.start, edge.type, edge.end) for edge in found.edges}


def test_a_campaign_is_all_that_is_in_it(known):
    found = view(known, Ask(campaign="speed"))
    assert ids(found) == {
        *("F-1", "H-1", "H-2", "E-1", "E-2", "E-3"),
        *("rung:softmax/mine.py", "rung:softmax/online", "problem:softmax"),
    }
    assert triples(found) == {
        ("F-1", "supports", "H-1"),
        ("E-1", "tests", "H-1"),
        ("E-2", "tests", "H-1"),
        ("E-3", "tests", "H-2"),
        ("E-3", "baseline", "rung:softmax/online"),
        ("E-3", "change", "rung:softmax/mine.py"),
        ("rung:softmax/online", "in", "problem:softmax"),
        ("rung:softmax/mine.py", "in", "problem:softmax"),
    }
    (claim,) = [node for node in found.nodes if node.id == "H-1"]
    assert (claim.state, claim.runs, claim.tags) == ("supported", 3, ("memory",))
    (measured,) = [node for node in found.nodes if node.id == "E-1"]
    assert (measured.runs, measured.gain) == (3, pytest.approx(FAST))
    assert found.tags == ("memory", "launch")


def test_it_opens_on_the_campaign_that_was_active_last(known):
    assert view(known, Ask()).campaign == "speed"
    Desk(known).claim("third")
    assert view(known, Ask()).campaign == "inbox"
    Desk(known).start(known.experiments.get("E-2"))
    assert view(known, Ask()).campaign == "speed"
    known.campaigns.archive("speed")
    assert view(known, Ask()).campaign == "inbox"


def test_what_nothing_else_ties_is_in_its_campaign(known):
    Desk(known).claim("alone", campaign="speed")
    found = view(known, Ask(campaign="speed"))
    assert ("H-3", "in", "C-2") in triples(found)
    assert "C-2" in ids(found, "campaign")


def test_around_a_node_is_what_two_steps_reach(known):
    Desk(known).experiment(known.hypotheses.get("H-2"), plan=kernels("vectors", "online"))
    around = view(known, Ask(node="H-2"))
    assert ids(around) == {
        *("H-2", "E-3", "E-4", "C-2", "problem:softmax"),
        *("rung:softmax/online", "rung:softmax/mine.py", "rung:softmax/vectors"),
    }
    assert ids(view(known, Ask(node="F-1"))) == {"F-1", "H-1", "E-1", "E-2", "C-2"}
    assert "E-2" in ids(view(known, Ask(node="e1")))


def test_around_a_kernel_are_its_experiments_and_what_they_test(known):
    found = view(known, Ask(node="rung:softmax/mine.py"))
    assert ids(found) == {
        *("rung:softmax/mine.py", "rung:softmax/online", "problem:softmax", "E-3", "H-2")
    }
    problem = view(known, Ask(node="problem:softmax"))
    assert ("E-3", "measures", "problem:softmax") in triples(problem)
    assert "rung:softmax/fused" in ids(problem), "its whole ladder is around a problem"
    assert ids(view(known, Ask(node="rung:softmax/fused"))) == {
        *("rung:softmax/fused", "problem:softmax")
    }


def test_a_repeat_is_tied_to_what_it_repeats(known):
    Desk(known).result(known.experiments.get("E-1"), FAST, environment={"driver": "999.1"})
    for node in ("E-1", "E-4"):
        assert ("E-4", "repeats", "E-1") in triples(view(known, Ask(node=node)))


@pytest.mark.parametrize(
    ("ask", "shown"),
    [
        (Ask(tag="launch"), {"H-2", "E-3"}),
        (Ask(tag="memory"), {"F-1", "H-1", "E-1", "E-2"}),
        (Ask(tag="none"), set()),
        (Ask(status="supported"), {"F-1", "H-1", "E-1", "E-2"}),
        (Ask(status="open"), {"H-2", "E-3"}),
        (Ask(status="done"), {"H-1", "E-1"}),
        (Ask(status="queued"), {"H-2", "E-3"}),
        (Ask(status="moot"), {"H-1", "E-2"}),
        (Ask(status="stale"), set()),
    ],
)
def test_a_filter_leaves_what_it_is_about(known, ask, shown):
    found = view(known, Ask(campaign="speed", tag=ask.tag, status=ask.status))
    assert {name for name in ids(found) if name[0] in "FHE"} == shown


def test_a_filter_by_time_leaves_what_was_added_or_changed_since(known):
    later = datetime.now(UTC) + timedelta(days=6)
    assert "H-1" in ids(view(known, Ask(campaign="speed", days="7"), later))
    assert ids(view(known, Ask(campaign="speed", days="1"), later)) == {"C-2"}


def test_a_filter_by_time_sees_changes(known):
    with known.writing() as write:
        for row in (write.session.get(Hypothesis, 1), write.session.get(Experiment, 1)):
            row.created_at = "2020-01-01T00:00:00+00:00"
    found = view(known, Ask(campaign="speed", days="1"))
    assert {"H-1", "E-1"} <= ids(found), "H-1's belief moved, and E-1 ran"


def groups(found):
    return {node.id: node for node in found.nodes if node.kind == "group"}


def test_what_there_is_no_room_for_is_counted_in_a_group(book):
    many_experiments(book, 420, many_claims(book, 1))
    found = view(book, Ask(campaign="inbox"))
    (group,) = groups(found).values()
    shown = len(ids(found, "experiment"))
    assert 0 < shown < 100
    assert group.text == f"{420 - shown} more experiments of H-1, done"
    assert (group.id, "tests", "H-1") in triples(found)


def test_a_group_opens_page_by_page(book):
    many_experiments(book, 420, many_claims(book, 1))
    group = "group:experiment:done:H-1"
    seen = set()
    for page in range(1, 7):
        found = view(book, Ask(campaign="inbox", open=group, page=page))
        assert len(found.nodes) <= MOST_NODES
        last = min(page * OPEN_PAGE, 420)
        assert (found.opened.first, found.opened.last, found.opened.total) == (
            *((page - 1) * OPEN_PAGE + 1, last, 420),
        )
        newest = {f"E-{421 - number}" for number in range(found.opened.first, last + 1)}
        assert newest <= ids(found)
        seen |= newest
    assert len(seen) == 420


@pytest.mark.parametrize("claims", [10, 60, 400])
def test_there_are_never_more_than_300_nodes_and_nothing_is_lost(book, claims):
    many_experiments(book, 2000, many_claims(book, claims))
    for open_ in ("", "group:experiment:done:C-1", "group:hypothesis:open:C-1"):
        found = view(book, Ask(campaign="inbox", open=open_))
        assert len(found.nodes) <= MOST_NODES
        folded = groups(found).values()
        for kind, total in (("experiment", 2000), ("hypothesis", claims)):
            counted = sum(node.count for node in folded if node.holds == kind)
            assert len(ids(found, kind)) + counted == total


def test_what_runs_and_what_a_finding_speaks_of_is_shown_itself(known):
    many_claims(known, 200, campaign=2)
    desk = Desk(known)
    running = desk.experiment(known.hypotheses.get("H-9"), change="runs")
    desk.start(running)
    found = view(known, Ask(campaign="speed"))
    assert {"H-1", "E-1", "H-9", running.name} <= ids(found)
    assert groups(found)["group:hypothesis:open:C-2"].count == 152


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (Ask(node="H-99"), "no hypothesis H-99"),
        (Ask(node="R-1"), "not in the graph"),
        (Ask(node="<script>"), "no id"),
        (Ask(node="rung:softmax/none"), "no kernel or problem"),
        (Ask(node="rung:"), "no kernel or problem"),
        (Ask(node='problem:"*('), "no kernel or problem"),
        (Ask(campaign="none"), "no campaign"),
        (Ask(status="odd"), "no status"),
        (Ask(days="2"), "no time"),
        (Ask(open="group:run::H-1"), "no group"),
        (Ask(open="group:experiment:done:H-x"), "no group"),
        (Ask(open="group:experiment:done:" + "H-" + "9" * 30), "no group"),
        (Ask(open="H-1"), "no group"),
    ],
)
def test_what_is_not_there_is_said(known, ask, said):
    with pytest.raises(BadInput, match=said):
        view(known, ask)


def test_a_new_book_is_its_campaign(book):
    found = view(book, Ask())
    assert ids(found) == {"C-1"}
    assert found.campaign == "inbox"
