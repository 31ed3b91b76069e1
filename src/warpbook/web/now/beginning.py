"""What a book without any experiment says: how to begin, in three lines."""

from warpbook.web import show
from warpbook.web.markup import Markup, h, join

LINES = (
    (
        "warpbook try mine.py --on softmax --expect 1.2x..1.6x",
        "writes down what you expect of a kernel of yours, and queues the experiment",
    ),
    ("warpbook work", "runs what waits; warpbook up does that beside this page"),
    (
        "warpbook problems",
        "lists what there is to try it on; the ladders are under Kernels",
    ),
)


def beginning() -> Markup:
    rows = join(h("<li><code>{}</code> <span>{}</span></li>", *line) for line in LINES)
    return show.section(
        "This book is empty", h('<p>To begin:</p><ol class="begin">{}</ol>', rows), id_="begin"
    )
