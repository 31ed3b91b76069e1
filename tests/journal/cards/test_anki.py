"""Cards to Anki, and from it."""

import json
import sqlite3
import zipfile

import pytest
from clocked import write

from warpbook.core.errors import BadInput, NotFound
from warpbook.journal.cards import anki, anki_text, deck, html_text, recall

CARDS = """\
Q: Is a < b & `c<d>`?
A: Yes
```c
if (a < b) {}

return;
```
<!-- card:aaaa -->

A {{c1::cuda::barrier}} waits for {{c2::all <threads> :: who}}.
<!-- card:bbbb -->
"""


def exported(journal, path, **more):
    anki.export(journal, path, **more)
    with zipfile.ZipFile(path) as package:
        assert package.testzip() is None
        path.with_suffix(".db").write_bytes(package.read("collection.anki2"))
        assert package.read("media") == b"{}"
    connection = sqlite3.connect(path.with_suffix(".db"))
    try:
        notes = connection.execute("SELECT guid, tags, flds FROM notes ORDER BY id").fetchall()
        cards = connection.execute("SELECT did, ord, queue FROM cards ORDER BY id").fetchall()
        decks, models = connection.execute("SELECT decks, models FROM col").fetchone()
    finally:
        connection.close()
    return notes, cards, json.loads(decks), json.loads(models)


def test_a_deck_is_a_package_that_anki_opens(journal, tmp_path):
    write(journal, "cards/gpu.md", CARDS)
    recall.suspend(journal, "bbbb.2")
    notes, cards, decks, models = exported(journal, tmp_path / "deck.apkg")
    assert [flds.split("\x1f") for _, _, flds in notes] == [
        [
            "Is a &lt; b &amp; <code>c&lt;d&gt;</code>?",
            "Yes<br><pre><code>if (a &lt; b) {}\n\nreturn;</code></pre>",
        ],
        [
            "A {{c1::cuda&#58;&#58;barrier}} waits for {{c2::all &lt;threads&gt;::who}}.",
            "",
        ],
    ]
    assert [tags.split() for _, tags, _ in notes] == [["gpu"], ["gpu"]]
    (number,) = {did for did, _, _ in cards}
    assert decks[str(number)]["name"] == "Warpbook::gpu"
    assert [(ord_, queue) for _, ord_, queue in cards] == [(0, 0), (0, 0), (1, -1)]
    assert {models[str(m)]["type"] for m in (anki.QUESTION_MODEL, anki.CLOZE_MODEL)} == {0, 1}


def test_a_second_export_has_the_same_ids_after_an_edit(journal, tmp_path):
    write(journal, "cards/gpu.md", CARDS)
    notes, cards, *_ = exported(journal, tmp_path / "one.apkg")
    write(journal, "cards/gpu.md", CARDS.replace("Is a", "Was a"))
    again, cards_again, *_ = exported(journal, tmp_path / "two.apkg")
    assert [note[0] for note in again] == [note[0] for note in notes]
    assert [card[0] for card in cards_again] == [card[0] for card in cards]
    assert again[0][2] != notes[0][2]


def test_a_topic_alone_and_nothing_to_export(journal, tmp_path):
    write(journal, "cards/gpu.md", CARDS)
    write(journal, "cards/big topic.md", "Q: x\x1fy\nA: z\n<!-- card:cccc -->\n")
    ((_, tags, fields),), *_ = exported(journal, tmp_path / "x.apkg", topic="big topic")
    assert (tags.strip(), fields.split("\x1f")) == ("big_topic", ["x y", "z"])
    with pytest.raises(NotFound, match="'none'"):
        anki.export(journal, tmp_path / "y.apkg", "none")
    with pytest.raises(BadInput, match="there already"):
        anki.export(journal, tmp_path / "x.apkg")


def imported(journal, tmp_path, text, **more):
    path = tmp_path / "notes.txt"
    path.write_text(text)
    return anki_text.read(journal, path, **more)


def shown(found):
    return [(row.line, row.card.question, row.card.answer, row.card.topic) for row in found.rows]


def test_an_export_of_anki_is_understood(journal, tmp_path):
    text = (
        "#separator:tab\n#html:true\n#guid column:1\n#notetype column:2\n#deck column:3\n"
        "#tags column:6\n"
        'g1\tBasic\tGPU::Memory\t"What is<br>""this""?"\tA <b>bank</b>\thard gpu\n'
        'g2\tCloze\tGPU\t"A {{c1::warp::group}} of\n{{c2::32}} threads"\t\t\n'
        "g3\tBasic\tGPU\tno answer\t\t\n"
        "g4\tBasic (and reversed card)\tGPU\tfront\tback &amp; more\t\n"
    )
    found = imported(journal, tmp_path, text)
    assert shown(found) == [
        (7, 'What is\n"this"?', "A **bank**", "gpu-memory"),
        (8, "A {{c1::warp :: group}} of {{c2::32}} threads", "", "gpu"),
        (11, "front", "back & more", "gpu"),
        (11, "back & more", "front", "gpu"),
    ]
    assert [(one.line, one.text) for one in found.left_out] == [(10, "no answer: 'no answer'")]
    assert [(one.line, one.text) for one in found.notes] == [(7, "tags are not kept: hard gpu")]


@pytest.mark.parametrize(
    "text",
    [
        "a;b\n",
        "a,b\n",
        "a\tb\n",
        "#separator:Comma\na,b",
        "#separator:|\na|b",
        '#html:false\r\n"a","b"\r\n',
    ],
)
def test_separators_are_named_or_found(journal, tmp_path, text):
    ((_, *card),) = shown(imported(journal, tmp_path, text))
    assert card == ["a", "b", "anki"]


def test_text_that_is_no_html_is_kept_as_it_is(journal, tmp_path):
    ((_, question, answer, _),) = shown(
        imported(journal, tmp_path, "#html:false\n#deck:D\na < b &amp;?\t<b>c</b>\n")
    )
    assert (question, answer) == ("a < b &amp;?", "<b>c</b>")


def test_a_quote_that_never_closes_costs_its_line_alone(journal, tmp_path):
    found = imported(journal, tmp_path, 'a\tb\n"c\td\ne\tf\n# said\ng\t"h"i\nj\tk\n')
    assert [row[:2] for row in shown(found)] == [(1, "a"), (3, "e"), (6, "j")]
    assert [one.line for one in found.left_out] == [2, 4, 5]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#separator:xyz\na\tb\n", "notes.txt:1: 'xyz' is no separator"),
        ("#html:true\n#deck column:0\n", "notes.txt:2: #deck column"),
    ],
)
def test_a_header_that_cannot_be_is_told_with_its_line(journal, tmp_path, text, said):
    with pytest.raises(BadInput, match=said):
        imported(journal, tmp_path, text)


def test_importing_twice_changes_nothing(journal, tmp_path):
    text = "#deck:GPU\na\tb\na\tother\n{{c1::x}} is y\t\nc\td\n"
    found = imported(journal, tmp_path, text)
    assert [row.known for row in found.rows] == [False, True, False, False]
    assert anki_text.write(journal, found) == 3
    before = journal.path("cards/gpu.md").read_bytes()
    again = imported(journal, tmp_path, text)
    assert anki_text.write(journal, again) == 0
    assert journal.path("cards/gpu.md").read_bytes() == before
    assert [one.card.question for one in deck.cards(journal)] == ["a", "[...] is y", "c"]


def test_reading_alone_changes_nothing(journal, tmp_path):
    imported(journal, tmp_path, "a\tb\n")
    assert not journal.path("cards").exists()


def test_what_was_exported_comes_back_as_it_was(journal, tmp_path):
    write(journal, "cards/gpu.md", CARDS)
    notes, *_ = exported(journal, tmp_path / "deck.apkg")
    fields = [f'"{field}"'.replace("\x1f", '"\t"') for _, _, field in notes]
    text = "#separator:tab\n#html:true\n#deck:Warpbook::gpu\n" + "\n".join(fields)
    found = imported(journal, tmp_path, text)
    assert [row.known for row in found.rows] == [True, True]
    assert found.rows[0].card.answer == deck.get(journal, "aaaa").card.answer.replace("```c", "```")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a<br>b<div>c</div>", "a\nb\nc"),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ("<pre><code>x\n\n y</code></pre>z", "```\nx\n\n y\n```\nz"),
        ('<a href="https://e.org">e</a> &lt;x&gt;&nbsp;<i>y</i>', "[e](https://e.org) <x> *y*"),
        ("<script>alert(1)</script>a < b", "a < b"),
        ('<img src="x.png">', "![](x.png)"),
        ("<b><unknown>a", "**a"),
    ],
)
def test_html_becomes_text(html, text):
    assert html_text.to_text(html) == text
