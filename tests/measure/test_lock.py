import fcntl
import os
import subprocess
import sys
import tempfile

import pytest

from warpbook.core.errors import Missing
from warpbook.core.machine import visible_uuid
from warpbook.measure import lock
from warpbook.measure.lock import device_lock, lock_path, open_lock_file, try_lock

HOLDER = """
import sys
from warpbook.measure.lock import device_lock
with device_lock("cpu"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A place of its own, so that measurements under way elsewhere do not matter."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))


@pytest.fixture
def holder():
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


class Waiting:
    """A clock that only waiting moves."""

    def __init__(self):
        self.now_s = 0.0

    def monotonic(self):
        return self.now_s

    def sleep(self, seconds):
        self.now_s += seconds


def taken():
    """Whether somebody holds the lock, asked of the kernel."""
    with open(lock_path("cpu"), "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def test_the_lock_is_held_inside_and_let_go_after():
    with device_lock("cpu"):
        assert taken()
    assert not taken()


def test_an_error_inside_lets_the_lock_go():
    with pytest.raises(ZeroDivisionError), device_lock("cpu"):
        raise ZeroDivisionError
    assert not taken()


def test_waiting_ends_with_an_error_that_names_the_holder(holder):
    with pytest.raises(Missing, match=f"process {holder.pid} "), device_lock("cpu", timeout_s=0.1):
        pass


def test_a_long_wait_is_explained_once(holder, capsys, monkeypatch):
    monkeypatch.setattr(lock, "time", Waiting())
    with pytest.raises(Missing), device_lock("cpu", timeout_s=3.0):
        pass
    message = f"waiting for the cpu device: process {holder.pid} has it\n"
    assert capsys.readouterr().err == message


def test_a_dead_holder_holds_nothing(holder):
    holder.kill()
    holder.wait()
    with device_lock("cpu", timeout_s=300.0):
        assert taken()


def test_the_next_in_line_gets_it_when_the_holder_is_done(holder):
    holder.stdin.close()
    with device_lock("cpu", timeout_s=300.0):
        assert taken()


def test_other_users_can_share_it_whatever_the_umask():
    before = os.umask(0o077)
    try:
        with device_lock("cpu"):
            pass
    finally:
        os.umask(before)
    assert lock_path("cpu").stat().st_mode & 0o777 == 0o666


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_planted_in_its_place_is_refused_and_its_target_untouched(tmp_path, link):
    target = tmp_path / "precious"
    target.write_text("data")
    link(target, lock_path("cpu"))
    with pytest.raises(Missing, match="lock file"), device_lock("cpu", timeout_s=0.5):
        pass
    assert target.read_text() == "data"


def test_a_pipe_planted_in_its_place_is_refused():
    os.mkfifo(lock_path("cpu"))
    with pytest.raises(Missing, match="not a plain file"), device_lock("cpu"):
        pass


def test_a_lock_on_a_removed_file_does_not_count():
    path = lock_path("cpu")
    descriptor = open_lock_file(path)
    path.unlink()
    assert not try_lock(descriptor, path)
    os.close(open_lock_file(path))
    assert not try_lock(descriptor, path)
    os.close(descriptor)


@pytest.mark.gpu
def test_a_gpu_is_locked_by_its_uuid():
    assert visible_uuid() in lock_path("cuda").name
    with device_lock("cuda"), device_lock("cpu"):
        assert lock_path("cuda").read_text() == f"{os.getpid()}\n"
