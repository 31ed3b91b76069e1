"""The bar on the host: a call of a function of warpbook.ops costs it at most 1.5 times what torch's
own call does. Medians of calls that are not waited for, taken in turns. Needs a GPU; a minute."""

import statistics
import sys
import time
from collections.abc import Callable

import torch
from torch.nn import functional as F

from warpbook import ops

BAR = 1.5
CALLS = 4000
BATCH = 50  # calls before the device is waited for: fewer than its queue holds

Call = Callable[[], object]


def pairs() -> dict[str, tuple[Call, Call]]:
    """Ours and torch's, on tensors so small that the device keeps up with the host."""
    x, residual = torch.randn(2, 64, 1024, device="cuda", dtype=torch.bfloat16)
    weight, bias = torch.randn(2, 1024, device="cuda", dtype=torch.bfloat16)
    out = torch.empty_like(x)
    columns = (1024,)
    return {
        "vector_add": (lambda: ops.vector_add(x, residual), lambda: torch.add(x, residual)),
        "vector_add, out=": (
            lambda: ops.vector_add(x, residual, out=out),
            lambda: torch.add(x, residual, out=out),
        ),
        "softmax": (lambda: ops.softmax(x), lambda: F.softmax(x, -1)),
        "softmax, out=": (
            lambda: ops.softmax(x, out=out),
            lambda: torch.softmax(x, -1, out=out),
        ),
        "softmax, strided": (lambda: ops.softmax(x[:, 8:]), lambda: F.softmax(x[:, 8:], -1)),
        "rms_norm": (
            lambda: ops.rms_norm(x, weight),
            lambda: F.rms_norm(x, columns, weight, 1e-6),
        ),
        "layer_norm": (
            lambda: ops.layer_norm(x, weight, bias),
            lambda: F.layer_norm(x, columns, weight, bias),
        ),
        "add_rms_norm": (
            lambda: ops.add_rms_norm(x, residual, weight),
            lambda: F.rms_norm(x + residual, columns, weight, 1e-6),
        ),
        "add_layer_norm": (
            lambda: ops.add_layer_norm(x, residual, weight, bias),
            lambda: F.layer_norm(x + residual, columns, weight, bias),
        ),
        "gemv": (lambda: ops.gemv(x, weight), lambda: torch.mv(x, weight)),
        **products(x, bias),
        **selections(x),
    }


def selections(x: torch.Tensor) -> dict[str, tuple[Call, Call]]:
    out = x.new_empty(64, 50), x.new_empty(64, 50, dtype=torch.int64)
    return {
        "topk": (lambda: ops.topk(x, 50), lambda: torch.topk(x, 50)),
        "topk, out=": (
            lambda: ops.topk(x, 50, out=out),
            lambda: torch.topk(x, 50, out=out),
        ),
    }


def products(x: torch.Tensor, bias: torch.Tensor) -> dict[str, tuple[Call, Call]]:
    """A product that is ours wherever there is an epilogue, and one that may be anybody's."""
    b = torch.randn(1024, 1024, device="cuda", dtype=torch.bfloat16).T
    batch, row, out = x.view(4, 16, 1024), x[:1], torch.empty_like(x)
    return {
        "matmul": (lambda: ops.matmul(x, b), lambda: torch.mm(x, b)),
        "matmul, out=": (lambda: ops.matmul(x, b, out=out), lambda: torch.mm(x, b, out=out)),
        "matmul, a row": (lambda: ops.matmul(row, b), lambda: torch.mm(row, b)),
        "matmul, a batch": (lambda: ops.matmul(batch, b), lambda: torch.matmul(batch, b)),
        "matmul, bias": (lambda: ops.matmul(x, b, bias), lambda: torch.addmm(bias, x, b)),
        "matmul, epilogue": (
            lambda: ops.matmul(x, b, bias, "silu"),
            lambda: F.silu(torch.addmm(bias, x, b), inplace=True),
        ),
    }


def host_us(call: Call) -> list[float]:
    times = []
    for _ in range(BATCH):
        began = time.perf_counter_ns()
        call()
        times.append((time.perf_counter_ns() - began) / 1000)
    torch.cuda.synchronize()
    return times


def main() -> int:
    if not torch.cuda.is_available():
        print("host_cost: needs an NVIDIA GPU, and torch sees none", file=sys.stderr)
        return 3
    worst = 0.0
    print(f"{'operation':18} {'ours us':>8} {'torch us':>9} {'ratio':>6}")
    with torch.no_grad():
        for name, both in pairs().items():
            for call in both:
                host_us(call)
            ours, theirs = [], []
            for _ in range(CALLS // BATCH):
                ours += host_us(both[0])
                theirs += host_us(both[1])
            here, there = statistics.median(ours), statistics.median(theirs)
            worst = max(worst, here / there)
            print(f"{name:18} {here:8.2f} {there:9.2f} {here / there:6.2f}")
    print(f"worst {worst:.2f}x (bar {BAR:g}x)")
    return 0 if worst <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
