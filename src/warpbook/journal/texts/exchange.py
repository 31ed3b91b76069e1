"""Putting a file in another's place in one step, and telling whether anybody still writes to one.

Knows paths and nothing of what is in the files. Where the system lacks a call, it says so.
"""

import errno
import fcntl
import os
import signal
from pathlib import Path

AT_FDCWD = -100
NOREPLACE, EXCHANGE = 1, 2
UNKNOWN = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM}


def swapped(one: Path, other: Path) -> bool:
    """Both names exchanged at once; False where the file system does not know how."""
    return renamed(one, other, EXCHANGE)


def placed(made: Path, target: Path) -> bool:
    """`made` becomes `target`; False, with nothing changed, where something is there already."""
    try:
        if renamed(made, target, NOREPLACE):
            return True
        os.link(made, target)
        made.unlink()
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in UNKNOWN or os.path.lexists(target):
            raise
        made.rename(target)
    return True


def renamed(one: Path, other: Path, flags: int) -> bool:
    import ctypes

    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    if call(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), flags) == 0:
        return True
    number = ctypes.get_errno()
    if number in UNKNOWN:
        return False
    raise OSError(number, os.strerror(number), str(other))


def quiet(path: Path) -> bool:
    """Whether nobody has the file open for writing, as far as a lease tells: one is given only
    then. A file system without leases never gives one."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        # Were anybody to open it meanwhile, the signal is one that does nothing by itself.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
