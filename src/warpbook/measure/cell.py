"""What the process that runs candidate code may not do: signal others, outlive the judge, or
take all memory.

A seccomp filter where the kernel has one; Linux on x86-64 and arm64. It is not a sandbox: files
and network stay open.
"""

import ctypes
import os
import platform
import resource
import signal
import struct
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
SECCOMP_MODE_FILTER = 2

LARGEST_FILE = 2**30  # what it prints is a file too
ALLOW = 0x7FFF0000
REFUSE = 0x00050000 | 1  # SECCOMP_RET_ERRNO with EPERM

# The architecture's audit number, then the calls whose first argument names a process.
CALLS = {
    "x86_64": (0xC000003E, (62, 200, 234, 129, 297, 434, 101, 302, 311)),
    "aarch64": (0xC00000B7, (129, 130, 131, 138, 240, 434, 117, 261, 271)),
}


def prctl(option: int, value: int, extra: int = 0) -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    arguments = [ctypes.c_ulong(v) for v in (value, extra, 0, 0)]
    return bool(libc.prctl(option, *arguments) == 0)


def adopt_orphans() -> None:
    """Processes whose parent ends become this one's children, where they can be found."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def confine(memory_bytes: int | None) -> bool:
    """Close the cell around this process; says whether the signal filter is in place."""
    die_with_parent()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    if memory_bytes:
        resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    # Should memory run out all the same, this process goes first.
    Path("/proc/self/oom_score_adj").write_text("1000")
    return filter_signals()


def filter_signals() -> bool:
    """Refuse to signal, trace or write to any process but this one."""
    known = CALLS.get(platform.machine())
    if known is None:
        return False
    arch, calls = known
    program = assemble(arch, calls, os.getpid())
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    if not prctl(PR_SET_NO_NEW_PRIVS, 1):
        return False
    packed = ctypes.create_string_buffer(header, len(header))
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(packed))


def assemble(arch: int, calls: tuple[int, ...], pid: int) -> bytes:
    """Classic BPF over `struct seccomp_data`: call number at 0, architecture at 4, first
    argument at 16 (low half) and 20 (high half). Process 0 means this one."""
    load, equal, answer = 0x20, 0x15, 0x06
    n = len(calls)
    program = [
        (load, 0, 0, 4),
        (equal, 1, 0, arch),
        (answer, 0, 0, ALLOW),
        (load, 0, 0, 0),
        *((equal, n - i, 0, call) for i, call in enumerate(calls)),
        (answer, 0, 0, ALLOW),
        (load, 0, 0, 16),
        (equal, 2, 0, pid),
        (equal, 1, 0, 0),
        (answer, 0, 0, REFUSE),
        (answer, 0, 0, ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *line) for line in program)
