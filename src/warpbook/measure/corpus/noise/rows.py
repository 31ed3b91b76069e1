"""One Triton kernel, one row a program, that may do some of its rows a second time."""

import triton
import triton.language as tl


@triton.jit
def normalise_rows(x, y, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) % rows
    column = tl.arange(0, BLOCK)
    inside = column < columns
    values = tl.load(x + row * columns + column, mask=inside, other=0.0)
    size = tl.sum(tl.abs(values), axis=0) / columns
    tl.store(y + row * columns + column, values / size, mask=inside)


def launch(x, out, again: float):
    """`again` is the share of the rows that is done twice: the last programs do the first rows
    once more. They left L2 long ago, so a share of the rows is that share of the traffic."""
    rows, columns = x.shape
    programs = rows + round(rows * again)
    block = triton.next_power_of_2(columns)
    normalise_rows[(programs,)](x, out, rows, columns, BLOCK=block, num_warps=8)
    return out
