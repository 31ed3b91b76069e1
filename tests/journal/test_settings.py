"""The journal's part of warpbook.toml."""

from datetime import date

import pytest

from warpbook.book.folder import NEW_SETTINGS, read_settings
from warpbook.core.errors import BadInput
from warpbook.journal.settings import JournalSettings, Teacher, Track, read

FULL = """
[journal]
track = "gpu"
editor = "vim"
retention = 0.85
new_a_day = 0
[journal.tracks.gpu]
of = 365
target = 2026-06-01
[teacher]
endpoint = "http://127.0.0.1:8000/v1"
model = "small"
key = "MY_KEY"
"""


@pytest.fixture
def with_settings(tmp_path):
    def write(text):
        (tmp_path / "warpbook.toml").write_text(text)
        return tmp_path

    return write


def test_all_of_it_is_read(with_settings):
    assert read(with_settings(FULL)) == JournalSettings(
        "gpu",
        "vim",
        0.85,
        0,
        {"gpu": Track(365, date(2026, 6, 1))},
        Teacher("http://127.0.0.1:8000/v1", "small", "MY_KEY"),
    )
    assert read_settings(with_settings(FULL)).currency == "USD"


def test_a_new_book_has_the_defaults_and_its_examples_are_right(with_settings):
    assert read(with_settings(NEW_SETTINGS)) == JournalSettings()
    examples = [line.removeprefix("# ") for line in NEW_SETTINGS.split("\n")[1:]]
    assert read(with_settings("\n".join(examples))).tracks == {"gpu": Track(365, date(2026, 6, 1))}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("journal = 3", r"journal is a table: a line \[journal\]"),
        ("[journal]\ntracks = 3", r"journal.tracks is tables such as \[journal.tracks.gpu\]"),
        ("[journal]\ntrak = 'x'", "unknown journal.trak; known: track"),
        ("[journal]\ntrack = 3", "journal.track is a text in quotes, not 3"),
        ("[journal]\nretention = 2", "journal.retention is a number from 0.7 to 0.99, not 2"),
        ("[journal]\nretention = nan", "journal.retention is a number"),
        ("[journal]\nnew_a_day = -1", "journal.new_a_day is a whole number of at least 0, not -1"),
        ("[journal]\nnew_a_day = true", "journal.new_a_day is a whole number"),
        ("[journal.tracks.a]\nof = 0", "journal.tracks.a.of is a whole number of at least 1"),
        ("[journal.tracks.a]\ntarget = 'June'", "journal.tracks.a.target is a date such as"),
        ("[teacher]\nendpoint = 'ftp://x'", "teacher.endpoint is an address such as"),
        ("[teacher]\nmodel = 'x'", "teacher.endpoint is an address such as"),
    ],
)
def test_a_bad_value_is_told_with_file_and_key(with_settings, text, said):
    with pytest.raises(BadInput, match=f"warpbook.toml: {said}"):
        read(with_settings(text))
