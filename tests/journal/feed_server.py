"""A web server in this process that serves what a test puts on it, and some of it badly."""

import gzip
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RSS = """<?xml version="1.0"?>
<rss version="2.0"><channel><title>A blog</title><link>https://blog.example/</link>
{items}
</channel></rss>"""
ATOM = """<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Papers</title><id>urn:papers</id>
{items}
</feed>"""


def rss(*items):
    """Of titles, or pairs of a title and an address."""
    made = []
    for item in items:
        title, link = item if isinstance(item, tuple) else (item, f"https://blog.example/{item}")
        made.append(
            f"<item><title>{title}</title><link>{link}</link><guid>{title}</guid>"
            "<pubDate>Sun, 04 Jan 2026 10:00:00 GMT</pubDate></item>"
        )
    return RSS.format(items="\n".join(made)).encode()


def atom(*titles):
    made = [
        f"<entry><title>{title}</title><id>urn:{title}</id><updated>2026-01-05T00:00:00Z</updated>"
        f'<link href="/papers/{title}"/></entry>'
        for title in titles
    ]
    return ATOM.format(items="\n".join(made)).encode()


class FeedServer:
    """`pages` are bodies by path; `asked` are the requests that came, as (path, headers)."""

    def __init__(self):
        self.pages = {}
        self.asked = []
        self.closing = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                owner.answer(self)

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()

    def answer(self, request):
        self.asked.append((request.path, dict(request.headers)))
        body = self.pages.get(request.path)
        if request.path.startswith("/to/"):
            request.send_response(302)
            request.send_header("Location", request.path.removeprefix("/to/"))
            request.end_headers()
        elif request.path == "/slow":
            self.closing.wait(600)
        elif request.path == "/drip":
            self.drip(request)
        elif body is None:
            request.send_error(404)
        elif request.headers.get("If-None-Match") == etag(body):
            request.send_response(304)
            request.end_headers()
        else:
            self.send(request, body)

    def drip(self, request):
        """A header a moment, without end."""
        request.send_response(200)
        while not self.closing.is_set():
            try:
                request.send_header("X-More", "x" * 1000)
                request.flush_headers()
            except OSError:
                return
            time.sleep(0.05)

    def send(self, request, body):
        packed = request.path.endswith(".gz")
        sent = gzip.compress(body) if packed else body
        request.send_response(200)
        request.send_header("ETag", etag(body))
        request.send_header("Content-Type", "application/xml")
        if packed:
            request.send_header("Content-Encoding", "gzip")
        more = 100 if request.path == "/short" else 0
        request.send_header("Content-Length", str(len(sent) + more))
        request.end_headers()
        request.wfile.write(sent)


def etag(body):
    return f'"{hash(body)}"'
