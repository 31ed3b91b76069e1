"""The dashboard of `served.py`, sooner: forked from a process that has imported all of it, which
takes 2 s of processor time, and looking for what is new more often than people need."""

import multiprocessing
import pkgutil
from pathlib import Path

from served import PATIENCE_S, Served
from serving import free_socket

from warpbook.web import feed, pages, visit
from warpbook.web.server import serve

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    ["warpbook.web.server"]
    + [f"warpbook.web.pages.{module.name}" for module in pkgutil.iter_modules(pages.__path__)]
)


def serve_quickly(folder: Path, port: int, told) -> None:
    feed.LOOK_S, feed.TEXTS_S = 0.05, 0.1
    visit.EVERY_S, visit.GAP_S = 0.25, 0.05
    listening = free_socket(port)
    listening.listen()
    serve(folder, listening, (), told.send)


class Forked(Served):
    def start(self):
        link, told = FORKS.Pipe(duplex=False)
        self.process = FORKS.Process(target=serve_quickly, args=(self.folder, self.port, told))
        self.process.start()
        told.close()
        with link:
            self.entry = link.recv()  # a dashboard that does not start ends the pipe

    def stop(self):
        self.process.terminate()
        self.ended()

    def ended(self):
        """Waits for it."""
        self.process.join(PATIENCE_S)
        assert self.process.exitcode is not None, "the dashboard did not end"

    def close(self):
        self.stop()
        self.process.close()
        self.kept.close()
