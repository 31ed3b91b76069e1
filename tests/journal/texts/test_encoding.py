"""Bytes and text: what nobody changed stays byte for byte."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from warpbook.journal.texts.encoding import decoded, encoded

LINES = st.lists(st.tuples(st.text("ab ", max_size=3), st.sampled_from(["\n", "\r\n", "\r"])))
WHERE = Path("x.md")


@given(LINES, st.lists(st.text("ab ", max_size=3), max_size=6), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_text_is_what_was_wanted_and_the_mark_stays(lines, new, mark):
    data = (b"\xef\xbb\xbf" if mark else b"") + "".join(a + b for a, b in lines).encode()
    before = decoded(WHERE, data)
    assert encoded(WHERE, data, before, before) == data
    after = "\n".join(new)
    made = encoded(WHERE, data, before, after)
    assert decoded(WHERE, made) == after
    assert made.startswith(b"\xef\xbb\xbf") == mark


@given(LINES, st.text("ab", min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_lines_above_what_is_added_stay_byte_for_byte(lines, added):
    data = "".join(a + b for a, b in lines).encode()
    before = decoded(WHERE, data)
    assert encoded(WHERE, data, before, before + added).startswith(data)
