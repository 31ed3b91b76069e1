"""A small book with something on every page of a site: days with figures, claims and hostile words,
a private one, reading, runs and judgements."""

from datetime import date

from book_desk import Desk
from kernel_book import judgement, measured

from warpbook.book.book import Book
from warpbook.core.judgement import Status

HOSTILE = "<script>alert(1)</script> & \x1b[31mred\x1b[0m <img src=x onerror=alert(2)> \u202eevil"
SECRET = "what nobody else is to read"


def make(folder):
    """The folder of a book, and the name of an experiment in it."""
    book = Book.create(folder, author="ana")
    desk = Desk(book)
    _, tried = desk.tried("quick")
    desk.results(tried, 0.25, 0.26, 0.27)
    measured(book, judgement("online", 200.0))
    crashed = f"File {folder}/kernels/mine.py, in /opt/somewhere/else.py"
    measured(book, judgement("fused", status=Status.CRASHED, reason=crashed))
    book.close()
    settings = folder / "warpbook.toml"
    tracks = '[journal]\ntrack = "gpu"\n[journal.tracks.gpu]\nof = 365\n'
    settings.write_text(f"{settings.read_text()}\n{tracks}")
    days = folder / "journal"
    days.mkdir(exist_ok=True)
    today = date.today()
    texts = {
        date(2025, 12, 30): "The first day.",
        date(2026, 1, 2): f"---\nminutes: 90\n---\n# Day 22/365\n\n{HOSTILE}\n\n5x over PyTorch",
        date(2026, 1, 3): f"---\nprivate: true\nminutes: 777\n---\n{SECRET}",
        date(2026, 1, 4): "",
        today: f"run:{tried.name}, kernel:softmax, reading:k3f9a2bc, in {folder}/kernels/x.cu\n\n"
        "[away](https://example.org/x) ![picture](https://example.org/p.png) [here](/etc/passwd)\n",
    }
    for on, text in texts.items():
        (days / f"{on}.md").write_text(text)
    (days / "imported").mkdir()
    (days / "imported" / "abc-log.md").write_text("an original that stays")
    (folder / "reading").mkdir(exist_ok=True)
    (folder / "reading" / "memory.md").write_text(
        "# Memory\n\n## On tiles\n<!-- reading:k3f9a2bc -->\n- address: https://example.org/tiles\n"
        f"- state: done\n- done: {today}\n\nTiles help: run:{tried.name}.\n\n"
        f"## {HOSTILE}\n- state: dropped\n\n"
        "## Odd <b>one</b>\n- address: javascript:alert(1)\n- up to: page 3\n"
    )
    return folder, tried.name
