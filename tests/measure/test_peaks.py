import os

import pytest

from warpbook.measure.peaks import (
    PER_CLOCK,
    UNKNOWN_BYTES_PER_S,
    cpufreq_hz,
    matrix_rates,
    memory_bytes_per_s,
    peaks_of,
)

H200_CLOCKS_PER_S = 132 * 1.98e9


def test_an_h200_has_the_peak_of_whole_memory_stacks():
    assert memory_bytes_per_s(3201e6, 6016) == pytest.approx(4.92e12, rel=1e-3)
    assert memory_bytes_per_s(3201e6, 6144) == memory_bytes_per_s(3201e6, 6016)


def test_a_card_with_plain_memory_has_the_peak_of_its_own_width():
    assert memory_bytes_per_s(10501e6, 384) == pytest.approx(1.008e12, rel=1e-3)


def test_an_unknown_memory_convicts_nobody():
    assert memory_bytes_per_s(0, 6016) == UNKNOWN_BYTES_PER_S
    assert memory_bytes_per_s(3201e6, 0) == UNKNOWN_BYTES_PER_S


def test_what_an_h200_was_seen_to_reach_is_under_its_peaks():
    seen = {
        "fp32": 50.5e12,
        "tf32 matrix": 406e12,
        "bf16 matrix": 894e12,
        "fp8 matrix": 1389e12,
    }
    peaks = matrix_rates("9.0", H200_CLOCKS_PER_S)
    assert all(0.3 * peaks[unit] < seen[unit] < peaks[unit] for unit in seen if unit != "fp32")
    assert seen["fp32"] < peaks["fp32"]


@pytest.mark.parametrize("capability", PER_CLOCK)
def test_float32_out_of_three_half_products_is_not_impossible(capability):
    peaks = matrix_rates(capability, 1e12)
    assert peaks["fp32"] > peaks["fp16 matrix"] / 3
    assert peaks["fp64"] > 2 * peaks["fp16 matrix"] / 15


def test_a_unit_the_device_lacks_is_absent():
    assert set(matrix_rates("7.0", 1e12)) == {"fp32", "fp64", "fp16 matrix"}


@pytest.mark.parametrize(("capability", "clocks"), [("6.1", 1e12), (None, 1e12), ("9.0", 0.0)])
def test_an_unknown_device_has_no_rates(capability, clocks):
    assert matrix_rates(capability, clocks) == {}


def test_the_highest_clock_of_all_cpus_counts(tmp_path):
    for cpu, khz in enumerate(["3200000", "5700000", "not a number"]):
        folder = tmp_path / f"cpu{cpu}" / "cpufreq"
        folder.mkdir(parents=True)
        (folder / "cpuinfo_max_freq").write_text(f"{khz}\n")
    assert cpufreq_hz(tmp_path) == 5.7e9
    assert cpufreq_hz(tmp_path / "absent") == 0


def test_a_cpu_is_bounded_by_what_its_cores_can_load():
    peaks = peaks_of("cpu")
    assert peaks.bytes_per_s >= os.cpu_count() * 128 * 6e9
    assert peaks.rates["fp32"] > os.cpu_count() * 64 * 6e9
    assert peaks.cache_bytes > 0


@pytest.mark.gpu
def test_the_peaks_of_a_real_gpu_are_known():
    peaks = peaks_of("cuda")
    assert 1e11 < peaks.bytes_per_s < UNKNOWN_BYTES_PER_S
    assert peaks.rates["fp16 matrix"] > peaks.rates["fp32"] > 1e12
