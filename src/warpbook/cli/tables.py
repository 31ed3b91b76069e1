"""`make tables`: writes the tables in README, docs and the ladders' pages anew from `results/`.

A page asks for a table between `<!-- table:softmax -->`, or `<!-- table:overview -->`, and
`<!-- /table -->`. What stands there is never typed: `make check` runs this with `--check`, which
writes nothing and fails where a page differs.
"""

import argparse
import re
import sys
from pathlib import Path

from warpbook.cli.guard import say
from warpbook.cli.results import ladder_tables, overview_tables
from warpbook.core.errors import BadInput, WarpbookError
from warpbook.kernels.library import problem_names

PAGES = ("*.md", "docs/*.md", "src/warpbook/kernels/*/README.md")
MARK = re.compile(r"^<!-- table:(\w+) -->\n(.*?)^<!-- /table -->$", re.DOTALL | re.MULTILINE)
OPENING = re.compile(r"^<!-- table:", re.MULTILINE)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make tables", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say which pages differ")
    parser.add_argument("--root", type=Path, default=Path(), help="the repository's folder")
    asked = parser.parse_args(arguments)
    try:
        stale = [page for page in pages(asked.root) if renewed(page, asked.root) != read(page)]
        if not asked.check:
            for page in stale:
                page.write_text(renewed(page, asked.root), encoding="utf-8")
                print(f"{page}: tables written")
            return 0
    except WarpbookError as error:
        say(str(error))
        return error.exit_status
    for page in stale:
        say(f"{page}: its tables are not what results/ gives; run make tables")
    return 1 if stale else 0


def pages(root: Path) -> list[Path]:
    return [page for pattern in PAGES for page in sorted(root.glob(pattern))]


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def renewed(page: Path, root: Path) -> str:
    """The page with every table as the receipts give it."""
    text = read(page)
    if len(OPENING.findall(text)) != len(MARK.findall(text)):
        raise BadInput(f"{page}: a table is opened and not closed by <!-- /table -->")

    def fill(mark: re.Match[str]) -> str:
        name = mark.group(1)
        return f"<!-- table:{name} -->\n{table(name, root / 'results', page)}<!-- /table -->"

    return MARK.sub(fill, text)


def table(name: str, results: Path, page: Path) -> str:
    if name == "overview":
        return overview_tables(results)
    if name not in problem_names():
        known = ", ".join(["overview", *problem_names()])
        raise BadInput(f"{page}: no table {name!r}; there are {known}")
    return ladder_tables(results, name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
