"""What is kept to repeat a run, and what must never be."""

import os
import subprocess

import pytest

from warpbook.book.exchange.export import files_in
from warpbook.lab.capture import LEFT_OUT, capture, variables
from warpbook.lab.repository import state

TOKEN = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cE3g"


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()

    def git(*words):
        who = ["-c", "user.name=ana", "-c", "user.email=ana@example.org"]
        return subprocess.run(
            ["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True
        ).stdout

    git("init", "-q")
    (folder / ".gitignore").write_text("ignored.txt\n")
    (folder / "train.py").write_text("steps = 1\n")
    (folder / ".env").write_text("A=tracked-env\n")
    git("add", "-f", ".")
    git("commit", "-q", "-m", "first")
    return folder, git


@pytest.fixture
def run_folder(tmp_path):
    folder = tmp_path / "book" / "runs" / "R-1"
    folder.mkdir(parents=True)
    return folder


def test_the_commit_and_what_changed_since(repository, run_folder):
    folder, git = repository
    (folder / "train.py").write_text("steps = 2\n")
    (folder / "new name.py").write_text("fresh = 1\n")
    (folder / "ignored.txt").write_text("never-this\n")
    (folder / ".env").write_text("A=secret-one\n")
    (folder / "sub").mkdir()
    (folder / "sub" / ".env.local").write_text("B=secret-two\n")
    (folder / "sub" / "prod.env").write_text("C=secret-three\n")
    (folder / "big.bin").write_bytes(b"x" * (2 << 20))
    before = git("status", "--porcelain"), git("ls-files", "--stage")
    found = state(folder / "sub", run_folder)
    diff = (run_folder / "diff.patch").read_text()
    assert found["commit"] == git("rev-parse", "HEAD").strip()
    assert found["changed"]
    assert "+steps = 2" in diff
    assert "+fresh = 1" in diff
    assert "never-this" not in diff
    assert "secret-" not in diff
    assert "tracked-env" not in diff
    assert any("big.bin" in note for note in found["notes"])
    assert (git("status", "--porcelain"), git("ls-files", "--stage")) == before


def test_the_diff_brings_the_files_back(repository, run_folder, tmp_path):
    folder, git = repository
    (folder / "train.py").write_text("steps = 2\n")
    (folder / "new.bin").write_bytes(bytes(range(256)))
    state(folder, run_folder)
    git("stash", "-q", "--include-untracked")
    git("apply", str(run_folder / "diff.patch"))
    assert (folder / "train.py").read_text() == "steps = 2\n"
    assert (folder / "new.bin").read_bytes() == bytes(range(256))


def test_a_book_inside_the_repository_is_no_change_of_it(repository):
    folder, _ = repository
    (folder / "book.db").write_text("rows")
    run = folder / "runs" / "R-1"
    run.mkdir(parents=True)
    (run / "log").write_text("lines")
    assert not state(folder, run)["changed"]
    assert not (run / "diff.patch").exists()


def test_outside_of_a_repository_there_is_none(run_folder):
    assert state(run_folder, run_folder) is None


def test_only_listed_variables_are_recorded_and_no_keys():
    given = {
        "CUDA_VISIBLE_DEVICES": "0",
        "PATH": "/bin",
        "MY_FLAG": "1",
        "SECRET_TOKEN": TOKEN,
        "OTHER": "x",
        "TORCH_HUB_TOKEN": "short",
        "TRITON_CACHE": f"/tmp/{TOKEN}",
        "MY_KEYS": TOKEN,
    }
    assert variables(("MY_FLAG", "MY_KEYS"), given) == {
        "CUDA_VISIBLE_DEVICES": "0",
        "MY_FLAG": "1",
        "MY_KEYS": LEFT_OUT,
        "PATH": "/bin",
        "TORCH_HUB_TOKEN": LEFT_OUT,
        "TRITON_CACHE": LEFT_OUT,
    }


def test_files_on_a_command_line_are_kept_by_content(plan_of, repository, run_folder):
    folder, _ = repository
    (folder / "keys.txt").write_text(f"token = {TOKEN}\n")
    (folder / "big.json").write_text(" " * (2 << 20))
    command = "python train.py --config=big.json --keys keys.txt .env missing.py"
    found = capture(plan_of(command, cwd=str(folder)), ["warpbook"], run_folder)
    kept = {os.path.basename(entry["path"]): entry for entry in found["sources"]}
    assert set(kept) == {"train.py", "big.json", "keys.txt"}
    assert (run_folder / kept["train.py"]["kept"]).read_text() == "steps = 1\n"
    assert "kept" not in kept["big.json"]
    assert len(kept["big.json"]["sha256"]) == 64
    assert kept["keys.txt"]["note"] == LEFT_OUT
    assert found["packages"]["numpy"]
    assert found["device"]["name"]
    assert found["line"] == ["warpbook"]


@pytest.mark.parametrize("name", ["größe(1).py", "a" * 250 + ".py"])
def test_a_file_s_name_does_not_keep_it_from_travelling(plan_of, repository, run_folder, name):
    folder, _ = repository
    (folder / name).write_text("steps = 1\n")
    found = capture(plan_of(f"python '{name}'", cwd=str(folder)), ["warpbook"], run_folder)
    (entry,) = found["sources"]
    assert entry["path"] == str(folder / name)
    assert (run_folder / entry["kept"]).read_text() == "steps = 1\n"
    assert [inside for _, inside in files_in(run_folder)] == ["diff.patch", entry["kept"]]
