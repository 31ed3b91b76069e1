"""A product by the top rung of matmul_bf16 that is ready to go: what its `multiply` does, with all
that is the same from call to call done before. The host's part is then a few microseconds, where it
was longer than many a product.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from warpbook.kernels.held_row import processors
from warpbook.kernels.matmul_bf16 import plans
from warpbook.kernels.matmul_bf16.rungs import specialised as rung
from warpbook.kernels.tensor_map import encoded, fits

CODES = "128s" * 3 + "q" * 19  # three maps; product, bias, sums, tickets; and numbers

Fill = Callable[[Tensor, Tensor, Tensor | None, Tensor], None]


def fused_launch(a: Tensor, b: Tensor, biased: bool, code: int) -> Fill | None:
    """For operands like these, [m, k] and [k, n], into a contiguous product on 16 bytes. None where
    the copy engine cannot read them where they lie."""
    m, n, device, dtype = len(a), b.shape[1], a.get_device(), a.dtype
    plan = rung.planned(a, b, code != 0, processors(device))
    tile = plan.tile
    (p, p_across), (q, q_across) = map(turned, (b.t(), a) if plan.swapped else (a, b.t()))
    if p is None or q is None or (q_across and tile.columns < 64):
        return None
    rows, columns = (n, m) if plan.swapped else (m, n)
    steps = (1, n) if plan.swapped else (n, 1)
    direct = plan.swapped != tile.sideways or n * dtype.itemsize % 16 != 0
    q_rows = min(tile.columns // tile.pair, columns)
    q_bytes = (-(-tile.columns // 64) * 64 if q_across else q_rows * tile.pair) * plans.STEP * 2
    p_place = (*place(p), dtype, rung.BOX if p_across else (tile.rows, plans.STEP), 128)
    q_place = (*place(q), dtype, rung.BOX if q_across else (q_rows, plans.STEP), 128)
    wide = 64 if tile.sideways else tile.stored_at_once
    c_place = (m, n, n * dtype.itemsize, dtype, (16, wide), 128 if wide == 64 else 0)
    numbers = (
        rows, columns, *steps, plan.swapped, code, q_bytes, tile.stages(q_across),
        tile.stage(q_across), plan.tall, plan.wide, plan.group, plan.whole, plan.steps, plan.share,
    )  # fmt: skip
    room, blocks, swapped = plan.places * tile.rows * tile.columns, plan.blocks, plan.swapped
    case = rung.Case(p_across, q_across, plan.share > 0, direct, biased or code != 0)
    go = loaded(tile, dtype, case)

    def fill(a: Tensor, b: Tensor, bias: Tensor | None, y: Tensor) -> None:
        left, right, target = a.data_ptr(), b.data_ptr(), y.data_ptr()
        p_map = encoded(right if swapped else left, *p_place)
        q_map = encoded(left if swapped else right, *q_place)
        c_map = p_map if direct else encoded(target, *c_place)
        added = 0 if bias is None else bias.data_ptr()
        if not room:
            go(device, blocks, p_map, q_map, c_map, target, added, 0, 0, *numbers)
            return
        sums, tickets = a.new_empty(room, dtype=torch.float32), rung.tickets(a.device)
        shared = (sums.data_ptr(), tickets.data_ptr())
        go(device, blocks, p_map, q_map, c_map, target, added, *shared, *numbers)

    return fill


def loaded(tile: plans.Tile, dtype: torch.dtype, case: rung.Case) -> Callable[..., None]:
    """What launches a tile's kernel on the current device."""
    run = rung.ready(tile, dtype, case).takes(CODES)
    return run.ready(tile.threads, tile.shared(case.q_across))


def turned(operand: Tensor) -> tuple[Tensor | None, bool]:
    """As the copy engine can read it, and whether that is transposed."""
    if fits(operand):
        return operand, False
    return (operand.t(), True) if fits(operand.t()) else (None, False)


def place(matrix: Tensor) -> tuple[int, int, int]:
    """Rows, columns, and bytes from row to row."""
    return (*matrix.shape, matrix.stride(0) * matrix.itemsize)
