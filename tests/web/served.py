"""A real dashboard over a real book, in a process of its own, and what a browser needs."""

import subprocess
import sys
from pathlib import Path

from serving import free_socket

from warpbook.web.keys import Keys

PATIENCE_S = 120
SERVE = """
import socket, sys
from pathlib import Path
from warpbook.web.server import serve

listening = socket.socket()
listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listening.bind(("127.0.0.1", int(sys.argv[2])))
listening.listen()
serve(Path(sys.argv[1]), listening, (), lambda link: print(link, flush=True))
"""


class Served:
    """`entry` is the link it printed. `start` again after `stop` takes the same port, which nobody
    else is given meanwhile."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.kept = free_socket()
        self.port = self.kept.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(self.folder), str(self.port)],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.entry = self.process.stdout.readline().strip()
        assert self.entry, "the dashboard did not start"

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        self.process.stdout.close()

    @property
    def token(self):
        return Keys.of_book(self.folder).token

    @property
    def cookie(self):
        """Of a browser that is signed in, as playwright wants it."""
        return {
            "name": f"warpbook_{self.port}",
            "value": Keys.of_book(self.folder).make_session(),
            "url": self.address,
            "httpOnly": True,
            "sameSite": "Strict",
        }
