"""The bar on starting: judging one eager rung on one small workload, process start included,
takes at most 4 times `python -c "import torch"`. Medians of 5, taken in turns. About a minute."""

import statistics
import subprocess
import sys
import time

BAR = 4.0
ROUNDS = 5
IMPORT = [sys.executable, "-c", "import torch"]
JUDGE = [
    *(sys.executable, "-m", "warpbook", "judge", "vector_add", "--rung", "fused"),
    *("--workload", "2^20-fp32", "--device", "cpu"),
]


def seconds(command: list[str]) -> float:
    began = time.perf_counter()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    took = time.perf_counter() - began
    if ended.returncode != 0:
        sys.exit(f"nothing to time, since it ended with {ended.returncode}:\n{ended.stdout}")
    return took


def main() -> int:
    seconds(IMPORT)
    seconds(JUDGE)  # the first judgement on a machine measures its roofs
    pairs = [(seconds(IMPORT), seconds(JUDGE)) for _ in range(ROUNDS)]
    importing, judging = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = judging / importing
    print(f"import torch {importing:.2f} s, judge {judging:.2f} s: {ratio:.2f}x (bar {BAR:g}x)")
    return 0 if ratio <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
