"""A `.cu` file compiled, with no GPU, and what is told of one that cannot be."""

from textwrap import dedent

import pytest
import torch

from warpbook.core.errors import BadInput
from warpbook.kernels.cu_call import CuFunctions, refuse_mistakes, toolkit_headers
from warpbook.kernels.rung import read_cu_file
from warpbook.kernels.shelf import load_problem

PROBLEM = """
import torch

from warpbook.core.cost import Cost
from warpbook.kernels.problem import Problem
from warpbook.kernels.values import draw, named


def inputs(workload, generator):
    return draw(workload, generator), 2.0


problem = Problem(
    name="scaled",
    inputs=inputs,
    reference=lambda x, factor: x * factor,
    cost=lambda workload: Cost(1, 1),
    workloads=(named((3, 5), "float32"), named((3, 5), "float16"), named((3, 5), "bfloat16")),
    mutants={},
    sizes=("rows", "columns"),
)
"""
FIRST = "// grid: cdiv(rows * columns, 256), block: 256"
OWN = """
    #include "warp.cuh"
    template <typename T>
    __global__ void scaled(const T* x, float factor, T* y, long long rows, long long columns) {
        long long i = blockIdx.x * 256LL + threadIdx.x;
        if (i < rows * columns) y[i] = from_float<T>(to_float(x[i]) * factor);
    }
"""
TOOLKIT = """
    #include <cuda_fp16.h>
    #include <cuda_bf16.h>
    template <typename T>
    __global__ void scaled(const T* x, float factor, T* y, long long rows, long long columns) {
        long long i = blockIdx.x * 256LL + threadIdx.x;
        if (i < rows * columns) y[i] = T(float(x[i]) * factor);
    }
"""
PLAIN = """
    extern "C" __global__ void
    scaled(const float* x, float factor, float* y, long long rows, long long columns) {}
"""


@pytest.fixture
def problem(tmp_path):
    (tmp_path / "problem.py").write_text(PROBLEM)
    return load_problem(str(tmp_path))


@pytest.fixture
def check(tmp_path, problem, monkeypatch):
    """Compile a file for the H100 and the H200, with nothing kept from before."""
    pytest.importorskip("cuda.core", reason="compiling CUDA C++ needs cuda-core")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run(code, first=FIRST):
        path = tmp_path / "mine.cu"
        path.write_text(first + dedent(code))
        file = read_cu_file(path, problem.name, problem.sizes)
        refuse_mistakes(file, problem, problem.workloads, "sm_90a")
        return len(list((tmp_path / "cache").rglob("*.cubin")))

    return run


def test_a_template_is_compiled_for_each_dtype_of_the_workloads(check):
    assert check(OWN) == 3


def test_the_toolkits_types_are_another_spelling(check):
    assert toolkit_headers(), "Triton brings the toolkit's headers, if nothing else does"
    assert check(TOOLKIT) == 3


def test_a_plain_kernel_is_compiled_once(check):
    assert check(PLAIN, FIRST + ", dtype: float32") == 1


def test_a_compile_error_is_the_compilers_message_at_the_files_line(check, tmp_path):
    with pytest.raises(BadInput) as refused:
        check(OWN.replace("if (i <", "if (j <"))
    message = str(refused.value)
    assert message.startswith(f'{tmp_path}/mine.cu:6: error: identifier "j" is undefined')
    assert "if (j < rows * columns)" in message


def test_template_parameters_that_do_not_fit_are_told_at_the_kernel(check, tmp_path):
    with pytest.raises(BadInput, match=rf"{tmp_path}/mine\.cu:4: error: cannot determine"):
        check(OWN.replace("<typename T>", "<typename T, int N>"))


def test_a_kernel_with_other_parameters_than_it_is_given_is_refused(check):
    with pytest.raises(BadInput) as refused:
        check(OWN.replace("float factor, ", ""))
    assert str(refused.value).endswith(
        "mine.cu:4: scaled has 4 parameters and is given 2 inputs, 1 output, rows, columns"
    )


def test_a_launch_is_tried_on_every_workload(check):
    with pytest.raises(BadInput, match=r"grid is 0, .* where rows = 3, columns = 5"):
        check(OWN, "// grid: rows / 4, block: 32")


class Recorded(CuFunctions):
    """Stands where the GPU would: writes down a launch, and doubles the first tensor in place."""

    def _kernel(self, expression):
        def launch(grid, block, *arguments, shared):
            self.launched = (expression, grid, block, shared)
            self.given = arguments
            arguments[0].mul_(2)

        return launch

    def _refuse_too_much(self, shared):
        pass


def test_a_call_hands_over_inputs_outputs_and_sizes_in_that_order(tmp_path):
    path = tmp_path / "mine.cu"
    path.write_text("// grid: rows, block: (32, 2), shared: columns" + dedent(OWN))
    functions = Recorded(read_cu_file(path, "scaled", ("rows", "columns")), mutates=())
    x, y, z = torch.ones(5, 3).T, torch.empty(3, 5), torch.empty(3)
    functions.at((3, 5), "bfloat16")(x, True, 2.0, None, out=(y, z))
    assert functions.launched == ("scaled<bf16>", (3,), (32, 2), 5)
    contiguous, *rest = functions.given
    assert contiguous.is_contiguous()
    assert [type(number) for number in rest[:3]] == [int, float, int]
    assert rest[2] == 0, "what is left away is a null pointer"
    assert rest[3] is y
    assert rest[4] is z
    assert rest[5:] == [3, 5]
    assert x.eq(1).all()


def test_an_argument_that_is_changed_in_place_gets_its_strides_back(tmp_path):
    path = tmp_path / "mine.cu"
    path.write_text(FIRST + dedent(OWN))
    functions = Recorded(read_cu_file(path, "scaled", ("rows", "columns")), mutates=(0,))
    x = torch.ones(5, 3).T
    functions.at((3, 5), "float32")(x, 2.0)
    assert x.eq(2).all()
