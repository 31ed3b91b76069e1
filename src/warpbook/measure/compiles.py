"""Noticing compiles and autotuning inside a call, so that such a round is not timed.

Also holds Triton's interpreter to a number of programs it can get through.
"""

import sys
from typing import Any

INTERPRETER_PROGRAMS = 256


class TooManyPrograms(Exception):
    """The interpreter would take too long over this launch."""


class CompileCounter:
    """Counts Triton specialisations, autotuner trials and dynamo frames in this process."""

    def __init__(self) -> None:
        self.seen = 0

    def watch(self) -> None:
        """Call once the candidate is imported: only what it imported can compile."""
        if "triton" in sys.modules:
            from triton.runtime.autotuner import Autotuner
            from triton.runtime.jit import JITFunction

            self._wrap(JITFunction, "_do_compile")
            self._wrap(Autotuner, "_bench")

    def count(self) -> int:
        dynamo = sys.modules.get("torch._dynamo.utils")
        frames = sum(dynamo.counters["frames"].values()) if dynamo else 0
        return self.seen + int(frames)

    def _wrap(self, owner: Any, name: str) -> None:
        original = getattr(owner, name)

        def counted(*arguments: Any, **keywords: Any) -> Any:
            self.seen += 1
            return original(*arguments, **keywords)

        setattr(owner, name, counted)


def limit_programs() -> None:
    """Refuse a launch of more programs than the interpreter, at about 3 ms each, gets through."""
    if "triton" not in sys.modules:
        return
    from triton.runtime.interpreter import InterpreterBuilder

    original = InterpreterBuilder.set_grid_dim

    def limited(self: Any, nx: int, ny: int, nz: int) -> None:
        if nx * ny * nz > INTERPRETER_PROGRAMS:
            raise TooManyPrograms(
                f"{nx * ny * nz} programs are too many for Triton's interpreter "
                f"(at most {INTERPRETER_PROGRAMS})"
            )
        original(self, nx, ny, nz)

    InterpreterBuilder.set_grid_dim = limited
