"""Running programs that may hang, and finding those of the toolkit."""

import sys
import time

from warpbook.measure.tools import find_tool, run_tool
from warpbook.measure.zygote import alive


def test_both_streams_and_the_status_come_back():
    code = "import os, sys; print(os.environ['ASKED']); print('no', file=sys.stderr); sys.exit(4)"
    ran = run_tool([sys.executable, "-c", code], {"ASKED": "yes"}, 60)
    assert sorted(ran.output.split()) == ["no", "yes"]
    assert ran.status == 4


def test_a_tool_whose_time_is_up_is_ended_with_what_it_started():
    child = "import os, sys, time; print(os.getpid(), flush=True); time.sleep(600)"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    ran = run_tool([sys.executable, "-c", code], {}, 3)
    assert ran.status is None
    deadline = time.monotonic() + 5
    while alive(int(ran.output)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(int(ran.output))


def test_a_tool_is_found_on_the_path_and_in_the_toolkits_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "cuda"))
    assert find_tool("warpbook-tool") is None
    folder = tmp_path / "cuda" / "bin"
    folder.mkdir(parents=True)
    tool = folder / "warpbook-tool"
    tool.write_text("#!/bin/sh\n")
    assert find_tool("warpbook-tool") is None
    tool.chmod(0o755)
    assert find_tool("warpbook-tool") == str(tool)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("CUDA_HOME")
    assert find_tool("warpbook-tool") == str(tool)
