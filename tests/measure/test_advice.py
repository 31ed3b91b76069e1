"""What to try, by what is seen."""

from dataclasses import replace

import pytest

from warpbook.core.cost import Cost
from warpbook.core.roofs import Floor
from warpbook.measure.advice import Facts, advice, dominant, share
from warpbook.measure.counters import Counters
from warpbook.measure.launch import Launch
from warpbook.measure.occupancy import Occupancy

MEGABYTE = 1_000_000
LAUNCH = Launch(
    kernel="rows<float>",
    grid=(8192, 1, 1),
    block=(256, 1, 1),
    registers=32,
    shared_bytes=0,
    static_shared_bytes=0,
    local_bytes=0,
    device_us=100.0,
    occupancy=Occupancy(1.0, 8, "threads"),
)
COUNTERS = Counters(
    kernel="rows",
    device_us=100.0,
    dram_read_bytes=268 * MEGABYTE,
    dram_written_bytes=230 * MEGABYTE,
    dram_fraction=0.6,
    local_bytes=0,
    stalls={"long_scoreboard": 0.5, "selected": 1.0},
)
FACTS = Facts(
    launches=(LAUNCH,),
    copies_us=(),
    multiprocessors=132,
    cost=Cost(268 * MEGABYTE, 268 * MEGABYTE),
    floor=Floor(124.0, "memory"),
    fraction=0.7,
)


def launched(**changes):
    return replace(FACTS, launches=(replace(LAUNCH, **changes),))


def counted(**changes):
    return replace(FACTS, counters=(replace(COUNTERS, **changes),))


def waiting(stall, **changes):
    return counted(stalls={stall: 9.0, "selected": 1.0, "wait": 0.5}, **changes)


SPILLED = replace(COUNTERS, dram_written_bytes=540 * MEGABYTE, local_bytes=900 * MEGABYTE)
TWICE = counted(dram_read_bytes=540 * MEGABYTE)
SPILLING = launched(local_bytes=656)
ONE_BLOCK = launched(grid=(1, 1, 1))
FEW_WARPS = Occupancy(0.25, 2, "registers")


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (replace(TWICE, fraction=0.97), "It reaches 97% of the floor: nothing is left"),
        (TWICE, "It moves 770 MB where 536 MB would do: hold what was read"),
        (
            replace(TWICE, launches=(LAUNCH, LAUNCH), counters=TWICE.counters * 2),
            "It moves 1.54 GB where 536 MB would do: fuse its kernels",
        ),
        (replace(FACTS, launches=(LAUNCH,) * 3), "It takes 3 steps"),
        (replace(FACTS, copies_us=(50.0,)), "It takes 2 steps"),
        (replace(FACTS, floor=Floor(2.0, "launch")), "An empty kernel sets the floor"),
        (SPILLING, "rows<float> keeps 656 bytes a thread in local memory"),
        (replace(SPILLING, counters=(SPILLED,)), "656 bytes a thread in local memory"),
        (ONE_BLOCK, "rows<float> has 1 block for 132 multiprocessors: split the work"),
        (waiting("long_scoreboard"), "while the memory is 60% busy: have more bytes on their way"),
        (
            waiting("long_scoreboard", dram_fraction=0.92),
            "wait for a memory that is 92% busy: only fewer bytes",
        ),
        (
            replace(waiting("long_scoreboard"), launches=(replace(LAUNCH, occupancy=FEW_WARPS),)),
            "60% busy, and few warps fit: use fewer registers a thread",
        ),
        (waiting("barrier"), "other warps at a barrier: use fewer barriers"),
        (waiting("short_scoreboard"), "go to shared memory less often"),
        (launched(occupancy=FEW_WARPS), "At most 25% of a multiprocessor's warps fit, limited by"),
        (launched(grid=(1200, 1, 1)), "Its 1200 blocks run in 1.14 waves"),
        (FACTS, "the counters would say what it waits for"),
        (waiting("misc"), "Nothing stands out in these figures"),
        (replace(FACTS, launches=()), "It launched no kernel"),
    ],
)
def test_the_first_thing_that_is_wasted_is_named(facts, words):
    sentence = advice(facts)
    assert words in sentence
    assert sentence.endswith(".")
    assert sentence.count(". ") == 0


def test_a_second_step_that_takes_next_to_nothing_is_not_what_to_mend():
    small = replace(LAUNCH, device_us=2.0)
    assert "steps" not in advice(replace(FACTS, launches=(LAUNCH, small)))


def test_bytes_that_are_few_in_all_are_not_counted_as_waste():
    tiny = replace(counted(dram_read_bytes=300_000, dram_written_bytes=0), cost=Cost(4000, 4000))
    assert "It moves" not in advice(tiny)


def test_the_kernel_that_takes_longest_is_the_one_looked_at():
    short = replace(LAUNCH, kernel="short", device_us=1.0, grid=(1, 1, 1))
    facts = replace(FACTS, launches=(short, LAUNCH))
    assert facts.launch is LAUNCH
    swapped = (replace(COUNTERS, device_us=9.0), replace(COUNTERS, device_us=3.0))
    assert replace(facts, counters=swapped).launch is short


def test_issuing_is_not_waiting():
    busy = replace(COUNTERS, stalls={"selected": 1.0, "long_scoreboard": 0.0})
    assert dominant(busy) is None
    mixed = replace(COUNTERS, stalls={"selected": 1.0, "barrier": 0.5, "wait": 0.5})
    assert dominant(mixed) == "barrier"
    assert share(mixed, "barrier") == 0.25
