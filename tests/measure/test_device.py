import os
import subprocess
import sys

import pytest
import torch

from warpbook.core import machine
from warpbook.core.errors import Missing
from warpbook.core.machine import choose_device, driver_gpu, listed_gpus, visible_uuid
from warpbook.measure.device import (
    UNKNOWN_CACHE_BYTES,
    cache_size,
    device_facts,
    environment,
    last_level_cache_bytes,
    sysconf_cache_bytes,
    torch_uuid,
)


def test_choosing_locking_and_watching_do_not_import_torch(tmp_path):
    program = """
import sys
from warpbook.core.machine import choose_device
from warpbook.measure import device, lock, watch
choose_device(None)
device.device_facts("cpu")
with lock.device_lock("cpu"):
    watch.Watch("cpu").start()
assert "torch" not in sys.modules
"""
    place = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300, env=place)


def test_facts_of_a_gpu_that_torch_cannot_see_say_so(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    device_facts.cache_clear()
    with pytest.raises(Missing, match=r"torch .* sees no CUDA device"):
        device_facts("cuda")


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
def test_the_driver_names_the_gpu_as_torch_does():
    facts = device_facts("cuda")
    assert driver_gpu() == (facts.uuid, facts.name)
    assert machine.environment("cuda") == environment("cuda")


@pytest.mark.gpu
def test_facts_of_a_gpu_are_plausible():
    device_facts.cache_clear()
    facts = device_facts("cuda")
    assert facts.uuid.startswith("GPU-")
    assert facts.driver[0].isdigit()
    assert 2**20 <= facts.cache_bytes < facts.memory_bytes
    assert float(facts.capability) >= 7.0
    assert facts.cores > 1
