"""Every function with small arguments for it, and the plain answer in float64."""

from dataclasses import dataclass

import torch
from torch.nn import functional as F

from warpbook import ops


@dataclass(frozen=True)
class Case:
    """`matrices` and `vectors` are how many the function takes, in this order, and `results` how
    many it returns. Where it `shrinks`, they have one dimension less."""

    function: object
    truth: object
    matrices: int = 1
    vectors: int = 0
    results: int = 1
    shrinks: bool = False

    @property
    def name(self):
        return self.function.__name__

    def arguments(self, shape, dtype=torch.float32, device="cpu"):
        shapes = [shape] * self.matrices + [shape[-1:]] * self.vectors
        return [torch.randn(s, device=device).to(dtype) for s in shapes]

    def shape(self, of):
        return of[:-1] if self.shrinks else of

    def answers(self, *arguments):
        wide = [a.double() if isinstance(a, torch.Tensor) else a for a in arguments]
        return as_tuple(self.truth(*wide))

    def check(self, results, *arguments, message=None, slack=1):
        """Against the answer in float64, as close as the dtype allows, or `slack` times that."""
        answers = self.answers(*arguments)
        for result, answer in zip(as_tuple(results), answers, strict=True):
            near = {torch.float32: 5e-5, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}[result.dtype]
            scale = self.scale(arguments, answer)
            torch.testing.assert_close(
                result.double() / scale, answer / scale, rtol=0, atol=slack * near,
                equal_nan=True, msg=message,
            )  # fmt: skip

    def scale(self, arguments, answer):
        """The largest number in a row; of a product that of all rows, or what terms of random signs
        come to. A norm is of the order of 1, even where its terms cancel."""
        if not answer.numel():
            return 1
        finite = answer.where(answer.isfinite(), 0).abs()
        if self.shrinks:
            return finite.max().clamp(min=max(arguments[0].shape[-1], 1) ** 0.5)
        largest = finite.amax(-1, keepdim=True) if answer.dim() else finite
        return largest.clamp(min=1) if "norm" in self.name else largest.where(largest > 0, 1)


def as_tuple(results):
    return results if isinstance(results, tuple) else (results,)


def rms_norm(x, weight=None, eps=1e-6):
    """Spelled out: torch's own on CUDA turns a whole row to NaN where one number is infinite."""
    normed = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    return normed if weight is None else normed * weight


def layer_norm(x, weight=None, bias=None, eps=1e-5):
    return F.layer_norm(x, x.shape[-1:], weight, bias, eps)


def add_rms_norm(x, residual, weight=None, eps=1e-6):
    return rms_norm(x + residual, weight, eps), x + residual


def add_layer_norm(x, residual, weight=None, bias=None, eps=1e-5):
    return layer_norm(x + residual, weight, bias, eps), x + residual


CASES = {
    case.name: case
    for case in (
        Case(ops.vector_add, torch.add, matrices=2),
        Case(ops.softmax, lambda x: torch.softmax(x, -1)),
        Case(ops.rms_norm, rms_norm, vectors=1),
        Case(ops.layer_norm, layer_norm, vectors=2),
        Case(ops.add_rms_norm, add_rms_norm, matrices=2, vectors=1, results=2),
        Case(ops.add_layer_norm, add_layer_norm, matrices=2, vectors=2, results=2),
        Case(ops.gemv, torch.matmul, vectors=1, shrinks=True),
    )
}
