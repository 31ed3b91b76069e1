"""Compiling needs NVRTC and no GPU; launching is tested where there is one."""

import pytest
import torch

from warpbook.core.errors import BadInput
from warpbook.kernels import cuda, includes
from warpbook.kernels.cuda import cache_folder, cdiv, compiled, keep, recall, spelled

TWICE = """#include "warp.cuh"

template <typename T, int STEP>
__global__ void twice(const T* x, T* y, long long length) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < length) y[i] = from_float<T>(STEP * to_float(x[i]));
}
"""


@pytest.fixture
def source(tmp_path):
    file = tmp_path / "twice.cu"
    file.write_text(TWICE)
    return file


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def compiles(monkeypatch):
    """The expressions that the compiler was asked for."""
    asked = []
    compile_cubin = cuda.compile_cubin

    def counted(file, source, expression, *others):
        asked.append(expression)
        return compile_cubin(file, source, expression, *others)

    monkeypatch.setattr(cuda, "compile_cubin", counted)
    return asked


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ((), "add"),
        ((torch.float32,), "add<float>"),
        ((torch.float16, 4), "add<half16, 4>"),
        ((torch.bfloat16, 8, True, False), "add<bf16, 8, true, false>"),
        ((1, -1), "add<1, -1>"),
    ],
)
def test_template_parameters_are_spelled_as_in_cpp(parameters, words):
    assert spelled("add", parameters) == words


@pytest.mark.parametrize(
    ("a", "b", "parts"), [(1, 256, 1), (256, 256, 1), (257, 256, 2), (0, 4, 0)]
)
def test_the_parts_of_a_division_cover_all_of_it(a, b, parts):
    assert cdiv(a, b) == parts


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("dtype", ["float", "half16", "bf16"])
def test_a_template_compiles_to_a_cubin_that_has_its_symbol(source, arch, dtype):
    symbol, cubin = compiled(source, f"twice<{dtype}, 2>", arch)
    assert cubin.startswith(b"\x7fELF")
    assert symbol.encode() in cubin
    assert "twice" in symbol


def test_a_mistake_is_reported_at_its_line_of_the_file(source):
    source.write_text(TWICE.replace("STEP *", "STEPS *"))
    with pytest.raises(BadInput) as error:
        compiled(source, "twice<float, 2>", "sm_90a")
    assert f"{source}:6: error: identifier" in str(error.value)
    assert '"STEPS" is undefined' in str(error.value)


def test_a_mistake_in_a_header_is_reported_there(source, tmp_path):
    (tmp_path / "more.cuh").write_text("\n#error not yet\n")
    source.write_text('#include "more.cuh"\n' + TWICE)
    with pytest.raises(BadInput, match=r"more\.cuh:2: .*not yet"):
        compiled(source, "twice<float, 2>", "sm_90a", (tmp_path,))


def test_the_same_source_is_compiled_once(source, compiles):
    first = compiled(source, "twice<float, 2>", "sm_90a")
    assert compiled(source, "twice<float, 2>", "sm_90a") == first
    assert compiles == ["twice<float, 2>"]


@pytest.mark.parametrize("what", ["source", "expression", "architecture", "header"])
def test_whatever_changes_the_code_compiles_again(source, compiles, what, tmp_path, monkeypatch):
    include = tmp_path / "include"
    include.mkdir()
    (include / "warp.cuh").write_text((includes.FOLDERS[0] / "warp.cuh").read_text())
    monkeypatch.setattr(includes, "FOLDERS", (include,))
    monkeypatch.setattr(cuda, "FOLDERS", (include,))
    expression, arch = "twice<float, 2>", "sm_90a"
    compiled(source, expression, arch)
    match what:
        case "source":
            source.write_text(TWICE + "\n")
        case "expression":
            expression = "twice<float, 4>"
        case "architecture":
            arch = "sm_80"
        case "header":
            header = include / "warp.cuh"
            header.write_text(header.read_text() + "\n")
    compiled(source, expression, arch)
    assert len(compiles) == 2


@pytest.mark.parametrize(
    "damage", [lambda b: b"", lambda b: b[:-1], lambda b: b[:40] + b"x" + b[41:]]
)
def test_a_damaged_cache_is_compiled_again_and_mended(source, compiles, damage):
    first = compiled(source, "twice<float, 2>", "sm_90a")
    (kept,) = cache_folder().iterdir()
    kept.write_bytes(damage(kept.read_bytes()))
    assert compiled(source, "twice<float, 2>", "sm_90a") == first
    assert compiled(source, "twice<float, 2>", "sm_90a") == first
    assert len(compiles) == 2


def test_a_cache_that_cannot_be_written_is_done_without(source, compiles, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    first = compiled(source, "twice<float, 2>", "sm_90a")
    assert compiled(source, "twice<float, 2>", "sm_90a") == first
    assert len(compiles) == 2


def test_what_is_kept_comes_back_and_leaves_nothing_else_behind(tmp_path):
    path = tmp_path / "folder" / "one.cubin"
    assert recall(path) is None
    keep(path, b"symbol\0cubin")
    assert recall(path) == b"symbol\0cubin"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_kernel_is_launched_on_torchs_stream(source, dtype):
    x = torch.randn(1000, device="cuda", dtype=dtype)
    y = torch.empty_like(x)
    twice = cuda.kernel(str(source), "twice", dtype, 2)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.cuda._sleep(10_000_000)
        x.mul_(3)
        twice(cdiv(1000, 128), 128, x, y, 1000)
    side.synchronize()
    assert torch.equal(y, 2 * x)


@pytest.mark.gpu
def test_a_launch_that_the_driver_refuses_says_so(source):
    x = torch.zeros(8, device="cuda")
    twice = cuda.kernel(str(source), "twice", torch.float32, 2)
    with pytest.raises(RuntimeError, match="the CUDA driver answered 1: invalid argument"):
        twice(1, 2048, x, x, 8)
