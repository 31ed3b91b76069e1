"""Which of the kernels that hold a row in registers a row needs: the rule, and their launch.

The kernels are templates over `include/held_row.cuh`; softmax and the norms have one each, as the
top rung of their ladders. Knows nothing of what they compute.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import torch

from warpbook.kernels.cuda import Kernel, cdiv, kernel

# How the rows that are read and written together lie to blocks of 16 bytes.
ALIGNED, ALIKE, APART = 0, 1, 2  # all on them; equally far off; each in its own way
EXACT, FEWER, CUT = 0, 1, 2  # as in held_row.cuh
MOST_THREADS, MOST_CLUSTER = 1024, 8
MOST_ELEMENTS = 32  # a thread's, at 4 bytes each in registers
ENDS = 64  # columns up to which cut rows are all ends: no vectors then
RING = 200 * 1024  # bytes of shared memory for the rows to come
ENDLESS = 2**31 - 1


@dataclass(frozen=True)
class Plan:
    """`cluster` blocks of `threads` threads hold a row, `vectors` vectors of `vector` elements in
    each thread; a block of short rows has `rows`. `stages` rows are fetched ahead, if any. With
    `early` what all rows share is read before it is needed."""

    vector: int
    vectors: int
    threads: int
    rows: int = 1
    cluster: int = 1
    fit: int = EXACT
    stages: int = 0
    early: int = 0

    @property
    def shared_bytes(self) -> int:
        return self.stages * self.vectors * self.threads * 16


def plan(
    columns: int, dtype: torch.dtype, aligned: int, few: bool, weights: int = 0
) -> Plan | None:
    """The rule, for few rows (fewer than there are SMs) or many; `weights` is how many numbers a
    column all rows share. None where no cluster holds such a row."""
    size = dtype.itemsize
    vector = 16 // size
    if aligned == APART or (aligned == ALIKE and columns <= ENDS):
        vector = 1
    need = max(columns // vector, 1)
    if need > MOST_ELEMENTS // vector * MOST_THREADS * MOST_CLUSTER:
        return None
    fit = CUT if aligned == ALIKE and vector > 1 else FEWER
    if need <= 128:
        shape = short(need, vector, fit)
    elif few:
        shape = spread(need, vector)
    else:
        shape = stacked(need, vector, weights)
    vectors, threads, rows, cluster = shape
    if fit == FEWER and vector * vectors * threads * cluster == columns:
        fit = EXACT
    large = threads > MOST_THREADS // 2  # such a block has few registers a thread
    if large and weights > 2:
        return None
    stages = 0
    long = cluster == MOST_CLUSTER or (cluster > 1 and weights > 0)
    if not few and long and vector > 1 and fetched_ahead(size, fit, weights, large):
        stages = min(RING // (vectors * threads * 16), 4)
        stages = stages if stages > 1 else 0
    roomy = vector * vectors <= 16
    kept = stages > 0 and not large
    early = weights > 0 and fit != CUT and (kept or (roomy and (few or size == 4)))
    return Plan(vector, vectors, threads, rows, cluster, fit, stages, int(early))


def fetched_ahead(size: int, fit: int, weights: int, large: bool) -> bool:
    """Whether it pays to have the next rows on their way in shared memory. In float32 two blocks of
    softmax share an SM and cover for each other; with two weights a block that is large or whose
    rows are cut has no registers left for it."""
    return (weights > 0 or size == 2) and not (weights > 1 and (fit == CUT or large))


def short(need: int, vector: int, fit: int) -> tuple[int, int, int, int]:
    """A row takes a warp or part of one; single elements are taken a few a thread. Ends that are
    cut take a thread an element, of up to two vectors."""
    least = 2 * vector if fit == CUT else 1
    wanted = cdiv(need, 4) if vector == 1 else need
    threads = min(32, 1 << max(wanted - 1, least - 1, 0).bit_length())
    vectors = cdiv(need, threads)
    return vectors, threads, 1 if vectors * vector > 16 else 128 // threads, 1


def spread(need: int, vector: int) -> tuple[int, int, int, int]:
    """Few rows: over several SMs each, a vector or two a thread, so that all of it is on its way
    at once."""
    cluster = 1 if need <= 256 else 2 if need <= 2048 else 4 if need <= 4096 else 8
    vectors = 1
    while cdiv(need, vectors * cluster) > (512 if cluster < 8 else 256):
        if 2 * vectors * vector > MOST_ELEMENTS:
            break
        vectors *= 2
    return vectors, warps(need, vectors * cluster), 1, cluster


def stacked(need: int, vector: int, weights: int) -> tuple[int, int, int, int]:
    """Many rows: as few blocks a row as can hold it, so that several rows share an SM."""
    vectors, most = 4 if vector > 1 else 16, MOST_ELEMENTS // vector
    if weights == 0 and vector > 1 and 512 <= need <= 2 * MOST_THREADS:
        return 2, warps(need, 2), 1, 1
    half = MOST_THREADS // 2  # a block of all the threads has an SM to itself
    cluster = 1 if need <= most * half else 4 if need <= 4096 else MOST_CLUSTER
    if need > vectors * half * cluster:
        vectors = most
    return vectors, warps(need, vectors * cluster), 1, cluster


def warps(need: int, each: int) -> int:
    return max(32, cdiv(cdiv(need, each), 32) * 32)


def recalled(fields: dict[str, int], columns: int, dtype: torch.dtype, aligned: int) -> Plan | None:
    """A plan from a file, or None where it does not hold such a row, or no kernel can have it."""
    try:
        found = Plan(**fields)
    except TypeError:
        return None
    wanted = plan(columns, dtype, aligned, False)
    if wanted is None or found.vector != wanted.vector or not possible(found):
        return None
    if (found.fit == CUT) != (wanted.fit == CUT):
        return None
    held = found.vector * found.vectors * found.threads * found.cluster
    holds = held == columns if found.fit == EXACT else held > columns - found.vector
    return found if holds else None


def possible(found: Plan) -> bool:
    """What the kernels take for granted: whole warps; rows within a warp, if a block has several;
    for cut ends a thread an element; for rows that are fetched ahead, 16 bytes at a time and a
    cluster."""
    threads, block = found.threads, found.threads * found.rows
    return (
        min(found.vectors, threads, found.rows, found.cluster, found.stages + 1) > 0
        and found.fit in (EXACT, FEWER, CUT)
        and (threads % 32 == 0 or (threads < 32 and 32 % threads == 0))
        and block % 32 == 0
        and block <= MOST_THREADS
        and found.cluster <= MOST_CLUSTER
        and (found.rows == 1 or (threads <= 32 and found.cluster == 1))
        and (found.cluster == 1 or threads >= 32)
        and (found.fit != CUT or threads >= 2 * found.vector)
        and (found.stages == 0 or (found.cluster > 1 and found.vector > 1))
        and found.vector * found.vectors <= MOST_ELEMENTS
        and found.shared_bytes <= RING
    )


class Prepared(NamedTuple):
    """A launch that is ready to go: a group of `blocks` blocks takes `rows` rows, and takes more
    in turns where that would make more groups than `most`."""

    go: Callable[..., None]
    rows: int
    blocks: int
    most: int


def prepared(
    file: str, name: str, chosen: Plan, dtype: torch.dtype, codes: str, *more: Any
) -> Prepared:
    """The kernel `name` of a rung's file for a plan; `more` are its last template parameters."""
    numbers = (chosen.vector, chosen.vectors, chosen.threads, chosen.rows, chosen.cluster)
    run: Kernel = kernel(file, name, dtype, *numbers, chosen.fit, chosen.stages, *more)
    run.takes(codes).in_clusters(chosen.cluster)
    threads, shared, most = chosen.threads * chosen.rows, chosen.shared_bytes, ENDLESS
    if chosen.stages:
        most = run.clusters_at_once(threads, shared, chosen.cluster)
    return Prepared(run.ready(threads, shared), chosen.rows, chosen.cluster, most)


def lie(matrices: Sequence[torch.Tensor], vectors: Sequence[torch.Tensor] = ()) -> int:
    """How the rows of matrices of one shape lie: ALIGNED, ALIKE or APART. Columns are adjacent."""
    size = matrices[0].element_size()
    starts = {matrix.data_ptr() % 16 for matrix in matrices}
    steps = {matrix.stride(0) * size % 16 for matrix in matrices}
    others = {vector.data_ptr() % 16 for vector in vectors} | {matrices[0].shape[1] * size % 16}
    if starts | steps | others == {0}:
        return ALIGNED
    return ALIKE if len(starts) == len(steps) == 1 else APART


@cache
def processors(device: int) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count


def launch(ready: Prepared, x: torch.Tensor, *arguments: float) -> None:
    """Over all rows of x, on its device, which is the current one."""
    groups = min(cdiv(x.shape[0], ready.rows), ready.most)
    ready.go(x.get_device(), groups * ready.blocks, *arguments)
