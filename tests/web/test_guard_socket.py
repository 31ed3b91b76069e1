"""Who is let through to an app over a websocket."""

import json
import socket

import pytest
from guarded import FOREIGN, opened
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from warpbook.web.guard import LARGEST_BODY


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("book")) as made:
        yield made


@pytest.fixture
def seen(door):
    """What reaches the app during a test."""
    door.app.seen.clear()
    return door.app.seen


def socket_to(door, headers, origin=None, host=None):
    host = host or f"127.0.0.1:{door.port}"
    with socket.create_connection(("127.0.0.1", door.port)) as link:
        address = f"ws://{host}/_nicegui_ws/socket.io/?transport=websocket"
        return connect(
            address, sock=link.dup(), origin=origin, additional_headers=headers, proxy=None,
            max_size=None, open_timeout=60,
        )  # fmt: skip


@pytest.mark.parametrize("by", ["token", "cookie"])
def test_a_websocket_of_our_own_page_is_let_through(door, by):
    with socket_to(door, getattr(door, by), door.address) as link:
        link.send("hello")
        assert link.recv() == "hello"


@pytest.mark.parametrize("origin", [*FOREIGN[:6], None])
@pytest.mark.parametrize("by", ["token", "cookie"])
def test_a_websocket_of_a_foreign_page_is_refused(door, seen, origin, by):
    origin = origin and origin.replace("{port}", str(door.port))
    with pytest.raises(InvalidStatus) as refused:
        socket_to(door, getattr(door, by), origin)
    assert refused.value.response.status_code == 403
    assert json.loads(refused.value.response.body)["error"] in ("foreign_origin", "no_origin")
    assert seen == []


def test_a_websocket_without_a_token_is_refused(door, seen):
    with pytest.raises(InvalidStatus) as refused:
        socket_to(door, {}, door.address)
    assert refused.value.response.status_code == 401
    assert seen == []


def test_a_websocket_by_a_foreign_name_is_refused(door, seen):
    with pytest.raises(InvalidStatus) as refused:
        socket_to(
            door, door.cookie, f"http://evil.example:{door.port}", f"evil.example:{door.port}"
        )
    assert refused.value.response.status_code == 403
    assert seen == []


def test_a_websocket_message_over_the_limit_ends_it(door):
    with socket_to(door, door.cookie, door.address) as link:
        link.send((LARGEST_BODY + 1) * "x")
        with pytest.raises(ConnectionClosed):
            link.recv()
