"""Tune on this GPU and ship what was found: writes `kernels/ops/choices/<device>.json`, with the
widths where another plan than the rule's was quicker. A minute or two for each width and dtype.

    python bench/choices.py softmax rms_norm --columns 1024 8192
"""

import argparse
import json
import sys
from dataclasses import asdict
from importlib import import_module

import torch

from warpbook import __version__
from warpbook.kernels.ops import plans
from warpbook.kernels.ops.devices import slug
from warpbook.kernels.ops.memory import when_contiguous
from warpbook.kernels.ops.plans import Entry, Fields
from warpbook.kernels.ops.tuning import tune_rows
from warpbook.kernels.ops.warmup import ROWWISE

DTYPES = (torch.float32, torch.bfloat16)


def found(op: str, dtype: torch.dtype, columns: int) -> Entry | None:
    """None where the rule's plans are as quick as any."""
    kernel, aligned = ROWWISE[op], when_contiguous(columns, dtype)
    device, rung = torch.cuda.current_device(), import_module(kernel.rung)
    tuned: Entry = {}
    rules: dict[str, Fields] = {}
    for name, few in (("few", True), ("many", False)):
        fields = tune_rows(kernel, device, dtype, columns, few)
        if fields is None:
            return None
        tuned[name] = fields
        rules[name] = asdict(rung.plan(columns, dtype, aligned, few))
    return tuned if tuned != rules else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ops", nargs="*", help=f"of {', '.join(ROWWISE)}; all, if none is named")
    parser.add_argument("--columns", type=int, nargs="+", default=[1024, 4096, 8192, 131072])
    asked = parser.parse_args()
    unknown = set(asked.ops) - set(ROWWISE)
    if unknown:
        parser.error(f"no such operation: {', '.join(sorted(unknown))}")
    if not torch.cuda.is_available():
        print("choices: needs an NVIDIA GPU, and torch sees none", file=sys.stderr)
        return 3
    device = slug(torch.cuda.current_device())
    entries = dict(plans.shipped(device))
    for op in asked.ops or ROWWISE:
        for dtype in DTYPES:
            for columns in asked.columns:
                name, entry = plans.key(op, dtype, columns), found(op, dtype, columns)
                entries.pop(name, None)
                if entry is not None:
                    entries[name] = entry
                print(name, entry or "as the rule has it", flush=True)
    plans.SHIPPED.mkdir(exist_ok=True)
    document = {"version": __version__, "plans": entries}
    text = json.dumps(document, indent=1, sort_keys=True)
    (plans.SHIPPED / f"{device}.json").write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
