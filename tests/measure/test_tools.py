"""Running programs that may hang, and finding those of the toolkit."""

import sys
import time

from warpbook.measure.tools import find_tool, run_tool
from warpbook.measure.zygote import alive


def test_both_streams_and_the_status_come_back():
    code = "import os, sys; print(os.environ['ASKED']); print('no', file=sys.stderr); sys.exit(4)"
    ran = run_tool([sys.executable, "-c", code], {"ASKED": "yes"}, 300)
    assert sorted(ran.output.split()) == ["no", "yes"]
    assert ran.status == 4


def test_a_tool_whose_time_is_up_is_ended_with_what_it_started():
    ran = run_tool(["sh", "-c", "sleep 987.41 & echo $!; wait"], {}, 0.5)
    assert ran.status is None
    deadline = time.monotonic() + 120  # it has been killed, and has yet to die of it
    while any(map(alive, map(int, ran.output.split()))) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(alive, map(int, ran.output.split())))


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
