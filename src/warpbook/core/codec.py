"""Dataclasses to plain JSON values and back, led by their type hints.

Knows the few types that judgements, comparisons, roofs and receipts are made of, and no others. A
field that is absent takes its default, so that what was written before the field existed is read.
JSON has no NaN and no infinity: a float that is not finite becomes null.
"""

import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def encode(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    if value is None or isinstance(value, str | int):
        return value
    raise TypeError(f"{type(value).__name__} has no place in a receipt")


def decode(kind: type[T], data: Any) -> T:
    """A `kind` from what `encode` made of one; ValueError names the field that does not fit."""
    return _decode(kind, data, kind.__name__)  # type: ignore[no-any-return]


def _decode(kind: Any, data: Any, where: str) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return data
    if origin in (Union, types.UnionType):
        inner = next(a for a in arguments if a is not type(None))
        return None if data is None else _decode(inner, data, where)
    if origin is tuple:
        items = _expect(list, data, where)
        return tuple(_decode(arguments[0], item, f"{where}[{i}]") for i, item in enumerate(items))
    if origin is not None and issubclass(origin, Mapping):
        entries = _expect(dict, data, where)
        return {key: _decode(arguments[1], item, f"{where}.{key}") for key, item in entries.items()}
    if is_dataclass(kind):
        return _decode_dataclass(kind, data, where)
    if issubclass(kind, Enum):
        return kind(data)
    if kind is float:
        return math.nan if data is None else float(_expect((int, float), data, where))
    return _expect(kind, data, where)


def _decode_dataclass(kind: Any, data: Any, where: str) -> Any:
    entries = _expect(dict, data, where)
    hints = hints_of(kind)
    names = {f.name for f in fields(kind)}
    if unknown := entries.keys() - names:
        raise ValueError(f"{where}: unknown {', '.join(sorted(unknown))}")
    if missing := {f.name for f in fields(kind) if not has_default(f)} - entries.keys():
        raise ValueError(f"{where}: no {', '.join(sorted(missing))}")
    return kind(
        **{name: _decode(hints[name], entries[name], f"{where}.{name}") for name in entries}
    )


# Looking them up takes longer than all else, and they never change.
hints_of = cache(get_type_hints)


def has_default(field: "Field[Any]") -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _expect(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, kind) or (isinstance(data, bool) and kind is not bool):
        raise ValueError(f"{where}: {type(data).__name__} does not belong here")
    return data
