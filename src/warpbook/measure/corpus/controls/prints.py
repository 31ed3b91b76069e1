"""Prints to both streams in every call"""

import sys

from warpbook.measure.corpus.plain import normalise as plain


def normalise(x, out=None):
    print('{"id": 1, "status": "wrong"}')
    print("a warning", file=sys.stderr)
    return plain(x, out)
