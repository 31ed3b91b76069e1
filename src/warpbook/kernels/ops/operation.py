"""An operation as torch's dispatcher knows it: `torch.ops.warpbook.softmax`, and beside it
`softmax_into`, which fills what it is given.

The dispatcher decides which way a call goes. On CUDA it launches; on any other device, where a
gradient is wanted and under vmap it is plain torch; while a graph is traced only the shapes are
worked out. So torch.compile keeps its graph whole. Knows nothing of any one operation.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from warpbook.kernels.ops.demands import outputs_fit
from warpbook.kernels.ops.direct import autocasting, mark_written, plain_cuda, watched
from warpbook.kernels.ops.explanation import Explanation
from warpbook.kernels.ops.memory import rows_of

LIBRARY: Any = torch.library.Library("warpbook", "DEF")  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class Operation:
    """
    name       of the operator
    arguments  as in its schema; the results have the dtype and the device of the first
    outputs    the names of the results; more than one are returned as a tuple
    check      raises where arguments do not fit
    shape      of every result
    plain      the operation in plain torch
    fill       fills the results, given after the arguments, by a kernel; False where none will do
    described  who does the work on a GPU that has the kernels, and why, given the arguments and a
               tuple of the results, empty where they are to be made
    indices    the names of the results that are int64 whatever the arguments are
    """

    name: str
    arguments: str
    outputs: tuple[str, ...]
    check: Callable[..., None]
    shape: Callable[..., torch.Size]
    plain: Callable[..., Any]
    fill: Callable[..., bool]
    described: Callable[..., Explanation]
    indices: tuple[str, ...] = ()
    overloads: list[Any] = field(default_factory=list, compare=False)

    def __post_init__(self) -> None:
        results = ", ".join("Tensor" for _ in self.outputs)
        self._register(self.name, self.arguments, f"({results})", self._returning())
        written = ", ".join(f"Tensor({a}!) {b}" for a, b in zip("ab", self.outputs, strict=False))
        arguments = f"{self.arguments}, *, {written}"
        self._register(f"{self.name}_into", arguments, "()", self._filling())

    def __call__(self, *arguments: Any, out: Any = None) -> Any:
        """The result, or `out`, filled: straight by the kernel where nothing is in the way."""
        targets = () if out is None else self._targets(out)
        if targets and not watched() and any(t.is_neg() for t in targets):
            self._negated(arguments, targets)
            return out
        straight = not watched() and not autocasting() and self._on_cuda((*arguments, *targets))
        returning, filling = self.overloads
        if out is None:
            return self.launched(*arguments) if straight else returning(*arguments)
        named = dict(zip(self.outputs, targets, strict=True))
        if straight:
            for target in targets:
                mark_written(target)
            self.launched_into(*arguments, **named)
        else:
            filling(*arguments, **named)
        return out

    def _negated(self, arguments: tuple[Any, ...], targets: tuple[Tensor, ...]) -> None:
        """Into tensors that are negated lazily, which torch hands to no operator without results:
        by way of others."""
        plain = tuple(torch.empty_like(t) if t.is_neg() else t for t in targets)
        self(*arguments, out=plain)
        for target, filled in zip(targets, plain, strict=True):
            if target is not filled:
                target.copy_(filled)

    def _on_cuda(self, arguments: tuple[Any, ...]) -> bool:
        needed = self.arguments.count("Tensor ")  # the others are optional or numbers
        tensors = [a for a in arguments if isinstance(a, Tensor)]
        return all(isinstance(a, Tensor) for a in arguments[:needed]) and all(
            plain_cuda(t) for t in tensors
        )

    def launched(self, *arguments: Any) -> Any:
        self.check(*arguments)
        results = self.blank(*arguments)
        if self.fill(*arguments, *results):
            return results if len(results) > 1 else results[0]
        return self.plain(*arguments)

    def launched_into(self, *arguments: Any, **written: Tensor) -> None:
        self._check_into(*arguments, **written)
        separate(self.name, written)
        if not self.fill(*arguments, *written.values()):
            self._copy_into(*arguments, **written)

    def blank(self, *arguments: Any) -> tuple[Tensor, ...]:
        shape, first = self.shape(*arguments), arguments[0]
        return tuple(
            first.new_empty(shape, dtype=torch.int64 if name in self.indices else first.dtype)
            for name in self.outputs
        )

    def demand(self, *arguments: Any, out: Any = None) -> tuple[Tensor, ...]:
        """Raises where a call would, and gives the tensors of `out`, if any."""
        if out is None:
            self.check(*arguments)
            return ()
        targets = self._targets(out)
        self._check_into(*arguments, **dict(zip(self.outputs, targets, strict=True)))
        return targets

    def _targets(self, out: Any) -> tuple[Tensor, ...]:
        targets = tuple(out) if isinstance(out, tuple | list) else (out,)
        if len(targets) != len(self.outputs) or not all(isinstance(t, Tensor) for t in targets):
            several = f"{' and '.join(self.outputs)}, a tensor each"
            taken = several if len(self.outputs) > 1 else "a tensor"
            raise TypeError(f"{self.name}: out= takes {taken}")
        return targets

    def _check_into(self, *arguments: Any, **written: Tensor) -> None:
        self.check(*arguments)
        shape = self.shape(*arguments)
        outputs_fit(self.name, arguments[0], shape, written, self.indices)

    def _copy_into(self, *arguments: Any, **written: Tensor) -> None:
        answers = self.plain(*arguments)
        answers = answers if isinstance(answers, tuple) else (answers,)
        for target, answer in zip(written.values(), answers, strict=True):
            target.copy_(answer)

    def _returning(self) -> tuple[Callable[..., Any], ...]:
        """In plain torch, by a kernel, without data, and under vmap."""

        def plain(*arguments: Any) -> Any:
            self.check(*arguments)
            return self.plain(*arguments)

        def shaped(*arguments: Any) -> Any:
            self.check(*arguments)
            results = self.blank(*arguments)
            return results if len(results) > 1 else results[0]

        return plain, self.launched, shaped, plain

    def _filling(self) -> tuple[Callable[..., Any], ...]:
        def plain(*arguments: Any, **written: Tensor) -> None:
            self._check_into(*arguments, **written)
            separate(self.name, written)
            self._copy_into(*arguments, **written)

        def batched(*arguments: Any, **written: Tensor) -> None:
            self._check_into(*arguments, **written)
            self._copy_into(*arguments, **written)

        return plain, self.launched_into, self._check_into, batched

    def _register(
        self, name: str, arguments: str, results: str, ways: tuple[Callable[..., Any], ...]
    ) -> None:
        plain, launched, shaped, batched = ways
        LIBRARY.define(f"{name}({arguments}) -> {results}", tags=(torch.Tag.pt2_compliant_tag,))
        overload = getattr(torch.ops.warpbook, name).default
        LIBRARY.impl(name, plain, "CompositeExplicitAutograd")
        LIBRARY.impl(name, launched, "CUDA")
        LIBRARY.impl(name, batched, "FuncTorchBatched")
        LIBRARY.impl(name, above_autograd(self.name, overload, plain), "Autograd")
        LIBRARY.impl(name, without_autocast(overload), "AutocastCPU")
        LIBRARY.impl(name, without_autocast(overload), "AutocastCUDA")
        torch.library.register_fake(f"warpbook::{name}", shaped, lib=LIBRARY)
        self.overloads.append(overload)


def above_autograd(name: str, overload: Any, plain: Callable[..., Any]) -> Callable[..., Any]:
    def decided(*arguments: Any, **written: Tensor) -> Any:
        if not wants_gradient((*arguments, *written.values())):
            for tensor in written.values():
                mark_written(tensor)
            with torch._C._AutoDispatchBelowAutograd():
                return overload(*arguments, **written)
        if written:
            raise RuntimeError(
                f"{name}: out= takes no part in gradients, and an argument requires one; leave it "
                "away, or call under torch.no_grad()"
            )
        return plain(*arguments)

    return decided


def without_autocast(overload: Any) -> Callable[..., Any]:
    """Results keep the dtype they are asked for in, whatever autocast would make of torch's own."""

    def called(*arguments: Any, **written: Tensor) -> Any:
        with torch.autocast(arguments[0].device.type, enabled=False):
            return overload(*arguments, **written)

    return called


def wants_gradient(arguments: tuple[Any, ...]) -> bool:
    if forward_ad._current_level >= 0:
        return True
    return torch.is_grad_enabled() and any(
        isinstance(a, Tensor) and a.requires_grad for a in arguments
    )


def separate(name: str, written: dict[str, Tensor]) -> None:
    """Two results that lie over each other cannot both be right."""
    if len(written) < 2:
        return
    first, second = (rows_of(tensor) for tensor in written.values())
    if first is not None and second is not None and first.rows and first.overlaps(second):
        raise ValueError(f"{name}: {' and '.join(written)} overlap in memory; give each its own")
