"""What the functions demand of their arguments, and what they say when it is not met.

Each function here raises TypeError for a dtype or a layout, ValueError for a shape and RuntimeError
for a device, as torch does. Knows nothing of kernels; works on tensors without data too.
"""

from collections.abc import Collection, Mapping

import torch
from torch import Tensor

FLOATS = (torch.float32, torch.float16, torch.bfloat16)
OPTIONAL = ("weight", "bias")


def one_kind(op: str, **tensors: Tensor | None) -> None:
    """Strided tensors of one dtype on one device; a weight or a bias may be None."""
    leader: Tensor | None = None
    for name, tensor in tensors.items():
        if tensor is None and name in OPTIONAL:
            continue
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{op}: {name} is of type {type(tensor).__name__}; it must be a tensor")
        if tensor.layout is not torch.strided:
            raise TypeError(f"{op}: {name} is {tensor.layout}; only strided tensors are supported")
        if tensor.dtype not in FLOATS:
            raise TypeError(
                f"{op}: {name} is {word(tensor.dtype)}; float32, float16 and bfloat16 are supported"
            )
        if leader is None:
            first, leader = name, tensor
        elif tensor.dtype != leader.dtype:
            raise TypeError(
                f"{op}: {first} is {word(leader.dtype)} and {name} is {word(tensor.dtype)}; "
                "all tensors must have one dtype"
            )
        elif tensor.device != leader.device:
            raise RuntimeError(
                f"{op}: {first} is on {leader.device} and {name} is on {tensor.device}; "
                "all tensors must be on one device"
            )


def same_shape(op: str, **tensors: Tensor) -> None:
    (first, leader), *others = tensors.items()
    for name, tensor in others:
        if tensor.shape != leader.shape:
            raise ValueError(
                f"{op}: {first} has shape {tuple(leader.shape)} and {name} {tuple(tensor.shape)}; "
                "they must be the same, nothing is broadcast"
            )


def a_number_a_column(op: str, of: str, matrix: Tensor, **vectors: Tensor | None) -> None:
    """At least one dimension, and vectors as long as the last one."""
    if matrix.dim() == 0:
        raise ValueError(f"{op}: {of} has no dimensions; it needs at least one, its columns")
    for name, vector in vectors.items():
        if vector is not None and vector.shape != matrix.shape[-1:]:
            raise ValueError(
                f"{op}: {of} has {matrix.shape[-1]} columns and {name} has shape "
                f"{tuple(vector.shape)}; it must be ({matrix.shape[-1]},)"
            )


def outputs_fit(
    op: str,
    like: Tensor,
    shape: torch.Size,
    outputs: Mapping[str, Tensor],
    indices: Collection[str] = (),
) -> None:
    """That results of this shape, and of the kind of an input, can be written there; `indices` are
    the names of those that are int64 instead."""
    for name, output in outputs.items():
        if name in indices:
            indices_fit(op, name, like, output)
        else:
            one_kind(op, **{"the input": like, name: output})
        if output.shape != shape:
            raise ValueError(
                f"{op}: {name} has shape {tuple(output.shape)}; it must be {tuple(shape)}, since "
                "outputs are not resized"
            )


def indices_fit(op: str, name: str, like: Tensor, output: Tensor) -> None:
    if output.layout is not torch.strided:
        raise TypeError(f"{op}: {name} is {output.layout}; only strided tensors are supported")
    if output.dtype != torch.int64:
        raise TypeError(f"{op}: {name} is {word(output.dtype)}; indices are int64")
    if output.device != like.device:
        raise RuntimeError(
            f"{op}: the input is on {like.device} and {name} is on {output.device}; "
            "all tensors must be on one device"
        )


def word(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
