"""Programs of the CUDA toolkit: where they are, and running one with an end to its time.

Knows nothing of what they print.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from warpbook.core.steps import without_steps

PLACES = ("/usr/local/cuda/bin", "/opt/nvidia/nsight-compute/*", "/usr/local/cuda-*/bin")


@dataclass(frozen=True)
class Ran:
    """All that was printed, on either stream; `status` is None where its time was up."""

    output: str
    status: int | None


def find_tool(name: str) -> str | None:
    """On the PATH, in $CUDA_HOME, or where the toolkit is usually put; the newest of several."""
    found = shutil.which(name)
    if found:
        return found
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    for place in (*([f"{home}/bin"] if home else []), *PLACES):
        for folder in sorted(Path("/").glob(place.lstrip("/")), reverse=True):
            if os.access(folder / name, os.X_OK) and (folder / name).is_file():
                return str(folder / name)
    return None


def run_tool(command: Sequence[str], environment: Mapping[str, str], limit_s: float) -> Ran:
    """In a session of its own, which is ended as a whole: these tools start others."""
    process = subprocess.Popen(
        command,
        env=without_steps(os.environ) | dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=limit_s)
        return Ran(output, process.returncode)
    except subprocess.TimeoutExpired:
        end(process)
        return Ran(process.communicate()[0], None)
    except BaseException:
        end(process)
        raise


def end(process: "subprocess.Popen[str]") -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
