"""Commits of the watched repository become events, each once."""

import dataclasses
import os
import subprocess

import pytest

from warpbook.book import commits
from warpbook.book.commits import sync


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "code"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    return folder


@pytest.fixture
def watching(book, repository):
    book.settings = dataclasses.replace(book.settings, watch=repository)
    return book


def git(folder, *arguments):
    who = ["-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "gc.auto=0"]
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    done = subprocess.run(
        ["git", "-C", folder, *who, *arguments], check=True, capture_output=True, env=clean
    )
    return done.stdout.decode().strip()


def commit(folder, subject):
    git(folder, "commit", "-q", "--allow-empty", "-m", subject)
    return git(folder, "rev-parse", "HEAD")


def told(book):
    return [event.data["subject"] for event in book.log.list(kind="commit", limit=1000)]


def test_the_first_time_only_the_last_commit_is_told(watching, repository):
    commit(repository, "one")
    sha = commit(repository, "two")
    assert sync(watching) == 1
    (event,) = watching.log.list(kind="commit")
    assert event.data["sha"] == sha
    assert event.data["author"] == "Ana"
    assert event.data["time"].startswith("20")
    assert event.text == f"commit {sha[:12]} by Ana: two"


def test_then_each_new_one_once_and_in_order(watching, repository):
    commit(repository, "one")
    sync(watching)
    for subject in ("two", "three"):
        commit(repository, subject)
    assert sync(watching) == 2
    assert sync(watching) == 0
    assert told(watching) == ["one", "two", "three"]


def test_many_are_bounded_and_that_is_said(watching, repository, monkeypatch):
    monkeypatch.setattr(commits, "MOST", 3)
    commit(repository, "first")
    sync(watching)
    for i in range(5):
        commit(repository, str(i))
    assert sync(watching) == 3
    assert told(watching) == ["first", "2", "3", "4"]
    assert "2 before it are left out" in watching.log.list(kind="commit")[1].text


def test_a_rewritten_history_is_told_as_such(watching, repository):
    commit(repository, "one")
    commit(repository, "two")
    sync(watching)
    git(repository, "commit", "-q", "--allow-empty", "--amend", "-m", "two, better")
    assert sync(watching) == 1
    assert "history was rewritten" in watching.log.latest(1)[0].text
    git(repository, "reset", "-q", "--hard", "HEAD~1")
    assert sync(watching) == 1
    assert told(watching) == ["two", "two, better", "one"]
    assert sync(watching) == 0


def test_a_history_whose_last_commit_is_gone_starts_afresh(watching, repository):
    commit(repository, "one")
    commit(repository, "two")
    sync(watching)
    git(repository, "reset", "-q", "--hard", "HEAD~1")
    git(repository, "reflog", "expire", "--expire=now", "--all")
    git(repository, "gc", "-q", "--prune=now")
    commit(repository, "three")
    assert sync(watching) == 1
    assert "is gone" in watching.log.latest(1)[0].text


def test_control_characters_do_not_reach_the_log(watching, repository):
    commit(repository, "red \x1b[31m\u202e text")
    sync(watching)
    assert told(watching) == ["red  [31m  text"]


def test_a_subject_that_looks_like_an_option_or_a_record_is_a_subject(watching, repository):
    commit(repository, "--help \x1e\x1f")
    assert sync(watching) == 1
    assert told(watching)[0].startswith("--help")


def test_what_cannot_be_read_is_one_line_and_no_failure(book, tmp_path, monkeypatch):
    said = []
    for watch, word in ((tmp_path, "not a git repository"), (tmp_path / "no", "no")):
        book.settings = dataclasses.replace(book.settings, watch=watch)
        assert sync(book, said.append) == 0
        assert word in said[-1]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert sync(book, said.append) == 0
    assert said[-1].endswith("git is not installed")
    assert all("\n" not in line for line in said)
    assert book.log.list(kind="commit") == []


def test_without_a_watched_repository_or_a_commit_nothing_is_said(book, watching, repository):
    said = []
    assert sync(watching, said.append) == 0
    book.settings = dataclasses.replace(book.settings, watch=None)
    assert sync(book, said.append) == 0
    assert said == []
