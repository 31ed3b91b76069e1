"""From what was asked to a plan: two arms, a workload, a device; and which of it was a default."""

import os
from dataclasses import dataclass
from pathlib import Path

from warpbook.core.command import command_sha256, hashed_files
from warpbook.core.effect import KERNEL_TIME, Metric
from warpbook.core.errors import BadInput
from warpbook.core.machine import choose_device, why_no_cuda
from warpbook.core.run import Arm, Plan
from warpbook.kernels.library import Outline, any_rung, problem_names
from warpbook.kernels.rung import Rung, hash_of, read_source
from warpbook.lab.baseline import best_rung, refuse_the_past
from warpbook.lab.workloads import Known, known_problem

BLOCKS = 4
LIMIT_S = 600.0
LONGEST_LABEL = 60


@dataclass(frozen=True)
class Default:
    """Something nobody asked for: what it is taken to be, and why."""

    name: str
    value: str
    why: str


@dataclass(frozen=True)
class Asked:
    """What of a plan was asked for, or None. `change` is a rung or a file, `command` a command.
    Files are looked for in `folder`, and commands run there; by default in the present one."""

    change: str | None = None
    problem: str | None = None
    against: str | None = None
    command: str | None = None
    baseline: str | None = None
    workload: str | None = None
    device: str | None = None
    blocks: int = BLOCKS
    limit_s: float = LIMIT_S
    variables: tuple[str, ...] = ()
    folder: str = ""

    @property
    def cwd(self) -> str:
        return self.folder or os.getcwd()

    def located(self, text: str) -> str:
        """A path as it is from the folder; a name stays as it is."""
        path = Path(self.folder, text)
        return str(path) if self.folder and (path.suffix or path.exists()) else text


def make_plan(asked: Asked, metrics: tuple[Metric, ...]) -> tuple[Plan, list[Default]]:
    for baseline in filter(None, (asked.against, asked.baseline)):
        refuse_the_past(baseline)
    if asked.command is not None:
        return command_plan(asked, metrics)
    if asked.change is None:
        raise BadInput("nothing to try: give a FILE and --on PROBLEM, or --command and --baseline")
    if asked.baseline is not None:
        raise BadInput("--baseline goes with --command; the baseline of a file is --against")
    if asked.problem is None:
        raise BadInput(f"which problem does {asked.change} solve? give it by --on PROBLEM")
    return kernel_plan(asked, metrics)


def kernel_plan(asked: Asked, metrics: tuple[Metric, ...]) -> tuple[Plan, list[Default]]:
    if metrics != (KERNEL_TIME,):
        raise BadInput(
            f"a kernel is measured by {KERNEL_TIME.name} alone; --metric and --guard go with "
            "--command"
        )
    defaults: list[Default] = []
    named = asked.problem or ""
    place = named if named in problem_names() else asked.located(named)
    known = known_problem(place, asked.workload)
    change = any_rung(known.outline, asked.located(asked.change or ""))
    device = device_of(asked.device, defaults)
    if device == "none":
        raise BadInput("a kernel runs on cpu or cuda; --device none is for commands")
    workload = workload_of(asked, known, device, defaults)
    baseline = baseline_of(asked, known, workload, device, defaults)
    if baseline.sha256 == change.sha256:
        raise BadInput(f"{asked.change} and its baseline {baseline.name} are the same, to the byte")
    plan = Plan(
        kind="kernel",
        workload=workload,
        device=device,
        baseline=kernel_arm(known.outline, baseline),
        change=kernel_arm(known.outline, change),
        metrics=metrics,
        problem=known.problem,
        problem_sha256=hash_of([known.outline.folder / "problem.py"]),
        blocks=asked.blocks,
        limit_s=asked.limit_s,
        cwd=asked.cwd,
        variables=asked.variables,
    )
    return plan, defaults


def workload_of(asked: Asked, known: Known, device: str, defaults: list[Default]) -> str:
    if asked.workload is not None:
        return known.checked(asked.workload, device)
    workload = known.first_timed(device)
    defaults.append(Default("workload", workload, f"the first that is timed on {device}"))
    return workload


def baseline_of(
    asked: Asked, known: Known, workload: str, device: str, defaults: list[Default]
) -> Rung:
    if asked.against is not None:
        return any_rung(known.outline, asked.located(asked.against))
    baseline, why = best_rung(known.outline, workload, device)
    defaults.append(Default("baseline", baseline.name, why))
    return baseline


def kernel_arm(outline: Outline, rung: Rung) -> Arm:
    """A rung of the problem by its name; a file with its text, so that what was queued runs."""
    if rung.path.parent == outline.folder / "rungs":
        return Arm(rung.name, rung.sha256, rung=rung.name)
    texts = {file.suffix: text_of(file) for file in rung.files}
    if hash_of(rung.files) != rung.sha256:
        raise BadInput(f"{rung.path}: was changed while it was read; try again")
    return Arm(
        rung.path.name, rung.sha256, rung=rung.name, text=texts.get(".py"), cuda=texts.get(".cu")
    )


def text_of(file: Path) -> str:
    try:
        return read_source(file).decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"{file}: byte {error.start} is not UTF-8; save the file as UTF-8") from None


def command_plan(asked: Asked, metrics: tuple[Metric, ...]) -> tuple[Plan, list[Default]]:
    if asked.change is not None or asked.problem is not None or asked.against is not None:
        raise BadInput("--command goes with --baseline; a FILE, --on and --against are for kernels")
    if not (asked.command or "").strip():
        raise BadInput("--command is empty: give the shell command that prints JSON")
    if asked.baseline is None or not asked.baseline.strip():
        raise BadInput("a command needs --baseline CMD to be held against, run in turns with it")
    if asked.baseline == asked.command:
        raise BadInput("--command and --baseline are the same")
    defaults: list[Default] = []
    device = device_of(asked.device, defaults)
    cwd = asked.cwd
    plan = Plan(
        kind="command",
        workload=asked.workload or "",
        device=device,
        baseline=command_arm(asked.baseline, cwd),
        change=command_arm(asked.command or "", cwd),
        metrics=metrics,
        blocks=asked.blocks,
        limit_s=asked.limit_s,
        cwd=cwd,
        variables=asked.variables,
    )
    here = "the folder that was given" if asked.folder else "where you are"
    defaults.append(Default("folder", cwd, f"{here}; the commands run there"))
    return plan, defaults


def command_arm(command: str, cwd: str) -> Arm:
    label = command if len(command) <= LONGEST_LABEL else f"{command[: LONGEST_LABEL - 3]}..."
    files = hashed_files(command, cwd)
    return Arm(label, command_sha256(command, files), command=command, files=files)


def device_of(asked: str | None, defaults: list[Default]) -> str:
    """One that is asked for need not be here: a worker elsewhere may have it."""
    lacking = why_no_cuda()
    if asked == "cuda" and lacking:
        defaults.append(
            Default("device", "cuda", "not on this machine: a worker that has one runs it")
        )
    if asked in ("cpu", "cuda", "none"):
        return asked
    device = choose_device(asked)
    why = f"no CUDA: {lacking}" if lacking else "the best device here"
    defaults.append(Default("device", device, why))
    return device
