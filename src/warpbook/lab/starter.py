"""The starter campaign: a few claims about the softmax and vector_add ladders, for a new book.

They run on this machine's device as any others do, and some turn out false. The sizes were chosen
where effects are clear; each prediction is argued from the bytes that its arms move, and may miss.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from sqlalchemy import select

from warpbook.book.adding import Wish
from warpbook.book.book import Book
from warpbook.book.tables import Campaign, Hypothesis
from warpbook.core.effect import KERNEL_TIME
from warpbook.core.machine import choose_device, version
from warpbook.lab.attempt import Claim, make
from warpbook.lab.plans import Asked

NAME = "starter"
GOAL = "What do trips through memory cost on this {}? Claims to watch being decided."
RUNS = 6  # at most: an experiment ends when its claim is decided, after 3 at the earliest
TAGS = ("starter", "memory")


@dataclass(frozen=True)
class Idea:
    """A claim with its experiment. `text` is the change where no rung is one; `first` is decided
    before the others are begun, so that there is a verdict to be seen early."""

    claim: str
    because: str
    problem: str
    change: str
    against: str
    workload: str
    at_least: str
    expect: str
    belief: float
    text: str = ""
    first: bool = False


IN_PIECES = '''\
"""4096 elements at a time

Each piece of the three vectors is small enough for the first cache of a core.
"""

PIECE = 4096


def vector_add(a, b, out):
    for i in range(0, len(a), PIECE):
        out[i : i + PIECE] = a[i : i + PIECE] + b[i : i + PIECE]
'''

IN_FLOAT32 = '''\
"""To float32, and back

One conversion on the way in, torch.softmax in float32, one conversion on the way out.
"""


def softmax(x, out):
    out.copy_(x.float().softmax(dim=-1))
'''

ON_CPU = (
    Idea(
        "torch.softmax is faster than one operation a step, by at least 1.2x",
        "One operation a step reads the matrix five times and writes it three times, in float32 on "
        "the way. One kernel that keeps a row at hand needs two to four of these eight trips.",
        "softmax", "fused", "passes", "1024x1024-bf16", "1.2x", "2x..4x", 0.8, first=True,
    ),
    Idea(
        "Adding in pieces that fit into the first cache is faster than adding all at once, by at "
        "least 1.2x",
        "A piece of 4096 elements of all three vectors takes 48 KB, and a core reaches its first "
        "cache ten times as fast as memory.",
        "vector_add", "in_pieces.py", "fused", "2^20-fp32", "1.2x", "1.1x..3x", 0.4, IN_PIECES,
    ),
    Idea(
        "One addition is faster than a copy and an addition in place, by at least 1.2x",
        "The copy and the addition in place move five vectors where three would do: 1.67x, if "
        "memory alone counts.",
        "vector_add", "fused", "passes", "2^20-fp32", "1.2x", "1.4x..1.9x", 0.7,
    ),
    Idea(
        "Softmax of bfloat16 is faster by way of float32, by at least 1.2x",
        "A core computes in float32. Converting all numbers at once should cost less than "
        "converting them one by one, each time they are needed.",
        "softmax", "in_float32.py", "fused", "1024x1024-bf16", "1.2x", "1.1x..2x", 0.3, IN_FLOAT32,
    ),
)  # fmt: skip

ON_GPU = (
    Idea(
        "torch.softmax is faster than one operation a step, by at least 1.2x",
        "One operation a step reads the matrix five times and writes it three times. One kernel "
        "that keeps a row on the chip needs two to four of these eight trips.",
        "softmax", "fused", "passes", "8192x8192-fp32", "1.2x", "1.5x..4x", 0.8, first=True,
    ),
    Idea(
        "A plain Triton kernel adds faster than torch, by at least 1.2x",
        "It has one element a thread and nothing else to do, while torch.add brings a framework "
        "for all shapes and types.",
        "vector_add", "blocks", "fused", "2^26-bf16", "1.2x", "1.1x..1.5x", 0.4,
    ),
    Idea(
        "One addition is faster than a copy and an addition in place, by at least 1.2x",
        "The copy and the addition in place move five vectors where three would do: 1.67x, if "
        "memory alone counts.",
        "vector_add", "fused", "passes", "2^26-bf16", "1.2x", "1.4x..1.9x", 0.7,
    ),
    Idea(
        "A softmax that holds its row in registers is faster than torch.softmax, by at least 1.2x",
        "8192 columns in float32 do not fit where torch.softmax keeps a row, so it reads them "
        "again; in registers they are read once.",
        "softmax", "one_row", "fused", "8192x8192-fp32", "1.2x", "1.3x..2.5x", 0.7,
    ),
)  # fmt: skip


def plant(book: Book) -> Campaign | None:
    """Add the campaign to a book that is still empty, all at once; None where something was ever
    claimed in it, or torch is not there to run anything."""
    if version("torch") == "none":
        return None
    device = choose_device(None)
    ideas = ON_GPU if device == "cuda" else ON_CPU
    with tempfile.TemporaryDirectory() as folder, book.writing() as write:
        if not is_new(book):
            return None
        goal = GOAL.format("GPU" if device == "cuda" else "CPU")
        campaign = book.campaigns.add(NAME, goal=goal, metric=KERNEL_TIME, device=device)
        for idea in ideas:
            try_out(book, idea, device, Path(folder))
        write.session.flush()
    return campaign


def is_new(book: Book) -> bool:
    with book.reading() as session:
        known = session.scalar(select(Campaign.id).where(Campaign.name == NAME))
        return known is None and session.scalar(select(Hypothesis.id).limit(1)) is None


def try_out(book: Book, idea: Idea, device: str, folder: Path) -> None:
    change = idea.change
    if idea.text:
        file = folder / change
        file.write_text(dedent(idea.text), encoding="utf-8")
        change = str(file)
    asked = Asked(
        change, idea.problem, idea.against, workload=idea.workload, device=device,
        folder=str(book.folder),
    )  # fmt: skip
    said = Claim(idea.claim, idea.because, idea.at_least, False, idea.belief, None, (), TAGS, NAME)
    make(book, asked, said, None, idea.expect, Wish(runs=RUNS, priority=int(idea.first)))
