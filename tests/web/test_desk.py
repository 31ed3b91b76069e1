import asyncio
import shutil
import threading
import time
from datetime import date

import looping
import pytest

from warpbook.book.book import Book
from warpbook.core.errors import BadInput, Missing
from warpbook.journal.days import days, waiting
from warpbook.journal.texts import files
from warpbook.web.aside import with_journal
from warpbook.web.desk import Desk


@pytest.fixture
def folder(new_book, tmp_path):
    return shutil.copytree(new_book, tmp_path / "book")


def with_desk(folder, act):
    async def run():
        desk = Desk(folder)
        await desk.start()
        try:
            return await act(desk)
        finally:
            await desk.stop()

    return looping.run(run())


def test_a_question_is_asked_in_another_thread(folder):
    async def act(desk):
        return await desk.ask(lambda book: (book.author, threading.current_thread().name))

    author, thread = with_desk(folder, act)
    assert author
    assert thread.startswith("desk")


def test_the_loop_itself_may_not_touch_the_book(folder):
    async def act(desk):
        with pytest.raises(RuntimeError, match=r"Desk\.ask"):
            desk.book.campaigns.list()
        with pytest.raises(RuntimeError, match=r"Desk\.ask"):
            desk.book.log.note("from the loop")
        return await desk.ask(lambda book: book.log.last())

    assert with_desk(folder, act) == 2


def test_a_view_is_asked_once_until_the_book_changes(folder):
    asked = []

    def view(book, number):
        asked.append(number)
        return book.log.last()

    async def act(desk):
        first = await asyncio.gather(*(desk.view(view, 1) for _ in range(5)))
        await desk.view(view, 2)
        last = desk.feed.last_event
        await desk.ask(lambda book: book.log.note("more"))
        assert await desk.feed.wait(last, 60)
        return first, await desk.view(view, 1)

    first, later = with_desk(folder, act)
    assert first == [2] * 5
    assert later == 3
    assert asked == [1, 2, 1]


def test_an_error_reaches_everyone_who_asked(folder):
    async def act(desk):
        def view(book):
            return book.hypotheses.get("H-9")

        found = await asyncio.gather(desk.view(view), desk.view(view), return_exceptions=True)
        return [isinstance(error, BadInput) for error in found]

    assert with_desk(folder, act) == [True, True]


def test_what_another_process_writes_is_noticed(folder):
    async def act(desk):
        before = desk.feed.last_event
        other = await asyncio.to_thread(Book.open, folder)
        await asyncio.to_thread(other.log.note, "from elsewhere")
        other.close()
        return await desk.feed.wait(before, 60), desk.feed.last_event - before

    assert with_desk(folder, act) == (True, 1)


def test_what_has_changed_is_parsed_once_for_all_who_read(folder, monkeypatch):
    (folder / "journal").mkdir(exist_ok=True)
    for number in range(10, 15):
        (folder / "journal" / f"2026-01-{number}.md").write_text("a day\n")
    parsed, parse = [], files.parsed

    def slowly(path, *rest):
        parsed.append(path)
        time.sleep(0.01)  # so that the others come while it is not done
        return parse(path, *rest)

    monkeypatch.setattr(files, "parsed", slowly)

    async def act(desk):
        return await asyncio.gather(
            *(desk.read(lambda j: len(j.index.entries("day"))) for _ in range(4))
        )

    assert with_desk(folder, act) == [5] * 4
    assert len(parsed) == 5


def test_a_first_look_at_many_files_holds_up_no_stop(folder, monkeypatch):
    (folder / "journal").mkdir(exist_ok=True)
    for number in range(10, 20):
        (folder / "journal" / f"2026-01-{number}.md").write_text("a day\n")
    begun, go_on, parse, parsed = threading.Event(), threading.Event(), files.parsed, []

    def held_up(path, *rest):
        parsed.append(path)
        begun.set()
        go_on.wait()
        return parse(path, *rest)

    monkeypatch.setattr(files, "parsed", held_up)
    monkeypatch.setattr("warpbook.journal.index.BATCH", 1)

    async def act(desk):
        reading = asyncio.ensure_future(desk.read(lambda journal: None))
        assert await asyncio.to_thread(begun.wait, 60)
        await desk.feed.stop()
        go_on.set()
        with pytest.raises(Missing, match="was stopped before this was done"):
            await reading

    with_desk(folder, act)
    assert len(parsed) == 1


def test_settings_are_those_of_now(folder):
    async def act(desk):
        found = [await desk.read(lambda journal: journal.settings.track)]
        with open(folder / "warpbook.toml", "a") as file:
            file.write('[journal]\ntrack = "gpu"\n')
        found += await asyncio.gather(
            *(desk.read(lambda journal: journal.settings.track) for _ in range(4))
        )
        return found

    assert with_desk(folder, act) == ["journal", *["gpu"] * 4]


def test_what_waited_for_an_editor_that_is_gone_is_added(folder):
    on = date(2026, 1, 4)

    async def act(desk):
        await desk.read(lambda journal: waiting.put(journal, on, waiting.Piece("later")))
        return await desk.read(lambda journal: days.get(journal, on).body)

    assert with_desk(folder, act) == "later\n"


def test_the_book_does_not_wait_for_those_who_read_the_journal(folder):
    go_on = threading.Event()

    async def act(desk):
        reading = [asyncio.ensure_future(desk.read(lambda _: go_on.wait())) for _ in range(9)]
        try:
            return await asyncio.wait_for(desk.ask(lambda book: book.author), 60)
        finally:
            go_on.set()
            await asyncio.gather(*reading)

    assert with_desk(folder, act)


def test_what_is_under_way_aside_holds_up_no_stop(folder):
    begun, go_on = threading.Event(), threading.Event()

    def work(_):
        begun.set()
        go_on.wait()

    async def act(desk):
        working = asyncio.ensure_future(with_journal(desk, work))
        assert await asyncio.to_thread(begun.wait, 60)
        await desk.feed.stop()
        try:
            with pytest.raises(Missing, match="was stopped before this was done"):
                await asyncio.wait_for(working, 60)
        finally:
            go_on.set()

    with_desk(folder, act)


def test_waiting_ends_when_nothing_comes(folder):
    async def act(desk):
        return await desk.feed.wait(desk.feed.last_event, 0.05)

    assert with_desk(folder, act) is False


def test_waiting_ends_when_the_desk_stops(folder):
    async def act(desk):
        waiting = asyncio.create_task(desk.feed.wait(desk.feed.last_event, 3600))
        await asyncio.sleep(0)  # it waits from here on
        await desk.feed.stop()
        return await asyncio.wait_for(waiting, 60)

    assert with_desk(folder, act) is False
