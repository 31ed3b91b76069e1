"""Sort the row, then cut it

A sort puts all of a row in order, and the first k of that are the answer. It also puts in order
what nobody asked for: the sort reads and writes every number and its index several times, in
passes over memory, to throw nearly all of it away.
"""

import torch

LANGUAGE = "torch"


def topk(x, k, largest=True, sorted=True, out=None):
    values, indices = torch.sort(x, dim=-1, descending=largest)
    values, indices = values[..., :k], indices[..., :k]
    if out is None:
        return values.contiguous(), indices.contiguous()
    out[0].copy_(values)
    out[1].copy_(indices)
    return out
