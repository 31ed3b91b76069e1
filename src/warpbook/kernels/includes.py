"""What a CUDA C++ file includes of Warpbook's own: its headers, and the files of other rungs.

Reads text only; what is not found here is the compiler's to find or to complain about.
"""

import re
from pathlib import Path

KERNELS = Path(__file__).resolve().parent
FOLDERS = (KERNELS / "include", KERNELS)
NAMED = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def included(source: bytes) -> list[Path]:
    """Every file that the text includes, by way of others too, each once and in one order."""
    found: list[Path] = []
    texts = [source]
    while texts:
        for name in NAMED.findall(texts.pop()):
            paths = (folder / name.decode(errors="replace") for folder in FOLDERS)
            path = next((path for path in paths if path.is_file()), None)
            if path and path not in found:
                found.append(path)
                texts.append(path.read_bytes())
    return sorted(found)
