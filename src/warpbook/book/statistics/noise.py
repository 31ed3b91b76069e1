"""How much a run strays: the spread between runs of A against A in fresh processes.

Knows nothing of hypotheses. Whoever asks has picked the runs of one device and workload.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

# With fewer the spread is too poorly known to lean on: of 8 its own error is a quarter.
ENOUGH = 8


@dataclass(frozen=True)
class Noise:
    sigma: float  # root mean square about zero, which is the true effect of A against A
    runs: int

    @property
    def enough(self) -> bool:
        return self.runs >= ENOUGH

    @property
    def basis(self) -> str:
        """What an e-value rests on, as people read it."""
        if self.enough:
            return f"noise of {self.runs} A-against-A runs"
        return f"t-based: {self.runs} of {ENOUGH} A-against-A runs"


NONE_YET = Noise(0.0, 0)


def noise_of(gains: Sequence[float]) -> Noise:
    if not gains:
        return NONE_YET
    return Noise(math.sqrt(sum(gain * gain for gain in gains) / len(gains)), len(gains))
