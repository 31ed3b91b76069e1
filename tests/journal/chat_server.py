"""A server on this machine that speaks chat completions, as it is told to."""

import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Chat:
    """`say` is what the model says next; `raw` is sent instead where it is set. `requests` are
    those that came: path, headers and the document."""

    endpoint: str = ""
    status: int = 200
    say: str | list[str] = "Because."
    raw: bytes | None = None
    location: str = ""
    pause_s: float = 0.0
    trickle: bool = False
    requests: list = field(default_factory=list)

    def body(self):
        if self.raw is not None:
            return self.raw
        said = self.say.pop(0) if isinstance(self.say, list) else self.say
        return json.dumps(
            {"choices": [{"message": {"role": "assistant", "content": said}}]}
        ).encode()


@contextmanager
def chatting():
    chat = Chat()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(chat))
    chat.endpoint = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield chat
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def handler(chat):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            size = int(self.headers["Content-Length"])
            document = json.loads(self.rfile.read(size))
            chat.requests.append((self.path, dict(self.headers), document))
            time.sleep(chat.pause_s)
            self.answer()

        def do_GET(self):
            chat.requests.append((self.path, dict(self.headers), None))
            self.answer()

        def answer(self):
            body = chat.body()
            try:
                self.send_response(chat.status)
                if chat.location:
                    self.send_header("Location", chat.location)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                for at in range(0, len(body), 1 if chat.trickle else len(body) or 1):
                    self.wfile.write(body[at : at + 1] if chat.trickle else body)
                    self.wfile.flush()
                    time.sleep(0.02 if chat.trickle else 0)
            except OSError:
                return  # the other side hung up

        def log_message(self, *_):
            return

    return Handler
