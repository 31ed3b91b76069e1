import fcntl
import json
import tempfile
from dataclasses import asdict, replace

import pytest
import torch

from warpbook.core.errors import Missing
from warpbook.core.roofs import Peaks
from warpbook.measure import roofs
from warpbook.measure.device import environment
from warpbook.measure.kernel_clock import Activity
from warpbook.measure.lock import lock_path
from warpbook.measure.roofs import Measured, kept_path, read_kept, roofs_of
from warpbook.measure.roofs_cuda import fp32_precision, span_s

PEAKS = Peaks(bytes_per_s=1e12, rates={"fp32": 1e13})
SOME = Measured(2e10, 3e10, 1e10, {"fp32": 4e11}, 0.7)


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture
def measured(monkeypatch):
    """Stands in for seconds of measuring where only the keeping is tested; counts its calls."""
    calls = []

    def measure(device, progress):
        calls.append(device)
        return SOME

    monkeypatch.setattr(roofs, "measure", measure)
    return calls


def kept():
    return kept_path("cpu", environment("cpu"))


def test_this_cpu_has_plausible_roofs():
    """Bounds that only a mistake in a unit is beyond: others may have most of the machine."""
    lines = []
    found = roofs_of("cpu", progress=lines.append)
    assert 5e7 < found.copy_bytes_per_s < found.peaks.bytes_per_s
    assert 5e7 < found.read_bytes_per_s < found.peaks.bytes_per_s
    assert 5e7 < found.write_bytes_per_s < found.peaks.bytes_per_s
    assert 5e7 < found.rates["fp32"] < found.peaks.rates["fp32"]
    assert 0.05 < found.launch_us < 1000
    assert found.environment["torch"] == torch.__version__
    assert lines == ["memory bandwidth", "matrix rates", "launch cost"]


def test_roofs_are_measured_once_and_then_kept(measured):
    first = roofs_of("cpu")
    assert roofs_of("cpu") == first
    assert measured == ["cpu"]
    assert [path.name for path in kept().parent.iterdir()] == [kept().name]


def test_fresh_measures_again(measured):
    roofs_of("cpu")
    roofs_of("cpu", fresh=True)
    assert len(measured) == 2


def test_another_driver_or_torch_is_measured_for_itself():
    seen = environment("cpu")
    assert kept_path("cpu", {**seen, "torch": "9.9"}) != kept_path("cpu", seen)


def broken(**changes):
    document = {"format": roofs.FORMAT, "roofs": asdict(SOME)}
    return json.dumps({**document, **changes})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "3",
        "{}",
        broken(format=0),
        broken(roofs=None),
        broken(roofs={"copy_bytes_per_s": 1e10}),
        broken(roofs={**asdict(SOME), "rates": [1]}),
        broken(roofs={**asdict(SOME), "launch_us": "1"}),
        broken(roofs={**asdict(SOME), "launch_us": -1}),
        broken(roofs={**asdict(SOME), "read_bytes_per_s": float("nan")}),
        broken(roofs={**asdict(SOME), "read_bytes_per_s": 1e30}),
        broken(roofs={**asdict(SOME), "rates": {"fp32": 1e30}}),
    ],
)
def test_a_file_that_cannot_be_true_is_measured_again(measured, text):
    roofs_of("cpu")
    kept().write_text(text)
    assert read_kept(kept(), PEAKS) is None
    roofs_of("cpu")
    assert len(measured) == 2
    assert read_kept(kept(), PEAKS) == SOME


def test_peaks_are_never_read_from_a_file(measured):
    expected = roofs_of("cpu").peaks
    document = json.loads(kept().read_text())
    document["peaks"] = asdict(replace(expected, bytes_per_s=1.0))
    kept().write_text(json.dumps(document))
    assert roofs_of("cpu").peaks == expected
    assert "peaks" not in document["roofs"]


def test_a_cache_that_cannot_be_written_is_no_error(measured, tmp_path):
    (tmp_path / "cache").write_text("a file, not a folder")
    assert roofs_of("cpu").launch_us == SOME.launch_us


def test_a_relative_cache_folder_is_ignored(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert kept().is_relative_to(tmp_path / ".cache" / "warpbook" / "roofs")


@pytest.mark.parametrize("lock", [True, False])
def test_the_device_is_locked_while_measuring_only_if_asked(monkeypatch, lock):
    lock_path("cpu").touch()
    held = []

    def measure(device, progress):
        with open(lock_path("cpu"), "rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                held.append(False)
            except BlockingIOError:
                held.append(True)
        return SOME

    monkeypatch.setattr(roofs, "measure", measure)
    roofs_of("cpu", lock=lock)
    assert held == [lock]


def test_a_device_time_spans_all_that_began_in_the_window():
    activities = [
        Activity("flush", 0, 90),
        Activity("first", 110, 150),
        Activity("last", 140, 400),
        Activity("next flush", 500, 600),
    ]
    assert span_s(activities, 100, 450) == pytest.approx(290e-9)


def test_a_window_without_a_kernel_is_not_a_time():
    with pytest.raises(Missing, match="CUPTI"):
        span_s([Activity("flush", 0, 90)], 100, 450)


def test_the_precision_of_float32_products_is_put_back():
    matmul = torch.backends.cuda.matmul
    before = matmul.fp32_precision
    with fp32_precision("tf32"):
        assert matmul.fp32_precision == "tf32"
    assert matmul.fp32_precision == before
    with pytest.raises(ZeroDivisionError), fp32_precision("tf32"):
        raise ZeroDivisionError
    assert matmul.fp32_precision == before
    assert matmul.allow_tf32 is False


@pytest.mark.parametrize("name", ["copy", "read", "write", "empty"])
def test_the_stream_kernels_compile_for_hopper(name):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from warpbook.measure import stream_kernels

    kernel = getattr(stream_kernels, f"{name}_kernel")
    constants = {"BLOCK": 1024, "STEPS": 2}
    fixed = {(i,): constants[n] for i, n in enumerate(kernel.arg_names) if n in constants}
    signature = {n: "constexpr" if n in constants else "*fp32" for n in kernel.arg_names}
    source = ASTSource(fn=kernel, signature=signature, constexprs=fixed)
    assert triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["cubin"]


@pytest.mark.gpu
def test_a_real_gpu_has_plausible_roofs():
    found = roofs_of("cuda", fresh=True)
    peak = found.peaks.bytes_per_s
    assert 0.3 * peak < found.copy_bytes_per_s < peak
    assert 0.3 * peak < found.read_bytes_per_s < peak
    assert 0.3 * peak < found.write_bytes_per_s < peak
    assert all(rate < found.peaks.rates[unit] for unit, rate in found.rates.items())
    assert found.rates["fp16 matrix"] > 2 * found.rates["fp32"] > 0
    assert 0.1 < found.launch_us < 10


@pytest.mark.gpu
def test_the_stream_kernels_touch_every_element():
    from warpbook.measure.stream_kernels import copy_kernel, read_kernel, write_kernel

    source = torch.rand(2**14, device="cuda")
    target = torch.zeros_like(source)
    copy_kernel[(16,)](source, target, BLOCK=1024)
    assert torch.equal(source, target)
    totals = torch.zeros(8, device="cuda")
    read_kernel[(8,)](source, totals, STEPS=2, BLOCK=1024)
    torch.testing.assert_close(totals, source.view(8, -1).sum(1))
    write_kernel[(16,)](target, BLOCK=1024)
    assert torch.equal(target, torch.ones_like(target))
