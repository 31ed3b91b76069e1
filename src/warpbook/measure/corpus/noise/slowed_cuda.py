"""One row a program, and 3% of the rows once more"""

from warpbook.measure.corpus.noise.rows import launch

LANGUAGE = "triton"


def normalise(x, out=None):
    return launch(x, out, again=0.03)
