"""A background thread that finishes later

Returns at once; a thread sleeps 2 ms, so that nothing looks busy, and then fills the output. On a
GPU it then launches the kernels, after any synchronise.
"""

import threading
import time

from warpbook.measure.corpus.plain import normalise as honest


def later(x, out):
    time.sleep(0.002)
    honest(x, out)


def normalise(x, out=None):
    threading.Thread(target=later, args=(x, out), daemon=True).start()
    return out
