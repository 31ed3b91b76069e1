"""Deciding whether outputs are right: the error, the budget it is held to, and the NaN rule.

Knows nothing of processes or time. Everything is computed on the device the outputs are on.
"""

import math
from collections.abc import Sequence

import torch

from warpbook.core.workload import Workload
from warpbook.kernels.problem import Argument, Problem, as_list, cast

ALLOWANCE = 4.0


class Checker:
    """Pools the outputs of one rung on one workload, round by round.

    An error is the largest |y - y64| over the problem's scale. The yardstick is the error of the
    reference with float32 inside, rounded once to the output's dtype, or half an ulp of the output
    where that is larger. The budget is `ALLOWANCE` times it.
    """

    def __init__(self, problem: Problem, workload: Workload) -> None:
        self.problem = problem
        self.growth = max(1.0, problem.growth(workload))
        self.rounds = 0
        self._fault: str | None = None
        self._error = 0.0
        self._yardstick = 0.0

    @property
    def fault(self) -> str | None:
        """A mistake that no further round can excuse."""
        return self._fault

    @property
    def error(self) -> float | None:
        """The error as a multiple of the plain reference's."""
        if self.problem.check or not self._yardstick:
            return None
        return self._error / self._yardstick

    @property
    def budget(self) -> float | None:
        if self.problem.check or not self._yardstick:
            return None
        return ALLOWANCE * self.growth

    def add(self, outputs: Sequence[torch.Tensor], arguments: Sequence[Argument]) -> str | None:
        """Check one round; the answer pools it with the rounds before."""
        self.rounds += 1
        self._fault = self._fault or self._check(list(outputs), arguments)
        return self.verdict()

    def verdict(self) -> str | None:
        """What is wrong with the rounds so far, or None."""
        if self._fault:
            return self._fault
        error, budget = self.error, self.budget
        if error is not None and budget is not None and not error <= budget:
            return f"error {error:.3g}x the plain reference's, over its budget of {budget:.3g}x"
        return None

    def _check(self, outputs: list[torch.Tensor], arguments: Sequence[Argument]) -> str | None:
        truth = self.problem.expected(arguments, torch.float64)
        if self.problem.check:
            return self.problem.check(outputs, arguments, truth)
        plain = self.problem.expected(arguments, torch.float32)
        half_ulps = [half_ulp(y.dtype) for y in outputs]
        if self.problem.decode:
            outputs = as_list(self.problem.decode(*outputs))
            half_ulps = half_ulps[:1] * len(outputs)  # the codes come first, then their scales
        for index, (y, y64, y32) in enumerate(zip(outputs, truth, plain, strict=True)):
            fault = self._compare(y, y64, y32, half_ulps[index], arguments)
            if fault:
                return f"output {index}: {fault}" if len(outputs) > 1 else fault
        return None

    def _compare(
        self,
        y: torch.Tensor,
        y64: torch.Tensor,
        y32: torch.Tensor,
        half_ulp: float,
        arguments: Sequence[Argument],
    ) -> str | None:
        if not y64.is_floating_point():
            return None if torch.equal(y, y64.to(y.dtype)) else differing(y, y64)
        rounded = y64.to(y.dtype).double()
        got = y.double()
        fault = misplaced(got, rounded)
        if fault:
            return fault
        scale = self._scale(arguments, y64, y.dtype)
        finite = rounded.isfinite()
        self._error = max(self._error, relative(got, y64, scale, finite))
        plain = y32.to(y.dtype).double()
        self._yardstick = max(self._yardstick, relative(plain, y64, scale, finite), half_ulp)
        return None

    def _scale(
        self, arguments: Sequence[Argument], y64: torch.Tensor, dtype: torch.dtype
    ) -> torch.Tensor:
        if self.problem.scale:
            scale = self.problem.scale([cast(a, torch.float64) for a in arguments], y64)
        else:
            scale = row_largest(y64)
        return scale.abs().clamp(min=torch.finfo(dtype).tiny)


def half_ulp(dtype: torch.dtype) -> float:
    """Relative to the scale: an integer code is a step of the largest it can hold."""
    return torch.finfo(dtype).eps / 2 if dtype.is_floating_point else 0.5 / torch.iinfo(dtype).max


def row_largest(y64: torch.Tensor) -> torch.Tensor:
    magnitude = torch.where(y64.isfinite(), y64.abs(), 0.0)
    if magnitude.dim() == 0 or magnitude.numel() == 0:
        return magnitude
    return magnitude.amax(dim=-1, keepdim=True)


def relative(
    y: torch.Tensor, y64: torch.Tensor, scale: torch.Tensor, finite: torch.Tensor
) -> float:
    if y.numel() == 0:
        return 0.0
    error = torch.where(finite, (y - y64).abs() / scale, 0.0)
    largest = float(error.max())
    return math.inf if math.isnan(largest) else largest


def misplaced(got: torch.Tensor, rounded: torch.Tensor) -> str | None:
    """NaN must be exactly where the reference has it, and so must each infinity."""
    wrong_nan = got.isnan() != rounded.isnan()
    if bool(wrong_nan.any()):
        count = int(wrong_nan.sum())
        extra = int((got.isnan() & ~rounded.isnan()).sum())
        return f"NaN in {extra} places the reference has none, missing in {count - extra}"
    infinite = got.isinf() | rounded.isinf()
    if bool((infinite & (got != rounded)).any()):
        return "infinities are not where the reference has them"
    return None


def differing(y: torch.Tensor, expected: torch.Tensor) -> str:
    return f"{int((y != expected.to(y.dtype)).sum())} of {y.numel()} elements differ"
