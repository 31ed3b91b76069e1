"""How a launch is handed to the driver."""

import ctypes
import struct
import sys
import threading
from types import SimpleNamespace

import pytest
import torch

from warpbook.core.errors import Missing
from warpbook.kernels import cuda
from warpbook.kernels.cuda import ARGUMENTS_AT, CONFIG, compiled

SCALE = """
#include "warp.cuh"
template <typename T>
__global__ void scale(const T* x, T* y, long long length, float by) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < length) y[i] = from_float<T>(to_float(x[i]) * by);
}
"""


def test_a_launch_is_packed_as_the_driver_reads_it():
    driver = pytest.importorskip("cuda.bindings.driver")
    config = driver.CUlaunchConfig()
    sizes = ("gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ")
    for number, name in enumerate((*sizes, "sharedMemBytes"), start=1):
        setattr(config, name, number)
    config.hStream = driver.CUstream(0x123456789A)
    here = struct.pack(CONFIG, 1, 2, 3, 4, 5, 6, 7, 0x123456789A, 0, 0, 20)
    assert len(here) == ARGUMENTS_AT
    used = struct.calcsize("7IqqI")
    assert here[:used] == ctypes.string_at(config.getPtr(), used)


def test_without_cuda_core_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "cuda.core", None)
    (tmp_path / "scale.cu").write_text(SCALE)
    with pytest.raises(Missing, match=r"pip install 'warpbook\[cuda\]'"):
        compiled(tmp_path / "scale.cu", "scale<float>", "sm_90a")


@pytest.mark.gpu
def test_threads_launch_at_once_each_on_its_own_stream(tmp_path):
    from warpbook.kernels.cuda import kernel

    (tmp_path / "scale.cu").write_text(SCALE)
    scale = kernel(str(tmp_path / "scale.cu"), "scale", torch.float32)
    wrong = []

    def work(by):
        with torch.cuda.stream(torch.cuda.Stream()):
            x = torch.arange(1000, dtype=torch.float32, device="cuda")
            y = torch.empty_like(x)
            for _ in range(500):
                y.zero_()
                scale(4, 256, x, y, 1000, float(by))
                if not torch.equal(y, x * by):
                    wrong.append(by)

    threads = [threading.Thread(target=work, args=(by,)) for by in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.gpu
def test_a_launch_the_driver_refuses_says_why(tmp_path):
    from warpbook.kernels.cuda import kernel

    (tmp_path / "scale.cu").write_text(SCALE)
    x = torch.ones(1, device="cuda")
    with pytest.raises(RuntimeError, match="the CUDA driver answered 1: invalid argument"):
        kernel(str(tmp_path / "scale.cu"), "scale", torch.float32)(1, 4096, x, x, 1, 2.0)


def test_a_driver_that_does_not_say_where_arguments_begin_has_them_at_the_start(monkeypatch):
    monkeypatch.setattr(cuda, "driver", lambda: SimpleNamespace())
    assert not cuda.takes_tensor_maps()
    assert cuda.first_argument(ctypes.c_void_p(1)) == 0


def test_arguments_begin_where_the_driver_says(monkeypatch):
    def ask(handle, index, offset, size):
        offset._obj.value = 48
        return 0

    monkeypatch.setattr(cuda, "driver", lambda: SimpleNamespace(cuKernelGetParamInfo=ask))
    assert cuda.takes_tensor_maps()
    assert cuda.first_argument(ctypes.c_void_p(1)) == 48
