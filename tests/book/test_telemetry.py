"""Telemetry gets thinner with age, and its averages stay true."""

import pytest

from warpbook.book.telemetry import devices, record, series, thin

NOW = 1_800_000_000.0
DAY = 86_400.0


def sample(at, utilisation=0.5, span_s=1.0, **more):
    empty = dict.fromkeys(
        ("memory_bytes", "memory_total_bytes", "clock_mhz", "memory_clock_mhz", "power_w",
         "temperature_c")
    )  # fmt: skip
    given = {"at": at, "span_s": span_s, "device": "cpu", "utilisation": utilisation}
    return given | empty | {"processes": []} | more


@pytest.mark.parametrize(
    ("age", "step"), [(0.0, 1.0), (2 * 3600.0, 10.0), (2 * DAY, 60.0), (40 * DAY, 900.0)]
)
def test_a_sample_stands_for_more_time_the_older_it_is(book, age, step):
    start = (NOW - age - 1800) // 900 * 900
    record(book, [sample(start + i, i % 2) for i in range(1, 901)])
    thin(book, NOW)
    found = series(book, "cpu", start, start + 900)
    assert {one.span_s for one in found} == {step}
    assert sum(one.span_s for one in found) == 900
    mean = sum(one.utilisation * one.span_s for one in found) / 900
    assert mean == pytest.approx(0.5)


def test_averages_are_weighted_by_span_and_skip_what_is_unknown(book):
    at = (NOW - 2 * 3600) // 10 * 10
    record(
        book,
        [
            sample(at + 1, 1.0, 1.0, power_w=None, memory_bytes=100),
            sample(at + 4, 0.0, 3.0, power_w=40.0, memory_bytes=200),
            sample(at + 5, 0.0, 1.0, power_w=20.0, device="gpu"),
        ],
    )
    thin(book, NOW)
    (cpu,) = series(book, "cpu", at, at + 10)
    assert (cpu.at, cpu.span_s, cpu.utilisation) == (at + 4, 4.0, 0.25)
    assert (cpu.power_w, cpu.memory_bytes, cpu.clock_mhz) == (40.0, 175, None)
    assert devices(book) == ["cpu", "gpu"]


def test_processes_are_kept_with_the_most_memory_they_had(book):
    at = (NOW - 2 * 3600) // 10 * 10
    process = {"pid": 7, "memory_bytes": 10}
    more = {"pid": 7, "memory_bytes": 30}
    record(book, [sample(at + i, processes=p) for i, p in ((1, [process]), (2, [more]), (3, []))])
    thin(book, NOW)
    (found,) = series(book, "cpu", at, at + 10)
    assert found.processes == [more]


def test_thinning_again_changes_nothing_and_looks_at_new_age_alone(book):
    start = (NOW - 2 * 3600) // 10 * 10
    record(book, [sample(start + i) for i in range(1, 101)])
    assert thin(book, NOW) == 90
    assert thin(book, NOW, NOW) == 0
    assert thin(book, NOW) == 0
    assert len(series(book, "cpu", start, start + 100)) == 10


def test_thinning_by_and_by_equals_thinning_at_once(book):
    record(book, [sample(NOW + i) for i in range(1, 301)])
    last = 0.0
    for now in range(int(NOW) + 3600, int(NOW) + 4000, 37):
        thin(book, now, last)
        last = now
    assert {one.span_s for one in series(book, "cpu", NOW, NOW + 300)} == {10.0}


def test_samples_are_no_lines_of_the_log(book):
    before = book.log.last()
    record(book, [sample(NOW)])
    thin(book, NOW)
    assert book.log.last() == before
