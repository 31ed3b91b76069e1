"""A real uvicorn in a thread of the test, for any ASGI app."""

import socket
import threading
import time
from contextlib import contextmanager

import uvicorn


def free_socket(port=0):
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    found.bind(("127.0.0.1", port))
    return found


@contextmanager
def serving(app, bound, on_exit=None, **more):
    """`on_exit` is called when the server is told to end, as its signal handler would."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", **more))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        assert server.started
        yield server
    finally:
        server.should_exit = True
        if on_exit:
            on_exit()
        thread.join(120)
        assert not thread.is_alive(), "the server did not end"
