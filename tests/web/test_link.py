"""`warpbook link`, against a server that says it runs, and where none does."""

import json
import shutil
import subprocess
import sys

import httpx
import pytest
from api_served import serving_api

from warpbook.web.keys import Keys


@pytest.fixture
def folder(new_book, tmp_path):
    return shutil.copytree(new_book, tmp_path / "book")


def link(folder, *more):
    return subprocess.run(
        [sys.executable, "-m", "warpbook", "link", "--book", str(folder), *more],
        env={"PATH": "", "http_proxy": "http://127.0.0.1:9"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_link_of_the_running_dashboard_lets_a_browser_in(folder):
    with serving_api(folder) as api, api.keys.announced(api.address):
        ended = link(folder, "--json")
        assert ended.returncode == 0, ended.stderr
        found = json.loads(ended.stdout)["link"]
        assert found.startswith(f"{api.address}/enter?code=")
        entered = httpx.get(found, trust_env=False, timeout=60)
        assert entered.status_code == 303
        assert entered.cookies


def test_where_no_dashboard_runs_there_is_no_link(folder):
    ended = link(folder)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert f"no dashboard of {folder} runs; start it with: warpbook up" in ended.stderr


def test_a_server_that_does_not_know_the_token_is_told_of(folder, new_book, tmp_path):
    shutil.copytree(new_book, tmp_path / "other")
    with serving_api(tmp_path / "other") as api, Keys.of_book(folder).announced(api.address):
        ended = link(folder)
    assert ended.returncode == 3
    assert "refuses: 401" in ended.stderr
