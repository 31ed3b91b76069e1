"""Git commits of the watched repository, as events of the log.

What was last seen is kept in the book, so that each commit is told once. Knows git by its command
line alone: no hook is installed, and nothing in the repository changes.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warpbook.book.store import Write
from warpbook.book.tables import State

if TYPE_CHECKING:
    from warpbook.book.book import Book

KEY = "commits"
MOST = 100
LIMIT_S = 20.0
LONGEST = 500
FORMAT = "%H%x00%an%x00%cI%x00%s%x1e"


@dataclass(frozen=True)
class Commit:
    sha: str
    author: str
    time: str
    subject: str


class NoCommits(Exception):
    """Why none can be read, in one line."""


def complain(line: str) -> None:
    print(line, file=sys.stderr)


def sync(book: "Book", say: Callable[[str], None] = complain) -> int:
    """Tell of the commits since the last time, oldest first; the first time, of the last one only.
    Where there is nothing to read, `say` gets one line and the caller goes on."""
    watch = book.settings.watch
    if watch is None:
        return 0
    with book.reading() as session:
        seen = last_seen(session.get(State, KEY), watch)
    try:
        head = git(watch, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").strip()
        if not head or head == seen:
            return 0
        commits, remark = commits_since(watch, seen, head)
    except NoCommits as error:
        say(f"commits of {watch} are not followed: {error}")
        return 0
    with book.writing() as write:
        state = write.session.get(State, KEY)
        if last_seen(state, watch) != seen:
            return 0  # another process was quicker
        for commit in commits:
            tell(write, commit, remark if commit is commits[0] else "")
        value = {"watch": str(watch), "sha": head}
        if state is None:
            write.session.add(State(key=KEY, value=value))
        else:
            state.value = value
    return len(commits)


def last_seen(state: State | None, watch: Path) -> str:
    if state is None or state.value.get("watch") != str(watch):
        return ""
    return str(state.value.get("sha", ""))


def commits_since(watch: Path, seen: str, head: str) -> tuple[list[Commit], str]:
    """The new ones, oldest first, and what there is to say of them."""
    if not seen:
        return log(watch, "--max-count=1", head), ""
    if not known(watch, seen):
        return log(watch, "--max-count=1", head), f"history was rewritten: {seen[:12]} is gone"
    commits = log(watch, f"--max-count={MOST}", f"{seen}..{head}")
    if not commits:
        # Gone back to an earlier commit.
        back = f"history was rewritten: back from {seen[:12]}"
        return log(watch, "--max-count=1", head), back
    if git(watch, "rev-list", "--count", "--max-count=1", f"{head}..{seen}").strip() != "0":
        return commits, f"history was rewritten: {seen[:12]} is no longer part of it"
    total = int(git(watch, "rev-list", "--count", f"{seen}..{head}"))
    return commits, f"{total - len(commits)} before it are left out" if total > MOST else ""


def known(watch: Path, sha: str) -> bool:
    return bool(git(watch, "rev-parse", "--verify", "--quiet", f"{sha}^{{commit}}").strip())


def log(watch: Path, *arguments: str) -> list[Commit]:
    text = git(watch, "log", "--no-show-signature", "--no-color", f"--format={FORMAT}", *arguments)
    records = [record.lstrip("\n").split("\0") for record in text.split("\x1e") if record.strip()]
    newest_first = [Commit(*map(clean, record)) for record in records if len(record) == 4]
    return newest_first[::-1]


def clean(text: str) -> str:
    """Of control characters, which could steer the terminal that shows the log."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", " ", text)[
        :LONGEST
    ]


def tell(write: Write, commit: Commit, remark: str) -> None:
    text = f"commit {commit.sha[:12]} by {commit.author}: {commit.subject}"
    write.event(
        "commit",
        commit.sha[:12],
        f"{text} ({remark})" if remark else text,
        sha=commit.sha,
        subject=commit.subject,
        author=commit.author,
        time=commit.time,
    )


def git(watch: Path, *arguments: str) -> str:
    command = ["git", "-C", str(watch), "--no-pager", *arguments]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
    }
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=LIMIT_S, env=environment, check=False
        )
    except FileNotFoundError:
        raise NoCommits("git is not installed") from None
    except subprocess.TimeoutExpired:
        raise NoCommits(f"git did not answer within {LIMIT_S:g} s") from None
    message = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode and (message or done.returncode > 1):
        raise NoCommits(clean(message[-1]) if message else f"git ended with {done.returncode}")
    return done.stdout.decode(errors="replace")
