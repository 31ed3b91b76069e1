"""Where problems are, and what can be told of one by reading its file alone.

Imports nothing of a problem and never torch, so that a mistyped name is answered at once. What a
problem computes rather than spells out (its workloads) is known only to `shelf`, which imports it.
"""

import ast
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from warpbook.core.errors import BadInput
from warpbook.kernels.rung import Rung, read_rung

BUILT_IN = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Outline:
    """What a rung is found by: the problem's folder, its name and the names of its rungs, those on
    the ladder and those that are other people's work; and the sizes a `.cu` file may use."""

    folder: Path
    name: str
    ladder: tuple[str, ...]
    peers: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()

    @property
    def rungs(self) -> tuple[str, ...]:
        """The ladder, and then the peers that are not on it."""
        return self.ladder + tuple(peer for peer in self.peers if peer not in self.ladder)


def problem_names() -> list[str]:
    return sorted(path.parent.name for path in BUILT_IN.glob("*/problem.py"))


def problem_folder(name: str) -> Path:
    """The folder of a built-in problem, or `name` itself as a path."""
    if name in problem_names():
        return BUILT_IN / name
    folder = Path(name)
    if not folder.is_dir():
        known = ", ".join(problem_names())
        raise BadInput(f"no problem {name!r}: give one of {known}, or a folder with a problem.py")
    if not (folder / "problem.py").is_file():
        raise BadInput(f"{folder}: a problem is a folder with a problem.py, and there is none")
    return folder.resolve()


def read_outline(name: str) -> Outline | None:
    """None where the problem's file computes what an outline holds."""
    folder = problem_folder(name)
    file = folder / "problem.py"
    try:
        tree = ast.parse(file.read_bytes(), filename=str(file))
    except SyntaxError as error:
        raise BadInput(f"{file}:{error.lineno}: syntax error: {error.msg}") from None
    except (ValueError, OSError) as error:
        raise BadInput(f"{file}: cannot be read as Python: {error}") from None
    keywords = problem_keywords(tree)
    function = text(keywords.get("name"))
    ladder, peers, sizes = (
        texts(keywords[word]) if word in keywords else () for word in ("ladder", "peers", "sizes")
    )
    if function is None or ladder is None or peers is None or sizes is None:
        return None
    return Outline(folder, function, ladder, peers, sizes)


def find_rung(outline: Outline, name: str) -> Rung:
    if name not in outline.rungs:
        known = ", ".join(outline.rungs) or "empty"
        raise BadInput(f"{outline.name} has no rung {name!r}; its ladder is: {known}")
    return read_rung(outline.folder / "rungs" / f"{name}.py", outline.name)


def file_rung(outline: Outline, path: Path) -> Rung:
    """A rung of the user's own."""
    if path.suffix not in (".py", ".cu"):
        raise BadInput(f"{path}: a rung is a file whose name ends in .py or .cu")
    return read_rung(path, outline.name, sizes=outline.sizes)


def any_rung(outline: Outline, name_or_path: str) -> Rung:
    """A rung of the ladder or a peer by its name, or any other by its file."""
    path = Path(name_or_path)
    if name_or_path in outline.rungs or not (path.suffix or path.exists()):
        return find_rung(outline, name_or_path)
    return file_rung(outline, path)


def readable_rungs(outline: Outline) -> Iterator[Rung]:
    """Without those whose file cannot be read as one."""
    for name in outline.rungs:
        with suppress(BadInput):
            yield find_rung(outline, name)


def is_own(outline: Outline, rung: Rung) -> bool:
    """Whether it is a file of the user's, and not a rung that the problem names."""
    return rung.name not in outline.rungs or rung.path.parent != outline.folder / "rungs"


def whole_ladder(outline: Outline) -> list[Rung]:
    if not outline.ladder:
        raise BadInput(f"{outline.name} has no rungs of its own; judge one with --file")
    return [find_rung(outline, name) for name in outline.ladder]


def problem_keywords(tree: ast.Module) -> dict[str, ast.expr]:
    """The keywords of `problem = Problem(...)`."""
    for node in tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id="problem")], value=ast.Call(keywords=keywords))
                | ast.AnnAssign(target=ast.Name(id="problem"), value=ast.Call(keywords=keywords))
            ):
                return {k.arg: k.value for k in keywords if k.arg}
    return {}


def text(node: ast.expr | None) -> str | None:
    match node:
        case ast.Constant(value=str(value)):
            return value
    return None


def texts(node: ast.expr | None) -> tuple[str, ...] | None:
    match node:
        case ast.Tuple(elts=items) | ast.List(elts=items):
            found = [text(item) for item in items]
            return None if None in found else tuple(t for t in found if t is not None)
    return None
