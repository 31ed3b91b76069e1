"""A model behind a real HTTP server: what goes out, and every way in which nothing comes back."""

import json
import socket

import pytest
from chat_server import chatting

from warpbook.journal.settings import Teacher
from warpbook.journal.teaching.endpoint import NoAnswer, complete

KEY = "sk-not-to-be-seen-42"
ASKED = [{"role": "user", "content": "Why?"}]


@pytest.fixture
def chat(monkeypatch):
    monkeypatch.setenv("TOY_KEY", KEY)
    with chatting() as server:
        yield server


def teacher(endpoint, key="TOY_KEY"):
    return Teacher(endpoint, "toy-1", key)


def told(endpoint, timeout_s=60.0, key="TOY_KEY"):
    with pytest.raises(NoAnswer) as error:
        complete(teacher(endpoint, key), ASKED, timeout_s)
    assert KEY not in str(error.value)
    return str(error.value)


def test_messages_go_out_with_the_key_and_words_come_back(chat):
    chat.say = "  Memory is far away. \n"
    assert complete(teacher(chat.endpoint + "/"), ASKED) == "Memory is far away."
    [(path, headers, document)] = chat.requests
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert document == {"model": "toy-1", "messages": ASKED}


def test_a_server_of_ones_own_needs_no_key(chat):
    assert complete(teacher(chat.endpoint, ""), ASKED) == "Because."
    assert "Authorization" not in chat.requests[0][1]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "does not accept the key (401)"),
        (404, "no such address or model (404)"),
        (429, "asked too often (429)"),
        (500, "failed (500): out of memory"),
    ],
)
def test_a_status_is_told_in_words(chat, status, words):
    chat.status, chat.raw = status, json.dumps({"error": {"message": "out of memory"}}).encode()
    assert words in told(chat.endpoint)


def test_an_error_that_is_no_document_has_its_status(chat):
    chat.status, chat.raw = 500, b"<html>"
    assert told(chat.endpoint).endswith("failed (500)")


def test_a_key_that_a_server_repeats_is_hidden(chat):
    chat.status, chat.raw = 400, json.dumps({"error": f"bad key {KEY}"}).encode()
    assert told(chat.endpoint).endswith("failed (400): bad key ***")
    chat.status, chat.raw, chat.say = 200, None, f"your key is {KEY}"
    assert complete(teacher(chat.endpoint), ASKED) == "your key is ***"


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"\xff\xfe garbage", "not JSON"),
        (b"", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"choices": []}', "no message in it"),
        (b'{"choices": [{"message": {"content": null}}]}', "no message in it"),
        (b" " * 2_100_000, "more than an answer can be"),
    ],
)
def test_what_is_no_answer_is_told(chat, raw, words):
    chat.raw = raw
    assert words in told(chat.endpoint)


def test_a_server_that_does_not_answer_in_time(chat):
    chat.pause_s = 0.5
    assert "did not answer within 0.1 s" in told(chat.endpoint, 0.1)


def test_an_answer_that_comes_a_byte_at_a_time_is_given_up(chat):
    chat.trickle = True
    assert "did not answer within 0.15 s" in told(chat.endpoint, 0.15)


def test_a_port_where_nobody_listens():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]  # held, so that nobody else comes to listen there
        said = told(f"http://127.0.0.1:{port}/v1", key="")
    assert "cannot be reached: Connection refused" in said


def test_a_redirect_does_not_take_the_key_along(chat):
    with chatting() as other:
        chat.status, chat.location = 302, other.endpoint
        assert "leads elsewhere (302)" in told(chat.endpoint)
        assert other.requests == []


@pytest.mark.parametrize("value", ["", "  ", "two\nlines", "schlüssel"])
def test_a_key_that_is_none_is_told_before_anything_is_sent(chat, monkeypatch, value):
    monkeypatch.setenv("TOY_KEY", value)
    with pytest.raises(NoAnswer, match=r"\$TOY_KEY") as error:
        complete(teacher(chat.endpoint), ASKED)
    assert not value.strip() or value not in str(error.value)
    assert chat.requests == []


def test_a_password_in_the_address_is_not_shown():
    assert "secret" not in told("http://ana:secret@127.0.0.1:1/v1", key="")
