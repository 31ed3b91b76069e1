"""Splits the rows over threads of its own and waits for them"""

from concurrent.futures import ThreadPoolExecutor

from warpbook.measure.corpus.plain import normalise as plain

DEVICES = "cpu"
pool = ThreadPoolExecutor(2)


def normalise(x, out=None):
    half = x.shape[0] // 2
    parts = [(x[:half], out[:half]), (x[half:], out[half:])]
    for _ in pool.map(lambda part: plain(*part), parts):
        pass
    return out
