"""`--file mine.cu` as its users see it, where there is no GPU and where there is one."""

import json
import re
from pathlib import Path

import pytest

from warpbook.measure.receipts import read

PAGE = (Path(__file__).parents[2] / "docs" / "judging.md").read_text()
PROBLEM = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
(KERNEL,) = re.findall(r"```cpp\n(.*?)```", PAGE, re.DOTALL)
SMALL = ("1x1-fp32", "63x1000-strided-fp32", "3x4097-bf16")


@pytest.fixture
def page(tmp_path):
    """The problem and the kernel of the docs."""
    folder = tmp_path / "relu_squared"
    folder.mkdir()
    (folder / "problem.py").write_text(PROBLEM)
    (tmp_path / "mine.cu").write_text(KERNEL)
    return folder


def test_the_kernel_in_the_docs_compiles_and_waits_for_a_gpu(warpbook, page, tmp_path):
    pytest.importorskip("cuda.core", reason="compiling CUDA C++ needs cuda-core")
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    arguments = ("--file", tmp_path / "mine.cu", "--device", "cpu")
    ended = warpbook("judge", page, *arguments, environment=environment)
    assert ended.returncode == 0, ended.stderr
    assert "relu_squared mine: skipped  (One element a thread; fills a buffer)" in ended.stdout
    assert "CUDA C++ runs on an NVIDIA GPU" in ended.stdout
    assert len(list((tmp_path / "cache").rglob("*.cubin"))) == 2


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("// grid", "// gird", "mine.cu:1: 'gird' is not one of"),
        ("rows * columns, 256", "rows * cols, 256", "mine.cu:1: grid: no size 'cols'"),
        ("void relu_squared", "void relu", "mine.cu:8: the kernel is named 'relu'"),
        ("long long rows, ", "", "mine.cu:8: relu_squared has 3 parameters"),
        ("y[i] =", "z[i] =", 'mine.cu:13: error: identifier "z" is undefined'),
    ],
)
def test_a_mistake_in_the_file_ends_with_2_and_its_place(
    say, quick, page, tmp_path, old, new, complaint
):
    pytest.importorskip("cuda.core", reason="compiling CUDA C++ needs cuda-core")
    file = tmp_path / "mine.cu"
    file.write_text(KERNEL.replace(old, new))
    said = say("judge", page, "--file", file, "--device", "cpu", status=2)
    assert said.out == ""
    assert f"warpbook: {tmp_path}/{complaint}" in said.err


def test_a_receipt_holds_the_file_and_is_rechecked_without_it(say, quick, page, tmp_path):
    kept = tmp_path / "receipt.jsonl"
    arguments = ("--file", tmp_path / "mine.cu", "--device", "cpu", "--keep", kept)
    say("judge", page, *arguments)
    (source,) = read(kept)[0].request.sources
    assert (source.text, source.cuda) == (None, KERNEL)
    (tmp_path / "mine.cu").unlink()
    assert "run only with --trust" in say("recheck", kept, status=2).err
    (result,) = say("recheck", kept, "--trust", "--json").document
    assert (result["holds"], result["notes"]) == (True, [])


def test_a_pair_of_python_and_cuda_is_kept_and_restored_whole(say, quick, page, tmp_path):
    (tmp_path / "mine.py").write_text(
        'LANGUAGE = "cuda"\n\n\ndef relu_squared(x, out=None):\n    raise NotImplementedError\n'
    )
    kept = tmp_path / "receipt.jsonl"
    arguments = ("--file", tmp_path / "mine.py", "--device", "cpu", "--keep", kept)
    say("judge", page, *arguments)
    (source,) = read(kept)[0].request.sources
    assert source.text.startswith("LANGUAGE")
    assert source.cuda == KERNEL
    assert say("recheck", kept, "--trust", "--json").document[0]["notes"] == []


def test_a_kernel_for_one_dtype_is_not_compared_on_another(say, quick, page, tmp_path):
    file = tmp_path / "mine.cu"
    file.write_text(KERNEL.replace("block: 256", "block: 256, dtype: float32", 1))
    (tmp_path / "plain.py").write_text("def relu_squared(x):\n    return x.relu().square()\n")
    arguments = ("--workload", "3x4097-bf16", "--device", "cpu")
    said = say("compare", page, tmp_path / "plain.py", file, *arguments, status=2)
    assert "mine.cu is for float32 only" in said.err


@pytest.mark.gpu
def test_the_kernel_in_the_docs_is_judged_correct_on_a_gpu(warpbook, page, tmp_path):
    workloads = [f"--workload={name}" for name in SMALL]
    ended = warpbook("judge", page, "--file", tmp_path / "mine.cu", *workloads, "--json")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (judgement,) = json.loads(ended.stdout)["judgements"]
    assert {o["workload"]: o["status"] for o in judgement["outcomes"]} == dict.fromkeys(
        SMALL, "correct"
    )


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("old", "new", "status", "reason"),
    [
        ("value < 0 ? 0 : value", "value", "wrong", "over its budget"),
        ("block: 256", "block: 256, shared: 1024 * 1024", "crashed", "shared is 1048576 bytes"),
        ("long long i", "__trap(); long long i", "crashed", ""),
    ],
)
def test_a_kernel_that_fails_on_a_gpu_is_told_why(
    warpbook, page, tmp_path, old, new, status, reason
):
    file = tmp_path / "mine.cu"
    file.write_text(KERNEL.replace(old, new, 1))
    ended = warpbook("judge", page, "--file", file, "--workload", "63x1000-strided-fp32", "--json")
    assert ended.returncode == 1
    (judgement,) = json.loads(ended.stdout)["judgements"]
    assert judgement["status"] == status
    assert reason in judgement["reason"]


@pytest.mark.gpu
def test_a_dtype_the_file_is_not_for_is_skipped_with_the_reason(warpbook, page, tmp_path):
    file = tmp_path / "mine.cu"
    file.write_text(KERNEL.replace("block: 256", "block: 256, dtype: float32", 1))
    workloads = [f"--workload={name}" for name in SMALL]
    ended = warpbook("judge", page, "--file", file, *workloads, "--json")
    outcomes = json.loads(ended.stdout)["judgements"][0]["outcomes"]
    reasons = {o["workload"]: o["reason"] for o in outcomes if o["status"] == "skipped"}
    assert reasons == {"3x4097-bf16": "mine.cu is for float32 only"}
