"""What stands in the place of a kernel, and launches nothing."""

import torch


class Recorded:
    """What a kernel is launched with, straight or by the rung."""

    def __init__(self, *codes):
        self.launches, self.codes = [], codes

    def __call__(self, grid, block, *arguments, shared=0):
        values = [a.data_ptr() if isinstance(a, torch.Tensor) else a or 0 for a in arguments]
        self.launches.append((grid, block, shared, values))

    def takes(self, codes):
        assert codes in self.codes
        return self

    def ready(self, threads, shared=0):
        def go(device, blocks, *values):
            self.launches.append((blocks, threads, shared, list(values)))

        return go
