"""Mending Triton 3.6's interpreter, so that it is no stricter than a GPU.

It cannot loop to a bound that is an argument once numpy is 2.4, and it computes with the bits of a
bfloat16 as though they were an integer. Either would call a right kernel wrong. And sorts and calls
of functions take it minutes.
"""

import sys
from typing import Any

import numpy as np
import torch


def mend_interpreter() -> None:
    """Call after the candidate is imported, in a process that has TRITON_INTERPRET set."""
    if "triton" not in sys.modules:
        return
    from triton.runtime import interpreter

    if getattr(interpreter, "mended_by_warpbook", False):
        return
    interpreter.mended_by_warpbook = True
    mend_loops(interpreter)
    mend_bfloat16(interpreter)
    mend_sorts(interpreter)
    mend_calls(interpreter)


def mend_loops(interpreter: Any) -> None:
    patch_tensor = interpreter._patch_lang_tensor

    def patched(tensor: Any, scope: Any) -> None:
        patch_tensor(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    interpreter._patch_lang_tensor = patched


def mend_bfloat16(interpreter: Any) -> None:
    """Casts round to nearest, and an operation is made in float32 and rounded once."""
    import triton.language as tl

    builder, Handle = interpreter.InterpreterBuilder, interpreter.TensorHandle
    cast, binary, dot = builder.cast_impl, builder.binary_op, builder.create_dot

    def widened(handle: Any) -> Any:
        return Handle((handle.data.astype(np.uint32) << 16).view(np.float32), tl.float32)

    def narrowed(handle: Any) -> Any:
        rounded = torch.from_numpy(np.ascontiguousarray(handle.data)).to(torch.bfloat16)
        return Handle(rounded.view(torch.uint16).numpy(), tl.bfloat16)

    def mended_cast(self: Any, source: Any, target: Any) -> Any:
        is_bfloat16 = source.dtype.scalar == tl.bfloat16
        if is_bfloat16 and target.scalar != tl.bfloat16:
            wide = widened(source)
            return wide if target.scalar == tl.float32 else cast(self, wide, target)
        if target.scalar == tl.bfloat16 and not is_bfloat16:
            return narrowed(cast(self, source, tl.float32))
        return cast(self, source, target)

    def mended_binary(self: Any, left: Any, right: Any, operation: Any) -> Any:
        if left.dtype.scalar != tl.bfloat16 or right.dtype.scalar != tl.bfloat16:
            return binary(self, left, right, operation)
        result = binary(self, widened(left), widened(right), operation)
        return result if result.data.dtype == np.bool_ else narrowed(result)

    def mended_dot(self: Any, left: Any, right: Any, *rest: Any) -> Any:
        if left.dtype.scalar != tl.bfloat16:
            return dot(self, left, right, *rest)
        return dot(self, widened(left), widened(right), *rest)

    def constant(self: Any, value: float) -> Any:
        return narrowed(Handle(np.array([value], np.float32), tl.float32))

    builder.get_bf16, builder.cast_impl = constant, mended_cast
    builder.binary_op, builder.create_dot = mended_binary, mended_dot


def mend_sorts(interpreter: Any) -> None:
    """Triton's sorts swap by exclusive or, which the interpreter makes number by number."""
    import triton.language as tl

    reduction = interpreter.ReduceOps
    apply = reduction.apply_impl

    def mended(self: Any, given: Any) -> Any:
        if self.combine_fn != tl.standard._xor_combine or self.axis is None:
            return apply(self, given)
        bits = given[0].handle.data
        reduced = np.bitwise_xor.reduce(bits, axis=self.axis, keepdims=self.keep_dims)
        return self.to_tensor(reduced, given[0].dtype)

    reduction.apply_impl = mended


def mend_calls(interpreter: Any) -> None:
    """Every function that a kernel calls has all of the language patched, though it is by then."""
    import triton.language as tl

    patch = interpreter._patch_lang

    def patched(function: Any) -> Any:
        named = function.__globals__.values()
        seen = [value for value in named if value is tl or value is tl.core]
        if seen and not any(tl.core.is_builtin(language.load) for language in seen):
            return interpreter._LangPatchScope()
        return patch(function)

    interpreter._patch_lang = patched
