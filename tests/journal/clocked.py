"""A journal with a clock of its own, for tests of cards."""

from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 4, 9, 0, tzinfo=UTC)


class Clock:
    def __init__(self, at=START):
        self.at = at

    def __call__(self):
        return self.at

    def on(self, **span):
        self.at += timedelta(**span)
        return self.at


def write(journal, path, text):
    target = journal.path(path)
    target.parent.mkdir(exist_ok=True)
    target.write_text(text)
    journal.index.refresh()


def text(journal, path):
    return journal.path(path).read_text()
