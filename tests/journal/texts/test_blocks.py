"""What each line of a Markdown text is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpbook.journal.texts.blocks import lines, parsed_kinds
from warpbook.journal.texts.plain_blocks import plain_kinds

PLAIN = (
    "", "text", "# H", "#tag", "- item", "* item", "1. one", "2. two", "- [ ] t", "**b** x", "Q: x",
    "<!-- c -->", "<!-- a --> t", "```", "```py", "~~~", "````", "``x`` y", "[a]", "a: b", "text  ",
)  # fmt: skip
ODD = (
    "- ", "-", "1.", "- # h", "***", "---", "===", "- - x", "* * *", "<!-- c", "c -->", "<!-->",
    "<div>", "> q", "    code", "  in", "\tx", "x\ty", "- ```", "-   x", "-     code", "[a]: /u",
    "[a", "b]: /u", "\u00a0", "\u2028x", "…", "- …", "1. - x", "- 1. x", "```a`b", "#", "  ```",
    "- > x", "- <!-- x -->", "1234567890. x", "####### x",
)  # fmt: skip

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


def agree(rows):
    quick = plain_kinds(rows)
    assert quick is None or quick == parsed_kinds("\n".join(rows), rows), rows
    return quick


@given(st.lists(st.sampled_from(PLAIN * 4 + ODD), min_size=1, max_size=9))
@settings(max_examples=60, deadline=None)
def test_what_is_told_without_a_parser_is_what_a_parser_tells(rows):
    agree(rows)


def test_so_it_is_for_every_line_between_two_others():
    pairs = [("text", "2. two"), ("- item", "text"), ("```", "```"), ("<!-- c -->", "text")]
    for line in PLAIN + ODD:
        for before, after in pairs:
            agree([before, line, after])


@pytest.mark.parametrize(
    "text", [TEXT.split("```")[0].replace("  ", ""), "Q: a\nA: b\n<!-- card:abcd -->\n\n# H\n- x"]
)
def test_common_texts_need_no_parser(text):
    assert agree(text.split("\n")) is not None
