"""Who does the work of a call, and why."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    """`by` is a rung of the operation's ladder, torch or cuBLAS."""

    by: str
    why: str

    def __str__(self) -> str:
        return f"{self.by}: {self.why}"


NOTHING = Explanation("torch", "there is nothing to compute")
