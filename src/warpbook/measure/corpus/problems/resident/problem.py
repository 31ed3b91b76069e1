"""The same as `normalise`, small enough for a GPU's L2 to hold an input from call to call."""

from dataclasses import replace

from warpbook.core.workload import Workload
from warpbook.measure.corpus.problems.normalise.problem import problem as normalise

problem = replace(
    normalise,
    workloads=(
        Workload("2048x2048", (2048, 2048), timed_on=("cuda",)),
        Workload("7x1000", (7, 1000)),
    ),
)
