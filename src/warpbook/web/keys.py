"""What lets somebody in: the book's token, the cookies of browsers, one-time codes.

Kept in `.dashboard` of the book's folder, for its owner alone: the token of programs, the secret
that signs cookies (so that browsers stay signed in when the server starts again), and the address
of the server that runs now. Codes live in memory, as hashes. Deleting the folder signs all out.
Knows nothing of requests.
"""

import fcntl
import hashlib
import hmac
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from warpbook.core.errors import BadInput, Missing

FOLDER = ".dashboard"
TOKEN, SECRET, ADDRESS = "token", "secret", "address"
BYTES = 32
CODE_S = 15 * 60.0
SESSION_S = 30 * 24 * 3600.0
MOST_CODES = 1000


@dataclass(frozen=True)
class Keys:
    """`clock` gives seconds since the epoch."""

    folder: Path
    token: str
    secret: bytes
    clock: Callable[[], float] = time.time
    _codes: dict[str, float] = field(default_factory=dict)  # hashes of codes, and when they end

    @classmethod
    def of_book(cls, folder: Path, clock: Callable[[], float] = time.time) -> "Keys":
        """Those of the book in this folder, made at the first call."""
        place = folder / FOLDER
        try:
            place.mkdir(mode=0o700, exist_ok=True)
            refuse_shared(place)
            token, secret = (kept(place / name) for name in (TOKEN, SECRET))
        except OSError as error:
            raise Missing(
                f"{place}: the dashboard's keys cannot be kept there: {error.strerror}"
            ) from None
        return cls(place, token, secret.encode(), clock)

    def is_token(self, text: str) -> bool:
        return same(text, self.token)

    def make_code(self) -> str:
        """Good for one entry, within 15 minutes."""
        now = self.clock()
        for digest, end in [*self._codes.items()]:
            if end <= now or len(self._codes) >= MOST_CODES:
                del self._codes[digest]
        code = secrets.token_urlsafe(BYTES)
        self._codes[hashed(code)] = now + CODE_S
        return code

    def spend_code(self, code: str) -> bool:
        """Whether it was good; from here on it is not."""
        return self._codes.pop(hashed(code), 0.0) > self.clock()

    def make_session(self) -> str:
        """A cookie's value: when it ends, a random part, and the signature of both."""
        said = f"{int(self.clock() + SESSION_S)}.{secrets.token_urlsafe(16)}"
        return f"{said}.{self._signature(said)}"

    def is_session(self, value: str) -> bool:
        said, _, signature = value.rpartition(".")
        if not same(signature, self._signature(said)):
            return False
        return int(said.partition(".")[0]) > self.clock()

    def _signature(self, said: str) -> str:
        made = hmac.new(self.secret, said.encode(errors="replace"), hashlib.sha256)
        return made.hexdigest()

    @contextmanager
    def announced(self, address: str) -> Iterator[None]:
        """While inside, `running_address` tells others of this server. One server a book."""
        path = self.folder / ADDRESS
        descriptor = hold(path)
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, address.encode(), 0)
            yield
        finally:
            path.unlink(missing_ok=True)
            os.close(descriptor)


def hold(path: Path) -> int:
    """The file, open and locked for as long as it is. Somebody who only looks has the lock for a
    moment, so it is tried for a while."""
    for pause in (0.0, 0.1, 0.2, 0.4):
        time.sleep(pause)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        if locked(descriptor) and is_at(path, descriptor):
            return descriptor
        address = read(descriptor)
        os.close(descriptor)
    raise BadInput(
        f"a dashboard of this book runs already at {address}; for a link to it: warpbook link"
    )


def is_at(path: Path, descriptor: int) -> bool:
    """Whether it is still the file of that name: one that ended removes it."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def running_address(book: Path) -> str | None:
    """Where the dashboard of this book is. None where none runs, also if one was killed: its lock
    is free then, and whoever listens at that address by now is not to see the token."""
    try:
        descriptor = os.open(book / FOLDER / ADDRESS, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        return None if locked(descriptor) else read(descriptor) or None
    finally:
        os.close(descriptor)


def locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def read(descriptor: int) -> str:
    return os.pread(descriptor, 1000, 0).decode(errors="replace")


def refuse_shared(folder: Path) -> None:
    """A folder that somebody else made, or may write to, keeps no secret."""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise BadInput(f"{folder} is no folder of yours; remove it, and start again")
    if stat.S_IMODE(found.st_mode) & 0o077:
        folder.chmod(0o700)


def kept(path: Path) -> str:
    """The secret in this file, drawn if there is none: whole or absent, and the same for two that
    ask at once."""
    for _ in range(2):
        try:
            text = path.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            draw(path)
            continue
        except UnicodeDecodeError:
            text = ""
        if len(text) < BYTES:
            raise BadInput(f"{path}: too short for a key; remove it, and all sign in again")
        path.chmod(0o600)
        return text
    raise Missing(f"{path}: cannot be kept")


def draw(path: Path) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(BYTES))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(name, path)
        except FileExistsError:
            return
    finally:
        os.unlink(name)


def hashed(code: str) -> str:
    return hashlib.sha256(code.encode(errors="replace")).hexdigest()


def same(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode(errors="replace"), known.encode())
