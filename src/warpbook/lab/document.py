"""What a reading verb of the command line says, as its JSON document, from a child process.

The lab reaches problems and times this way: what loads them may import torch.
"""

import json
import subprocess
import sys
from typing import Any

from warpbook.core.errors import BadInput, Missing
from warpbook.lab.command_line import WARPBOOK

SAID = "warpbook: "


def document_of(verb: str, *arguments: str) -> Any:
    """Its warnings go to stderr here as well; its error is raised here."""
    ended = subprocess.run(
        [*WARPBOOK, verb, *arguments, "--json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    said = ended.stderr.strip()
    if ended.returncode:
        error = Missing if ended.returncode == Missing.exit_status else BadInput
        raise error(said.removeprefix(SAID) or f"warpbook {verb} ended with {ended.returncode}")
    if said:
        print(said, file=sys.stderr)
    return json.loads(ended.stdout)
