# mypy: disable-error-code="no-untyped-def, untyped-decorator"
"""The end of a tile, for the Triton rungs: bias and activation, before the one rounding.

Knows nothing of how the tile came about.
"""

import triton
import triton.language as tl


@triton.jit
def gelu(x):
    """x / 2 (1 + erf(x / sqrt 2)), with Abramowitz and Stegun's 7.1.26 for the tail of erf. That is
    off by 1.5e-7 at most, which 16 bits do not show, and takes 17 instructions where an erf that is
    exact to the last bit takes 32. Their z is scaled here so that 2^(-z z) is e^(-x x / 2), and
    1 / y is the square of 1 / sqrt(y), for which there is one instruction."""
    z = tl.abs(x) * 0.84932180
    root = tl.rsqrt(1 + 0.27273748 * z)
    t = root * root
    tail = 1.061405429 * t - 1.453152027
    tail = ((tail * t + 1.421413741) * t - 0.284496736) * t + 0.254829592
    tail *= t * tl.exp2(-z * z)
    return 0.5 * x * tl.where(x < 0, tail, 2 - tail)


@triton.jit
def finish(total, bias, index, count, step, ACTIVATION: tl.constexpr):
    """In float32. `index` is each number's place in the bias, of `count`; `bias` may be None."""
    if bias is not None:
        total += tl.load(bias + index.to(tl.int64) * step, index < count, 0.0).to(tl.float32)
    if ACTIVATION == 1:
        total = tl.where(total < 0, 0.0, total)  # a NaN stays one
    if ACTIVATION == 2:
        total = gelu(total)
    if ACTIVATION == 3:
        total = total / (1 + tl.exp(-total))
    return total


@triton.jit
def write(
    total, bias, out, row, column, m, n, bias_step, out_row, out_column,
    ACTIVATION: tl.constexpr, BOXED: tl.constexpr, SWAPPED: tl.constexpr,
):  # fmt: skip
    """Finish and store the tile at this row and column. A wide one goes by halves, one after the
    other, which takes half as much shared memory."""
    rows: tl.constexpr = total.shape[0]
    columns: tl.constexpr = total.shape[1]
    if columns > 128:
        left, right = tl.split(total.reshape(rows, 2, columns // 2).permute(0, 2, 1))
        write(
            left, bias, out, row, column, m, n, bias_step, out_row, out_column,
            ACTIVATION, BOXED, SWAPPED,
        )  # fmt: skip
        write(
            right, bias, out, row, column + columns // 2, m, n, bias_step, out_row, out_column,
            ACTIVATION, BOXED, SWAPPED,
        )  # fmt: skip
    else:
        write_narrow(
            total, bias, out, row, column, m, n, bias_step, out_row, out_column,
            ACTIVATION, BOXED, SWAPPED,
        )  # fmt: skip


@triton.jit
def write_narrow(
    total, bias, out, row, column, m, n, bias_step, out_row, out_column,
    ACTIVATION: tl.constexpr, BOXED: tl.constexpr, SWAPPED: tl.constexpr,
):  # fmt: skip
    """As a box, or by pointers. The bias goes with the columns, or with the rows where the product
    is swapped."""
    rows = row + tl.arange(0, total.shape[0])[:, None]
    columns = column + tl.arange(0, total.shape[1])[None, :]
    if SWAPPED:
        total = finish(total, bias, rows, m, bias_step, ACTIVATION)
    else:
        total = finish(total, bias, columns, n, bias_step, ACTIVATION)
    if BOXED:
        out.store([row, column], total.to(out.dtype))
    else:
        here = out + rows.to(tl.int64) * out_row + columns.to(tl.int64) * out_column
        tl.store(here, total.to(out.dtype.element_ty), (rows < m) & (columns < n))
