"""`warpbook up` as its users meet it: a link, a dashboard and a worker, in real processes."""

import hashlib
import json
import os
import pty
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from warpbook.book.audit.check import check
from warpbook.book.book import Book
from warpbook.cli.main import app
from warpbook.cli.up import chosen, prepare
from warpbook.core.effect import Better, Metric
from warpbook.core.errors import BadInput
from warpbook.core.run import Arm, Plan
from warpbook.web.listening import EVERYWHERE, InUse, listen, listen_after, names_of, ssh_line

PATIENCE_S = 180.0  # for what takes a second or two


def wait_for(condition, seconds=PATIENCE_S):
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, "it never came true"
        time.sleep(0.02)
    return found


@pytest.fixture
def up(warpbook, tmp_path):
    """Starts it on some free port: the process, and its document."""

    @contextmanager
    def start(book, *options):
        command = [sys.executable, "-m", "warpbook", "up", "--json", "--book", str(book), *options]
        errors = tmp_path / "errors"
        with (
            open(errors, "a") as file,
            subprocess.Popen(
                command, env=warpbook.environment, stdout=subprocess.PIPE, stderr=file, text=True
            ) as process,
        ):
            text = ""
            while not text.endswith("}\n"):
                line = process.stdout.readline()
                assert line, errors.read_text()
                text += line
            process.document = json.loads(text)
            process.errors = errors.read_text
            try:
                yield process
            finally:
                if process.poll() is None:
                    process.kill()

    return start


@pytest.fixture
def book(tmp_path):
    """With one experiment that waits, and takes longer than any test."""
    book = Book.create(tmp_path / "book", "ana")
    commands = ("sleep 1000", "echo '{}'")
    arms = (Arm(text, hashlib.sha256(text.encode()).hexdigest(), command=text) for text in commands)
    metrics = (Metric("m", "", Better.HIGHER),)
    book.experiments.add(Plan("command", "w", "none", *arms, metrics, cwd=str(tmp_path)))
    yield book
    book.close()


def kinds(book, kind):
    return [event.text for event in book.log.list(kind=kind)]


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def status_of(address):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), Stay)
    try:
        with opener.open(address, timeout=PATIENCE_S) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


def test_the_link_lets_a_browser_in_once_and_ctrl_c_stops_both(up, book):
    with up(book.folder, "--port", "0", "--no-starter", "--device", "none") as process:
        status, headers = status_of(process.document["link"])
        assert (status, headers["location"]) == (303, "/")
        assert "httponly" in headers["set-cookie"].lower()
        assert status_of(process.document["link"])[0] == 403
        wait_for(lambda: book.runs.list())
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
        assert "worker: R-1 of E-1: stopped: its worker was ended" in process.errors()
    assert book.runs.get("R-1").state == "stopped"
    assert book.experiments.get("E-1").state == "queued"
    assert kinds(book, "worker.ended") == ["W-1 ended"]
    assert not (book.folder / ".dashboard" / "address").exists()
    assert check(book.folder).problems == []


def test_killed_it_takes_the_worker_along(up, book):
    """The fixture looks for processes that are left."""
    with up(book.folder, "--port", "0", "--no-starter") as process:
        wait_for(lambda: book.runs.list())
        process.kill()
        process.wait()
        wait_for(lambda: kinds(book, "worker.ended"))
    assert book.experiments.get("E-1").state == "queued"
    assert check(book.folder).problems == []


def test_a_new_book_is_planted_once_and_has_one_dashboard(up, warpbook, tmp_path):
    folder = tmp_path / "new"
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with up(folder, "--no-worker", "--port", str(port)) as process:
            document = process.document
            assert (document["new"], document["starter"]) == (True, "starter")
            assert document["pid"] == process.pid
            taken = int(document["address"].rpartition(":")[2])
            assert taken > port
            said = f"warpbook: port {port} is in use on 127.0.0.1; taking {taken}"
            assert said in process.errors().splitlines()
            again = warpbook("up", "--book", folder, "--no-worker")
            assert again.returncode == 2
            assert f"runs already, at {document['address']}; for a link" in again.stderr
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE_S) == 0
    assert prepare(folder, starter=True) == (False, "")


def test_on_a_terminal_another_port_is_asked_for(warpbook, tmp_path):
    ours, theirs = pty.openpty()
    with socket.create_server(("127.0.0.1", 0)) as other, open(ours, "r+b", buffering=0) as screen:
        port = other.getsockname()[1]
        command = ("up", "--book", tmp_path / "new", "--port", port)
        process = subprocess.Popen(
            [sys.executable, "-m", "warpbook", *map(str, command)],
            env=warpbook.environment, stdin=theirs, stdout=theirs, stderr=theirs,
        )  # fmt: skip
        seen = b""
        while b"instead?" not in seen:
            seen += screen.read(1000)
        screen.write(b"n\n")
        assert process.wait(PATIENCE_S) == 2
    os.close(theirs)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--device", "tpu"), "no device 'tpu'"),
        (("--host", "no such name"), "is no IPv4 address or name"),
        (("--host", "192.0.2.1"), "is no address of this machine"),
        (("--port", "70000"), "65535"),
    ],
)
def test_mistakes_end_with_2_and_make_no_book(capsys, tmp_path, arguments, said):
    with pytest.raises(SystemExit) as ended:
        app(["up", "--book", str(tmp_path / "new"), *arguments])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_without_its_packages_it_says_what_to_install(capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "nicegui", None)
    with pytest.raises(SystemExit) as ended:
        app(["up", "--book", str(tmp_path / "new")])
    assert ended.value.code == 3
    assert "pip install 'warpbook[web]'" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_the_book_is_the_one_asked_for_or_the_nearest_or_at_home(tmp_path, monkeypatch):
    home, here = tmp_path / "home", tmp_path / "here"
    for folder in (home, here / "below"):
        folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("WARPBOOK", raising=False)
    monkeypatch.chdir(here / "below")
    assert chosen(None)[0] == home / "warpbook"
    (here / "warpbook.toml").touch()
    assert chosen(None) == (here, "the nearest to this folder")
    monkeypatch.setenv("WARPBOOK", str(tmp_path / "named"))
    assert chosen(None) == (tmp_path / "named", "from $WARPBOOK")
    assert chosen(Path("mine")) == (here / "below" / "mine", "from --book")


def test_a_port_has_one_listener():
    with listen("localhost", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(InUse, match=f"port {port} is in use"):
            listen("127.0.0.1", port)
        with listen_after("127.0.0.1", port) as other:
            assert other.getsockname()[1] > port
    with pytest.raises(BadInput, match="no port -1"):
        listen("127.0.0.1", -1)


def test_everywhere_means_the_names_of_this_machine_and_no_wildcard():
    found = names_of(EVERYWHERE)
    assert socket.gethostname() in found
    assert EVERYWHERE not in found
    assert names_of("localhost") == ["localhost", "127.0.0.1"]


def test_over_ssh_there_is_a_line_for_ones_own_machine(monkeypatch):
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    assert ssh_line(7700) is None
    monkeypatch.setenv("USER", "ana")
    monkeypatch.setenv("LOGNAME", "ana")
    monkeypatch.setenv("SSH_CONNECTION", "10.0.0.7 51000 10.0.0.5 22")
    assert ssh_line(7700) == "ssh -L 7700:127.0.0.1:7700 ana@10.0.0.5"
    monkeypatch.setenv("SSH_CONNECTION", "10.0.0.7 51000 10.0.0.5 2222")
    assert ssh_line(7701) == "ssh -p 2222 -L 7701:127.0.0.1:7701 ana@10.0.0.5"


def test_a_new_book_on_a_disk_without_room_is_told_in_words(warpbook, tmp_path):
    """A limit on the size of files stands in for the disk."""
    room = 20_000
    ended = subprocess.run(
        [sys.executable, "-m", "warpbook", "up", "--book", str(tmp_path / "new"), "--port", "0"],
        env=warpbook.environment, capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
    )  # fmt: skip
    assert ended.returncode == 3
    assert "book.db: " in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "new" / "warpbook.toml").exists()
