import subprocess
import sys

import pytest
import torch

from warpbook.core.errors import BadInput, Missing
from warpbook.core.machine import (
    choose_device,
    cpu_name,
    environment,
    pick_uuid,
    torch_build,
    version,
)

TWINS = [("GPU-aaaa-1", "H200"), ("GPU-bbbb-2", "H200")]
UNLIKE = [("GPU-aaaa-1", "RTX A400"), ("GPU-bbbb-2", "RTX 5090")]


def test_the_cpu_is_there_for_the_asking():
    assert choose_device("cpu") == "cpu"


@pytest.mark.parametrize("asked", ["tpu", "cuda:1", ""])
def test_a_device_of_another_name_is_bad_input(asked):
    with pytest.raises(BadInput, match="give cpu or cuda"):
        choose_device(asked)


@pytest.mark.parametrize("hidden", ["", "-1", "NoDevFiles"])
def test_gpus_hidden_by_the_environment_are_not_used(monkeypatch, hidden):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", hidden)
    assert choose_device(None) == "cpu"
    with pytest.raises(Missing, match="CUDA_VISIBLE_DEVICES hides every GPU"):
        choose_device("cuda")


def test_a_gpu_that_is_not_here_is_missing(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-00000000-not-a-gpu")
    with pytest.raises(Missing, match="no CUDA device: "):
        choose_device("cuda")


def test_the_first_gpu_is_used_where_nothing_is_said():
    assert pick_uuid(TWINS, None, False) == "GPU-aaaa-1"


def test_the_first_visible_gpu_is_used_by_number_or_by_uuid():
    assert pick_uuid(TWINS, "1", False) == "GPU-bbbb-2"
    assert pick_uuid(TWINS, "GPU-bbbb", False) == "GPU-bbbb-2"
    assert pick_uuid(TWINS, "MIG-cccc-3", False) == "MIG-cccc-3"


@pytest.mark.parametrize("entry", ["2", "GPU-cccc"])
def test_an_entry_that_names_no_gpu_is_missing(entry):
    with pytest.raises(Missing, match="CUDA_VISIBLE_DEVICES names"):
        pick_uuid(TWINS, entry, False)


def test_numbers_of_unlike_gpus_mean_something_to_nvml_only_in_bus_order():
    assert pick_uuid(UNLIKE, "0", False) is None
    assert pick_uuid(UNLIKE, "0", True) == "GPU-aaaa-1"


def test_a_cpu_is_named_by_its_model(tmp_path):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nmodel name\t: Some  CPU @ 3 GHz\n")
    assert cpu_name(cpuinfo) == "Some CPU @ 3 GHz"
    assert cpu_name(tmp_path / "absent")


def test_torch_is_known_without_importing_it():
    assert torch_build() == (torch.__version__, torch.version.cuda or "none")
    program = """
import sys
from warpbook.core.machine import environment
assert environment("cpu")["torch"] != "none"
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


def test_the_environment_is_the_same_for_a_command_that_measures_elsewhere():
    assert environment("none") == environment("cpu")
    assert all(isinstance(value, str) and value for value in environment("cpu").values())


def test_a_package_that_is_not_there_has_no_version():
    assert version("no-such-package-of-warpbook") == "none"
    assert version("pytest") == pytest.__version__


def test_a_machine_without_the_driver_says_so():
    """In a process of its own, from which the driver's library is hidden."""
    program = """
import ctypes
def none(name):
    raise OSError(name)
ctypes.CDLL = none
from warpbook.core.errors import Missing
from warpbook.core.machine import driver_gpu
try:
    driver_gpu()
except Missing as error:
    print(error)
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=300
    )
    assert "no CUDA driver" in ended.stdout
