"""A book in which whatever somebody may write, or a machine may say, tries to be more than text."""

import hashlib
import json
import time

import shelves
from book_desk import make_plan
from busy_book import comparison

from warpbook.book import run_folder, telemetry
from warpbook.book.events import now
from warpbook.book.tables import Worker
from warpbook.core.effect import KERNEL_TIME, Metric
from warpbook.core.run import Arm, NamedFile, Plan, RunStatus
from warpbook.lab.outcome import kernel

HUGE = "B" * 3_000_000
CAMPAIGN = "camp\"'><script>hit=1</script><img src=x onerror=hit=1>{{hit=1}}`${hit=1}"
PAGES = (
    *("/", "/campaigns", "/campaigns/C-2", "/hypotheses/H-1", "/hypotheses/H-3", "/hypotheses/H-4"),
    *("/findings", "/findings/F-1", "/experiments", "/experiments/E-1", "/experiments/E-2"),
    *("/experiments/compare?of=E-1,E-2", "/runs/R-4", "/runs/R-8", "/graph?node=H-1"),
    *("/kernels", "/kernels/softmax", "/calibration", "/log", "/log?words=%3Cimg%3E"),
    *("/journal", "/journal/2026-01-04", "/journal/2026-01-05", "/search?text=script"),
    *("/reading", "/reading/bad00001", "/reading?topic=inbox", "/quiz", "/quiz/ask", "/quiz/cards"),
    "/quiz/cards/bad00002",
)


def bad(where):
    """Markup for elements, attributes, templates and scripts, and what drives a terminal."""
    return (
        f"{where}\"'><script>hit='{where}'</script><img src=x onerror=\"hit='{where}'\">"
        "<svg onload=hit=1></textarea></style></title>{{hit=1}}`${hit=1} \x1b[31m\x07\u202e"
    )


REASON = (
    f"{bad('because')} [a](javascript:hit=1) [b](data:text/html,x) ![i](http://192.0.2.1/x.png) "
    f"<javascript:hit=1> [H-1](/hypotheses/H-1 '{bad('title')}')\n\n```{bad('fence')}\n"
    f"{bad('fenced')}\n```\n"
)


def fill(desk):
    book = desk.book
    book.campaigns.add(CAMPAIGN, goal=bad("goal"), workload=bad("workload"), budget_s=9.0)
    command(desk)
    kernels(desk)
    failed = desk.claim(bad("huge"), because=HUGE, campaign=CAMPAIGN)
    broken = desk.experiment(failed, plan=make_plan("failing"), campaign=CAMPAIGN)
    desk.ended(broken, RunStatus.FAILED, bad("reason"))
    running(desk)
    book.measurements.add(
        "judgement", bad("problem"), [bad("rung")], bad("workload"), "cpu",
        {"time_us": 1.0, "rung": bad("rung"), "status": bad("status")},
    )  # fmt: skip
    sample = {"at": time.time(), "span_s": 1.0, "device": bad("device"), "utilisation": 0.5}
    telemetry.record(book, [sample])
    book.queue.hold(bad("held"))
    book.log.note(bad("note"))
    book.log.note(HUGE)
    days(book.folder / "journal")
    shelves.hostile(book.folder, bad, REASON)


def days(folder):
    """One with markup wherever a day may have words, and one that is very long."""
    folder.mkdir()
    tracks = json.dumps([bad("track"), "<script>hit=1</script>"], ensure_ascii=True)
    told = (
        f"---\ntrack: {tracks}\ncalled: {json.dumps(bad('called'))}\nkernels: {tracks}\n"
        f"runs: {tracks}\n---\n# Day 3/9 of {bad('heading')}\n\n{REASON}\n"
        f"run:E-1 run:R-4 kernel:softmax H-1 F-1 [run:E-1](javascript:hit=1) {bad('prose')}\n\n"
        f"5x over {bad('claim')}\n\n- [ ] {bad('plan')}\n- [x] {bad('done')}\n\n"
        f"tomorrow: {bad('next')}\n"
        f"\nQ: {bad('question')}\nA: {bad('answer')}\n\nQ: {bad('open')}\n\n<!-- {bad('comment')}\n"
    )
    (folder / "2026-01-04.md").write_text(told)
    (folder / "2026-01-05.md").write_text(f"{bad('long')} run:E-1 " * 10_000)
    (folder / "2026-13-01.md").write_text(bad("no date"))


def command(desk):
    book = desk.book
    metric = Metric(bad("metric"), bad("unit"))
    claim = desk.claim(
        bad("claim"), metric=metric, because=REASON, campaign=CAMPAIGN, tags=[bad("tag")]
    )
    files = (NamedFile(bad("file"), "0" * 64),)
    arms = (
        Arm(bad(side), hashlib.sha256(side.encode()).hexdigest(), command=bad(side), files=files)
        for side in ("old", "new")
    )
    plan = Plan("command", bad("workload"), "none", *arms, (metric,), cwd=f"/tmp/{bad('cwd')}")
    made = book.experiments.add(
        plan, {claim.name: (0.2, 0.3)}, title=bad("title"), campaign=CAMPAIGN, runs=9
    )
    said = {"device": bad("device"), "driver": bad("driver"), "torch": bad("torch")}
    for gain in (0.25, 0.26, 0.27, 0.25):
        run = desk.start(made)
        capture = {"git": bad("git"), "argv": [bad("argument")], bad("name"): bad("value")}
        run = desk.record(run, desk.receipt(run, gain, environment=said, capture=capture))
    left(book.folder / "runs" / run.name)
    book.findings.add(
        bad("finding"), [("supports", made.name)], tags=[bad("tag")], campaign=CAMPAIGN
    )


def left(folder):
    (folder / run_folder.LOG).write_text(bad("log") + "\n" + HUGE)
    (folder / run_folder.DIFF).write_text(f"--- a\n+++ b\n@@ -1 +1 @@\n-{bad('-')}\n+{bad('+')}\n")
    steps = [{"at": at, "text": bad("step")} for at in (now(), bad("at"))]
    (folder / run_folder.STEPS).write_text("\n".join([*map(json.dumps, steps), "[1]", "{"]))
    (folder / run_folder.SOURCES).mkdir(exist_ok=True)
    (folder / run_folder.SOURCES / '"><img src=x onerror=hit=1>.py').write_text(bad("source"))


def kernels(desk):
    claim = desk.claim(bad("kernel"), metric=KERNEL_TIME, campaign=CAMPAIGN)
    text = f'"""{bad("idea")}\n\n{bad("why")}\n"""\n# {bad("text")}\n'
    label = f"{bad('label')}.py"
    arms = Arm("passes", "1" * 64, "passes"), Arm(label, "2" * 64, bad("rung"), text=text)
    for problem, workload in (("softmax", "1024x1024-fp32"), (f"/tmp/{bad('problem')}", bad("w"))):
        plan = Plan("kernel", workload, "cpu", *arms, (KERNEL_TIME,), problem=problem)
        made = desk.experiment(claim, plan=plan, campaign=CAMPAIGN)
        run = desk.start(made)
        document = comparison(plan, 0.3) | {"notes": [bad("note")], "machine": {bad("k"): bad("v")}}
        found = kernel(plan, document)
        receipt = desk.receipt(run, metrics=found.metrics, comparison=found.comparison)
        desk.record(run, receipt)


def running(desk):
    claim = desk.claim(bad("under way"), because=REASON, campaign=CAMPAIGN)
    made = desk.experiment(claim, plan=make_plan(bad("command")), campaign=CAMPAIGN)
    with desk.book.writing() as write:
        worker = Worker(
            host=bad("host"), pid=1, executor="local", started_at=now(), heartbeat_at=time.time()
        )
        write.add(worker, "worker.started", "{name} on here")
    run = desk.start(made)
    folder = desk.book.folder / "runs" / run.name
    folder.mkdir(parents=True)
    left(folder)
