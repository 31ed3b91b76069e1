"""A journal of 2,000 days, 5,000 reading items over 50 topics and 10,000 cards over 100 files, with
30,000 reviews, for the bars on its speed. Written as people keep it, and the same each time.
"""

import json
import random
from datetime import UTC, date, datetime, timedelta
from math import log
from pathlib import Path

from warpbook.book.book import Book
from warpbook.core.effect import KERNEL_TIME
from warpbook.core.run import Arm, Plan

DAYS, READING, TOPICS, CARDS, CARD_FILES, REVIEWS = 2_000, 5_000, 50, 10_000, 100, 30_000
SUBJECTS = (
    "bank conflicts", "coalescing", "occupancy", "the roofline", "tensor cores", "online softmax",
    "warp shuffles", "cp.async", "register pressure", "the L2 cache", "vectorised loads",
    "swizzling", "shared memory", "stream-K", "quantisation", "paged attention", "layer norm",
    "CUDA graphs", "split-K", "pipelining", "cache lines", "divergence", "atomics",
    "the memory hierarchy",
)  # fmt: skip
VERBS = (
    "read about",
    "tried",
    "measured",
    "rewrote",
    "profiled",
    "finally understood",
    "fought with",
)
ENDINGS = (
    "and it is clearer now", "but the numbers say otherwise", "so tomorrow I look at the stalls",
    "which costs a barrier for every tile", "and the profiler agrees", "as the notes had it",
    "because each thread reads four floats at once", "though the compiler unrolls it anyway",
)  # fmt: skip
KINDS = ("blog", "paper", "lecture", "code", "chapter", "video", "thread")
STATES = ("queued", "queued", "reading", "done", "done", "done", "revisit", "dropped")


class Writer:
    def __init__(self, folder: Path, until: date) -> None:
        self.folder = folder
        self.until = until
        self.random = random.Random(6)

    def sentence(self) -> str:
        choice = self.random.choice
        return f"I {choice(VERBS)} {choice(SUBJECTS)} {choice(ENDINGS)}."

    def paragraph(self, sentences: int) -> str:
        return " ".join(self.sentence() for _ in range(sentences))

    def id(self) -> str:
        return "".join(self.random.choices("abcdefghijklmnopqrstuvwxyz234567", k=8))

    def write(self, path: str, lines: list[str]) -> None:
        target = self.folder / path
        target.parent.mkdir(exist_ok=True)
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def build(folder: Path, until: date) -> None:
    """A new book in `folder` whose last day is `until`."""
    experiment(Book.create(folder))
    settings = folder / "warpbook.toml"
    tracks = f'\n[journal]\ntrack = "gpu"\n[journal.tracks.gpu]\nof = 365\ntarget = {until}\n'
    settings.write_text(settings.read_text() + tracks)
    writer = Writer(folder, until)
    days(writer)
    reading(writer)
    cards(writer)


def experiment(book: Book) -> None:
    """E-1, which days and claims may cite, and a few notes."""
    arms = [Arm(name, name[0] * 64, command=f"echo {name}") for name in ("old", "new")]
    plan = Plan("command", "small", "none", *arms, (KERNEL_TIME,))
    claim = book.hypotheses.add("the new one is faster", KERNEL_TIME, log(1.03))
    book.experiments.add(plan, {claim.name: (0.1, 0.3)})
    for number in range(20):
        book.log.note(f"note {number}: bank conflicts again")
    book.close()


def days(writer: Writer) -> None:
    """With a gap every ninth day or so."""
    on, number = writer.until, DAYS
    while number:
        write_day(writer, on, number)
        number -= 1
        on -= timedelta(days=2 if writer.random.random() < 0.11 else 1)


def write_day(writer: Writer, on: date, number: int) -> None:
    draw = writer.random
    lines = [
        "---",
        "track: gpu",
        f"minutes: {draw.randrange(15, 240, 5)}",
        "kernels: [softmax]",
        "---",
    ]
    lines += [f"# Day {number}/365: {draw.choice(SUBJECTS)}", ""]
    for _ in range(draw.randint(2, 4)):
        lines += [writer.paragraph(draw.randint(2, 4)), ""]
    lines += [f"- {writer.sentence()}" for _ in range(draw.randint(0, 4))]
    lines += [
        "",
        f"The fused kernel is {draw.uniform(1.1, 6):.1f}x over PyTorch on kernel:softmax.",
        "",
    ]
    if draw.random() < 0.3:
        lines += [
            "```cuda",
            "for (int i = threadIdx.x; i < n; i += blockDim.x)",
            "  s += x[i];",
            "```",
            "",
        ]
    done = "[ ]" if number == DAYS else draw.choice(("[x]", "[x]", "[-]", "[x]"))
    lines += [f"- {done} look at {draw.choice(SUBJECTS)} again, as of day {number}"]
    writer.write(f"journal/{on}.md", lines)


def reading(writer: Writer) -> None:
    draw = writer.random
    for topic in range(TOPICS):
        lines = [f"# Topic {topic}", ""]
        for item in range(READING // TOPICS):
            added = writer.until - timedelta(days=draw.randrange(DAYS))
            state = draw.choice(STATES)
            lines += [f"## {draw.choice(SUBJECTS).capitalize()}, part {topic}.{item}"]
            lines += [f"<!-- reading:{writer.id()} -->"]
            lines += [
                f"- address: https://example.org/{topic}/{item}",
                f"- kind: {draw.choice(KINDS)}",
            ]
            lines += [f"- tier: {draw.randint(1, 5)}", f"- state: {state}", f"- added: {added}"]
            lines += [f"- done: {added + timedelta(days=3)}"] if state == "done" else []
            lines += ["", writer.paragraph(draw.randint(1, 3)), ""]
            if draw.random() < 0.05:
                lines += [f"Q: Why does {draw.choice(SUBJECTS)} matter in {topic}.{item}?", ""]
        writer.write(f"reading/topic-{topic:02}.md", lines)


def cards(writer: Writer) -> None:
    draw = writer.random
    ids = []
    for file in range(CARD_FILES):
        lines = [f"# Cards {file}", ""]
        for card in range(CARDS // CARD_FILES):
            ids.append(writer.id())
            lines += [f"Q: What of {draw.choice(SUBJECTS)}, card {file}.{card}?"]
            lines += [f"A: {writer.sentence()}", f"<!-- card:{ids[-1]} -->", ""]
        writer.write(f"cards/deck-{file:02}.md", lines)
    reviews(writer, draw.sample(ids, k=len(ids) * 3 // 5))


def reviews(writer: Writer, ids: list[str]) -> None:
    """Of three cards in five, over half a year, in the order of time."""
    draw = writer.random
    first = datetime(writer.until.year, writer.until.month, writer.until.day, tzinfo=UTC)
    seconds = sorted(draw.uniform(0, 180 * 86_400) for _ in range(REVIEWS))
    with open(writer.folder / "cards" / "reviews.jsonl", "w", encoding="utf-8") as file:
        for number, second in enumerate(seconds):
            at = first - timedelta(days=180) + timedelta(seconds=second)
            line = {
                "id": f"r{number}",
                "card": draw.choice(ids),
                "at": at.isoformat(timespec="seconds"),
                "act": "review",
                "rating": draw.choices((1, 2, 3, 4), weights=(1, 1, 6, 2))[0],
                "seconds": round(draw.uniform(2, 30), 1),
            }
            file.write(json.dumps(line) + "\n")
