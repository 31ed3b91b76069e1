import os
import subprocess
import sys

import pytest
import torch

from warpbook.core.errors import BadInput, Missing
from warpbook.measure.device import (
    UNKNOWN_CACHE_BYTES,
    cache_size,
    choose_device,
    cpu_name,
    device_facts,
    environment,
    last_level_cache_bytes,
    listed_gpus,
    pick_uuid,
    sysconf_cache_bytes,
    torch_uuid,
    visible_uuid,
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


def test_choosing_locking_and_watching_do_not_import_torch(tmp_path):
    program = """
import sys
from warpbook.measure import device, lock, watch
device.choose_device(None)
device.device_facts("cpu")
with lock.device_lock("cpu"):
    watch.Watch("cpu").start()
assert "torch" not in sys.modules
"""
    place = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], check=True, timeout=30, env=place)


def test_facts_of_a_gpu_that_torch_cannot_see_say_so(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    device_facts.cache_clear()
    with pytest.raises(Missing, match=r"torch .* sees no CUDA device"):
        device_facts("cuda")


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


def cache_tree(root, cpu, level, size, shared):
    index = root / f"cpu{cpu}" / "cache" / f"index{level}"
    index.mkdir(parents=True)
    (index / "level").write_text(f"{level}\n")
    (index / "size").write_text(f"{size}\n")
    (index / "shared_cpu_list").write_text(f"{shared}\n")


def test_every_last_level_cache_counts_once(tmp_path):
    for cpu, shared in enumerate(["0-1", "0-1", "2-3", "2-3"]):
        cache_tree(tmp_path, cpu, 2, "1024K", str(cpu))
        cache_tree(tmp_path, cpu, 3, "32768K", shared)
    assert last_level_cache_bytes({0, 1}, tmp_path) == 32 * 2**20
    assert last_level_cache_bytes({1, 2, 3}, tmp_path) == 64 * 2**20


def test_a_machine_that_hides_its_caches_gets_a_size_all_the_same(tmp_path):
    expected = sysconf_cache_bytes() or UNKNOWN_CACHE_BYTES
    assert last_level_cache_bytes({0}, tmp_path) == expected


@pytest.mark.parametrize(("text", "size"), [("48K", 49152), ("2M", 2**21), ("512", 512), ("", 0)])
def test_cache_sizes_are_read_with_their_unit(text, size):
    assert cache_size(text) == size


def test_a_cpu_is_named_by_its_model(tmp_path):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nmodel name\t: Some  CPU @ 3 GHz\n")
    assert cpu_name(cpuinfo) == "Some CPU @ 3 GHz"
    assert cpu_name(tmp_path / "absent")


def test_facts_of_the_cpu_are_of_this_machine():
    facts = device_facts("cpu")
    assert (facts.kind, facts.uuid, facts.capability) == ("cpu", "cpu", None)
    assert facts.cores == len(os.sched_getaffinity(0))
    assert 2**18 <= facts.cache_bytes < facts.memory_bytes


def test_the_environment_is_words_alone():
    seen = environment("cpu")
    assert seen["torch"] == torch.__version__
    assert {"device", "uuid", "driver", "triton", "python", "cuda", "platform", "warpbook"} <= set(
        seen
    )
    assert all(isinstance(value, str) and value for value in seen.values())


@pytest.mark.gpu
def test_torch_and_the_driver_mean_the_same_gpu():
    assert choose_device(None) == "cuda"
    assert visible_uuid() == torch_uuid()
    assert visible_uuid() in [uuid for uuid, _ in listed_gpus()]


@pytest.mark.gpu
def test_facts_of_a_gpu_are_plausible():
    device_facts.cache_clear()
    facts = device_facts("cuda")
    assert facts.uuid.startswith("GPU-")
    assert facts.driver[0].isdigit()
    assert 2**20 <= facts.cache_bytes < facts.memory_bytes
    assert float(facts.capability) >= 7.0
    assert facts.cores > 1
