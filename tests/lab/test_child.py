"""The process of a run: what it leaves, and when it refuses to start."""

import errno
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from warpbook.book import run_folder
from warpbook.book.processes import MARK
from warpbook.book.run_folder import RECEIPT, read_receipt
from warpbook.core.effect import KERNEL_TIME, Better, Metric
from warpbook.core.run import Arm, Plan, RunStatus
from warpbook.kernels.rung import read_rung
from warpbook.lab import child
from warpbook.lab.child import NOT_MINE
from warpbook.lab.local import CHILD
from warpbook.lab.plans import command_arm

BROKEN = """
    '''It cannot even be loaded.'''

    import os

    raise RuntimeError(f"no such instruction, nor {os.environ.get('WARPBOOK_STEPS')}")


    def double(x):
        return x * 2
"""


def run_child(lease, parent=None):
    command = [sys.executable, "-P", "-m", "warpbook.lab.child", "plan.json"]
    return subprocess.run(
        [*command, str(parent or os.getpid())],
        cwd=lease.folder,
        env={**os.environ, MARK: lease.uid},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_kernel_that_breaks_is_disqualified_with_the_judge_s_reason(lease_of, double):
    plain = read_rung(double.path / "rungs" / "plain.py", "double")
    broken = read_rung(double.write("broken.py", BROKEN), "double")
    text = broken.path.read_text()
    arms = Arm("plain", plain.sha256, "plain"), Arm("mine", broken.sha256, "broken.py", text=text)
    plan = Plan("kernel", "1000", "cpu", *arms, (KERNEL_TIME,), str(double), limit_s=300)
    lease = lease_of(plan, "cpu")
    broken.path.unlink()
    assert run_child(lease).returncode == 0
    receipt, _ = read_receipt(lease.folder, lease.run, lease.nonce)
    assert receipt.status is RunStatus.DISQUALIFIED
    assert receipt.reason.startswith("broken crashed: ")
    assert "no such instruction, nor None" in receipt.reason
    assert receipt.comparison["arm"] == "b"
    assert receipt.plan == plan
    assert receipt.environment["torch"]
    assert [step.text for step in run_folder.read_steps(lease.folder)] == [
        "noting what it takes to repeat the run",
        "starting the measuring process: mine against plain",
        "importing torch",
        "starting a process for each arm",
        "plain: loading it",
        "broken: loading it",
        "writing the receipt",
    ]


def test_what_is_held_against_itself_is_told_as_noise(plan_of):
    assert child.about(plan_of("same", "same")) == "noise, one against itself"


def test_a_plan_that_cannot_start_says_why(lease_of, plan_of):
    lease = lease_of(plan_of(cwd="/no/such/folder"))
    assert run_child(lease).returncode == 0
    receipt, _ = read_receipt(lease.folder, lease.run, lease.nonce)
    assert receipt.status is RunStatus.FAILED
    assert "/no/such/folder" in receipt.reason


PRINTS = "print('{{\"m\": {}}}')\n"


@pytest.fixture
def script(tmp_path):
    """A command's script, and a plan that holds it against a fixed number."""
    folder = tmp_path / "work"
    folder.mkdir()
    file = folder / "train.py"
    file.write_text(PRINTS.format(2))
    arms = (
        command_arm("echo '{\"m\": 1}'", str(folder)),
        command_arm("python3 train.py", str(folder)),
    )
    metrics = (Metric("m", "", Better.HIGHER),)
    return file, Plan("command", "w", "none", *arms, metrics, cwd=str(folder))


def receipt_of(lease):
    assert run_child(lease).returncode == 0
    return read_receipt(lease.folder, lease.run, lease.nonce)[0]


def test_a_script_as_it_was_queued_is_measured_and_cannot_write_the_steps(lease_of, script):
    file, plan = script
    file.write_text("import os\nassert 'WARPBOOK_STEPS' not in os.environ\n" + PRINTS.format(2))
    lease = lease_of(replace(plan, change=command_arm("python3 train.py", plan.cwd)))
    receipt = receipt_of(lease)
    assert (receipt.status, receipt.reason) == (RunStatus.MEASURED, "")
    texts = [step.text for step in run_folder.read_steps(lease.folder)]
    arms = "python3 train.py against echo '{\"m\": 1}'"
    assert texts[1] == f"starting the measuring process: {arms}"
    assert texts[2] == "the baseline, block 1 of 4: echo '{\"m\": 1}'"
    assert texts[3] == "the change, block 1 of 4: python3 train.py"
    assert texts[-2] == "the baseline, block 4 of 4: echo '{\"m\": 1}'"


def test_a_script_that_was_edited_since_it_was_queued_does_not_run(lease_of, script):
    file, plan = script
    file.write_text(f"open('ran', 'w')\n{PRINTS.format(3)}")
    receipt = receipt_of(lease_of(plan))
    assert receipt.status is RunStatus.FAILED
    assert receipt.reason == "train.py was changed since it was queued: try it again"
    assert not (file.parent / "ran").exists()


def test_a_script_that_is_edited_while_it_runs_gives_no_samples(lease_of, script):
    file, plan = script
    file.write_text(f"open('train.py', 'a').write('#')\n{PRINTS.format(3)}")
    receipt = receipt_of(lease_of(replace(plan, change=command_arm("python3 train.py", plan.cwd))))
    assert receipt.status is RunStatus.FAILED
    assert receipt.reason.startswith("train.py was changed while it ran: try it again")
    assert receipt.metrics == ()


def test_a_script_that_is_not_there_is_named(lease_of, script):
    file, plan = script
    file.unlink()
    assert receipt_of(lease_of(plan)).reason == f"train.py is not in {file.parent}: try it again"


def test_a_child_whose_worker_is_gone_does_nothing(lease_of, plan_of):
    lease = lease_of(plan_of())
    assert run_child(lease, parent=1).returncode == NOT_MINE
    assert not (lease.folder / RECEIPT).exists()


def test_a_run_that_is_over_is_not_started(lease_of, plan_of):
    lease = lease_of(plan_of())
    assert run_folder.close(lease.folder, 0.0)
    assert run_child(lease).returncode == NOT_MINE
    assert not (lease.folder / RECEIPT).exists()


def test_a_log_that_cannot_be_written_does_not_hold_the_run_up(lease_of, plan_of):
    """More than a pipe holds, to a full disk."""
    lease = lease_of(plan_of("seq 50000; echo '{\"m\": 1}'"))
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [*CHILD, str(os.getpid())],
            cwd=lease.folder,
            env={**os.environ, MARK: lease.uid},
            stdout=full,
            stderr=full,
            check=False,
        )
    assert ended.returncode == 0
    receipt, _ = read_receipt(lease.folder, lease.run, lease.nonce)
    assert (receipt.status, receipt.reason) == (RunStatus.MEASURED, "")


def test_a_receipt_waits_for_room_on_the_disk(tmp_path, monkeypatch):
    tries = []

    def place(folder, receipt):
        tries.append(receipt)
        if len(tries) < 3:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(run_folder, "place_receipt", place)
    monkeypatch.setattr(child, "PAUSE_S", 0.0)
    child.leave(tmp_path, "receipt")
    assert tries == ["receipt"] * 3
