"""Whatever is done in whatever order, what the book says follows from its runs."""

import math
import shutil

import pytest
from book_desk import DELTA, FAST, Desk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warpbook.book.audit.check import check
from warpbook.book.book import Book
from warpbook.book.events import PARTS, Chain
from warpbook.book.statistics.evidence import evidence
from warpbook.book.statistics.noise import noise_of
from warpbook.book.statistics.verdict import verdicts
from warpbook.book.tables import Event, Run
from warpbook.core.errors import BadInput
from warpbook.core.run import RunStatus

GAINS = (0.0, DELTA, FAST, FAST + 0.003, -0.1)
which = st.integers(0, 5)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("claim"), which),
        st.tuples(st.just("experiment"), which, which),
        st.tuples(st.just("valid"), which, st.sampled_from(GAINS), st.booleans()),
        st.tuples(st.just("valid"), which, st.sampled_from(GAINS), st.just(False)),
        st.tuples(st.just("valid"), which, st.just(FAST), st.just(False)),
        st.tuples(
            st.just("ends"),
            which,
            st.sampled_from([RunStatus.DISQUALIFIED, RunStatus.INVALID, RunStatus.FAILED]),
        ),
        st.tuples(st.just("noise"), which),
        st.tuples(st.just("pin"), which),
        st.tuples(st.just("more"), which),
        st.tuples(st.just("cancel"), which),
        st.tuples(st.just("withdraw"), which),
    ),
    min_size=5,
    max_size=30,
)


class Play:
    """Does what each step says to the book, where there is something to do it to."""

    def __init__(self, book):
        self.book, self.desk = book, Desk(book)
        self.made = 0

    def claim(self, _):
        self.desk.claim()

    def experiment(self, first, second):
        claims = [h for h in self.book.hypotheses.list() if h.state == "active"]
        chosen = {claims[i].name: claims[i] for i in (first, second) if i < len(claims)}
        self.made += 1
        self.desk.experiment(*chosen.values(), change=f"change {self.made}")

    def valid(self, number, gain, elsewhere):
        environment = {"driver": "999"} if elsewhere else {}
        if experiment := self.waiting(number):
            gain = gain + 0.001 * math.sin(self.book.log.last())
            self.desk.result(experiment, gain, environment=environment)

    def ends(self, number, status):
        if experiment := self.waiting(number):
            self.desk.ended(experiment, status)

    def noise(self, number):
        if experiment := self.any(number):
            self.book.experiments.noise(experiment.name, 2)

    def pin(self, number):
        if experiment := self.any(number):
            self.book.experiments.pin(experiment.name)

    def more(self, number):
        if experiment := self.any(number):
            self.book.experiments.more(experiment.name, 1)

    def cancel(self, number):
        if experiment := self.any(number):
            self.book.experiments.cancel(experiment.name)

    def withdraw(self, number):
        claims = self.book.hypotheses.list()
        if number < len(claims):
            self.book.hypotheses.withdraw(claims[number].name)

    def any(self, number):
        found = self.book.experiments.list()
        return found[number] if number < len(found) else None

    def waiting(self, number):
        found = self.book.queue.order()
        return found[number % len(found)].experiment if found else None


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """Making the tables takes longer than copying them."""
    folder = tmp_path_factory.mktemp("empty") / "book"
    Book.create(folder, author="ana").close()
    return folder


@given(steps)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_book_follows_from_its_runs(empty, tmp_path_factory, done):
    folder = tmp_path_factory.mktemp("book") / "book"
    shutil.copytree(empty, folder)
    book = Book.open(folder, author="ana")
    play = Play(book)
    for step, *arguments in done:
        try:
            getattr(play, step)(*arguments)
        except BadInput:
            continue  # not everything may be done at any time; nothing of it is kept
    each_waiting_experiment_has_one_place(book)
    each_verdict_follows_from_the_runs(book)
    each_event_carries_the_hash_before(book)
    assert check(folder).problems == []
    book.close()


def each_waiting_experiment_has_one_place(book):
    places = [place.experiment.name for place in book.queue.order(1000)]
    waiting = [e.name for e in book.experiments.list(state="queued", limit=1000)]
    assert sorted(places) == sorted(waiting)
    assert [place.position for place in book.queue.order(1000)] == list(range(1, len(places) + 1))


def each_verdict_follows_from_the_runs(book):
    """Worked out here from the runs alone, the plain way."""
    claims = [h for h in book.hypotheses.list(limit=1000) if h.state == "active" or h.runs]
    found = [weighed(book, claim) for claim in claims]
    expected = verdicts(
        [one.log_support for one in found],
        [one.log_refute for one in found],
        [one.n for one in found],
    )
    for claim, one, verdict in zip(claims, found, expected, strict=True):
        assert (claim.verdict, claim.runs) == (verdict, one.n), claim.name
        assert claim.log_support == pytest.approx(one.log_support)
        assert claim.verdict == "open" or claim.runs >= 3


def weighed(book, claim):
    runs = []
    for experiment in book.hypotheses.summary(claim.name).experiments:
        kept = []
        for run in book.experiments.runs(experiment.name):
            if run.state == "disqualified":
                kept = []
            if run.state == "valid":
                kept.append(run)
        runs += kept
    runs.sort(key=lambda run: (run.ended_at, run.id))
    firsts = {run.environment_key: i for i, run in reversed([*enumerate(runs)])}
    key = max(firsts, key=firsts.__getitem__, default=None)
    current = [run for run in runs if run.environment_key == key]
    key = current[-1].noise_key if current else claim.noise_key
    with book.reading() as session:
        alike = session.query(Run).filter_by(noise_key=key, purpose="noise", state="valid").all()
    noise = noise_of([run.gain for run in alike])
    return evidence([r.gain for r in current], [r.error for r in current], claim.delta, noise)


def each_event_carries_the_hash_before(book):
    chain = Chain()
    with book.reading() as session:
        for event in session.query(Event).order_by(Event.id):
            record = {name: getattr(event, name) for name in PARTS}
            assert list(chain.follow(record, event.hash)) == []
