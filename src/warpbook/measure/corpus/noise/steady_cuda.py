"""One row a program"""

from warpbook.measure.corpus.noise.rows import launch

LANGUAGE = "triton"


def normalise(x, out=None):
    return launch(x, out, again=0.0)
