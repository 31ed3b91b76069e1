"""The sampler reads this machine, and there is one of it a book."""

import os
import time

import pytest

from warpbook.book.telemetry import devices, series
from warpbook.lab import telemetry
from warpbook.lab.telemetry import CpuReader, Sampler, power


def test_the_cpu_says_what_it_does(wait_for, monkeypatch):
    monkeypatch.setattr(telemetry, "LISTED", 10**6)  # others may be busier
    reader = CpuReader()

    def busy():
        until = time.process_time() + 0.1  # many of the kernel's ticks
        while time.process_time() < until:
            sum(range(1000))
        (sample,) = reader()
        return sample if any(p["pid"] == os.getpid() for p in sample["processes"]) else None

    sample = wait_for(busy)
    assert 0 < sample["utilisation"] <= 1
    assert 0 < sample["memory_bytes"] < sample["memory_total_bytes"]
    (own,) = [p for p in sample["processes"] if p["pid"] == os.getpid()]
    assert own["memory_bytes"] > 1 << 20


@pytest.mark.parametrize(
    ("before", "after", "watts"), [(1e6, 3e6, 1.0), (3e6, 1e6, None), (None, 1e6, None)]
)
def test_power_from_a_counter_that_may_start_over(before, after, watts):
    assert power(before, after, 2.0) == watts


def test_one_sampler_a_book_until_it_ends(book, monkeypatch, wait_for):
    monkeypatch.setattr(telemetry, "EVERY_S", 0.02)
    monkeypatch.setattr(telemetry, "WRITE_S", 0.1)
    monkeypatch.setattr(telemetry, "TRY_S", 0.02)
    (book.folder / "workers").mkdir()
    start = time.time()
    first, second = Sampler(book), Sampler(book)
    first.start()
    wait_for(lambda: devices(book))
    second.start()
    (device,) = devices(book)
    first.end()
    written = len(series(book, device, start, time.time()))
    wait_for(lambda: len(series(book, device, start, time.time())) > written)
    second.end()
    times = [sample.at for sample in series(book, device, start, time.time())]
    assert len(times) == len(set(times))
