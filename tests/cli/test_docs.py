"""The docs keep up with the program: commands, options, files, and the example in them."""

import re
from pathlib import Path

import pytest
import typer

from warpbook.cli.main import app

ROOT = Path(__file__).parents[2]
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = typer.main.get_command(app)


def walk(group, before=""):
    """Every verb by its name, those of a noun too: `campaign add`."""
    for name, verb in group.commands.items():
        yield before + name, verb
        if hasattr(verb, "commands"):
            yield from walk(verb, f"{before}{name} ")


VERBS = dict(walk(COMMAND))
BOOKS = {
    name
    for name, verb in VERBS.items()
    if verb.callback
    and verb.callback.__module__.startswith(("warpbook.cli.book", "warpbook.cli.journal"))
}
OPTIONS = [
    (name, option)
    for name, verb in VERBS.items()
    for parameter in verb.params
    for option in parameter.opts
    if option.startswith("--")
]


def text(*paths):
    return "\n".join(path.read_text() for path in paths)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_in_the_reference(verb):
    assert f"`warpbook {verb}" in text(ROOT / "docs" / "commands.md")


@pytest.mark.parametrize(("verb", "option"), OPTIONS)
def test_every_option_is_in_the_reference(verb, option):
    rows = [
        line.split("|")
        for line in (ROOT / "docs" / "commands.md").read_text().splitlines()
        if line.startswith("| `--") and re.search(rf"`{option}\b", line)
    ]
    assert any(mentions(row, verb) for row in rows), f"{option} of {verb}"


def mentions(row, verb):
    verbs = row[2].strip()
    words = verbs.split(", ")
    if verbs.startswith("all"):
        return verb not in verbs.removeprefix("all").removeprefix(" but ").split(", ")
    return verb in words or ("the book's" in verbs and verb in BOOKS)


def test_every_option_the_docs_name_exists():
    known = {option for _, option in OPTIONS} | {"--version", "--help"}
    named = set(
        re.findall(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*", text(*DOCS, ROOT / "CONTRIBUTING.md"))
    )
    assert named <= known


def tree():
    """Paths in the README's tree, each with its folders, which indentation gives."""
    block = (ROOT / "README.md").read_text().split("## What is where")[1].split("```")[1]
    folders = []
    for line in block.strip().splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        name = line.split()[0]
        folders = [*folders[:depth], name]
        yield "".join(folders)


def test_every_file_in_the_readme_tree_exists():
    paths = list(tree())
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_links_in_the_docs_lead_somewhere():
    for page in [*DOCS, *ROOT.glob("*.md")]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


LAYERS = (
    "core",
    "kernels",
    "measure",
    "book",
    "book/statistics",
    "book/audit",
    "book/exchange",
    "book/browse",
    "journal",
    "journal/texts",
    "journal/days",
    "journal/reading",
    "journal/cards",
    "journal/teaching",
    "journal/importing",
    "journal/sharing",
    "lab",
    "web",
    "web/api",
    "web/campaigns",
    "web/experiments",
    "web/pages",
    "web/now",
    "web/svg",
    "cli",
    "cli/book",
    "cli/journal",
    "web/journal",
    "web/quiz",
    "web/reading",
    "web/site",
)


@pytest.mark.parametrize("layer", LAYERS)
def test_every_module_has_its_line_in_the_architecture(layer):
    page = (ROOT / "ARCHITECTURE.md").read_text()
    section = page.split(f"`src/warpbook/{layer}/`")[1].split("`src/warpbook/")[0]
    here = {path.name for path in (ROOT / "src/warpbook" / layer).glob("*.py")} - {"__init__.py"}
    assert set(re.findall(r"`(\w+\.py)`", section)) - {"problem.py"} == here - {"problem.py"}


@pytest.mark.usefixtures("quick")
def test_the_example_in_the_docs_is_judged_correct(say, tmp_path):
    page = (ROOT / "docs" / "judging.md").read_text()
    problem, rung = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    folder = tmp_path / "relu_squared"
    folder.mkdir()
    (folder / "problem.py").write_text(problem)
    (tmp_path / "mine.py").write_text(rung)
    small = [f"--workload={name}" for name in ("1x1-fp32", "63x1000-strided-fp32", "3x4097-bf16")]
    said = say("judge", folder, "--file", tmp_path / "mine.py", *small, "--device", "cpu")
    assert "3 workloads that exist to catch mistakes: all right" in said.out
