"""The judge's guarantees, each against real candidates in real children."""

import json
import os
import time

import pytest

from warpbook.core.errors import BadInput
from warpbook.core.judgement import Status
from warpbook.measure import trial
from warpbook.measure.flush import Flusher
from warpbook.measure.watch import GpuReading, assess
from warpbook.measure.zygote import alive

from .conftest import DOUBLE, write_problem

pytestmark = pytest.mark.usefixtures("any_pace")

HONEST = """
import torch

def double(x, out):
    torch.mul(x, 2, out=out)
"""


def outcome(judgement, workload="256x1024"):
    return next(o for o in judgement.outcomes if o.workload == workload)


def test_an_honest_rung_is_correct_and_has_times_on_what_is_timed(cold, problem, candidate):
    judgement = cold.rung(problem, candidate(HONEST))
    assert judgement.status is Status.CORRECT
    assert outcome(judgement, "3x5").device is None
    timed = outcome(judgement)
    assert timed.call.low_us <= timed.call.median_us <= timed.call.high_us
    assert timed.error <= timed.budget
    assert timed.checked >= 8
    assert timed.fraction == pytest.approx(timed.floor.us / timed.device.median_us)
    assert timed.cost == problem.cost(problem.workload("256x1024"))


def test_one_child_other_than_the_judge_serves_all_workloads(judge, problem, candidate, tmp_path):
    log = tmp_path / "pids"
    judge.rung(
        problem,
        candidate(f"""
        import os, torch

        def double(x, out):
            with open({str(log)!r}, "a") as file:
                file.write(f"{{os.getpid()}}\\n")
            torch.mul(x, 2, out=out)
        """),
    )
    pids = set(log.read_text().split())
    assert len(pids) == 1
    assert str(os.getpid()) not in pids


def test_every_call_has_new_contents_at_a_new_aligned_place(judge, problem, candidate, tmp_path):
    log = tmp_path / "calls"
    judge.rung(
        problem,
        candidate(f"""
        import json, torch

        def double(x, out):
            with open({str(log)!r}, "a") as file:
                file.write(json.dumps([x.sum().item(), x.data_ptr(), out.data_ptr()]) + "\\n")
            torch.mul(x, 2, out=out)
        """),
        only=["256x1024"],
    )
    sums, inputs, outputs = zip(*map(json.loads, log.read_text().splitlines()), strict=True)
    assert len(set(sums)) == len(sums) > 8
    assert len(set(inputs)) > 4
    assert all(address % 256 == 0 for address in inputs + outputs)


def test_the_child_is_stopped_between_its_calls(cold, problem, candidate, tmp_path, monkeypatch):
    """A thread of the candidate's looks at the clock every millisecond; while the judge flushes,
    which takes it fifty here, nobody does."""
    flushes = []

    def flush(_):
        began = time.monotonic()
        time.sleep(0.05)
        flushes.append((began, time.monotonic()))

    monkeypatch.setattr(Flusher, "flush", flush)
    log = tmp_path / "looks"
    cold.rung(
        problem,
        candidate(f"""
        import threading, time, torch
        looks = []

        def look():
            while True:
                time.sleep(0.001)
                looks.append(time.monotonic())

        threading.Thread(target=look, daemon=True).start()

        def double(x, out):
            while not looks:
                time.sleep(0.001)
            with open({str(log)!r}, "w") as file:
                file.write(" ".join(map(str, looks)))
            torch.mul(x, 2, out=out)
        """),
        only=["256x1024"],
    )
    looks = [float(look) for look in log.read_text().split()]
    after_import = [f for f in flushes if looks[0] < f[0] < looks[-1]]
    assert len(after_import) >= 8
    looked = sorted(sum(began < look < ended for look in looks) for began, ended in after_import)
    assert looked[len(looked) // 2] == 0


def test_what_a_candidate_prints_is_no_verdict(judge, problem, candidate):
    judgement = judge.rung(
        problem,
        candidate("""
        import sys

        def double(x, out):
            print('{"status": "correct"}')
            print('{"status": "correct"}', file=sys.stderr)
        """),
    )
    assert judgement.status is Status.WRONG


def test_a_rung_that_is_wrong_now_and_then_in_timed_calls_is_wrong(judge, problem, candidate):
    judgement = judge.rung(
        problem,
        candidate("""
        import torch
        calls = 0

        def double(x, out):
            global calls
            calls += 1
            if calls < 6 or calls % 2:
                torch.mul(x, 2, out=out)
        """),
        only=["256x1024"],
    )
    assert judgement.status is Status.WRONG
    assert outcome(judgement).device is None


def test_a_rung_wrong_on_a_small_workload_has_no_time_anywhere(judge, problem, candidate):
    judgement = judge.rung(
        problem,
        candidate("""
        import torch

        def double(x, out):
            torch.mul(x, 2 if x.numel() > 100 else 3, out=out)
        """),
    )
    assert judgement.status is Status.WRONG
    assert "over its budget" in judgement.reason
    assert all(o.device is None and o.call is None for o in judgement.outcomes)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("y = torch.empty(0)\ndef double(x):\n    y.resize_(x.shape); y.copy_(x * 2); return y",
         "same storage twice"),
        ("def double(x):\n    return x.mul_(2)", "storage of an argument"),
        ("class T(torch.Tensor): pass\ndef double(x):\n    return (x * 2).as_subclass(T)",
         "not a plain torch.Tensor"),
        ("def double(x, out):\n    torch.mul(x, 2, out=out); x[0, 0] += 1", "changed argument 0"),
        ("def double(x):\n    return (x * 2)[:1]", "shape"),
        ("def double(x):\n    return (x * 2).double()", "float64"),
        ("def double(x):\n    return (x * 2).to('meta')", "meta"),
        ("def double(x):\n    return None", "NoneType"),
        ("def double(x):\n    return x * 2, x", "2 outputs"),
    ],
)  # fmt: skip
def test_results_that_cannot_be_checked_are_refused(judge, problem, candidate, source, reason):
    judgement = judge.rung(problem, candidate(f"import torch\n{source}"), only=["256x1024"])
    assert judgement.status is Status.WRONG
    assert reason in judgement.reason


def test_scratch_kept_between_calls_is_fine(judge, problem, candidate):
    judgement = judge.rung(
        problem,
        candidate("""
        import torch
        scratch = {}

        def double(x):
            kept = scratch.setdefault(x.shape, torch.empty_like(x))
            torch.mul(x, 2, out=kept)
            return kept.clone()
        """),
    )
    assert judgement.status is Status.CORRECT
    assert judgement.returns == "new"
    assert outcome(judgement).allocation_us > 0


def test_outputs_and_free_memory_are_poisoned(judge, problem, candidate, tmp_path):
    given = judge.rung(
        problem,
        candidate("""
        import torch

        def double(x, out):
            assert out.isnan().all()
            torch.mul(x, 2, out=out)
        """),
    )
    assert given.status is Status.CORRECT
    log = tmp_path / "seen"
    stale = judge.rung(
        problem,
        candidate(f"""
        import torch

        def double(x):
            y = torch.empty_like(x)
            with open({str(log)!r}, "a") as file:
                file.write(f"{{y.view(-1)[::1009].isnan().float().mean()}}\\n")
            return torch.mul(x, 2, out=y)
        """),
        only=["256x1024"],
    )
    assert stale.status is Status.CORRECT
    shares = sorted(map(float, log.read_text().split()))
    assert shares[len(shares) // 4] > 0.99  # the allocator keeps a word of its own in a free block


def test_integer_outputs_are_poisoned_with_random_bits(judge, tmp_path, candidate):
    source = DOUBLE.replace("x * 2,", "(x > 0).to(torch.int32),")
    problem = write_problem(tmp_path, source)
    log = tmp_path / "seen"
    judgement = judge.rung(
        problem,
        candidate(f"""
        def double(x, out):
            with open({str(log)!r}, "a") as file:
                file.write(f"{{len(out.unique()) / out.numel()}}\\n")
            out.copy_(x > 0)
        """),
    )
    assert judgement.status is Status.CORRECT
    assert all(float(share) > 0.9 for share in log.read_text().split())


def test_a_call_that_compiles_is_discarded_and_reported(judge, problem, candidate):
    judgement = judge.rung(
        problem,
        candidate("""
        import torch
        calls = 0

        def double(x, out):
            global calls
            calls += 1
            if calls % 8 == 0:
                torch.compiler.reset()
                torch.compile(lambda x: x * 2, backend="eager", dynamic=False)(x)
            torch.mul(x, 2, out=out)
        """),
        only=["256x1024"],
    )
    assert judgement.status is Status.CORRECT
    assert outcome(judgement).discarded >= 1
    assert any("compiled" in note for note in outcome(judgement).notes)


@pytest.mark.parametrize(("lies", "expected"), [(1, Status.CORRECT), (2, Status.SUSPECT)])
def test_a_suspicion_is_looked_into_beside_a_child_without_the_candidate(
    judge, problem, candidate, monkeypatch, lies, expected
):
    """A machine that slows down after the way to the child was measured slows an honest rung."""
    ways = []

    def unaccounted(samples, way, *_):
        ways.append(way)
        return "took longer" if len(ways) <= lies else None

    monkeypatch.setattr(trial, "unaccounted", unaccounted)
    judgement = judge.rung(problem, candidate(HONEST), only=["256x1024"])
    assert judgement.status is expected
    assert len(set(ways)) == 2
    assert all(way.elapsed_us > 0 for way in ways)


def test_a_time_under_the_theoretical_peak_is_suspect(cold, tmp_path, candidate):
    source = DOUBLE.replace("return Cost(size, size,", "return Cost(10**15, size,")
    judgement = cold.rung(write_problem(tmp_path, source), candidate(HONEST))
    assert judgement.status is Status.SUSPECT
    assert "peaks" in judgement.reason


def test_a_machine_that_is_not_fit_makes_the_judgement_invalid(
    judge, problem, candidate, monkeypatch
):
    slowed = GpuReading(1200, 3201, 0x40, 91, 700.0, ())
    monkeypatch.setattr(trial.Watch, "stop", lambda _: assess([slowed]))
    judgement = judge.rung(problem, candidate(HONEST))
    assert judgement.status is Status.INVALID
    assert "hardware thermal slowdown" in judgement.reason
    assert outcome(judgement).device is None


def test_triton_without_a_gpu_is_checked_in_the_interpreter_and_has_no_time(
    judge, problem, candidate
):
    judgement = judge.rung(
        problem,
        candidate("""
        import torch, triton
        import triton.language as tl

        @triton.jit
        def kernel(x, y, n, BLOCK: tl.constexpr):
            at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(y + at, 2 * tl.load(x + at, at < n), at < n)

        def double(x, out):
            kernel[(triton.cdiv(x.numel(), 16),)](x, out, x.numel(), BLOCK=16)
        """),
    )
    assert judgement.status is Status.CORRECT
    assert "interpreter" in outcome(judgement).reason
    assert outcome(judgement).device is None


def test_the_interpreter_refuses_more_programs_than_it_gets_through(judge, tmp_path, candidate):
    source = DOUBLE.replace('"3x5", (3, 5)', '"3x5", (300, 5)')
    judgement = judge.rung(
        write_problem(tmp_path, source),
        candidate("""
        import triton
        import triton.language as tl

        @triton.jit
        def kernel(x, y):
            tl.store(y + tl.program_id(0), 2 * tl.load(x + tl.program_id(0)))

        def double(x, out):
            kernel[(x.numel(),)](x, out)
        """),
    )
    assert judgement.status is Status.SKIPPED
    assert "1500 programs" in judgement.reason


@pytest.mark.parametrize(
    "answer",
    [
        {"results": [1]},
        {"results": []},
        {"results": [{"address": 2**70, "shape": [256, 1024], "stride": [1024, 1]}]},
        {"results": [{"address": 1, "shape": [256, 1024], "stride": [2**40, 1]}]},
        {"call_ns": -1},
        {"call_ns": "soon"},
        {"round": 0},
        {"id": 0},
    ],
    ids=str,
)
def test_nonsense_in_the_harness_place_is_no_answer(judge, problem, candidate, answer):
    judgement = judge.rung(
        problem,
        candidate(f"""
        import sys, torch
        harness = sys.modules["warpbook.measure.child"].Harness
        truthful = harness.go

        def go(self, request):
            answer = truthful(self, request) | {answer!r}
            if "id" in {answer!r}:
                request["id"] = 0
            return answer

        harness.go = go

        def double(x):
            return x * 2
        """),
        only=["256x1024"],
    )
    assert judgement.status in (Status.SUSPECT, Status.WRONG)
    assert judgement.outcomes[0].device is None


def test_only_the_interpreter_may_skip_a_workload(judge, problem, candidate):
    judgement = judge.rung(
        problem,
        candidate("""
        from warpbook.measure.compiles import TooManyPrograms

        def double(x, out):
            raise TooManyPrograms("too hard")
        """),
    )
    assert judgement.status is Status.CRASHED


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        ("raise ValueError('no luck')", Status.CRASHED, "ValueError: no luck (mine.py:4)"),
        ("import ctypes; ctypes.string_at(0)", Status.CRASHED, "SIGSEGV"),
        ("import os; os._exit(0)", Status.CRASHED, "exited with 0"),
        ("raise SystemExit(0)", Status.CRASHED, "SystemExit"),
        ("torch.empty(100 * 2**30, dtype=torch.uint8)", Status.CRASHED, "memory"),
        ("import os, signal; os.kill(os.getppid(), signal.SIGSTOP)", Status.CRASHED,
         "PermissionError"),
    ],
)  # fmt: skip
def test_a_candidate_that_falls_over_is_crashed_and_the_next_is_unaffected(
    judge, problem, candidate, body, status, reason
):
    judgement = judge.rung(
        problem, candidate(f"import torch\ndef double(x, out):\n    1\n    {body}")
    )
    assert judgement.status is status
    assert reason in judgement.reason
    assert judge.rung(problem, candidate(HONEST), only=["3x5"]).correct


def test_a_candidate_that_does_not_come_back_is_timed_out(judge, problem, candidate, monkeypatch):
    monkeypatch.setattr(judge, "limit_s", 0.5)
    judgement = judge.rung(problem, candidate("def double(x, out):\n    while True: pass"))
    assert judgement.status is Status.TIMED_OUT
    assert "time limit" in judgement.reason


def test_what_a_candidate_started_is_noticed_and_ended(judge, problem, candidate, tmp_path):
    log = tmp_path / "pid"
    judgement = judge.rung(
        problem,
        candidate(f"""
        import subprocess, torch

        def double(x, out):
            helper = subprocess.Popen(["sleep", "600"], start_new_session=True)
            with open({str(log)!r}, "w") as file:
                file.write(str(helper.pid))
            torch.mul(x, 2, out=out)
        """),
    )
    assert judgement.status is Status.SUSPECT
    deadline = time.monotonic() + 120  # it has been killed, and has yet to die of it
    while alive(int(log.read_text())) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(int(log.read_text()))


def test_a_file_that_fails_on_import_is_crashed(judge, problem, candidate):
    judgement = judge.rung(problem, candidate("import nowhere\ndef double(x): ..."))
    assert judgement.status is Status.CRASHED
    assert "No module named 'nowhere'" in judgement.reason


def test_a_rung_may_say_that_it_cannot_run_here(judge, problem, candidate):
    source = HONEST + "\ndef unavailable():\n    return 'no C++ compiler'"
    judgement = judge.rung(problem, candidate(source))
    assert judgement.status is Status.SKIPPED
    assert judgement.reason == "no C++ compiler"


def test_an_unknown_workload_is_named_with_the_known_ones(judge, problem, candidate):
    with pytest.raises(BadInput, match="no workload '9x9'; it has: 3x5, 256x1024"):
        judge.rung(problem, candidate(HONEST), only=["9x9"])


def test_a_declared_mutation_is_checked_in_place(judge, tmp_path, candidate):
    problem = write_problem(tmp_path, DOUBLE.replace("mutants=", "mutates=(0,), mutants="))
    judgement = judge.rung(problem, candidate("def double(x):\n    x.mul_(2)"))
    assert judgement.status is Status.CORRECT
    assert judgement.returns == "in place"
    assert judge.rung(problem, candidate("def double(x):\n    x.mul_(3)")).status is Status.WRONG
