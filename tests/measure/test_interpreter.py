import json
import subprocess
import sys

SCRIPT = """
import json, os
os.environ["TRITON_INTERPRET"] = "1"
import torch, triton, triton.language as tl
from warpbook.measure.interpreter import mend_interpreter

mend_interpreter()
mend_interpreter()

@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        block = tl.load(x + i, i < n)
        block = tl.where(block > 0, block * block, -block)
        tl.store(y + i, block + 1.0, i < n)

same = {}
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    x = torch.randn(100, generator=torch.Generator().manual_seed(1)).to(dtype)
    x[7], x[8] = float("nan"), float("-inf")
    y = torch.full_like(x, torch.nan)
    kernel[(1,)](x, y, 100, BLOCK=32)
    expected = torch.where(x > 0, x * x, -x) + 1.0
    same[str(dtype)] = torch.equal(y.nan_to_num(), expected.nan_to_num())
z = torch.empty(4, dtype=torch.bfloat16)

@triton.jit
def narrow(x, y):
    i = tl.arange(0, 4)
    tl.store(y + i, tl.load(x + i))

x = torch.tensor([1.005859375, float("nan"), 1e-40, 3.3e38])
narrow[(1,)](x, z)
same["rounding"] = torch.equal(z.nan_to_num(), x.bfloat16().nan_to_num())

@triton.jit
def down(x, y):
    i = tl.arange(0, 512)
    tl.store(y + i, tl.sort(tl.load(x + i), descending=True))

for dtype in (torch.float32, torch.int64):
    x = torch.randperm(512, generator=torch.Generator().manual_seed(1)).to(dtype)
    down[(1,)](x, y := torch.empty_like(x))
    same[f"sort {dtype}"] = torch.equal(y, x.sort(descending=True).values)
print(json.dumps(same))
"""


def test_the_mended_interpreter_loops_to_an_argument_computes_in_every_dtype_and_sorts():
    command = [sys.executable, "-c", SCRIPT]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout) == {
        "torch.float32": True,
        "torch.float16": True,
        "torch.bfloat16": True,
        "rounding": True,
        "sort torch.float32": True,
        "sort torch.int64": True,
    }
