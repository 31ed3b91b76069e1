"""Whether a call may go straight to a kernel, past torch's dispatcher.

The dispatcher costs several times what a launch does. It is needed where more than the numbers is
asked for: a gradient, a graph, a batch, a subclass, a mode that watches. The checks are few and
cheap, since the host pays them on every call. Knows nothing of operations.
"""

from typing import Any

import torch
from torch import Tensor, strided
from torch._C import _get_tracing_state as traced
from torch._C import _len_torch_dispatch_stack as dispatch_modes
from torch._C import _len_torch_function_stack as function_modes
from torch._C._functorch import peek_interpreter_stack as transformed
from torch.autograd import forward_ad
from torch.compiler import is_dynamo_compiling
from torch.nn import Parameter

grad_enabled = torch.is_grad_enabled
increment_version = torch._C._increment_version
autocasting = torch._C._is_any_autocast_enabled


def watched() -> bool:
    """Whether something stands between a call and its kernel, whatever the tensors are."""
    return (
        is_dynamo_compiling()
        or dispatch_modes() != 0
        or function_modes() != 0
        or transformed() is not None
        or traced() is not None
        or forward_ad._current_level >= 0
    )


def plain_cuda(tensor: Any) -> bool:
    """Whether it is a strided CUDA tensor of torch's own that wants no gradient, and whose memory
    holds its numbers as they are."""
    kind = type(tensor)
    return (
        (kind is Tensor or kind is Parameter)
        and tensor.is_cuda
        and tensor.layout is torch.strided
        and not (tensor.requires_grad and grad_enabled())
        and not tensor.is_neg()
    )


UNFIT, CONTIGUOUS, STRIDED = 0, 1, 2


def how_on_cuda(tensor: Any) -> int:
    """How a tensor of torch's own lies on CUDA, or UNFIT, where the long way is to look at it."""
    kind = type(tensor)
    if (
        (kind is not Tensor and kind is not Parameter)
        or not tensor.is_cuda
        or (tensor.requires_grad and grad_enabled())
    ):
        return UNFIT
    try:
        if tensor.is_contiguous():
            # Of more than one element, it is not negated lazily: that comes of a complex tensor's
            # parts, which lie apart.
            return CONTIGUOUS
    except RuntimeError:  # some torch will not say so of a sparse tensor, others say no
        return UNFIT
    return STRIDED if tensor.layout is strided and not tensor.is_neg() else UNFIT


def goes_with(tensor: Any, dtype: torch.dtype, device: int) -> bool:
    """Whether it is contiguous and fit to go with another, which is on CUDA."""
    kind = type(tensor)
    if (
        (kind is not Tensor and kind is not Parameter)
        or tensor.dtype is not dtype
        or tensor.get_device() != device
        or (tensor.requires_grad and grad_enabled())
    ):
        return False
    try:
        contiguous: bool = tensor.is_contiguous()
    except RuntimeError:
        return False
    return contiguous


def mark_written(tensor: Tensor) -> None:
    """So that a gradient that still needs the old contents says so and is not wrong."""
    try:
        increment_version((tensor,))
    except RuntimeError:
        if not tensor.is_inference():  # made in inference mode, it has no version
            raise
