from warpbook.web.source import difference, highlighted, patch

HOSTILE = 'x = "<script>alert(1)</script>"  # \x1b[31m\n'


def test_source_is_highlighted_and_stays_text():
    made = highlighted("def f(x):\n    return x  # twice <b>\n", ".py")
    assert '<span class="tk">def</span>' in made
    assert '<span class="tc"># twice &lt;b&gt;</span>' in made


def test_hostile_source_is_text_in_every_language():
    for suffix in (".py", ".cu", ".txt", ""):
        made = highlighted(HOSTILE, suffix)
        assert "<script>" not in made
        assert "\x1b" not in made


def test_a_huge_source_is_cut():
    assert len(highlighted("x" * 10_000_000, ".py")) < 300_000


def test_a_difference_shows_what_went_and_what_came():
    made = difference("a\nb\n", "a\n<c>\n", ("old", "new"))
    assert '<span class="del">-b</span>' in made
    assert '<span class="add">+&lt;c&gt;</span>' in made


def test_two_that_are_the_same_say_so():
    assert "are the same" in difference("a", "a")


def test_a_patch_is_shown_as_text():
    made = patch("--- a\n+++ b\n@@ -1 +1 @@\n-<i>\n+<b>\n")
    assert '<span class="add">+&lt;b&gt;</span>' in made
