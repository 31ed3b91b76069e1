"""The whole dashboard as it is served: its pages, its API and its live socket, tried by those who
are not to get in."""

import socket

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

PAGE, API, SOCKET = "/", "/api/queue", "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"


@pytest.fixture(scope="module")
def cookie(served):
    kept = served.cookie
    return {"cookie": f"{kept['name']}={kept['value']}"}


@pytest.fixture(scope="module")
def client(served):
    with httpx.Client(base_url=served.address, trust_env=False, timeout=60) as made:
        yield made


def opened(served, headers, host=None):
    """The status with which the live socket opens, or does not."""
    host = host or f"127.0.0.1:{served.port}"
    origin = headers.get("origin")
    headers = {name: value for name, value in headers.items() if name != "origin"}
    with socket.create_connection(("127.0.0.1", served.port)) as link:
        try:
            with connect(
                f"ws://{host}{SOCKET}", sock=link.dup(), origin=origin,
                additional_headers=headers, proxy=None, open_timeout=60,
            ):  # fmt: skip
                return 101
        except InvalidStatus as refused:
            return refused.response.status_code


def test_whoever_is_signed_in_gets_in(served, client, cookie):
    assert client.get(PAGE, headers=cookie).status_code == 200
    assert client.get(API, headers=cookie).status_code == 200
    assert opened(served, cookie | {"origin": served.address}) == 101
    assert client.get(API, headers={"authorization": f"Bearer {served.token}"}).status_code == 200


@pytest.mark.parametrize("path", [PAGE, API, "/assets/warpbook.css", "/_nicegui/x", "/nowhere"])
def test_nobody_gets_in_without_a_token(client, path):
    assert client.get(path).status_code == 401


def test_no_socket_opens_without_a_token(served):
    assert opened(served, {"origin": served.address}) == 401


@pytest.mark.parametrize("path", [PAGE, API])
def test_a_name_that_was_rebound_gets_nowhere(served, client, cookie, path):
    name = f"evil.example:{served.port}"
    headers = cookie | {"host": name, "origin": f"http://{name}"}
    assert client.get(path, headers=headers).status_code == 403
    assert opened(served, cookie | {"origin": f"http://{name}"}, host=name) == 403


def test_a_page_of_another_origin_gets_nowhere(served, client, cookie):
    for origin in ("http://evil.example", f"http://127.0.0.1:{served.port + 1}", "null"):
        headers = cookie | {"origin": origin, "content-type": "application/json"}
        assert client.get(PAGE, headers=headers).status_code == 403
        assert client.post("/api/queue/pause", headers=headers, content=b"{}").status_code == 403
        assert opened(served, headers) == 403
    assert opened(served, cookie) == 403
    assert not served.book.queue.paused()


def test_the_socket_is_not_polled(served, client, cookie):
    polled = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
    headers = cookie | {"origin": served.address, "content-type": "application/json"}
    assert client.get(polled, headers=headers).status_code == 400
    assert client.post(polled, headers=headers, content=b"40").status_code in (400, 405)


def test_scripts_run_by_a_nonce_alone(client, cookie):
    answer = client.get(PAGE, headers=cookie | {"accept": "text/html", "accept-encoding": "gzip"})
    nonce = answer.headers["content-security-policy"].split("'nonce-")[1].partition("'")[0]
    assert answer.text.count("<script") == answer.text.count(f'<script nonce="{nonce}"') > 3


def test_a_stream_does_not_hold_up_the_end(served, client):
    """The last test here: it ends the server."""
    headers = {"authorization": f"Bearer {served.token}"}
    with client.stream("GET", "/api/events", headers=headers) as stream:
        lines = stream.iter_lines()
        next(lines)
        served.book.log.note("one more")
        while not (line := next(lines)).startswith("data: "):
            pass
        assert "one more" in line
        served.process.terminate()
        assert [line for line in lines if line] == []
        served.ended()
