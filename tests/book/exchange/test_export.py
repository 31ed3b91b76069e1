"""Export and import: another book takes it in without loss, and nothing slips out or in."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from book_desk import ACCURACY, FAST, TIME, Desk, make_plan
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from warpbook.book.audit import check as audit
from warpbook.book.book import Book
from warpbook.book.exchange import bundle
from warpbook.book.exchange.export import export
from warpbook.book.exchange.imports import take_in
from warpbook.core.errors import BadInput, Missing
from warpbook.core.run import Arm, Plan, RunStatus

TOKEN = "hf_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3h"


def fill(book):
    """A supported and a refuted claim, noise, findings, something queued, running and held."""
    desk = Desk(book)
    book.campaigns.add("speed", "make it fast", TIME, budget_s=1000.0)
    good = desk.claim(campaign="speed", guards=[(ACCURACY, 0.5)], tags=["a"])
    experiment = desk.experiment(good, plan=make_plan(metrics=(TIME, ACCURACY)))
    for gain in (FAST, FAST + 0.002, FAST - 0.002):
        desk.result(experiment, gain, money=0.5, gains={"accuracy": gain / 100})
    bad = desk.claim("other is faster", campaign="speed")
    refuted = desk.experiment(bad, change="other")
    desk.results(refuted, 0.0, 0.001, -0.001)
    noise = book.experiments.noise(refuted.name)
    desk.results(noise, *(0.001 * (-1) ** i for i in range(8)))
    book.findings.add("Other is not.", [("refutes", bad.name)])
    book.findings.add("Not at all.", [("refutes", bad.name), ("supersedes", "F-1")])
    loose = desk.claim("third is faster")
    desk.experiment(loose, change="third")
    desk.start(desk.experiment(loose, change="fourth"))
    desk.result(desk.experiment(change="fifth"), status=RunStatus.DISQUALIFIED, reason="wrong")
    mine = Arm("mine", "ab" * 32, rung="mine", text="def softmax(x): ...", cuda="// x")
    fused = Arm("fused", "cd" * 32, rung="fused")
    book.experiments.add(Plan("kernel", "64x64", "cpu", fused, mine, (TIME,), "softmax"))
    book.measurements.add("judgement", "softmax", ["fused"], "64x64", "cpu", {"time_us": 1.5})
    book.log.note("a note", "H-1")
    (book.folder / "runs" / "R-1" / "log").write_text("a line\n" * 10)
    return book


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    book = fill(Book.create(tmp_path_factory.mktemp("made") / "book", author="ana"))
    book.close()
    return book.folder


@pytest.fixture
def full(made, tmp_path):
    shutil.copytree(made, tmp_path / "full")
    book = Book.open(tmp_path / "full")
    yield book
    book.close()


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    book = Book.create(tmp_path_factory.mktemp("empty") / "book", author="bob")
    book.close()
    return book.folder


@pytest.fixture
def other(empty, tmp_path):
    shutil.copytree(empty, tmp_path / "other")
    book = Book.open(tmp_path / "other", author="bob")
    yield book
    book.close()


def content(path):
    """What an export holds, as far as it is the same in any book."""
    with zipfile.ZipFile(path) as archive:
        read = {name: archive.read(name) for name in archive.namelist()}
    rows = {}
    for table in bundle.TABLES:
        for line in read[bundle.member_of(table)].decode().splitlines():
            row = json.loads(line)
            key = row.get("uid") or row["sha256"]
            was = row.pop("id", None)
            for name in ("state_reason", "stale"):
                row[name] = re.sub(r"[A-Z]-\d+", "ID", row.get(name, ""))
            if table.__tablename__ == "experiments" and row["state"] in ("queued", "running"):
                row["state"] = "held"
            if row["state_reason"].startswith("it came from another book"):
                row["state_reason"] = ""
            if table.__tablename__ == "campaigns":
                row["name"] = row["name"].removesuffix(" (2)")
            if table.__tablename__ == "runs":
                row["files"] = {
                    name.split("/", 2)[2]: data
                    for name, data in read.items()
                    if name.startswith(f"runs/R-{was}/")
                }
            rows[table.__tablename__, key] = row
    lines = [json.loads(line)["event"] for line in read[bundle.EVENTS].decode().splitlines()]
    return rows, {line["hash"]: line for line in lines}


def problems(book):
    return [str(problem) for problem in audit.check(book.folder).problems]


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def rewrite(path, target, change=None, skip=(), fix=True, **more):
    """The export with members changed, and the manifest made to fit if `fix`."""
    read = {name: data for name, data in members(path).items() if name not in skip}
    if change:
        read.update({name: edit(read[name]) for name, edit in change.items()})
    read.update(more.get("add", {}))
    manifest = json.loads(read.pop(bundle.MANIFEST))
    if fix:
        manifest["members"] = {
            name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in read.items()
        }
    manifest |= more.get("manifest", {})
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**read, bundle.MANIFEST: json.dumps(manifest).encode()}.items():
            archive.writestr(name, data)
    return target


def test_a_whole_book_is_taken_in_without_loss(full, other, tmp_path):
    export(full, tmp_path / "one.zip")
    taken = take_in(other, tmp_path / "one.zip")
    assert taken.renamed == {"inbox": "inbox (2)"}
    assert problems(other) == []
    assert problems(full) == []
    export(other, tmp_path / "two.zip")
    (rows, events), (again, more) = content(tmp_path / "one.zip"), content(tmp_path / "two.zip")
    ours = {key: row for key, row in again.items() if key in rows}
    assert ours == rows
    assert [key for key in again if key not in rows] == [
        ("campaigns", other.campaigns.get("inbox").uid)
    ]
    assert events.items() <= more.items()


def test_what_follows_is_worked_out_the_same(full, other, tmp_path):
    export(full, tmp_path / "one.zip")
    take_in(other, tmp_path / "one.zip")
    columns = ("verdict", "runs", "log_support", "log_refute", "estimate", "low", "belief", "basis")
    here = {h.uid: [getattr(h, c) for c in columns] for h in full.hypotheses.list()}
    there = {h.uid: [getattr(h, c) for c in columns] for h in other.hypotheses.list()}
    assert there == {uid: pytest.approx(values) for uid, values in here.items()}
    outcomes = {p.uid: p.outcome for p in full.experiments.predictions("E-1")}
    (moved,) = [e for e in other.experiments.list() if e.uid == full.experiments.get("E-1").uid]
    assert {p.uid: p.outcome for p in other.experiments.predictions(moved.name)} == outcomes
    assert moved.runs_valid == 3
    speed = other.campaigns.get("speed")
    assert (speed.spent_s, speed.spent_money) == (pytest.approx(14 * 5.0), pytest.approx(1.5))


def test_taking_it_in_twice_changes_nothing(full, other, tmp_path):
    export(full, tmp_path / "one.zip")
    take_in(other, tmp_path / "one.zip")
    before = audit.check(other.folder)
    taken = take_in(other, tmp_path / "one.zip")
    assert not any(taken.added.values())
    assert audit.check(other.folder) == before


def test_a_book_takes_in_what_came_from_itself(full, other, tmp_path):
    export(full, tmp_path / "one.zip")
    take_in(other, tmp_path / "one.zip")
    Desk(other).claim("more")
    export(other, tmp_path / "two.zip")
    rows = audit.check(full.folder).counts
    taken = take_in(full, tmp_path / "two.zip")
    assert (taken.added["hypotheses"], taken.added["campaigns"]) == (1, 1)
    assert taken.added.get("runs", 0) == 0
    assert audit.check(full.folder).counts["runs"] == rows["runs"]
    assert problems(full) == []


def test_a_later_export_brings_only_what_is_new(full, other, tmp_path):
    export(full, tmp_path / "one.zip")
    take_in(other, tmp_path / "one.zip")
    Desk(full).result(full.experiments.get("E-1"), FAST, gains={"accuracy": 0.0})
    export(full, tmp_path / "two.zip")
    taken = take_in(other, tmp_path / "two.zip")
    assert (taken.added["runs"], taken.added.get("hypotheses", 0)) == (1, 0)
    (claim,) = other.hypotheses.list(search="it is faster")
    assert claim.runs == 4
    assert problems(other) == []


def test_one_campaign_leaves_with_its_evidence_and_nothing_else(full, other, tmp_path):
    full.findings.link("F-1", "refines", "H-3")
    manifest = export(full, tmp_path / "one.zip", campaign="speed")
    assert manifest.counts["hypotheses"] == 2
    assert manifest.counts["runs"] == 14
    assert manifest.counts["measurements"] == 0
    taken = take_in(other, tmp_path / "one.zip")
    assert taken.left_out == ["F-1 refines a hypothesis"]
    assert [c.name for c in other.campaigns.list()] == ["inbox", "speed"]
    verdicts = {h.claim: h.verdict for h in other.hypotheses.list()}
    assert verdicts == {"it is faster": "supported", "other is faster": "refuted"}
    assert "noise of 8" in other.hypotheses.list()[0].basis
    stale = [(f.name, f.stale) for f in other.findings.list()]
    assert stale == [("F-2", ""), ("F-1", "superseded by F-2")]
    assert problems(other) == []


def test_ids_are_given_anew_and_what_names_them_follows(full, other, tmp_path):
    desk = Desk(other)
    claim, experiment = desk.tried()
    desk.results(experiment, FAST, FAST, FAST)
    other.findings.add("Mine.", [("supports", claim.name)])
    export(full, tmp_path / "one.zip", campaign="speed")
    take_in(other, tmp_path / "one.zip")
    found = other.findings.get("F-2")
    assert other.findings.get("F-2").stale == "superseded by F-3"
    (link,) = other.findings.links("F-2")
    assert other.hypotheses.get(link.to_id).claim == "other is faster"
    assert [other.runs.receipt(number).run for number in found.runs] == ["R-4", "R-5", "R-6"]
    assert found.runs == [7, 8, 9]
    (told,) = other.log.list(kind="hypothesis.imported", subject="H-2")
    assert (told.data["was"], told.text) == ("H-1", "H-2 came in, H-1 elsewhere")
    assert any("a note" in event.text for event in other.log.list(kind="imported", subject="H-2"))
    assert problems(other) == []


def test_nothing_of_it_runs_until_it_is_released(full, other, tmp_path):
    from warpbook.book.experiments import release_text, seen_digits

    export(full, tmp_path / "one.zip")
    taken = take_in(other, tmp_path / "one.zip")
    states = {e.state for e in other.experiments.list()}
    assert not states & {"queued", "running"}
    assert len(taken.held) == 3
    assert other.queue.order() == []
    for experiment in other.experiments.list():
        for ask in (other.experiments.more, other.experiments.rerun, other.experiments.noise):
            with pytest.raises(BadInput, match="release"):
                ask(experiment.name, *[2] * (ask == other.experiments.more))
        with pytest.raises(BadInput, match="look at all of it"):
            other.experiments.release(experiment.name, "0" * 12)
    done = next(e for e in other.experiments.list() if e.state == "done")
    waiting = taken.held[0]
    for name in (done.name, waiting):
        seen = seen_digits(release_text(other.experiments.plan(name)))
        other.experiments.release(name, seen)
    assert other.experiments.get(done.name).state == "done"
    assert other.experiments.more(done.name, 1).state == "queued"
    assert other.experiments.get(waiting).state == "queued"
    assert problems(other) == []


def test_a_moot_experiment_does_not_come_back_by_itself(full, other, tmp_path):
    desk = Desk(full)
    again = desk.experiment(full.hypotheses.get("H-3"), change="sixth")
    desk.results(full.experiments.get("E-4"), FAST, FAST + 0.001, FAST - 0.001)
    assert full.experiments.get(again.name).state == "moot"
    export(full, tmp_path / "one.zip")
    take_in(other, tmp_path / "one.zip")
    for i in range(30):
        desk = Desk(other)
        desk.claim(f"claim {i}", campaign="inbox (2)")
    assert {e.state for e in other.experiments.list()} & {"queued", "running"} == set()


def test_authors_holds_and_workers_stay(full, other, tmp_path):
    full.queue.hold("ana")
    export(full, tmp_path / "one.zip")
    take_in(other, tmp_path / "one.zip")
    assert not other.log.list(kind="author.held")
    with other.reading() as session:
        from warpbook.book.tables import Author, Worker

        assert session.get_one(Author, "ana").held is False
        assert session.query(Worker).count() == 0


PLANTED = {
    "environment": "R-9/receipt.json.capture.environment.MY_FLAG",
    "log": "R-1/log, line 2",
    "source": "source mine.text",
    "note": "event ",
}


@pytest.mark.parametrize("place", PLANTED)
def test_a_key_stops_the_export_and_is_not_shown(full, tmp_path, place):
    desk = Desk(full)
    if place == "environment":
        run = desk.start(desk.experiment(change="seventh"))
        receipt = desk.receipt(run, capture={"environment": {"MY_FLAG": TOKEN}})
        PLANTED[place] = f"{run.name}/receipt.json.capture.environment.MY_FLAG"
        desk.record(run, receipt)
    elif place == "log":
        (full.folder / "runs" / "R-1" / "log").write_text(f"x\nlogin with {TOKEN}\n")
    elif place == "source":
        mine = Arm("mine", "ef" * 32, rung="mine", text=f"KEY = '{TOKEN}'")
        fused = Arm("fused", "cd" * 32, rung="fused")
        full.experiments.add(Plan("kernel", "64x64", "cpu", fused, mine, (TIME,), "softmax"))
    else:
        full.log.note(f"the key is {TOKEN}")
    with pytest.raises(BadInput, match="look like keys") as raised:
        export(full, tmp_path / "one.zip")
    assert PLANTED[place] in str(raised.value)
    assert TOKEN not in str(raised.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["full"]
    assert export(full, tmp_path / "one.zip", allow_keys=True).counts["runs"] > 0


def test_the_target_must_be_new_and_its_folder_there(full, tmp_path):
    (tmp_path / "one.zip").write_text("mine")
    with pytest.raises(BadInput, match="there already"):
        export(full, tmp_path / "one.zip")
    assert (tmp_path / "one.zip").read_text() == "mine"
    with pytest.raises(BadInput, match="no folder"):
        export(full, tmp_path / "no" / "one.zip")
    with pytest.raises(BadInput, match="no campaign 'none'"):
        export(full, tmp_path / "two.zip", campaign="none")


SMALL_DISK = """
import resource, sys
from pathlib import Path
from warpbook.book.book import Book
from warpbook.book.{module} import {name}
book = Book.open(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
try:
    {name}(book, Path(sys.argv[2]))
except Exception as error:
    sys.exit(f"{{type(error).__name__}}: {{error}}")
"""


@pytest.mark.parametrize(("module", "name"), [("exchange.export", "export"), ("backup", "backup")])
def test_a_full_disk_leaves_nothing_behind(full, tmp_path, module, name):
    target = tmp_path / "out" / "one"
    target.parent.mkdir()
    code = SMALL_DISK.format(module=module, name=name)
    done = subprocess.run(
        [sys.executable, "-c", code, full.folder, target], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Missing: "), done.stderr
    assert list(target.parent.iterdir()) == []


def test_a_run_whose_receipt_is_gone_does_not_leave_as_evidence(full, tmp_path):
    (full.folder / "runs" / "R-2" / "receipt.json").unlink()
    with pytest.raises(BadInput, match=r"R-2: its receipt cannot be read.*warpbook check"):
        export(full, tmp_path / "one.zip")


@pytest.fixture
def file(full, tmp_path):
    export(full, tmp_path / "one.zip")
    return tmp_path / "one.zip"


def lines_edited(**changes):
    """Of each line of JSON lines, with these values."""

    def edit(data):
        rows = [json.loads(line) | changes for line in data.decode().splitlines()]
        return b"".join(bundle.line_of(row).encode() for row in rows)

    return edit


def receipt_edited(data):
    return data.replace(b"10.0", b"12.0", 1)


ROWS = "rows/{}.jsonl".format
REFUSED = {
    "truncated": (lambda f, t: t.write_bytes(f.read_bytes()[:-2000]), "damaged"),
    "empty": (lambda f, t: t.write_bytes(b""), "damaged"),
    "another zip": (lambda f, t: zipfile.ZipFile(t, "w").close(), "no manifest.json"),
    "a flipped byte": (
        lambda f, t: rewrite(f, t, {"events.jsonl": lambda d: d[:-9] + b"x" + d[-8:]}, fix=False),
        "damaged",
    ),
    "no JSON": (lambda f, t: rewrite(f, t, {ROWS("runs"): lambda d: d[:-9]}), "no JSON"),
    "a newer format": (lambda f, t: rewrite(f, t, manifest={"format": 99}), "newer Warpbook"),
    "a bad manifest": (lambda f, t: rewrite(f, t, manifest={"counts": 3}), "manifest.json is none"),
    "a path upward": (
        lambda f, t: rewrite(f, t, add={"runs/R-1/../../../evil": b"x"}),
        "does not belong",
    ),
    "a path from the root": (lambda f, t: rewrite(f, t, add={"/etc/evil": b"x"}), "not belong"),
    "a hidden file": (lambda f, t: rewrite(f, t, add={"runs/R-1/.ssh": b"x"}), "not belong"),
    "a bomb": (
        lambda f, t: rewrite(f, t, add={"runs/R-1/log": b"\0" * (40 << 20)}),
        "no honest export",
    ),
    "a member missing": (lambda f, t: rewrite(f, t, skip=[ROWS("links")]), "not what its"),
    "a member more": (
        lambda f, t: rewrite(f, t, add={"rows/x.jsonl": b""}, fix=False),
        "not what its",
    ),
    "a receipt edited": (
        lambda f, t: rewrite(f, t, {"runs/R-1/receipt.json": receipt_edited}),
        "not the one that was recorded",
    ),
    "a receipt gone": (
        lambda f, t: rewrite(f, t, skip=["runs/R-1/receipt.json"]),
        "receipt cannot be read",
    ),
    "a gain edited": (
        lambda f, t: rewrite(f, t, {ROWS("runs"): lines_edited(gain=9.0)}),
        "its gain is recorded as 9.0",
    ),
    "a forged noise": (
        lambda f, t: rewrite(f, t, {ROWS("runs"): lines_edited(purpose="noise")}),
        "its purpose is noise",
    ),
    "a wrong type": (
        lambda f, t: rewrite(f, t, {ROWS("hypotheses"): lines_edited(delta="much")}),
        "line 1 has delta 'much'",
    ),
    "an unknown column": (
        lambda f, t: rewrite(f, t, {ROWS("hypotheses"): lines_edited(evil=1)}),
        "unknown evil",
    ),
    "an unknown state": (
        lambda f, t: rewrite(f, t, {ROWS("experiments"): lines_edited(state="ready")}),
        "in the state 'ready'",
    ),
    "a plan of another": (
        lambda f, t: rewrite(f, t, {ROWS("experiments"): lines_edited(workload="x")}),
        "plan is of another",
    ),
    "a lost reference": (
        lambda f, t: rewrite(f, t, {ROWS("predictions"): lines_edited(hypothesis_id="x")}),
        "hypothesis_id is not in the file",
    ),
    "a prediction that was never locked": (
        lambda f, t: rewrite(f, t, {ROWS("predictions"): lines_edited(locked_at=None)}),
        "a prediction of its experiment is not locked",
    ),
    "a source edited": (
        lambda f, t: rewrite(f, t, {ROWS("sources"): lines_edited(text="evil")}),
        "hash does not fit",
    ),
    "two runs of one nonce": (
        lambda f, t: rewrite(f, t, {ROWS("runs"): lines_edited(nonce="x", state="lost")}),
        "do not fit together",
    ),
    "an event edited": (
        lambda f, t: rewrite(
            f, t, {"events.jsonl": lambda d: d.replace(b'"author":"ana"', b'"author":"eve"', 1)}
        ),
        "was edited",
    ),
    "a list for a mapping": (
        lambda f, t: rewrite(f, t, {ROWS("runs"): lines_edited(gains=["time_s"])}),
        "runs.jsonl, line 1: ",
    ),
    "a gain without its error": (
        lambda f, t: rewrite(
            f, t, {ROWS("runs"): lines_edited(gains={"time_s": 1, "accuracy": 1})}
        ),
        "runs.jsonl, line 1: ",
    ),
    "half a character": (
        lambda f, t: rewrite(f, t, {ROWS("measurements"): lines_edited(problem="\ud800")}),
        "no JSON",
    ),
    "no number": (
        lambda f, t: rewrite(
            f, t, {ROWS("measurements"): lambda d: d.replace(b'"time_us":1.5', b'"time_us":NaN')}
        ),
        "NaN is no number",
    ),
    "a number too large": (
        lambda f, t: rewrite(
            f, t, {"events.jsonl": lambda d: d.replace(b'"id":1,', b'"id":1e999,', 1)}
        ),
        "1e999 is no number",
    ),
    "a wrong link": (
        lambda f, t: rewrite(f, t, {ROWS("links"): lines_edited(type="proves")}),
        "no link 'proves'",
    ),
}


@pytest.mark.parametrize("way", REFUSED)
def test_a_file_that_is_not_right_is_refused_and_the_book_untouched(file, other, tmp_path, way):
    make, said = REFUSED[way]
    target = tmp_path / "two.zip"
    make(file, target)
    before = audit.check(other.folder)
    with pytest.raises((BadInput, Missing), match=re.escape(said)):
        take_in(other, target)
    assert audit.check(other.folder) == before
    assert sorted(p.name for p in other.folder.iterdir() if p.name.startswith(".")) == []
    assert list((other.folder / "runs").iterdir()) == []
    assert not (tmp_path / "evil").exists()


def test_a_missing_file_is_said(other, tmp_path):
    with pytest.raises(BadInput, match="no such file"):
        take_in(other, tmp_path / "none.zip")


def test_a_log_that_shrinks_a_lot_travels_all_the_same(full, other, tmp_path):
    (full.folder / "runs" / "R-1" / "log").write_bytes(b"." * (3 << 20))
    export(full, tmp_path / "one.zip")
    take_in(other, tmp_path / "one.zip")
    assert (other.folder / "runs" / "R-1" / "log").stat().st_size == 3 << 20


def test_taking_it_in_again_mends_an_interrupted_import(file, other):
    take_in(other, file)
    shutil.rmtree(other.folder / "runs" / "R-2")
    shutil.rmtree(other.folder / "runs" / "R-5")
    assert len(problems(other)) == 2
    assert not any(take_in(other, file).added.values())
    assert problems(other) == []


def test_links_out_of_a_run_folder_are_not_followed(full, tmp_path):
    (tmp_path / "private").write_text("mine")
    (full.folder / "runs" / "R-1" / "link").symlink_to(tmp_path / "private")
    export(full, tmp_path / "one.zip")
    assert "runs/R-1/link" not in members(tmp_path / "one.zip")


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20)


@settings(
    max_examples=6,
    deadline=None,
    phases=[Phase.generate],  # a failing one takes minutes to shrink
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    claims=st.lists(
        st.tuples(TEXT, TEXT, st.floats(0.001, 0.5), st.lists(st.floats(-0.5, 0.5), max_size=4)),
        max_size=3,
    ),
    note=TEXT,
)
def test_any_book_survives_the_way_there_and_back(empty, tmp_path_factory, claims, note):
    folder = tmp_path_factory.mktemp("any")
    books = []
    for name in ("one", "two"):
        shutil.copytree(empty, folder / name)
        books.append(Book.open(folder / name, author="ana"))
    one, two = books
    desk = Desk(one)
    for i, (claim, because, delta, gains) in enumerate(claims):
        if not claim.strip():
            continue
        made = desk.claim(claim, delta, because=because)
        desk.results(desk.experiment(made, change=f"{i}"), *gains)
    if note.strip():
        one.log.note(note)
    export(one, folder / "one.zip", allow_keys=True)
    take_in(two, folder / "one.zip")
    export(two, folder / "two.zip", allow_keys=True)
    (rows, events), (again, more) = content(folder / "one.zip"), content(folder / "two.zip")
    assert {key: row for key, row in again.items() if key in rows} == rows
    assert events.items() <= more.items()
    assert problems(two) == []
    for book in books:
        book.close()
    shutil.rmtree(folder)
