import time

import numpy
import pytest

from warpbook.measure import flush
from warpbook.measure.device import device_facts
from warpbook.measure.flush import TIMES_THE_CACHE, Flusher


@pytest.fixture(scope="module")
def flusher():
    """As it is for users."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "TIMES_THE_CACHE", TIMES_THE_CACHE)
        yield Flusher("cpu")


def test_the_buffer_is_four_times_the_cache(flusher):
    facts = device_facts("cpu")
    wanted = min(4 * facts.cache_bytes, facts.memory_bytes // 4)
    assert flusher.size_bytes == pytest.approx(wanted, abs=8)


def test_a_flush_makes_the_next_read_slower(flusher):
    # Half a megabyte, which a core's own cache holds: eight times slower cold. Read by one thread,
    # since a second would wait for its turn on a busy machine.
    data = numpy.ones(2**16)

    def read_s():
        begin = time.perf_counter()
        data.sum()
        return time.perf_counter() - begin

    warm, cold = [], []
    for _ in range(4):
        flusher.flush()
        cold.append(read_s())
        warm.append(min(read_s() for _ in range(5)))
    assert min(cold) > 2 * min(warm)
