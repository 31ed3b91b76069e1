"""Whether a call may go straight to a kernel, past torch's dispatcher.

The dispatcher costs several times what a launch does. It is needed where more than the numbers is
asked for: a gradient, a graph, a batch, a subclass, a mode that watches. Knows nothing of
operations.
"""

from typing import Any

import torch
from torch import Tensor
from torch._C import _get_tracing_state as traced
from torch._C import _len_torch_dispatch_stack as dispatch_modes
from torch._C import _len_torch_function_stack as function_modes
from torch._C._functorch import peek_interpreter_stack as transformed
from torch.autograd import forward_ad
from torch.compiler import is_dynamo_compiling
from torch.nn import Parameter

grad_enabled = torch.is_grad_enabled


def watched() -> bool:
    """Whether something stands between a call and its kernel, whatever the tensors are."""
    return bool(
        is_dynamo_compiling()
        or dispatch_modes()
        or function_modes()
        or transformed() is not None
        or forward_ad._current_level >= 0
        or traced() is not None
    )


def plain_cuda(tensor: Any) -> bool:
    """Whether it is a strided CUDA tensor of torch's own that wants no gradient."""
    kind = type(tensor)
    return (
        (kind is Tensor or kind is Parameter)
        and tensor.is_cuda
        and tensor.layout is torch.strided
        and not (tensor.requires_grad and grad_enabled())
    )
