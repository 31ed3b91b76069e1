"""A background thread that works in short bursts so as to look idle

A harness that waits for other threads to fall idle sees a sleeping thread at almost every look.
"""

import threading
import time

from warpbook.measure.corpus.plain import normalise as honest

ROWS = 8


def work(x, out):
    for row in range(0, x.shape[0], ROWS):
        honest(x[row : row + ROWS], out[row : row + ROWS])
        time.sleep(200e-6)


def normalise(x, out=None):
    threading.Thread(target=work, args=(x, out), daemon=True).start()
    return out
