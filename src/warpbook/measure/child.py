"""The harness around a candidate, inside the process that runs it.

It loads the file, makes each call in a timed window and answers in JSON lines. It holds no seed,
no reference and no verdict: what it says is a claim that the judge checks from outside. All that
it calls is bound here before the candidate is imported.
"""

import gc
import inspect
import json
import os
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from warpbook.kernels.cu_call import CuFunctions
from warpbook.kernels.rung import read_cu_file
from warpbook.kernels.shelf import import_file
from warpbook.measure import cell
from warpbook.measure.activity import OwnWork, assign
from warpbook.measure.arena import Place, Window
from warpbook.measure.compiles import CompileCounter, TooManyPrograms, limit_programs
from warpbook.measure.driver import reset_persisting
from warpbook.measure.interpreter import mend_interpreter
from warpbook.measure.kernel_clock import KernelClock
from warpbook.measure.window import make_synchronize, make_window, poison

# Files on the way of an error that say nothing about the candidate.
NOT_ITS_OWN = ("warpbook/measure/", "warpbook/kernels/cuda.py", "warpbook/kernels/cu_call.py")
HELD = 2
POISONED = 4


class Refused(Exception):
    """The candidate's result is not one that can be checked."""


def main(channels: list[int], device: str) -> None:
    requests, replies, log = channels
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    filtered = cell.confine(memory * 9 // 10 if device == "cpu" else None)
    gc.disable()
    serve(requests, replies, Harness(device, filtered))


def serve(requests: int, replies: int, harness: "Harness") -> None:
    write, dumps = os.write, json.dumps
    for line in os.fdopen(requests, "rb"):
        request = json.loads(line)
        do = request.pop("do")
        answer = answering(harness, do, request)
        answer["id"] = request["id"]
        write(replies, dumps(answer).encode() + b"\n")


def answering(harness: "Harness", do: str, request: dict[str, Any]) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = getattr(harness, do)(request)
        return answer
    except Refused as refusal:
        return {"refused": str(refusal)}
    except TooManyPrograms as limit:
        return {"skipped": str(limit)}
    except BaseException as error:
        return {"error": describe(error)}


def describe(error: BaseException) -> str:
    """One line: what was raised, and the last line of the candidate's own file on the way."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not any(part in frame.filename for part in NOT_ITS_OWN)]
    where = f" ({Path(own[-1].filename).name}:{own[-1].lineno})" if own else ""
    message = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {message}{where}" if message else type(error).__name__ + where


class Harness:
    """Each method answers one request of the judge's."""

    def __init__(self, device: str, filtered: bool) -> None:
        self.device = device
        self.filtered = filtered
        self.function: Callable[..., Any] = lambda: None
        self.cu: CuFunctions | None = None
        self.returns = "out"
        self.arguments: list[Any] = []
        self.outputs: list[torch.Tensor] = []
        self.results: list[torch.Tensor] = []
        self.held: deque[list[torch.Tensor]] = deque(maxlen=HELD)
        self.windows: list[tuple[int, int, int]] = []
        self.noise = torch.Generator(device=device)
        self.own = OwnWork(make_synchronize(device))
        self.compiles = CompileCounter()
        if device == "cuda":
            self.clock = KernelClock()
            self.spark = torch.zeros(1, device="cuda")
            self.clock.start()
            self.clock.stop()
            self.wait_on_device = torch._C._cuda_sleep
        else:
            self.wait_on_device = lambda cycles: None
        self.window = make_window(device)
        self.copy = torch.Tensor.copy_

    def hello(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"filtered": self.filtered, "torch": torch.__version__}

    def empty_call(self, request: dict[str, Any]) -> dict[str, Any]:
        """The window with nothing in it: what the way there and back costs the judge's clock."""
        if request.get("behind"):
            self.wait_on_device(request["behind"])
        timed = self.window(lambda: None, [], {})
        return {"call_ns": timed.ended - timed.began}

    def load(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["interpret"]:
            os.environ["TRITON_INTERPRET"] = "1"
        path = Path(request["path"])
        if path.suffix == ".cu":
            file = read_cu_file(path, request["function"], tuple(request["sizes"]))
            self.cu = CuFunctions(file, request["mutates"])
            self.returns = request["returns"] or "out"
            return {"returns": self.returns, "either": False, "unavailable": None}
        sys.path.insert(0, str(path.parent))
        module = import_file("candidate", path)
        self.function = getattr(module, request["function"], None)  # type: ignore[assignment]
        if not callable(self.function):
            raise Refused(f"{request['function']!r} is not a function")
        out = out_parameter(self.function)
        self.returns = request["returns"] or ("out" if out else "new")
        self.compiles.watch()
        if request["interpret"]:
            mend_interpreter()
            limit_programs()
        unavailable = getattr(module, "unavailable", None)
        reason = unavailable() if callable(unavailable) else None
        return {
            "returns": self.returns,
            "either": bool(out and out.default is None),
            "unavailable": str(reason) if reason else None,
        }

    def allocate(self, _: dict[str, Any]) -> dict[str, Any]:
        """From now on let a rung whose `out` may be left away return new storage."""
        self.returns = "new"
        return {}

    def attach(self, request: dict[str, Any]) -> dict[str, Any]:
        self.memory = Window(self.device, request["ticket"])
        return {}

    def prepare(self, request: dict[str, Any]) -> dict[str, Any]:
        """Lay out the next call. For a rung that returns new storage, fill the free blocks it
        will get with poison, and time an allocation of the same size apart."""
        self.arguments = [
            self.memory.tensor(Place(**a)) if isinstance(a, dict) else a
            for a in request["arguments"]
        ]
        self.outputs = [self.memory.tensor(Place(**p)) for p in request["outputs"]]
        self.results = []
        if self.cu:
            self.function = self.cu.at(tuple(request["shape"]), request["dtype"])
        allocation_ns = 0
        if self.returns == "new":
            allocation_ns = self.poison_free_blocks()
        if self.device == "cuda":
            reset_persisting()
        return {"allocation_ns": allocation_ns}

    def poison_free_blocks(self) -> int:
        began = time.perf_counter_ns()
        blocks = [torch.empty_like(y) for y in self.outputs]
        allocation_ns = time.perf_counter_ns() - began
        blocks += [torch.empty_like(y) for y in self.outputs for _ in range(POISONED)]
        with self.own.doing(sum(block.numel() > 0 for block in blocks)):
            for block in blocks:
                poison(block, self.noise)
        return allocation_ns

    def touch(self, _: dict[str, Any]) -> dict[str, Any]:
        """Bring this process's context back onto the GPU, so that the switch (150 us on an H200)
        is not charged to the call."""
        with self.own.doing(1):
            self.spark.add_(1)
        return {}

    def go(self, request: dict[str, Any]) -> dict[str, Any]:
        keywords: dict[str, Any] = {}
        if self.returns == "out":
            keywords["out"] = tuple(self.outputs) if len(self.outputs) > 1 else self.outputs[0]
        compiled = self.compiles.count()
        if request.get("behind"):
            self.wait_on_device(request["behind"])
        timed = self.window(self.function, self.arguments, keywords)
        self.windows.append((request["round"], timed.wall_began, timed.wall_ended))
        if torch._C._len_torch_function_stack() or torch._C._len_torch_dispatch_stack():
            raise Refused("left a torch mode active, which could put work off")
        if self.returns == "new":
            self.results = self.accept(timed.result)
        return {
            "round": request["round"],
            "call_ns": timed.ended - timed.began,
            "compiled": self.compiles.count() - compiled,
            "results": [
                {"address": y.data_ptr(), "shape": list(y.shape), "stride": list(y.stride())}
                for y in self.results
            ],
        }

    def accept(self, result: Any) -> list[torch.Tensor]:
        """The result as plain tensors of the right kind, each in storage of its own."""
        results = list(result) if isinstance(result, tuple | list) else [result]
        if len(results) != len(self.outputs):
            raise Refused(f"returned {len(results)} outputs, not {len(self.outputs)}")
        for tensor, like in zip(results, self.outputs, strict=True):
            refuse_unlike(tensor, like)
        taken = {t.untyped_storage().data_ptr() for held in self.held for t in held}
        mine = [t.untyped_storage().data_ptr() for t in results if t.numel()]
        if len(set(mine)) < len(mine) or taken & set(mine):
            raise Refused("returned the same storage twice; each call's output is its own")
        lent = [*self.arguments, *self.outputs]
        for tensor in results:
            if any(overlap(tensor, a) for a in lent if isinstance(a, torch.Tensor)):
                raise Refused("returned storage of an argument")
        self.held.append(results)
        return results

    def export(self, _: dict[str, Any]) -> dict[str, Any]:
        """Copy what was returned to where the judge can see it; on a GPU only."""
        with self.own.doing(sum(y.numel() > 0 for y in self.outputs)):
            for output, result in zip(self.outputs, self.results, strict=True):
                self.copy(output, result.detach())
        return {}

    def profile(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["on"]:
            self.windows = []
            self.own.windows = []
            self.clock.start()
            return {}
        activities = [(a.start_ns, a.end_ns) for a in self.clock.stop()]
        left, missing = self.own.leave_out(activities)
        return {**assign(self.windows, left), "missing": missing}


def out_parameter(function: Callable[..., Any]) -> inspect.Parameter | None:
    try:
        return inspect.signature(function).parameters.get("out")
    except (TypeError, ValueError):
        return None


def refuse_unlike(tensor: Any, like: torch.Tensor) -> None:
    if type(tensor) is not torch.Tensor:
        raise Refused(f"returned a {type(tensor).__name__}, not a plain torch.Tensor")
    if tensor.device.type != like.device.type:
        raise Refused(f"returned a tensor on {tensor.device.type}, not {like.device.type}")
    if tensor.dtype != like.dtype:
        raise Refused(f"returned {tensor.dtype}, not {like.dtype}")
    if tensor.shape != like.shape:
        raise Refused(f"returned shape {tuple(tensor.shape)}, not {tuple(like.shape)}")
    if tensor.layout != torch.strided:
        raise Refused(f"returned a {tensor.layout} tensor, not a strided one")


def overlap(a: torch.Tensor, b: torch.Tensor) -> bool:
    def bounds(t: torch.Tensor) -> tuple[int, int]:
        begin = t.untyped_storage().data_ptr()
        return begin, begin + t.untyped_storage().nbytes()

    (a0, a1), (b0, b1) = bounds(a), bounds(b)
    return a0 < b1 and b0 < a1
