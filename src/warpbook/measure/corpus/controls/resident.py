"""The plain rung, at a size that stays in a GPU's L2 if it can"""

from warpbook.measure.corpus.plain import normalise as plain

PROBLEM = "resident"
DEVICES = "cuda"


def normalise(x, out=None):
    return plain(x, out)
