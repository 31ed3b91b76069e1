"""The record of one judgement or comparison: what was asked, on what, and what came out.

Holds all that is needed to run it again. Knows nothing of files.
"""

from dataclasses import dataclass

from warpbook.core.comparison import Comparison
from warpbook.core.judgement import Judgement
from warpbook.core.roofs import Roofs


@dataclass(frozen=True)
class Source:
    """The code of one arm. A shipped rung is known by its name and hash; for a file of the user's
    own the receipt carries the text: of the Python file, of the `.cu`, or of the pair."""

    rung: str
    sha256: str
    text: str | None = None
    cuda: str | None = None

    @property
    def shipped(self) -> bool:
        return self.text is None and self.cuda is None


@dataclass(frozen=True)
class Request:
    """What was asked. `problem` is a name, or the folder of a problem of the user's own;
    `workloads` is None for all of them."""

    problem: str
    problem_sha256: str
    sources: tuple[Source, ...]
    workloads: tuple[str, ...] | None
    device: str
    warm: bool
    limit_s: float


@dataclass(frozen=True)
class Receipt:
    """Exactly one of `judgement` and `comparison` is there; either holds its samples, checks,
    clocks and environment. `roofs` are those its floors came from. `created` is UTC."""

    created: str
    request: Request
    judgement: Judgement | None
    comparison: Comparison | None
    roofs: Roofs | None

    def __post_init__(self) -> None:
        if (self.judgement is None) == (self.comparison is None):
            raise ValueError("a receipt is of one judgement or of one comparison")

    @property
    def kind(self) -> str:
        return "judgement" if self.judgement else "comparison"
