"""The bars on the ladders of matrix products and top-k, beside torch in one run: device time, from
the first kernel's start to the last one's end, with cold caches, medians of rounds in turns. Takes
names of bars, all by default, and `-o FILE` for the figures as JSON. Needs a GPU; four minutes, of
which a part is for compiling."""

import argparse
import importlib
import json
import random
import statistics
import sys
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import torch

from warpbook.measure.flush import Flusher
from warpbook.measure.kernel_clock import KernelClock

ROUNDS = 7
GAP_S = 1e-4  # idle time around a window's ends, far above the error between the two clocks
SIDES = (4096, 8192)
WEIGHTS = ((4096, 14336), (9216, 2560), (151936, 2560))  # n and k of a model's matrices
TOP_16_BITS = ("specialised", "persistent")
LARGEST_BYTES = 4 * 2**30

Call = Callable[[], Any]


@dataclass(frozen=True)
class Row:
    """One case: how many times as fast as torch ours is. `by` is the rung, `note` what else."""

    case: str
    by: str
    ours_us: float
    torch_us: float
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.torch_us / self.ours_us


@dataclass
class Bar:
    """Held where no row is below `least` and, of all, the part `ahead` is faster than torch."""

    name: str
    least: float
    ahead: float = 0.0
    rows: list[Row] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def held(self) -> bool:
        ratios = [row.ratio for row in self.rows]
        faster = sum(ratio > 1 for ratio in ratios)
        enough = bool(ratios) and min(ratios) >= self.least and faster >= self.ahead * len(ratios)
        return enough and not self.wrong

    def show(self) -> None:
        print(f"\n{self.name}")
        print(f"  {'case':28} {'rung':14} {'us':>9} {'torch us':>9} {'times':>6}")
        for row in self.rows:
            times = f"{row.ours_us:9.2f} {row.torch_us:9.2f} {row.ratio:6.2f}"
            print(f"  {row.case:28} {row.by:14} {times}{'  ' + row.note if row.note else ''}")
        for line in self.wrong:
            print(f"  {line}")
        ratios = sorted(row.ratio for row in self.rows) or [float("nan")]
        faster = sum(ratio > 1 for ratio in ratios)
        asked = f"at least {self.least:g}" + (f", {self.ahead:.0%} ahead" if self.ahead else "")
        print(
            f"  {'held' if self.held else 'NOT HELD'}: least {ratios[0]:.2f}, median "
            f"{statistics.median(ratios):.2f}, ahead in {faster} of {len(self.rows)} ({asked})"
        )


class Race:
    """Device microseconds of calls that take turns, each after a flush."""

    def __init__(self) -> None:
        self._flusher = Flusher("cuda")

    def __call__(self, calls: dict[str, Call], rounds: int = ROUNDS) -> dict[str, float]:
        for call in calls.values():
            call()
        torch.cuda.synchronize()
        windows: dict[str, list[tuple[int, int]]] = {name: [] for name in calls}
        clock = KernelClock()
        clock.start()
        for _ in range(rounds):
            for name in random.sample(list(calls), len(calls)):
                windows[name].append(self._window(calls[name]))
        activities = clock.stop()
        starts = [activity.start_ns for activity in activities]
        found = {}
        for name, spans in windows.items():
            times = []
            for begin, end in spans:
                inside = activities[bisect_left(starts, begin) : bisect_left(starts, end)]
                times.append(max(a.end_ns for a in inside) - inside[0].start_ns)
            found[name] = statistics.median(times) / 1e3
        return found

    def _window(self, call: Call) -> tuple[int, int]:
        self._flusher.flush()
        time.sleep(GAP_S)
        begin_ns = time.time_ns()
        time.sleep(GAP_S)
        call()
        torch.cuda.synchronize()
        time.sleep(GAP_S)
        end_ns = time.time_ns()
        time.sleep(GAP_S)
        return begin_ns, end_ns


def rung(problem: str, name: str) -> Call:
    module = importlib.import_module(f"warpbook.kernels.{problem}.rungs.{name}")
    function: Call = getattr(module, problem)
    return function


def drawn(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape, device="cuda", dtype=dtype)


def float32_products(race: Race) -> Iterator[Bar]:
    """The best rung without a matrix unit, and three products of TF32."""
    plain = Bar("matmul float32, async_copies", 0.95)
    triple = Bar("matmul float32, tf32_triple", 1.8)
    for side in SIDES:
        a, b = drawn(side, side), drawn(side, side)
        truth = a.double() @ b.double()
        errors = {}
        calls: dict[str, Call] = {"torch": partial(torch.mm, a, b)}
        for name in ("async_copies", "tf32_triple"):
            calls[name] = partial(rung("matmul", name), a, b)
        for name, call in calls.items():
            errors[name] = float((call() - truth).abs().max())
        del truth
        times = race(calls)
        for bar, name in ((plain, "async_copies"), (triple, "tf32_triple")):
            error = errors[name] / errors["torch"]
            note = f"error {error:.2f}x torch's"
            bar.rows.append(Row(f"{side}^3", name, times[name], times["torch"], note))
            if not error <= 4:
                bar.wrong.append(f"{name} at {side}: its error is {error:.2f}x torch's, over 4x")
    yield from (plain, triple)


def products_16(race: Race, bar: Bar, case: str, a: torch.Tensor, b: torch.Tensor) -> None:
    calls: dict[str, Call] = {"torch": partial(torch.mm, a, b)}
    for name in TOP_16_BITS:
        calls[name] = partial(rung("matmul_bf16", name), a, b)
    expected = calls["torch"]().float()
    for name in TOP_16_BITS:
        off = float((calls[name]().float() - expected).abs().max() / expected.abs().max())
        if not off < 0.01:  # two roundings to bfloat16 are 0.004 apart
            bar.wrong.append(f"{name} at {case}: off by {off:.2g} of the largest result")
    del expected
    times = race(calls)
    best = min(TOP_16_BITS, key=lambda name: times[name])
    each = ", ".join(f"{name} {times['torch'] / times[name]:.2f}" for name in TOP_16_BITS)
    bar.rows.append(Row(case, best, times[best], times["torch"], each))


def square_16(race: Race) -> Iterator[Bar]:
    bar = Bar("matmul bf16, squares", 0.93)
    for side in SIDES:
        a, b = (drawn(side, side, dtype=torch.bfloat16) for _ in range(2))
        products_16(race, bar, f"{side}^3", a, b)
    yield bar


def model_16(race: Race) -> Iterator[Bar]:
    bar = Bar("matmul bf16, a model's shapes", 0.85, ahead=1 / 3)
    for n, k in WEIGHTS:
        weights = drawn(n, k, dtype=torch.bfloat16)
        for m in (2**power for power in range(14)):
            a = drawn(m, k, dtype=torch.bfloat16)
            products_16(race, bar, f"{m}x{n}x{k}", a, weights.t())
    yield bar


def topk(race: Race, bar: Bar, rows: int, columns: int, ks: tuple[int, ...]) -> None:
    """All k in turns on one matrix."""
    x = drawn(rows, columns)
    ours = rung("topk", "split")
    calls: dict[str, Call] = {}
    for k in ks:
        calls[f"torch {k}"] = partial(torch.topk, x, k)
        calls[f"ours {k}"] = partial(ours, x, k)
        (values, indices), (expected, _) = calls[f"ours {k}"](), calls[f"torch {k}"]()
        if not torch.equal(values, expected) or not torch.equal(x.gather(-1, indices), values):
            bar.wrong.append(f"{rows}x{columns} k {k}: not what torch finds")
    times = race(calls)
    for k in ks:
        case = f"{rows}x{columns} k {k}"
        bar.rows.append(Row(case, "split", times[f"ours {k}"], times[f"torch {k}"]))


def topk_named(race: Race) -> Iterator[Bar]:
    bar = Bar("top-k", 8.0)
    for rows, columns, k in ((1024, 131072, 64), (8192, 8192, 64), (64, 151936, 50)):
        topk(race, bar, rows, columns, (k,))
    yield bar


def topk_grid(race: Race) -> Iterator[Bar]:
    bar = Bar("top-k, from 1 to 1024 of 64 to 262144", 1.0)
    for rows in (1, 8, 64, 1024, 8192):
        for columns in (64, 1024, 8192, 65536, 262144):
            if 4 * rows * columns <= LARGEST_BYTES:
                ks = tuple(k for k in (1, 8, 64, 256, 1024) if k <= columns)
                topk(race, bar, rows, columns, ks)
    yield bar


BARS: dict[str, Callable[[Race], Iterator[Bar]]] = {
    "matmul": float32_products,
    "matmul_bf16": square_16,
    "model": model_16,
    "topk": topk_named,
    "grid": topk_grid,
}


def as_json(bars: list[Bar]) -> dict[str, Any]:
    told = [
        asdict(bar)
        | {"held": bar.held, "rows": [asdict(row) | {"ratio": row.ratio} for row in bar.rows]}
        for bar in bars
    ]
    return {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "bars": told}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bars", nargs="*", help=f"some of {', '.join(BARS)}")
    parser.add_argument("-o", dest="output", type=Path, metavar="FILE", help="figures as JSON")
    asked = parser.parse_args()
    if unknown := [name for name in asked.bars if name not in BARS]:
        parser.error(f"no bar {unknown[0]!r}; there are {', '.join(BARS)}")
    if not torch.cuda.is_available():
        print("ladders: needs an NVIDIA GPU, and torch sees none", file=sys.stderr)
        return 3
    race, bars = Race(), []
    for name in asked.bars or BARS:
        for bar in BARS[name](race):
            bar.show()
            bars.append(bar)
    if asked.output:
        asked.output.write_text(json.dumps(as_json(bars), indent=1) + "\n")
    return 0 if all(bar.held for bar in bars) else 1


if __name__ == "__main__":
    sys.exit(main())
