"""The shelf: adding and finding, states and their dates, doubles, moves, and what comes next."""

from datetime import date

import pytest

from warpbook.core.errors import BadInput, NotFound, Taken
from warpbook.journal.reading import moving, shelf, shelf_list
from warpbook.journal.reading.moving import keep, move
from warpbook.journal.reading.shelf import New, add, add_all, get
from warpbook.journal.reading.shelf_list import Filter, doubled, listed, next_items
from warpbook.journal.texts import textfile

ADDRESS = "https://example.org/matmul"


def text(journal, topic):
    return journal.path("reading", f"{topic}.md").read_text()


def write(journal, topic, content):
    path = journal.path("reading", f"{topic}.md")
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    journal.index.refresh()


def test_what_is_added_stands_in_its_topics_file(journal):
    made = add(
        journal, New("Matrix products", ADDRESS, "GPU Memory & caches", tier=1, notes="Good")
    )
    assert text(journal, "gpu-memory-caches") == (
        "# GPU Memory & caches\n\n## Matrix products\n"
        f"<!-- reading:{made.id} -->\n- address: {ADDRESS}\n- kind: blog\n- tier: 1\n"
        "- state: queued\n- added: 2026-01-10\n\nGood\n"
    )
    assert get(journal, made.id) == made
    assert (made.line, made.last) == (3, 11)


def test_kind_and_state_follow_from_the_address(journal):
    made = add(journal, New(address="https://github.com/o/r/issues/3"))
    assert (made.title, made.topic) == ("github.com/o/r/issues/3", "general")
    assert (made.kind, made.state) == ("issue", "open")
    assert add(journal, New(address="https://example.org/a-long…")).cut


@pytest.mark.parametrize(
    ("new", "words"),
    [
        (New(), "a title or an address"),
        (New("T", kind="novel"), "no kind"),
        (New("T", tier=9), "from 1 to 5"),
        (New("T", state="merged"), "no state"),
        (New("T", topic="../.."), "no topic"),
        (New("T", added="2026-02-30"), "no date"),
    ],
)
def test_what_cannot_be_added_is_told(journal, new, words):
    with pytest.raises(BadInput, match=words):
        add(journal, new)
    assert not journal.path("reading").exists()


def test_the_same_address_or_title_and_topic_is_there_once(journal):
    first = add(journal, New("A", ADDRESS, "memory"))
    with pytest.raises(shelf.OnShelf, match="A \\(memory, queued\\)") as caught:
        add(journal, New("Another title", "http://www.example.org/matmul/?utm_source=x", "other"))
    assert caught.value.item == first
    plain = add(journal, New("No address", topic="memory"))
    with pytest.raises(Taken):
        add(journal, New("no  ADDRESS", topic="memory"))
    assert add(journal, New("No address", topic="other")).id != plain.id


def test_many_are_added_with_one_edit_a_file(journal, monkeypatch):
    edits = []
    real = textfile.edit
    monkeypatch.setattr(
        textfile, "edit", lambda path, change: edits.append(path) or real(path, change)
    )
    add(journal, New("Item 7", "https://example.org/7", "t1"))
    edits.clear()
    news = [New(f"Item {n}", f"https://example.org/{n % 300}", f"t{n % 2}") for n in range(400)]
    added = add_all(journal, news)
    assert len(added.items) == 299
    assert len(added.known) == 101
    assert {new.title for new, item in added.known if item.title == "Item 7"} == {
        "Item 7",
        "Item 307",
    }
    assert len(edits) == 2
    assert add_all(journal, news).items == []
    assert shelf_list.count(journal) == 300


def test_what_another_added_meanwhile_is_not_added_twice(journal, folder):
    from warpbook.journal.journal import Journal

    with Journal.open(folder) as other:
        add(other, New("A", ADDRESS))
    before = text(journal, "general")
    known = shelf.Known(journal)
    known.addresses.clear(), known.ids.clear()
    item = known.take(shelf.made(journal, New("A", ADDRESS)))
    shelf.write(journal, "general", "general", {item.id: item})
    assert text(journal, "general") == before


def test_two_addresses_with_one_id_get_two(journal, monkeypatch):
    monkeypatch.setattr(shelf, "derived_id", lambda *parts: "aaaaaaaa")
    one, two = add_all(journal, [New("A", f"{ADDRESS}/A"), New("B", f"{ADDRESS}/a")]).items
    assert one.id == "aaaaaaaa" != two.id


def test_an_item_is_found_by_its_id_a_prefix_words_or_its_address(journal):
    write(
        journal,
        "t",
        "## Tiled products\n<!-- reading:abcd2222 -->\n- address: https://example.org/x\n"
        "## Tiled sums\n<!-- reading:abce2222 -->\n## Tiled\n<!-- reading:zzzz2222 -->\n",
    )
    for wanted in ("ABCD2222", "abcd", "products tiled", "http://www.example.org/x/"):
        assert get(journal, wanted).id == "abcd2222"
    assert get(journal, "tiled").id == "zzzz2222"
    with pytest.raises(BadInput, match=r"fits 2 of them(.|\n)*abcd2222  Tiled products \(t\)"):
        get(journal, "abc")
    with pytest.raises(NotFound, match="no reading"):
        get(journal, "nothing like it")
    with pytest.raises(BadInput, match="which reading"):
        get(journal, "  ")


def test_states_keep_the_dates_on_which_they_came(journal):
    id = add(journal, New("A", topic="t")).id
    assert shelf.set_state(journal, id, "reading", up_to="page 3").up_to == "page 3"
    shelf.set_state(journal, id, "done", date(2026, 1, 9))
    again = shelf.set_state(journal, id, "revisit")
    assert (again.started, again.done, again.revisit) == ("2026-01-10", "2026-01-09", "2026-01-17")
    assert shelf.set_state(journal, id, "done").revisit == ""
    assert shelf.set_up_to(journal, id, "").up_to == ""
    with pytest.raises(BadInput, match="2026-01-11 is in the future"):
        shelf.set_state(journal, id, "done", date(2026, 1, 11))
    with pytest.raises(BadInput, match="no state of a blog"):
        shelf.set_state(journal, id, "merged")


def test_issues_have_states_of_their_own(journal):
    id = add(journal, New(address="https://github.com/o/r/pull/3", state="asked")).id
    assert shelf.set_state(journal, id, "merged").done == "2026-01-10"
    assert (
        shelf.set_facts(journal, id, kind="blog", tier=2, title="New # title #").state == "queued"
    )
    assert get(journal, id).title == "New # title #"


def test_an_address_that_another_has_is_not_taken(journal):
    add(journal, New("A", ADDRESS))
    other = add(journal, New("B"))
    with pytest.raises(shelf.OnShelf):
        shelf.set_facts(journal, other.id, address=f"{ADDRESS}#x")
    assert shelf.set_facts(journal, other.id, address="https://example.org/…").cut


def test_notes_and_questions_are_kept_with_the_item(journal):
    id = add(journal, New("A", topic="t")).id
    add(journal, New("B", topic="t"))
    shelf.note(journal, id, "## a heading")
    shelf.question(journal, id, "why?")
    found = shelf.question(journal, id, "what?", "that")
    assert found.notes == "### 2026-01-10\n\n## a heading\n\nQ: why?\n\nQ: what?\nA: that"
    assert shelf_list.questions(journal, found) == ["why?"]
    assert [one.id for one in listed(journal, Filter(questions=True))] == [id]
    assert [one.title for one in listed(journal)] == ["A", "B"]
    for act in (shelf.note, shelf.question):
        with pytest.raises(BadInput, match="at least one word"):
            act(journal, id, " \n")


def test_an_open_question_is_answered_where_it_stands_and_once(journal):
    write(journal, "t", "## A\n\n```\nQ: why?\n```\n\nQ: why?\n\nMore.\n\n## B\n")
    id = get(journal, "A").id
    found = shelf.question(journal, id, "Why?", "because")
    assert found.notes == "```\nQ: why?\n```\n\nQ: why?\nA: because\n\nMore."
    assert shelf.question(journal, id, "why?", "because").notes == found.notes
    assert shelf.question(journal, id, "why?").notes == found.notes
    with pytest.raises(Taken, match=r"reading/t\.md:7: this has an answer"):
        shelf.question(journal, id, "why?", "another")
    assert get(journal, id).notes == found.notes


def test_all_that_is_set_at_once_is_set_or_nothing_is(journal):
    id = add(journal, New("A", topic="t")).id
    before = text(journal, "t")
    with pytest.raises(BadInput, match="no state of a blog"):
        shelf.set_facts(journal, id, title="B", tier=1, state="merged")
    assert text(journal, "t") == before
    made = shelf.set_facts(journal, id, title="B", kind="pr", state="merged")
    assert (made.title, made.kind, made.state, made.done) == ("B", "pr", "merged", "2026-01-10")
    with pytest.raises(BadInput, match="no state of a blog"):
        shelf.set_facts(journal, id, kind="blog", state="merged")


def test_lists_are_filtered_and_in_order(journal):
    add_all(
        journal,
        [
            New("done", "https://example.org/1", "a", state="done"),
            New("plain", "https://example.org/2", "a"),
            New("tier two", "https://arxiv.org/abs/2205.14135", "b", tier=2),
            New("dropped", "https://example.org/3", "a", state="dropped"),
            New("begun", "https://example.org/4", "b", state="reading", notes="bank conflicts"),
            New("fed", "https://example.org/5", "inbox"),
        ],
    )

    def titles(**asked):
        return [one.title for one in listed(journal, Filter(**asked))]

    assert titles() == ["begun", "tier two", "plain", "done"]
    assert titles(topic="a", states=("dropped", "done")) == ["done", "dropped"]
    assert titles(kind="paper") == titles(tier=2) == ["tier two"]
    assert titles(search="conflict bank") == ["begun"]
    assert titles(search="?!") == []
    assert titles(topic="inbox") == titles(states=("inbox",)) == ["fed"]
    assert [one.title for one in listed(journal, limit=2, offset=1)] == ["tier two", "plain"]
    assert shelf_list.topics(journal) == {"a": 2, "b": 2}
    assert shelf_list.states(journal)["reading"] == 1
    with pytest.raises(BadInput, match="no state"):
        titles(states=("lost",))


def test_what_is_next_is_begun_then_due_then_by_tier_and_age(journal):
    add_all(
        journal,
        [
            New("old", topic="a", added="2025-01-01"),
            New("new", topic="b"),
            New("tier 1", topic="b", tier=1),
            New("due", topic="b", state="revisit", revisit="2026-01-10"),
            New("later", topic="b", state="revisit", revisit="2026-01-11"),
            New("begun", topic="b", state="reading", started="2026-01-02", up_to="page 9"),
            New("over", topic="b", state="done"),
        ],
    )
    found = next_items(journal, limit=9)
    assert [one.item.title for one in found] == ["begun", "due", "tier 1", "old", "new"]
    assert [one.why for one in found] == [
        "begun on 2026-01-02, and read up to page 9",
        "to be read again since 2026-01-10",
        "tier 1, queued since 2026-01-10",
        "no tier, queued since 2025-01-01",
        "no tier, queued since 2026-01-10",
    ]
    assert next_items(journal, topic="a")[0].item.title == "old"


def test_doubles_written_by_hand_are_found(journal):
    write(journal, "a", f"## One\n- address: {ADDRESS}\n## Two\n## TWO\n- address: https://b.c/d\n")
    write(journal, "b", f"## Other\n<!-- reading:bbbb -->\n- address: {ADDRESS}/\n## Two\n")
    assert [(one.same, [item.title for item in one.items]) for one in doubled(journal)] == [
        ("address", ["One", "Other"]),
        ("title", ["Two", "TWO"]),
    ]


def test_an_item_moves_as_it_stands(journal):
    write(journal, "a", "# A\n\n## One\n- tier: 1\n- author: me\n\nnotes\n\n## Two\n")
    one = get(journal, "one")
    assert move(journal, "one", "New topic").topic == "new-topic"
    assert text(journal, "a") == "# A\n\n## Two\n"
    assert text(journal, "new-topic") == (
        f"# New topic\n\n## One\n<!-- reading:{one.id} -->\n- tier: 1\n- author: me\n\nnotes\n"
    )
    for topic, words in (("new-topic", "already"), ("inbox", "another topic")):
        with pytest.raises(BadInput, match=words):
            move(journal, one.id, topic)


def test_an_item_moves_to_where_notes_cite_it(journal):
    id = add(journal, New("A", topic="t")).id
    add(journal, New("B", topic="u", notes=f"See reading:{id} first."))
    assert move(journal, id, "u").topic == "u"
    assert [one.id for one in listed(journal, Filter("t"))] == []


def test_what_is_kept_leaves_the_inbox(journal):
    id = add(journal, New("A", ADDRESS, "inbox")).id
    kept = keep(journal, id, "memory")
    assert (kept.state, kept.topic) == ("queued", "memory")
    assert listed(journal, Filter(topic="inbox")) == []
    with pytest.raises(BadInput, match="in no inbox"):
        keep(journal, id, "other")


def test_a_move_cut_off_leaves_both_tells_and_can_be_ended(journal, monkeypatch):
    add(journal, New("A", topic="a", notes="words"))
    with monkeypatch.context() as patched:
        patched.setattr(moving.writing, "without", interrupt)
        with pytest.raises(KeyboardInterrupt):
            move(journal, "A", "b", {"state": "done"})
    assert "words" in text(journal, "a")
    assert "words" in text(journal, "b")
    with pytest.raises(Taken, match=r"there twice, at reading/a.md:3 and reading/b.md:3"):
        shelf.note(journal, "A", "x")
    assert [one.same for one in doubled(journal)] == ["id"]
    assert move(journal, "A", "b", {"state": "done"}).state == "done"
    assert text(journal, "a") == "# a\n"
    assert doubled(journal) == []


def interrupt(*arguments):
    raise KeyboardInterrupt


def test_two_that_differ_are_both_kept(journal):
    write(journal, "a", "## A\n<!-- reading:aaaa -->\none\n")
    write(journal, "b", "## A\n<!-- reading:aaaa -->\nother\n")
    with pytest.raises(Taken, match="they differ"):
        move(journal, "aaaa", "b")
    assert "one" in text(journal, "a")
    assert "other" in text(journal, "b")


def test_nothing_is_written_behind_an_open_fence(journal):
    write(journal, "general", "## A\n\n```\ncode\n")
    with pytest.raises(BadInput, match=r"reading/general.md:1: .* never closed"):
        add(journal, New("B"))
    assert text(journal, "general") == "## A\n\n```\ncode\n"
