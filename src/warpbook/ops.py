"""The best rung of each ladder as a plain function: `ops.softmax(x)`.

See docs/ops.md for what they take, who does their work, and for tuning.
"""

from warpbook.kernels.ops.explain import explain
from warpbook.kernels.ops.gemv import gemv
from warpbook.kernels.ops.matmul import matmul
from warpbook.kernels.ops.norms import add_layer_norm, add_rms_norm, layer_norm, rms_norm
from warpbook.kernels.ops.softmax import softmax
from warpbook.kernels.ops.topk import topk
from warpbook.kernels.ops.vector_add import vector_add
from warpbook.kernels.ops.warmup import warmup

__all__ = [
    "add_layer_norm",
    "add_rms_norm",
    "explain",
    "gemv",
    "layer_norm",
    "matmul",
    "rms_norm",
    "softmax",
    "topk",
    "vector_add",
    "warmup",
]
