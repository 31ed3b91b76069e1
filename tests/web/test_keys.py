"""The token, cookies, codes and the address, as they are kept in a book's folder."""

import hashlib
import stat
import subprocess
import sys

import pytest

from warpbook.core.errors import BadInput
from warpbook.web.keys import CODE_S, SESSION_S, Keys, running_address


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def keys(tmp_path, clock):
    return Keys.of_book(tmp_path, clock)


def test_keys_are_for_their_owner_alone(keys, tmp_path):
    folder = tmp_path / ".dashboard"
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder, *sorted(folder.iterdir()))]
    assert modes == [0o700, 0o600, 0o600]


def test_a_folder_others_could_read_is_closed(keys, tmp_path):
    (tmp_path / ".dashboard").chmod(0o755)
    (tmp_path / ".dashboard" / "token").chmod(0o644)
    assert Keys.of_book(tmp_path).token == keys.token
    assert stat.S_IMODE((tmp_path / ".dashboard").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / ".dashboard" / "token").stat().st_mode) == 0o600


def test_a_link_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / ".dashboard").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match="no folder of yours"):
        Keys.of_book(tmp_path / "book")


def test_a_token_that_was_cut_short_is_refused(keys, tmp_path):
    (tmp_path / ".dashboard" / "token").write_text("")
    with pytest.raises(BadInput, match="too short"):
        Keys.of_book(tmp_path)


def test_the_token_is_the_same_at_the_next_start_and_no_other_is_taken(keys, tmp_path):
    again = Keys.of_book(tmp_path)
    assert again.is_token(keys.token)
    assert not again.is_token("")
    assert not again.is_token(keys.token[:-1])
    assert not again.is_token("é\udcff")


def test_a_code_is_good_once(keys):
    code = keys.make_code()
    assert len(code) >= 43  # 256 bits
    assert keys.spend_code(code)
    assert not keys.spend_code(code)
    assert not keys.spend_code("")


def test_a_code_ends(keys, clock):
    code = keys.make_code()
    clock.now += CODE_S
    assert not keys.spend_code(code)


def test_codes_are_kept_as_hashes_and_not_without_end(keys):
    codes = [keys.make_code() for _ in range(1200)]
    assert len(keys._codes) == 1000
    assert hashlib.sha256(codes[-1].encode()).hexdigest() in keys._codes
    assert codes[-1] not in repr(keys._codes)
    assert not keys.spend_code(codes[0])
    assert keys.spend_code(codes[-1])


def test_a_session_outlives_the_server_and_ends_after_a_month(keys, clock, tmp_path):
    value = keys.make_session()
    again = Keys.of_book(tmp_path, clock)
    assert again.is_session(value)
    clock.now += SESSION_S
    assert not again.is_session(value)


@pytest.mark.parametrize(
    "change",
    [
        lambda value: "9" + value,
        lambda value: value[:-1] + ("0" if value[-1] != "0" else "1"),
        lambda value: value.rpartition(".")[0],
        lambda value: "",
        lambda value: "..",
        lambda value: "\udcff",
    ],
)
def test_a_session_that_was_not_signed_here_is_none(keys, change):
    assert not keys.is_session(change(keys.make_session()))


def test_deleting_the_folder_signs_all_out(keys, clock, tmp_path):
    value = keys.make_session()
    for path in (tmp_path / ".dashboard").iterdir():
        path.unlink()
    again = Keys.of_book(tmp_path, clock)
    assert not again.is_session(value)
    assert not again.is_token(keys.token)


def test_the_address_is_there_while_the_server_runs(keys, tmp_path):
    assert running_address(tmp_path) is None
    with keys.announced("http://127.0.0.1:7700"):
        assert running_address(tmp_path) == "http://127.0.0.1:7700"
        with (
            pytest.raises(BadInput, match=r"runs already at http://127\.0\.0\.1:7700"),
            Keys.of_book(tmp_path).announced("http://127.0.0.1:7701"),
        ):
            pass
        assert running_address(tmp_path) == "http://127.0.0.1:7700"
    assert running_address(tmp_path) is None
    assert not (tmp_path / ".dashboard" / "address").exists()


def test_the_address_of_a_server_that_was_killed_is_not_believed(keys, tmp_path):
    script = (
        "import os, signal, sys; from pathlib import Path; from warpbook.web.keys import Keys\n"
        "with Keys.of_book(Path(sys.argv[1])).announced('http://127.0.0.1:7700'):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", script, tmp_path], check=False)
    assert (tmp_path / ".dashboard" / "address").read_text() == "http://127.0.0.1:7700"
    assert running_address(tmp_path) is None
    with keys.announced("http://127.0.0.1:7701"):
        assert running_address(tmp_path) == "http://127.0.0.1:7701"
