"""The stream of events: from any line on, across restarts, without gaps or doubles."""

import json
import shutil
import threading

import httpx
import pytest
from api_served import serving_api
from serving import free_socket

from warpbook.book.book import Book
from warpbook.web.api import events


@pytest.fixture
def book(new_book, tmp_path):
    made = Book.open(shutil.copytree(new_book, tmp_path / "book"))
    yield made
    made.close()


class Listener:
    """Reads a stream's events until it ends, or has seen one."""

    def __init__(self, api, **asked):
        self.api, self.asked = api, asked

    def __enter__(self):
        headers = self.api.headers | {k: str(v) for k, v in self.asked.get("headers", {}).items()}
        self.client = httpx.Client(trust_env=False, timeout=60)
        address = f"{self.api.address}/api/events"
        query = self.asked.get("query", {})
        self.opened = self.client.stream("GET", address, headers=headers, params=query)
        self.answer = self.opened.__enter__()
        assert self.answer.status_code == 200
        self.lines = self.answer.iter_lines()
        return self

    def __exit__(self, *error):
        self.opened.__exit__(*error)
        self.client.close()

    def seen(self):
        """Pairs of an id and its document."""
        number = None
        for line in self.lines:
            if line.startswith("id: "):
                number = int(line[4:])
            elif line.startswith("data: "):
                yield number, json.loads(line[6:])

    def ids_until(self, last):
        found = []
        for number, document in self.seen():
            assert document["id"] == number
            found.append(number)
            if number >= last:
                break
        return found


def test_new_events_come_as_documents(book):
    with serving_api(book.folder) as api, Listener(api) as stream:
        assert stream.answer.headers["content-type"].startswith("text/event-stream")
        next(stream.lines)  # it is open
        book.log.note("line one\nline two")
        number, document = next(stream.seen())
        assert number == book.log.last()
        assert (document["kind"], document["text"]) == ("note", "line one\nline two")


def test_a_stream_goes_on_after_the_event_that_was_seen(book, monkeypatch):
    monkeypatch.setattr(events, "PAGE", 7)
    for number in range(20):
        book.log.note(f"note {number}")
    last = book.log.last()
    with serving_api(book.folder) as api:
        with Listener(api, query={"after": 3}) as stream:
            assert stream.ids_until(last) == [*range(4, last + 1)]
        with Listener(api, query={"after": 3}, headers={"Last-Event-ID": last - 2}) as stream:
            assert stream.ids_until(last) == [last - 1, last]


def test_an_event_that_is_not_there_is_refused(book):
    with serving_api(book.folder) as api:
        for after in ("-1", "x", "99999", "1e3", str(2**70)):
            assert api.get("/events", after=after).status_code in (400, 422), after
            headers = {"last-event-id": after}
            assert api.client.get("/api/events", headers=headers).status_code in (400, 422), after


def test_a_quiet_stream_shows_that_it_lives(book, monkeypatch):
    monkeypatch.setattr(events, "HEARTBEAT_S", 0.05)
    with serving_api(book.folder) as api, Listener(api) as stream:
        assert ": still here" in (next(stream.lines) for _ in range(10))


def test_a_stream_ends_with_the_server(book):
    with serving_api(book.folder) as api:
        stream = Listener(api)
        stream.__enter__()
        next(stream.lines)
    assert [*stream.seen()] == []
    stream.__exit__(None, None, None)


def test_nothing_is_missed_or_doubled_while_the_server_starts_again(book):
    """A writer goes on throughout; the listener comes back with the last id it saw, as browsers
    do."""
    first = book.log.last()
    going = threading.Event()
    going.set()

    def write():
        mine = Book.open(book.folder)
        while going.is_set():
            mine.log.note("on and on")
        mine.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        seen = []
        with free_socket() as kept:  # so that nobody else is given the port between two servers
            port = kept.getsockname()[1]
            for _ in range(3):
                last = seen[-1] if seen else first
                with (
                    serving_api(book.folder, free_socket(port)) as api,
                    Listener(api, headers={"Last-Event-ID": last}) as stream,
                ):
                    seen += stream.ids_until(last + 20)
    finally:
        going.clear()
        writer.join()
    assert seen == [*range(first + 1, seen[-1] + 1)]
    assert len(seen) >= 60
