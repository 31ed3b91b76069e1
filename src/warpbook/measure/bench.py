"""What all judgements on one device share: memory, the flusher, the roofs, and layouts."""

import ctypes
from collections.abc import Callable
from pathlib import Path

import torch

from warpbook.core.roofs import Roofs
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Problem
from warpbook.measure.arena import Arena, Ring
from warpbook.measure.candidate import Candidate
from warpbook.measure.device import environment
from warpbook.measure.flush import Flusher
from warpbook.measure.roofs import roofs_of
from warpbook.measure.stage import Layout, Stage, lay_out

M_TRIM_THRESHOLD = -1
M_MMAP_MAX = -4


class Bench:
    def __init__(self, device: str, progress: Callable[[str], None] = lambda _: None) -> None:
        self.device = device
        self.progress = progress
        if device == "cpu":
            keep_freed_memory()
        self.environment = environment(device)
        self.flusher = Flusher(device)
        self._roofs: Roofs | None = None
        self._arena: Arena | None = None
        self._layouts: dict[tuple[str, str], Layout] = {}
        self._attached: dict[int, Arena] = {}

    @property
    def roofs(self) -> Roofs:
        if self._roofs is None:
            self._roofs = roofs_of(self.device, progress=self._of_the_roofs, lock=False)
        return self._roofs

    def _of_the_roofs(self, line: str) -> None:
        self.progress(f"the roofs of this device: {line}")

    def layout(self, problem: Problem, workload: Workload) -> Layout:
        key = (str(problem.folder), workload.name)
        if key not in self._layouts:
            self._layouts[key] = lay_out(problem, workload, self.device)
        return self._layouts[key]

    def stage(self, problem: Problem, workload: Workload) -> Stage:
        layout = self.layout(problem, workload)
        arena = self._arena_of(Ring.size(layout.tensors))
        return Stage(problem, workload, layout, arena, self.flusher)

    def attach(self, candidate: Candidate, stage: Stage, limit_s: float) -> None:
        """Let a child see the memory its calls will use, once."""
        if self._attached.get(candidate.pid) is not stage.arena:
            candidate.ask("attach", limit_s, ticket=stage.arena.ticket())
            self._attached[candidate.pid] = stage.arena

    def close(self) -> None:
        if self._arena:
            self._arena.close()

    def free_bytes(self) -> int:
        if self.device == "cuda":
            return int(torch.cuda.mem_get_info()[0])
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if "MemAvailable" in line)

    def _arena_of(self, size: int) -> Arena:
        if self._arena is None or self._arena.size < size:
            if self._arena:
                self._arena.close()
            self._arena = Arena(self.device, size)
        return self._arena


def keep_freed_memory() -> None:
    """Have the allocator reuse what the last check freed: fresh pages for every float64 answer
    would take longer than computing it."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):  # glibc's
        libc.mallopt(M_MMAP_MAX, 0)
        libc.mallopt(M_TRIM_THRESHOLD, 2**31 - 1)
