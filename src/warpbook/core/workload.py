"""One concrete size, dtype and kind of contents of a problem."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Workload:
    """`timed_on` names the devices it is timed on; one that is timed nowhere exists to catch
    mistakes, and is run on every device. `values` and `layout` are for the problem's `inputs`
    to interpret; `extra` holds sizes that are not a tensor's (the k of a top-k)."""

    name: str
    shape: tuple[int, ...]
    dtype: str = "float32"
    values: str = "normal"
    layout: str = "contiguous"
    timed_on: tuple[str, ...] = ()
    extra: Mapping[str, int | float] = field(default_factory=dict, hash=False)

    @property
    def timed(self) -> bool:
        return bool(self.timed_on)

    def runs_on(self, device: str) -> bool:
        return not self.timed_on or device in self.timed_on
