"""A rung that is one CUDA C++ file, described by reading it. Its first line says how to launch it:

    // grid: (cdiv(columns, 256), rows), block: 256, shared: 4 * columns, dtype: float32

`grid` and `block` are one number or up to three in brackets, `shared` is in bytes and may be left
out. The numbers are integers, the problem's sizes, + - * / (which rounds down) %, cdiv, min and
max. The line is parsed and never run. `dtype` names the dtypes the kernel is for; a template over
one typename is for all of them without it. Knows nothing of torch; `cu_call` compiles and calls.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from warpbook.core.errors import BadInput

EXAMPLE = "// grid: 1024, block: 256, shared: 0"
LONGEST_LINE = 400
MOST_THREADS = 1024
LARGEST = {"grid": (2**31 - 1, 65535, 65535), "block": (1024, 1024, 64)}
DTYPES = ("float32", "float16", "bfloat16")
# What a template is given, by the header it includes: the toolkit's type, or that of warp.cuh.
TOOLKIT_TYPES = {
    "float16": ("cuda_fp16.h", "__half"),
    "bfloat16": ("cuda_bf16.h", "__nv_bfloat16"),
}
OWN_TYPES = {"float16": "half16", "bfloat16": "bf16"}
INCLUDED = r'^\s*#\s*include\s*[<"]([^>"]+)[>"]'
OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
FUNCTIONS: dict[str, Callable[..., int]] = {
    "cdiv": lambda a, b: -(-a // b),
    "min": min,
    "max": max,
}


@dataclass(frozen=True)
class Launch:
    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared: int


@dataclass(frozen=True)
class CuFile:
    """`line` is where the kernel is defined, `parameters` how many it has."""

    path: Path
    kernel: str
    line: int
    parameters: int
    template: bool
    includes: frozenset[str]
    sizes: tuple[str, ...]
    fields: Mapping[str, tuple[ast.expr, ...]]
    dtypes: tuple[str, ...]
    title: str
    idea: str

    def launch(self, shape: tuple[int, ...]) -> Launch:
        """For a workload's shape; BadInput where no GPU could be asked for that."""
        sizes = dict(zip(self.sizes, shape, strict=True))
        where = " where " + ", ".join(f"{name} = {number}" for name, number in sizes.items())
        found = {}
        for field, nodes in self.fields.items():
            try:
                found[field] = tuple(evaluate(node, sizes) for node in nodes)
            except ZeroDivisionError:
                raise BadInput(f"{self.path}:1: {field} divides by zero{where}") from None
            if wrong := out_of_range(field, found[field]):
                raise BadInput(f"{self.path}:1: {wrong}{where}")
        return Launch(found["grid"], found["block"], found["shared"][0])

    def expression(self, dtype: str) -> str:
        """The kernel for a dtype, as C++ spells it."""
        if not self.template:
            return self.kernel
        if dtype == "float32":
            return f"{self.kernel}<float>"
        header, name = TOOLKIT_TYPES[dtype]
        if header in self.includes:
            return f"{self.kernel}<{name}>"
        own = OWN_TYPES[dtype]
        if any(include.endswith(".cuh") for include in self.includes):
            return f"{self.kernel}<{own}>"
        raise BadInput(
            f'{self.path}:{self.line}: for {dtype}, include "warp.cuh" (the type is then {own}) or '
            f"<{header}> (then {name}); or say dtype: float32 in the first line"
        )


def parse_cu_file(path: Path, text: str, kernel: str, sizes: tuple[str, ...]) -> CuFile:
    """Describe the file, whose kernel is named after the problem."""
    if not sizes:
        raise BadInput(
            f"{path}: {kernel}'s problem.py does not name its sizes for a .cu file; "
            'sizes=("rows", "columns") would'
        )
    first, *rest = text.split("\n")
    entries = read_entries(path, first)
    fields = {
        field: dimensions(path, field, entries.get(field, ast.Constant(0)), sizes)
        for field in ("grid", "block", "shared")
    }
    code = without_comments(text)
    start, end = find_kernel(path, code, kernel)
    line = code.count("\n", 0, end) + 1
    template = "template" in re.split(r"[;{}]", code[:start])[-1].split()
    includes = frozenset(re.findall(INCLUDED, code, re.MULTILINE))
    if own := sorted(name for name in includes if (path.parent / name).is_file()):
        raise BadInput(f"{path}: is judged alone, so {own[0]} cannot be included; put it in here")
    title, idea = words_of(rest, path.stem)
    return CuFile(
        path=path,
        kernel=kernel,
        line=line,
        parameters=count_parameters(code[end:]),
        template=template,
        includes=includes,
        sizes=sizes,
        fields=fields,
        dtypes=read_dtypes(path, entries.get("dtype"), template, line),
        title=title,
        idea=idea,
    )


def read_entries(path: Path, line: str) -> dict[str, ast.expr]:
    """The line between braces is a dictionary as Python spells one, with bare names for keys."""
    example = f"; the first line says how the kernel is launched, such as: {EXAMPLE}"
    if not line.startswith("//") or ":" not in line:
        raise BadInput(f"{path}:1: no grid and block{example}")
    if len(line) > LONGEST_LINE:
        raise BadInput(f"{path}:1: more than {LONGEST_LINE} characters")
    try:
        tree = ast.parse("{" + line[2:] + "}", mode="eval").body
    except (SyntaxError, ValueError):
        raise BadInput(f"{path}:1: cannot be read{example}") from None
    if not isinstance(tree, ast.Dict):
        raise BadInput(f"{path}:1: cannot be read{example}")
    entries: dict[str, ast.expr] = {}
    for key, value in zip(tree.keys, tree.values, strict=True):
        name = key.id if isinstance(key, ast.Name) else ""
        if name not in ("grid", "block", "shared", "dtype"):
            told = ast.unparse(key) if key else "**"
            raise BadInput(f"{path}:1: {told!r} is not one of grid, block, shared and dtype")
        if name in entries:
            raise BadInput(f"{path}:1: {name} is there twice")
        entries[name] = value
    for name in ("grid", "block"):
        if name not in entries:
            raise BadInput(f"{path}:1: no {name}{example}")
    return entries


def dimensions(
    path: Path, field: str, node: ast.expr, sizes: tuple[str, ...]
) -> tuple[ast.expr, ...]:
    nodes = tuple(node.elts) if isinstance(node, ast.Tuple) else (node,)
    most = 1 if field == "shared" else 3
    if not 1 <= len(nodes) <= most:
        raise BadInput(f"{path}:1: {field} has {len(nodes)} numbers; 1 to {most} are possible")
    for part in nodes:
        if wrong := why_not(part, sizes):
            raise BadInput(f"{path}:1: {field}: {wrong}")
    return nodes


def why_not(node: ast.expr, sizes: tuple[str, ...]) -> str | None:
    """What is not part of the small language, if anything."""
    match node:
        case ast.Constant(value=int() as number) if number is not True and number is not False:
            return None
        case ast.Name(id=name):
            if name in sizes:
                return None
            return f"no size {name!r}; the problem's sizes are {', '.join(sizes)}"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return why_not(left, sizes) or why_not(right, sizes)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            if len(arguments) != 2:
                return f"{name} takes two numbers"
            return why_not(arguments[0], sizes) or why_not(arguments[1], sizes)
    return (
        f"{ast.unparse(node)!r} is not an integer, a size, + - * / %, "
        "cdiv(a, b), min(a, b) or max(a, b)"
    )


def evaluate(node: ast.expr, sizes: Mapping[str, int]) -> int:
    """Of what `why_not` let through."""
    match node:
        case ast.Constant(value=int() as number):
            return number
        case ast.Name(id=name):
            return sizes[name]
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](evaluate(left, sizes), evaluate(right, sizes))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return FUNCTIONS[name](*(evaluate(argument, sizes) for argument in arguments))
    raise AssertionError(ast.dump(node))


def out_of_range(field: str, numbers: tuple[int, ...]) -> str | None:
    shown = " x ".join(map(str, numbers))
    if field == "shared":
        return f"shared is {shown}, less than nothing" if numbers[0] < 0 else None
    for number, most in zip(numbers, LARGEST[field], strict=False):
        if not 1 <= number <= most:
            return f"{field} is {shown}, and {number} is not from 1 to {most}"
    if field == "block" and math.prod(numbers) > MOST_THREADS:
        return f"block is {shown}, more than {MOST_THREADS} threads"
    return None


def read_dtypes(path: Path, node: ast.expr | None, template: bool, line: int) -> tuple[str, ...]:
    if node is None:
        if template:
            return DTYPES
        raise BadInput(
            f"{path}:{line}: the kernel is no template over a typename, so the first line must say "
            "which dtype it is for, such as dtype: float32"
        )
    nodes = node.elts if isinstance(node, ast.Tuple) else [node]
    names = tuple(ast.unparse(part) for part in nodes)
    if unknown := [name for name in names if name not in DTYPES]:
        raise BadInput(f"{path}:1: no dtype {unknown[0]!r}; there are {', '.join(DTYPES)}")
    if len(names) != 1 and not template:
        raise BadInput(f"{path}:1: a kernel that is no template is for one dtype")
    return names


def without_comments(text: str) -> str:
    """The code, each line where it was. Attributes such as __launch_bounds__(256) are left out
    too: their brackets are not those of a parameter list."""
    literal = r'"(?:\\.|[^"\\\n])*"'
    code = re.sub(
        rf"//[^\n]*|/\*.*?\*/|{literal}",
        lambda found: found[0] if found[0][0] == '"' else "\n" * found[0].count("\n") + " ",
        text,
        flags=re.DOTALL,
    )
    return re.sub(
        r"\b__\w+__\s*\((?:[^()]|\([^()]*\))*\)", lambda f: "\n" * f[0].count("\n") + " ", code
    )


def find_kernel(path: Path, code: str, name: str) -> tuple[int, int]:
    """Where the kernel's definition starts and where its parameters do."""
    found = list(re.finditer(r"\b__global__\s[^;{}()]*?\b(\w+)\s*\(", code))
    for kernel in found:
        if kernel[1] == name:
            return kernel.start(), kernel.end()
    if not found:
        raise BadInput(f"{path}: no kernel; a file for this problem has a __global__ {name!r}")
    line = code.count("\n", 0, found[0].end()) + 1
    raise BadInput(f"{path}:{line}: the kernel is named {found[0][1]!r}, and must be {name!r}")


def count_parameters(code: str) -> int:
    """Of a parameter list, from just after its opening bracket."""
    depth, commas, seen = 0, 0, ""
    for character in code:
        if character == ")" and not depth:
            break
        depth += (character in "(<[{") - (character in ")>]}")
        commas += character == "," and not depth
        seen += character
    return commas + 1 if seen.strip() not in ("", "void") else 0


def words_of(lines: list[str], stem: str) -> tuple[str, str]:
    """The title and the idea: the comment lines that follow the first line."""
    words = []
    for line in lines:
        if not line.startswith("//"):
            break
        words.append(line.removeprefix("//").strip())
    return (words[0] if words and words[0] else stem), " ".join(" ".join(words[1:]).split())
