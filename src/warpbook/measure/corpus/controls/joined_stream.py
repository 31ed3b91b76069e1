"""Works on a side stream and joins it"""

import torch

from warpbook.measure.corpus.plain import normalise as plain

DEVICES = "cuda"
streams: list[torch.cuda.Stream] = []


def normalise(x, out=None):
    if not streams:
        streams.append(torch.cuda.Stream())
    here, there = torch.cuda.current_stream(), streams[0]
    there.wait_stream(here)
    with torch.cuda.stream(there):
        plain(x, out)
    here.wait_stream(there)
    return out
