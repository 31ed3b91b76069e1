"""What is kept in `results/`, as Markdown: one table a ladder and one over all of them.

Reads receipts and rungs' files, never imports torch, and measures nothing.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from warpbook.cli.ladder import Step, climb
from warpbook.core.errors import BadInput
from warpbook.core.judgement import Judgement, Outcome, Status
from warpbook.core.score import scores, workloads_of
from warpbook.core.units import UNKNOWN, microseconds, multiple, percentage
from warpbook.kernels.library import Outline, find_rung, problem_names, read_outline
from warpbook.kernels.rung import Rung
from warpbook.measure.receipts import read

# What people call the peers; those of the overview's columns, in order.
PEERS = {
    "fused": "torch",
    "separate": "torch",
    "cublas": "torch",
    "torch_topk": "torch",
    "compiled": "torch.compile",
    "liger": "Liger",
}
NOTHING = "Nothing is measured yet.\n"
DISPUTED = "\\*"
# Workloads that are columns of a ladder's table; more than these are its lines.
WIDEST = 8
# Workloads of one problem in the overview; the rest are on the ladder's own page.
MOST_SHOWN = 8
# A rung is called slower than the one below it from here on: what is closer is as fast.
SLOWER = 0.99


@dataclass(frozen=True)
class Results:
    """One problem on one device: what its last bench kept."""

    outline: Outline
    created: str
    judgements: dict[str, Judgement]

    @property
    def workloads(self) -> list[str]:
        """Those that something was timed on."""
        timed = {o.workload for j in self.judgements.values() for o in j.outcomes if o.device}
        return [w for w in workloads_of(self.judgements.values()) if w in timed]

    def outcome(self, rung: str, workload: str) -> Outcome | None:
        outcomes = self.judgements[rung].outcomes if rung in self.judgements else ()
        return next((o for o in outcomes if o.workload == workload), None)

    def limit_us(self, workload: str) -> float | None:
        """The limit that most rungs share."""
        limits = Counter(self.limit_of(rung, workload) for rung in self.judgements)
        limits.pop(None, None)
        return max(limits, key=lambda us: limits[us], default=None)

    def limit_of(self, rung: str, workload: str) -> float | None:
        outcome = self.outcome(rung, workload)
        return outcome.limit.median_us if outcome and outcome.limit else None

    def apart(self, workload: str) -> list[str]:
        """Rungs that are held to a limit of their own: they compute on another unit."""
        common = self.limit_us(workload)
        limits = {rung: self.limit_of(rung, workload) for rung in self.judgements}
        return [rung for rung, us in limits.items() if us not in (None, common)]

    @property
    def place(self) -> str:
        """The device, the software around it and the day."""
        judgement = next(iter(self.judgements.values()))
        seen = judgement.environment
        names = ("torch", "triton", "driver")
        software = ", ".join(f"{name} {seen[name]}" for name in names if name in seen)
        return f"{seen.get('device', judgement.device)}; {software}; {self.created[:10]}"


def results_of(folder: Path, problem: str) -> Results | None:
    file = folder / f"{problem}.jsonl"
    if not file.exists():
        return None
    receipts = [receipt for receipt in read(file) if receipt.judgement]
    judgements = {r.judgement.rung: r.judgement for r in receipts if r.judgement}
    if not judgements:
        return None
    return Results(outline_of(problem), receipts[-1].created, judgements)


def outline_of(problem: str) -> Outline:
    outline = read_outline(problem)
    if outline is None:
        raise BadInput(f"{problem}: its name, ladder and peers must be spelled out to be tabled")
    return outline


def devices(results: Path) -> list[Path]:
    return sorted(path for path in results.glob("*") if path.is_dir())


def ladder_tables(results: Path, problem: str) -> str:
    """The ladder with its times, a table a device."""
    found = [results_of(folder, problem) for folder in devices(results)]
    tables = [ladder_table(kept) for kept in found if kept and kept.workloads]
    return "\n".join(tables) or NOTHING


def ladder_table(kept: Results) -> str:
    rungs = [find_rung(kept.outline, name) for name in kept.outline.rungs]
    steps = {step.rung.name: step for step in climb_first(kept, rungs)}
    timed = [["rung", *kept.workloads], *limit_rows(kept)]
    for rung in rungs:
        cells = [time_cell(kept.outcome(rung.name, workload)) for workload in kept.workloads]
        timed.append([label(kept.outline, rung.name), *cells])
    none = [[UNKNOWN] * 3] * (len(timed) - len(rungs) - 1)
    gained = [["gain", "expected", "over"], *none, *(gain_cells(steps.get(r.name)) for r in rungs)]
    if len(kept.workloads) <= WIDEST:
        lines = markdown([row + gains for row, gains in zip(timed, gained, strict=True)])
    else:
        lines = markdown([["workload", *(row[0] for row in timed[1:])], *turned(timed)])
        named = [[row[0], *gains] for row, gains in zip(timed, gained, strict=True)]
        lines += ["", *markdown([row for row in named if row[-1] != UNKNOWN])]
    lines += ["", f"Gains are on {kept.workloads[0]}. {kept.place}."]
    lines += slower_line(steps.values(), kept.workloads[0])
    return "\n".join([*lines, *remarks(kept, rungs)]) + "\n"


def turned(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Columns as lines, without the first."""
    return [list(column) for column in zip(*rows, strict=True)][1:]


def slower_line(steps: Iterable[Step], workload: str) -> list[str]:
    slower = [s for s in steps if s.gain is not None and s.gain < SLOWER]
    if not slower:
        return []
    named = ", ".join(f"`{s.rung.name}` ({multiple(s.gain)})" for s in slower)
    return ["", f"Slower than the rung below on {workload}: {named}."]


def climb_first(kept: Results, rungs: Sequence[Rung]) -> list[Step]:
    """The steps of the ladder on the first workload; peers beside it are no steps."""
    steps = [rung for rung in rungs if rung.name in kept.outline.ladder]
    any_judgement = next(iter(kept.judgements.values()))
    judged = [
        kept.judgements.get(rung.name)
        or Judgement(
            kept.outline.name, rung.name, any_judgement.device, Status.SKIPPED, "", (), rung.sha256
        )
        for rung in steps
    ]
    return climb(steps, judged, kept.workloads[0])


def limit_rows(kept: Results) -> list[list[str]]:
    """The limit, and those of rungs that have one of their own."""
    rows = [["*the limit*", *(microseconds(kept.limit_us(w)) for w in kept.workloads)]]
    apart = dict.fromkeys(rung for w in kept.workloads for rung in kept.apart(w))
    return rows + [
        [f"*that of `{rung}`*", *(microseconds(kept.limit_of(rung, w)) for w in kept.workloads)]
        for rung in apart
    ]


def label(outline: Outline, name: str) -> str:
    return f"`{name}` ({PEERS.get(name, 'peer')})" if name in outline.peers else f"`{name}`"


def time_cell(outcome: Outcome | None) -> str:
    if outcome is None:
        return UNKNOWN
    if outcome.device is None:
        return outcome.status.value
    time = microseconds(outcome.device.median_us) + mark(outcome)
    return time if outcome.of_limit is None else f"{time}, {percentage(outcome.of_limit)}"


def mark(outcome: Outcome) -> str:
    return DISPUTED if outcome.disputed else ""


def gain_cells(step: Step | None) -> list[str]:
    if step is None or step.over is None:
        return [UNKNOWN, UNKNOWN, UNKNOWN]
    return [multiple(step.gain), multiple(step.expected), f"`{step.over}`"]


def remarks(kept: Results, rungs: Sequence[Rung]) -> list[str]:
    """Which times are of earlier code, and why there are none."""
    lines = []
    changed = [
        rung.name
        for rung in rungs
        if rung.name in kept.judgements and kept.judgements[rung.name].source_sha256 != rung.sha256
    ]
    if changed:
        lines.append(f"Changed since it was measured: {', '.join(changed)}.")
    lines += [f"{DISPUTED} {line}." for line in disputes(kept)]
    lines += [f"Not timed: {line}." for line in untimed(kept)]
    grouped: dict[str, list[str]] = {}
    for rung in rungs:
        for reason in missing_reasons(kept, rung.name):
            grouped.setdefault(reason, []).append(rung.name)
    lines += [f"{', '.join(names)}: {reason}." for reason, names in grouped.items()]
    return [line for remark in lines for line in ("", remark)]


def disputes(kept: Results) -> list[str]:
    return [
        f"{kept.outline.name} {judgement.rung} {outcome.workload}: {outcome.disputed}"
        for judgement in kept.judgements.values()
        for outcome in judgement.outcomes
        if outcome.device and outcome.disputed
    ]


def untimed(kept: Results) -> list[str]:
    """Workloads that nothing was timed on, by the reason."""
    grouped: dict[str, list[str]] = {}
    for workload in workloads_of(kept.judgements.values()):
        if workload not in kept.workloads:
            outcomes = (kept.outcome(rung, workload) for rung in kept.judgements)
            reason = next((o.reason for o in outcomes if o and o.reason), "no reason is kept")
            grouped.setdefault(reason, []).append(workload)
    return [f"{', '.join(names)}: {reason}" for reason, names in grouped.items()]


def missing_reasons(kept: Results, rung: str) -> list[str]:
    if rung not in kept.judgements:
        return ["not measured"]
    outcomes = [o for o in kept.judgements[rung].outcomes if not o.device and o.reason]
    shown = [o for o in outcomes if not o.workload or o.workload in kept.workloads]
    return list(dict.fromkeys(f"{o.status}: {o.reason}" for o in shown))


def overview_tables(results: Path) -> str:
    """Every problem's best rung beside the peers, as parts of the limit, a table a device."""
    tables = []
    for folder in devices(results):
        found = [results_of(folder, problem) for problem in problem_names()]
        kept = [results for results in found if results and results.workloads]
        if kept:
            tables.append(overview_table(kept))
    return "\n".join(tables) or NOTHING


def overview_table(found: Sequence[Results]) -> str:
    rows = [["problem", "workload", "limit", "best rung", *dict.fromkeys(PEERS.values())]]
    for kept in found:
        for workload in kept.workloads[:MOST_SHOWN]:
            rows += overview_rows(kept, workload)
    missing = sorted(set(problem_names()) - {kept.outline.name for kept in found})
    lines = [*markdown(rows), "", f"Percent of the limit. {places(found)}."]
    lines += [
        line
        for kept in found
        for dispute in disputes(kept)
        for line in ("", f"{DISPUTED} {dispute}.")
    ]
    lines += [
        line
        for kept in found
        for workloads in untimed(kept)
        for line in ("", f"Not timed: {kept.outline.name} {workloads}.")
    ]
    for kept in found:
        if (more := len(kept.workloads) - MOST_SHOWN) > 0:
            lines += ["", f"{kept.outline.name}: {more} more workloads are on its own page."]
    if missing:
        lines += ["", f"Not measured yet: {', '.join(missing)}."]
    return "\n".join(lines) + "\n"


def places(found: Sequence[Results]) -> str:
    """One for all of them, or which problems each is of."""
    grouped: dict[str, list[str]] = {}
    for kept in found:
        grouped.setdefault(kept.place, []).append(kept.outline.name)
    if len(grouped) == 1:
        return found[0].place
    return ". ".join(f"{', '.join(names)}: {place}" for place, names in grouped.items())


def overview_rows(kept: Results, workload: str) -> list[list[str]]:
    """One, and one more for each rung that has a limit of its own."""
    judgements = [kept.judgements[r] for r in kept.outline.rungs if r in kept.judgements]
    rows = {s.rung: s for s in scores(judgements, workload, kept.outline.peers) if s.time_us}
    apart = [rung for rung in kept.apart(workload) if rung in rows]
    own = [s for s in rows.values() if s.rung not in (*kept.outline.peers, *apart)]
    best = min(own, key=lambda s: s.time_us or 0.0, default=None)
    peers = {PEERS[peer]: part(rows[peer].outcome) for peer in PEERS if peer in rows}
    columns = [peers.get(name, UNKNOWN) for name in dict.fromkeys(PEERS.values())]
    shown = f"{part(best.outcome)} (`{best.rung}`)" if best else UNKNOWN
    name, limit = kept.outline.name, microseconds(kept.limit_us(workload))
    others = [
        [
            name,
            workload,
            f"{microseconds(kept.limit_of(rung, workload))}, of its own",
            f"{part(rows[rung].outcome)} (`{rung}`)",
            *([UNKNOWN] * len(columns)),
        ]
        for rung in apart
    ]
    return [[name, workload, limit, shown, *columns], *others]


def part(outcome: Outcome) -> str:
    """Of the limit; the time where that is not known."""
    if outcome.of_limit is not None:
        return percentage(outcome.of_limit) + mark(outcome)
    return microseconds(outcome.device.median_us if outcome.device else None) + mark(outcome)


def markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    ruled = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in ruled]
