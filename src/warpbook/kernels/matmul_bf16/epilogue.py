# mypy: disable-error-code="no-untyped-def, untyped-decorator"
"""The end of a tile, for the Triton rungs: bias and activation, before the one rounding.

Knows nothing of how the tile came about.
"""

import triton
import triton.language as tl


@triton.jit
def finish(total, bias, index, count, step, ACTIVATION: tl.constexpr):
    """In float32. `index` is each number's place in the bias, of `count`; `bias` may be None."""
    if bias is not None:
        total += tl.load(bias + index.to(tl.int64) * step, index < count, 0.0).to(tl.float32)
    if ACTIVATION == 1:
        total = tl.where(total < 0, 0.0, total)  # a NaN stays one
    if ACTIVATION == 2:
        total = 0.5 * total * (1 + tl.erf(total * 0.7071067811865476))
    if ACTIVATION == 3:
        total = total / (1 + tl.exp(-total))
    return total
