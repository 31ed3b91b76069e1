"""`warpbook up`: the dashboard and a worker, until Ctrl-C."""

import importlib.util
import os
import signal
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from warpbook.book.folder import DEFAULT, SETTINGS, find_book
from warpbook.cli import options
from warpbook.cli.book.opening import disk_errors
from warpbook.cli.book.work import DEVICES
from warpbook.cli.guard import guarded, not_installed, say
from warpbook.cli.screen import show_json
from warpbook.core.errors import BadInput
from warpbook.core.text import printable

if TYPE_CHECKING:
    from warpbook.lab.foreman import Foreman

PORT = 7700
LOCAL = "127.0.0.1"
NEEDED = ("nicegui", "sqlalchemy")
JOIN_S = 0.2
WARNING = (
    "--host {}: whoever reaches {} over the network can knock, and whoever is in between can read "
    "along, since nothing is encrypted. Only a link or the token lets anybody in; `ssh -L` is safer"
)


@guarded
def up(
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="Where it listens; 0 for any.")
    ] = PORT,
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Listen there; others on the network reach it then."),
    ] = LOCAL,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="The dashboard alone: nothing is run.")
    ] = False,
    no_starter: Annotated[
        bool, typer.Option("--no-starter", help="No first campaign in a new book.")
    ] = False,
    device: Annotated[
        list[str] | None,
        typer.Option(
            metavar="cpu|cuda|none", help="The worker takes only this; may be given again."
        ),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open it in a browser here.")] = False,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Start the dashboard and a worker; make a book where there is none. Ctrl-C stops both."""
    for name in NEEDED:
        if importlib.util.find_spec(name) is None:
            raise not_installed(name)
    for name in device or ():
        if name not in DEVICES:
            raise BadInput(f"no device {name!r}: give {', '.join(DEVICES)}")
    folder, by = chosen(book)
    listening = claim(folder, host, port)
    with listening, disk_errors():
        new, planted = prepare(folder, not no_starter)
        up = Up(folder, by, new, planted, host, not no_worker, device or (), json, open_)
        up.serve(listening)
    return 0


def chosen(asked: Path | None) -> tuple[Path, str]:
    """The book's folder, which need not be one yet, and why it is this one."""
    for named, by in ((asked, "--book"), (os.environ.get("WARPBOOK"), "$WARPBOOK")):
        if named:
            return Path(named).expanduser().absolute(), f"from {by}"
    found = find_book()
    default = DEFAULT.expanduser().absolute()
    if found is None or found == default:
        return default, "the default: no other was named, and none is here"
    return found, "the nearest to this folder"


def claim(folder: Path, host: str, port: int) -> socket.socket:
    """A socket that listens, on the port asked for or on another that is agreed to."""
    from warpbook.web.keys import running_address
    from warpbook.web.listening import InUse, listen, listen_after

    if running := running_address(folder):
        raise BadInput(
            f"a dashboard of {folder} runs already, at {running}; for a link to it: "
            f"warpbook link --book {folder}"
        )
    try:
        return listen(host, port)
    except InUse as error:
        found = listen_after(host, port)
        free = found.getsockname()[1]
        question = f"{error}. Take {free} instead?"
        if (
            sys.stdin.isatty()
            and sys.stderr.isatty()
            and not typer.confirm(question, True, err=True)
        ):
            found.close()
            raise BadInput(f"{error}; choose another with --port") from None
        say(f"{error}; taking {free}")
        return found


def prepare(folder: Path, starter: bool) -> tuple[bool, str]:
    """Whether the book is new, and the name of the campaign that was planted in it, or nothing."""
    from warpbook.book.book import Book
    from warpbook.lab.starter import plant

    new = not (folder / SETTINGS).is_file()
    book = Book.create(folder) if new else Book.open(folder)
    try:
        planted = plant(book) if starter else None
        return new, planted.name if planted else ""
    finally:
        book.close()


@dataclass
class Up:
    folder: Path
    by: str
    new: bool
    planted: str
    host: str
    worker: bool
    devices: Sequence[str]
    json: bool
    open: bool
    signals: int = 0
    foreman: "Foreman | None" = field(default=None, init=False)

    def serve(self, listening: socket.socket) -> None:
        self.say(f"book       {self.folder} ({'new' if self.new else 'found'}; {self.by})")
        from warpbook.web import server
        from warpbook.web.listening import names_of

        hosts = [] if self.host == LOCAL else names_of(self.host)
        if hosts:
            say(WARNING.format(self.host, " or ".join(hosts)))
        before = {n: signal.signal(n, self.count) for n in (signal.SIGINT, signal.SIGTERM)}
        try:
            server.serve(self.folder, listening, hosts, lambda link: self.ready(link, listening))
        finally:
            self.end()
            for number, handler in before.items():
                signal.signal(number, handler)

    def count(self, number: int, frame: Any) -> None:
        self.signals += 1

    def ready(self, link: str, listening: socket.socket) -> None:
        port = listening.getsockname()[1]
        if self.json:
            self.show_document(link)
        self.show(link, port)
        if self.worker:
            from warpbook.lab.foreman import Foreman

            given = [word for name in self.devices for word in ("--device", name)]
            self.foreman = Foreman(self.folder, given, tell)
            self.foreman.start()
        if self.open:
            open_browser(link, self.folder)

    def show_document(self, link: str) -> None:
        show_json(
            {
                "address": link.partition("/enter")[0],
                "book": str(self.folder),
                "new": self.new,
                "starter": self.planted,
                "pid": os.getpid(),
                "link": link,
            }
        )
        sys.stdout.flush()

    def show(self, link: str, port: int) -> None:
        from warpbook.web.listening import ssh_line

        self.say(f"dashboard  {link}")
        self.say("           good once, for 15 minutes; for another: warpbook link")
        if line := ssh_line(port):
            self.say(f"over SSH   first, on your own machine: {line}")
        if self.planted:
            self.say(
                f"{self.planted}    a first campaign is queued; to put it away: warpbook campaign "
                f"archive {self.planted}"
            )
        what = "takes what is queued" if self.worker else "none: nothing runs; warpbook work"
        self.say(f"worker     {what}")
        self.say("Ctrl-C stops both." if self.worker else "Ctrl-C stops it.")

    def say(self, line: str) -> None:
        """For people: to stdout, unless that is for a document."""
        print(printable(line), file=sys.stderr if self.json else sys.stdout, flush=True)

    def end(self) -> None:
        """A second signal while this waits does not wait for the worker."""
        foreman = self.foreman
        if foreman is None:
            return
        tell("ending; what it runs goes back to the queue")
        foreman.end()
        while foreman.is_alive():
            foreman.join(JOIN_S)
            if self.signals > 1:
                tell("killed; the next worker puts back what it ran")
                foreman.kill()
                foreman.join()


def tell(line: str) -> None:
    """A line of the worker's, or about it."""
    print(f"worker: {printable(line.removeprefix('warpbook: '))}", file=sys.stderr, flush=True)


def open_browser(link: str, folder: Path) -> None:
    """By a file for this user alone: others can read the words a browser is started with."""
    import webbrowser

    from warpbook.web.keys import FOLDER

    page = folder / FOLDER / "enter.html"
    page.unlink(missing_ok=True)
    with open(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f'<meta http-equiv="refresh" content="0; url={link}">')
    if not webbrowser.open(page.as_uri()):
        say("no browser could be opened here; use the link")
