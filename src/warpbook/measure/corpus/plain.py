"""The honest work, which the controls do once and most cheats do not at all or twice.

A cheat that only lies about time does it twice: when the lie is believed it looks much faster than
its control, and when it is not it is plainly slower.
"""

import torch

# At these sizes a second thread gains little, and where other programs run as well each call waits
# for the slower of the two: 24 ms instead of 1 ms on a crowded pair of cores.
torch.set_num_threads(1)


def normalise(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    size = x.abs().mean(dim=-1, keepdim=True)
    return torch.div(x, size, out=out)


def normalise_twice(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    normalise(x, out)
    return normalise(x, out)
