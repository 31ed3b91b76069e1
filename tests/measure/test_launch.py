"""What torch's profiler recorded, as launches."""

import pytest

from warpbook.core.codec import decode, encode
from warpbook.measure.launch import Loaded, Replayed, base_name, replayed, short_name
from warpbook.measure.occupancy import Limits

HOPPER = Limits(132, 2048, 32, 65536, 233472, 1024)


def kernel(name, ts, registers=32, shared=0, grid=(8192, 1, 1), block=(256, 1, 1)):
    return {
        "ph": "X",
        "cat": "kernel",
        "name": name,
        "pid": 0,
        "tid": 7,
        "ts": ts,
        "dur": 62.4,
        "args": {
            "External id": 5,
            "queued": 0,
            "device": 0,
            "context": 1,
            "stream": 7,
            "correlation": 21,
            "registers per thread": registers,
            "shared memory": shared,
            "blocks per SM": 62.060608,
            "warps per SM": 496.484848,
            "grid": list(grid),
            "block": list(block),
            "est. achieved occupancy %": 100,
        },
    }


TRACE = {
    "schemaVersion": 1,
    "traceEvents": [
        {"ph": "M", "name": "process_name", "pid": 0, "ts": 0, "args": {"name": "python"}},
        kernel("void scale<float>(float const*, float*)", ts=1700.5, registers=40, shared=4096),
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 1690, "dur": 5},
        kernel("row_sum", ts=1600.25, block=(1024, 1, 1)),
        {"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "ts": 1500, "dur": 1.2},
    ],
}


def test_kernels_come_in_the_order_in_which_they_ran():
    seen = replayed(TRACE, {}, HOPPER)
    assert [launch.kernel for launch in seen.launches] == ["row_sum", "scale<float>"]
    assert seen.copies_us == (1.2,)
    assert seen.launches[0].block == (1024, 1, 1)
    assert seen.launches[0].blocks == 8192
    assert seen.launches[1].occupancy.limited_by == "registers"
    assert seen.launches[1].device_us == 62.4


def test_what_the_loaded_kernel_tells_is_found_by_name_and_registers():
    loaded = {
        ("scale<float>", 40): Loaded(local_bytes=64, static_shared_bytes=1024),
        ("row_sum", 255): Loaded(local_bytes=8),
    }
    row_sum, scale = replayed(TRACE, loaded, HOPPER).launches
    assert (scale.local_bytes, scale.static_shared_bytes, scale.shared_bytes) == (64, 1024, 4096)
    assert (row_sum.local_bytes, row_sum.static_shared_bytes) == (None, None)


def test_a_report_survives_its_way_through_json():
    seen = replayed(TRACE, {}, HOPPER)
    assert decode(Replayed, encode(seen)) == seen


@pytest.mark.parametrize(
    ("demangled", "short", "base"),
    [
        ("add", "add", "add"),
        ("void add<float, 4>(float const*, float*)", "add<float, 4>", "add"),
        ("add<float>(const float *, float *)", "add<float>", "add"),
        (
            "void at::native::(anonymous namespace)::softmax_warp_forward<float, (int)10>(float*)",
            "softmax_warp_forward<float, (int)10>",
            "softmax_warp_forward",
        ),
        (
            "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
            "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>)",
            "vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
            "std::array<char*, 3ul> >",
            "vectorized_elementwise_kernel",
        ),
        (
            "triton_red_fused__softmax_0",
            "triton_red_fused__softmax_0",
            "triton_red_fused__softmax_0",
        ),
    ],
)
def test_a_name_without_what_surrounds_it(demangled, short, base):
    assert short_name(demangled) == short
    assert base_name(demangled) == base
