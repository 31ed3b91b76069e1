"""A rung: one implementation of a problem in one file, described by reading the file.

The file is parsed, never imported: candidate code runs only in a child process.
"""

import ast
import hashlib
from dataclasses import dataclass
from pathlib import Path

from warpbook.core.cost import UNITS, OtherUnit
from warpbook.core.errors import BadInput
from warpbook.kernels.cu_file import DTYPES, CuFile, parse_cu_file
from warpbook.kernels.includes import included


@dataclass(frozen=True)
class Rung:
    """`title` is the first line of the file's docstring and `idea` the rest of it. `LANGUAGE` and
    `EXPECTED_GAIN` (over the rung below) are constants in the file. So are `UNIT` and `TIMES`,
    where it makes its operations on another unit than the problem counts on, `TIMES` for each. A
    Triton rung runs on a CPU too, in Triton's interpreter, and has no time there. A CUDA rung has
    its kernels in a `.cu` beside its file, or is a `.cu` alone; the hash covers all its files and
    headers. `dtypes` are those it is for, where it is not for all."""

    name: str
    path: Path
    title: str
    idea: str
    language: str
    expected_gain: float | None
    sha256: str
    dtypes: tuple[str, ...] | None = None
    other_unit: OtherUnit | None = None

    @property
    def files(self) -> list[Path]:
        """All that its hash covers, in order."""
        return files_of(self.path, self.language)

    def why_not(self, dtype: str) -> str | None:
        if self.dtypes is None or dtype in self.dtypes:
            return None
        return f"{self.path.name} is for {' and '.join(self.dtypes)} only"

    @property
    def interpreted_on_cpu(self) -> bool:
        return self.language == "triton"

    @property
    def needs_gpu(self) -> bool:
        return self.language == "cuda"


def read_rung(
    path: Path, function: str, name: str | None = None, sizes: tuple[str, ...] = ()
) -> Rung:
    """Describe the rung in `path`, which must define `function`. `sizes` are the problem's, for a
    `.cu` file to use."""
    if path.suffix == ".cu":
        return read_cu_rung(path, function, name, sizes)
    source = read_source(path)
    try:
        tree = ast.parse(source, filename=str(path))
    except SyntaxError as error:
        where = f"{path}:{error.lineno}"
        raise BadInput(
            f"{where}: syntax error: {error.msg}: {(error.text or '').strip()}"
        ) from None
    except ValueError as error:
        raise BadInput(f"{path}: not Python source: {error}") from None
    if not defines(tree, function):
        raise BadInput(f"{path}: no function named {function!r}; a rung defines one")
    title, _, idea = (ast.get_docstring(tree) or path.stem).partition("\n")
    constants = literals(tree)
    gain = constants.get("EXPECTED_GAIN")
    language = str(constants.get("LANGUAGE") or guess_language(tree))
    return Rung(
        name=name or path.stem,
        path=path.resolve(),
        title=title.strip(),
        idea=" ".join(idea.split()),
        language=language,
        expected_gain=float(gain) if isinstance(gain, int | float) else None,
        sha256=hash_of(files_of(path, language)),
        other_unit=read_unit(path, constants),
    )


def read_unit(path: Path, constants: dict[str, object]) -> OtherUnit | None:
    unit, times = constants.get("UNIT"), constants.get("TIMES", 1.0)
    if unit is None and "TIMES" not in constants:
        return None
    if unit not in UNITS:
        raise BadInput(f"{path}: UNIT is {unit!r}, and must be one of {', '.join(UNITS)}")
    if not isinstance(times, int | float) or isinstance(times, bool) or not 0 < times < 1000:
        raise BadInput(f"{path}: TIMES is {times!r}, and must be how often an operation is made")
    return OtherUnit(str(unit), float(times))


def read_cu_rung(path: Path, kernel: str, name: str | None, sizes: tuple[str, ...]) -> Rung:
    file = read_cu_file(path, kernel, sizes)
    return Rung(
        name=name or path.stem,
        path=path.resolve(),
        title=file.title,
        idea=file.idea,
        language="cuda",
        expected_gain=None,
        sha256=hash_of([path]),
        dtypes=None if file.dtypes == DTYPES else file.dtypes,
    )


def read_cu_file(path: Path, kernel: str, sizes: tuple[str, ...]) -> CuFile:
    try:
        text = read_source(path).decode()
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not CUDA C++ source: not text") from None
    if "\0" in text:
        raise BadInput(f"{path}: not CUDA C++ source: it has null bytes")
    return parse_cu_file(path, text, kernel, sizes)


def files_of(path: Path, language: str) -> list[Path]:
    pair = language == "cuda" and path.suffix == ".py"
    return [path, path.with_suffix(".cu")] if pair else [path]


def hash_of(files: list[Path]) -> str:
    """Of the files, and of what a `.cu` among them includes of Warpbook's own."""
    sources = [read_source(file) for file in files]
    if files[-1].suffix == ".cu":
        sources += map(read_source, included(sources[-1]))
    return hashlib.sha256(b"".join(sources)).hexdigest()


def read_source(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise BadInput(f"{path}: no such file") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from None


def defines(tree: ast.Module, function: str) -> bool:
    """A definition, an assignment or an import at the top of the module gives it the name."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) if name == function:
                return True
            case ast.Assign(targets=targets):
                if any(isinstance(t, ast.Name) and t.id == function for t in targets):
                    return True
            case ast.ImportFrom(names=names):
                if any((n.asname or n.name) == function for n in names):
                    return True
    return False


def literals(tree: ast.Module) -> dict[str, object]:
    found: dict[str, object] = {}
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=value)):
                found[name] = value
    return found


def guess_language(tree: ast.Module) -> str:
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    return "triton" if "triton" in imported else "torch"
