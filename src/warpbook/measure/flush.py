"""Making the cache cold and clean, so that a timed call finds nothing of its data there.

Writes and then reads four times the cache. The reading matters: the next kernel would pay for the
dirty lines that the writing leaves (about 60 MB of them on an H200).
"""

from warpbook.measure.device import device_facts
from warpbook.measure.driver import reset_persisting

TIMES_THE_CACHE = 4


class Flusher:
    """The buffer is allocated and touched once, here."""

    def __init__(self, device: str) -> None:
        import torch

        facts = device_facts(device)
        size_bytes = min(TIMES_THE_CACHE * facts.cache_bytes, facts.memory_bytes // 4)
        self._buffer = torch.ones(size_bytes // 4, dtype=torch.float32, device=device)
        self._sum = torch.empty((), dtype=torch.float32, device=device)
        self._cuda = device == "cuda"
        self._add_up, self._wait = torch.sum, torch.cuda.synchronize

    @property
    def size_bytes(self) -> int:
        return self._buffer.nbytes

    def flush(self) -> None:
        if self._cuda:
            reset_persisting()  # lines set aside would sit out the writes
        self._buffer.fill_(1.0)
        self._add_up(self._buffer, dim=0, out=self._sum)
        if self._cuda:
            self._wait()
