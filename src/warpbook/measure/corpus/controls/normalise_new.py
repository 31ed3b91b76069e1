"""The plain rung, returning a new tensor"""

from warpbook.measure.corpus.plain import normalise as plain


def normalise(x):
    return plain(x)
