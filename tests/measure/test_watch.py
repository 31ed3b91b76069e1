import os
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import replace

import pytest

from warpbook.measure.watch import (
    CpuReading,
    GpuReading,
    Process,
    Watch,
    assess,
    foreign_processes,
    own_tree,
    process_ticks,
)

# An H200 at its full clocks.
CALM = GpuReading(
    sm_clock_mhz=1980,
    mem_clock_mhz=3201,
    reasons=0,
    temperature_c=41,
    power_w=212.5,
    foreign=(),
)
QUIET = CpuReading(seconds=1.0, other_share=0.02, own_share=0.6, steal_share=0.0)
SPIN = "import sys; print(flush=True)\nwhile True: pass"


@contextmanager
def busy_process():
    with subprocess.Popen([sys.executable, "-c", SPIN], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield process
        process.kill()


def work(process, ticks):
    """Wait until it has been on a core for so many ticks more, however long that takes."""
    until = process_ticks(process.pid) + ticks
    while process_ticks(process.pid) < until:
        time.sleep(0.05)


def test_a_calm_gpu_is_fit_to_measure():
    invalid, seen = assess([CALM, replace(CALM, sm_clock_mhz=1940, temperature_c=44)])
    assert invalid is None
    assert seen["sm_clock_mhz"] == 1960
    assert seen["mem_clock_mhz"] == 3201
    assert seen["temperature_c"] == 44
    assert seen["power_w"] == 212.5
    assert seen["power_capped"] is False
    assert seen["other_processes"] == []


@pytest.mark.parametrize(
    ("bit", "name"),
    [
        (0x08, "hardware slowdown"),
        (0x20, "software thermal slowdown"),
        (0x40, "hardware thermal slowdown"),
        (0x80, "hardware power brake"),
    ],
)
def test_a_slowdown_seen_once_makes_the_measurement_invalid(bit, name):
    invalid, seen = assess([CALM, replace(CALM, reasons=bit | 0x01), CALM])
    assert invalid == f"the GPU was slowed down: {name}"
    assert seen["slowdowns"] == [name]


def test_a_software_power_cap_is_recorded_with_the_clock_and_is_not_invalid():
    invalid, seen = assess([CALM, replace(CALM, reasons=0x04, sm_clock_mhz=1470)])
    assert invalid is None
    assert seen["power_capped"] is True
    assert seen["sm_clock_mhz"] == 1725


@pytest.mark.parametrize("reasons", [0x01, 0x02, 0x10, 0x100])
def test_idle_and_chosen_clocks_are_not_slowdowns(reasons):
    assert assess([replace(CALM, reasons=reasons)]).invalid is None


def test_another_process_on_the_gpu_makes_the_measurement_invalid():
    invalid, _ = assess([CALM, replace(CALM, foreign=(Process(4242, "python3"),))])
    assert invalid == "another process uses the GPU: python3 (4242)"


def test_a_process_that_proc_does_not_show_counts_only_when_it_stays():
    unseen = replace(CALM, foreign=(Process(4242, None),))
    assert assess([CALM, unseen]).invalid is None
    assert assess([unseen, unseen]).invalid == "another process uses the GPU: unseen (4242)"


def test_a_hidden_process_list_is_said_and_is_not_invalid():
    invalid, seen = assess([replace(CALM, foreign=None)])
    assert invalid is None
    assert seen["other_processes"].startswith("not watched: ")


def test_a_slowdown_counts_even_where_processes_are_hidden():
    assert assess([replace(CALM, foreign=None, reasons=0x40)]).invalid


def test_what_a_gpu_does_not_tell_is_left_open():
    invalid, seen = assess([GpuReading(None, None, None, None, None, ())])
    assert invalid is None
    assert seen["sm_clock_mhz"] is None
    assert seen["temperature_c"] is None


def test_noise_on_the_cpu_is_recorded_and_is_not_invalid():
    invalid, seen = assess([QUIET, replace(QUIET, other_share=0.44, steal_share=0.1)])
    assert invalid is None
    assert seen["other_share"] == 0.23
    assert seen["steal_share"] == 0.05
    assert seen["own_share"] == 0.6


def test_a_crowded_cpu_makes_the_measurement_invalid():
    invalid, _ = assess([replace(QUIET, other_share=0.9)])
    assert invalid == "other processes used 90% of the CPU"
    assert assess([replace(QUIET, other_share=0.5)]).invalid is None


def test_the_whole_window_counts_not_its_worst_moment():
    assert assess([replace(QUIET, seconds=9.0), replace(QUIET, other_share=1.0)]).invalid is None


def test_a_window_too_short_to_tell_is_not_invalid():
    invalid, seen = assess([replace(QUIET, seconds=0.02, other_share=1.0)])
    assert invalid is None
    assert seen["watch"].startswith("not watched: ")


def test_no_reading_is_said_and_is_not_invalid():
    assert assess([]) == (None, {"watch": "not watched: no reading was taken"})


def test_our_own_processes_on_the_gpu_are_not_foreign():
    assert foreign_processes({10, 11}, {10, 11, 12}, we_use_it=True) == ()


def test_a_process_that_is_not_ours_is_named():
    (process,) = foreign_processes({10, os.getppid()}, {10}, we_use_it=True)
    assert process.pid == os.getppid()
    assert process.name


def test_a_list_without_us_while_we_use_the_gpu_is_of_another_namespace():
    assert foreign_processes({99}, {10}, we_use_it=True) is None
    assert foreign_processes(set(), {10}, we_use_it=True) is None


def test_a_list_without_us_is_right_where_we_do_not_use_the_gpu():
    assert foreign_processes({os.getppid()}, {10}, we_use_it=False) != ()
    assert foreign_processes(set(), {10}, we_use_it=False) == ()


def test_our_tree_is_this_process_and_its_descendants():
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SPIN!r}])"
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        tree = own_tree()
        grandchildren = own_tree(child.pid) - {child.pid}
        for pid in grandchildren:
            os.kill(pid, 9)
    assert {os.getpid(), child.pid} | grandchildren <= tree
    assert len(grandchildren) == 1
    assert os.getppid() not in tree


def test_a_descendants_time_is_ours_and_any_other_process_time_is_not():
    with busy_process() as spinning:
        as_ours, as_foreign = Watch("cpu"), Watch("cpu", own=lambda: {os.getpid()})
        as_ours.start()
        as_foreign.start()
        work(spinning, ticks=100)
        ours, foreign = as_ours.stop().summary, as_foreign.stop().summary
    assert core_seconds(ours, "own_share") > 0.5
    assert core_seconds(foreign, "own_share") < 0.5
    assert core_seconds(foreign, "other_share") > 0.5


def core_seconds(seen, share):
    return seen[share] * seen["seconds"] * len(os.sched_getaffinity(0))


def test_the_time_of_a_child_that_ended_stays_ours():
    before = process_ticks(os.getpid())
    with busy_process() as spinning:
        work(spinning, ticks=20)
    assert process_ticks(os.getpid()) - before >= 20


def test_a_gpu_that_cannot_be_asked_is_not_watched_and_not_invalid(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-00000000-not-a-gpu")
    watch = Watch("cuda")
    watch.start()
    watch.sample()
    invalid, seen = watch.stop()
    assert invalid is None
    assert seen["watch"].startswith("not watched: ")


@pytest.mark.gpu
def test_a_real_gpu_is_read():
    import torch

    torch.ones(1, device="cuda")
    watch = Watch("cuda")
    watch.start()
    for _ in range(20):
        torch.rand(2048, 2048, device="cuda").square_()
    torch.cuda.synchronize()
    invalid, seen = watch.stop()
    assert invalid is None
    assert seen["readings"] == 2
    assert 100 < seen["sm_clock_mhz"] < 5000
    assert 100 < seen["mem_clock_mhz"] < 20000
    assert 10 < seen["temperature_c"] < 100
    assert seen["power_w"] > 5
