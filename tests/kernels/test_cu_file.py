"""What a `.cu` file says of itself: how it is launched, for which dtypes, and what is refused."""

from textwrap import dedent

import pytest

from warpbook.core.errors import BadInput
from warpbook.kernels.cu_file import Launch, parse_cu_file
from warpbook.kernels.rung import read_rung

SIZES = ("rows", "columns")
TEMPLATE = """
    #include "warp.cuh"
    template <typename T>
    __global__ void softmax(const T* x, T* y, long long rows, long long columns) {}
"""


def parsed(tmp_path, first, code=TEMPLATE, sizes=SIZES):
    return parse_cu_file(tmp_path / "mine.cu", first + dedent(code), "softmax", sizes)


@pytest.mark.parametrize(
    ("line", "launch"),
    [
        ("// grid: rows, block: 256", Launch((7,), (256,), 0)),
        ("//grid:rows,block:256,shared:4*columns", Launch((7,), (256,), 4000)),
        ("// shared: 8, block: (32, 4, 2), grid: (1, rows)", Launch((1, 7), (32, 4, 2), 8)),
        ("// grid: cdiv(columns, 256), block: (256)", Launch((4,), (256,), 0)),
        ("// grid: columns / 256 + rows % 4 - 1, block: 1", Launch((5,), (1,), 0)),
        ("// grid: (columns + 255) // 256, block: 1", Launch((4,), (1,), 0)),
        ("// grid: min(rows, 3) * max(1, 2), block: 1", Launch((6,), (1,), 0)),
    ],
)
def test_the_first_line_gives_the_launch_for_a_shape(tmp_path, line, launch):
    assert parsed(tmp_path, line).launch((7, 1000)) == launch


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("", "no grid and block"),
        ('#include "warp.cuh"', "no grid and block"),
        ("// softmax", "no grid and block"),
        ("// grid: rows", "no block"),
        ("// block: rows", "no grid"),
        ("// grid: rows, 2, block: 256", "cannot be read"),
        ("// grid: 1} | {block: 2", "cannot be read"),
        ("// grid: 1, block: 1, speed: 9", "'speed' is not one of grid, block, shared and dtype"),
        ("// grid: 1, block: 1, **rows", "'**' is not one of"),
        ("// grid: 1, block: 1, block: 2", "block is there twice"),
        ("// grid: cols, block: 1", "grid: no size 'cols'; the problem's sizes are rows, columns"),
        ("// grid: 1.5, block: 1", "grid: '1.5' is not an integer"),
        ("// grid: True, block: 1", "grid: 'True' is not an integer"),
        ("// grid: rows ** 2, block: 1", "grid: 'rows ** 2' is not"),
        ("// grid: print(1), block: 1", "grid: 'print(1)' is not"),
        ("// grid: rows.real, block: 1", "grid: 'rows.real' is not"),
        ("// grid: cdiv(rows), block: 1", "cdiv takes two numbers"),
        ("// grid: min(*rows, 1), block: 1", "'*rows' is not"),
        ("// grid: (1, 1, 1, 1), block: 1", "grid has 4 numbers; 1 to 3"),
        ("// grid: (), block: 1", "grid has 0 numbers"),
        ("// grid: 1, block: 1, shared: (1, 2)", "shared has 2 numbers; 1 to 1"),
        ("// grid: 1, block: 1, dtype: float64", "no dtype 'float64'"),
        ("// grid: 1, block: 1 " + "+ 1" * 500, "more than 400 characters"),
    ],
)
def test_a_first_line_that_is_missing_or_bad_is_refused_with_its_place(tmp_path, line, complaint):
    with pytest.raises(BadInput) as refused:
        parsed(tmp_path, line)
    assert str(refused.value).startswith(f"{tmp_path}/mine.cu:1: ")
    assert complaint in str(refused.value)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("// grid: rows - 7, block: 1", "grid is 0, and 0 is not from 1 to 2147483647"),
        ("// grid: (1, 65536), block: 1", "65536 is not from 1 to 65535"),
        ("// grid: 1, block: (64, 32)", "block is 64 x 32, more than 1024 threads"),
        ("// grid: 1, block: (1, 1, 65)", "65 is not from 1 to 64"),
        ("// grid: 1, block: 1, shared: 0 - columns", "less than nothing"),
        ("// grid: columns / (rows - 7), block: 1", "grid divides by zero"),
    ],
)
def test_a_launch_that_no_gpu_makes_is_refused_with_the_sizes(tmp_path, line, complaint):
    with pytest.raises(BadInput) as refused:
        parsed(tmp_path, line).launch((7, 1000))
    assert complaint in str(refused.value)
    assert str(refused.value).endswith("where rows = 7, columns = 1000")


def test_a_problem_that_names_no_sizes_is_asked_to(tmp_path):
    with pytest.raises(BadInput, match=r"mine\.cu: softmax's problem\.py does not name"):
        parsed(tmp_path, "// grid: 8, block: 32", sizes=())


PLAIN = "__global__ void softmax(const float* x, float* y, long long r, long long c) {}"


@pytest.mark.parametrize(
    ("code", "line", "parameters", "template"),
    [
        ("\n" + PLAIN, 2, 4, False),
        (f'\nextern "C" {PLAIN}', 2, 4, False),
        ("\n// __global__ void other(\n/* __global__ void\nsoftmax( */\n" + PLAIN, 5, 4, False),
        ("\ntemplate <class T> __device__ T f(T x);\n" + PLAIN, 3, 4, False),
        ("\n__global__ void other(int n) {}\n__global__ void softmax() {}", 3, 0, False),
        ("\n__global__ void __launch_bounds__(256) softmax(int a, int b) {}", 2, 2, False),
        ("\n__global__\n__launch_bounds__(max(1, 2),\n 1) void\nsoftmax(void) {}", 5, 0, False),
        ("\ntemplate <typename T>\n__global__ void softmax(Pair<T, 2> a, T* b) {}", 3, 2, True),
        (
            '\n#define TEXT "// {"\ntemplate <typename T> __global__ void softmax(T* a) {}',
            3,
            1,
            True,
        ),
    ],
)
def test_the_kernel_is_found_with_its_line_its_parameters_and_whether_it_is_a_template(
    tmp_path, code, line, parameters, template
):
    file = parsed(tmp_path, "// grid: 1, block: 1, dtype: float32", code)
    assert (file.line, file.parameters, file.template) == (line, parameters, template)


def test_a_kernel_of_another_name_and_a_file_without_one_are_refused(tmp_path):
    first = "// grid: 1, block: 1"
    with pytest.raises(BadInput, match=r"mine\.cu:3: .* named 'soft', and must be 'softmax'"):
        parsed(tmp_path, first, "\n\n__global__ void soft(float* x) {}")
    with pytest.raises(BadInput, match=r"mine\.cu: no kernel"):
        parsed(tmp_path, first, "\n__device__ float softmax(float x) { return x; }")


@pytest.mark.parametrize(
    ("include", "spelling"),
    [
        ('"warp.cuh"', {"float32": "float", "float16": "half16", "bfloat16": "bf16"}),
        ("<cuda_bf16.h>", {"float32": "float", "bfloat16": "__nv_bfloat16"}),
        ("<cuda_fp16.h>", {"float32": "float", "float16": "__half"}),
    ],
)
def test_a_template_is_given_the_type_of_the_header_it_includes(tmp_path, include, spelling):
    code = TEMPLATE.replace('"warp.cuh"', include)
    file = parsed(tmp_path, "// grid: 1, block: 1", code)
    assert file.dtypes == ("float32", "float16", "bfloat16")
    for dtype in file.dtypes:
        if dtype in spelling:
            assert file.expression(dtype) == f"softmax<{spelling[dtype]}>"
        else:
            with pytest.raises(BadInput, match=rf"mine\.cu:4: for {dtype}, include"):
                file.expression(dtype)


def test_a_plain_kernel_says_which_dtype_it_is_for(tmp_path):
    file = parsed(tmp_path, "// grid: 1, block: 1, dtype: bfloat16", "\n" + PLAIN)
    assert (file.dtypes, file.expression("bfloat16")) == (("bfloat16",), "softmax")
    with pytest.raises(BadInput, match=r"mine\.cu:2: .* such as dtype: float32"):
        parsed(tmp_path, "// grid: 1, block: 1", "\n" + PLAIN)
    with pytest.raises(BadInput, match=r"mine\.cu:1: .* is for one dtype"):
        parsed(tmp_path, "// grid: 1, block: 1, dtype: (float32, float16)", "\n" + PLAIN)


def test_a_cu_file_is_described_as_a_rung(tmp_path):
    path = tmp_path / "mine.cu"
    path.write_text(
        "// grid: 1, block: 1, dtype: (float32, bfloat16)\n// Warps\n//\n// Each row\n// a warp.\n"
        + dedent(TEMPLATE)
    )
    rung = read_rung(path, "softmax", sizes=SIZES)
    assert (rung.name, rung.title, rung.idea) == ("mine", "Warps", "Each row a warp.")
    assert rung.needs_gpu
    assert rung.why_not("float32") is None
    assert rung.why_not("float16") == "mine.cu is for float32 and bfloat16 only"
    path.write_text("// grid: 1, block: 1\n" + dedent(TEMPLATE))
    again = read_rung(path, "softmax", sizes=SIZES)
    assert (again.title, again.idea, again.why_not("float16")) == ("mine", "", None)
    assert again.sha256 != rung.sha256


@pytest.mark.parametrize("contents", [b"\xff\xfe", b"// grid: 1, block: 1\n\0"])
def test_bytes_that_are_not_source_are_refused(tmp_path, contents):
    path = tmp_path / "mine.cu"
    path.write_bytes(contents)
    with pytest.raises(BadInput, match=r"mine\.cu: not CUDA C\+\+ source"):
        read_rung(path, "softmax")


def test_a_header_beside_the_file_is_refused_since_no_receipt_would_hold_it(tmp_path):
    parsed(tmp_path, "// grid: 1, block: 1")
    (tmp_path / "warp.cuh").touch()
    with pytest.raises(BadInput, match=r"mine\.cu: is judged alone, so warp\.cuh cannot"):
        parsed(tmp_path, "// grid: 1, block: 1")
