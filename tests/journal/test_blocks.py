"""What each line of a Markdown text is."""

from warpbook.journal.blocks import lines

TEXT = """\
# Day 22
text
- [ ] one
  goes on
  - two
1. three

```
# no heading
- no item
```
<!-- card:abcd -->
Under
-----

    indented

<div>
~~~
never closed
- [ ] x"""


def test_every_line_has_its_kind_and_number():
    found = lines(TEXT, 5)
    assert [line.text for line in found] == TEXT.split("\n")
    assert [line.number for line in found] == [*range(5, 5 + len(found))]
    assert [(line.kind, line.level) for line in found] == [
        ("heading", 1),
        ("text", 0),
        ("item", 1),
        ("text", 0),
        ("item", 2),
        ("item", 1),
        ("blank", 0),
        *[("fence", 0)] * 4,
        ("comment", 0),
        ("heading", 2),
        ("blank", 0),
        ("blank", 0),
        ("fence", 0),
        ("blank", 0),
        *[("text", 0)] * 4,
    ]


def test_a_comment_over_several_lines_is_one():
    assert [line.kind for line in lines("a\n<!-- x\ny\n-->\nb")] == [
        *("text", "comment", "comment", "comment", "text")
    ]


def test_a_fence_that_is_never_closed_goes_to_the_end():
    assert [line.kind for line in lines("```\n- x\n\n# y")] == ["fence"] * 4


def test_line_ends_that_are_none_of_a_file_do_not_shift_lines():
    assert [line.number for line in lines("a\u2028b\x0cc\n# d")] == [1, 2]
    assert lines("a\u2028b\x0cc\n# d")[1].kind == "heading"
