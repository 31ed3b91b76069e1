"""The same as `normalise`, at the one size where a known slowdown is a known share of the time."""

from dataclasses import replace

from warpbook.core.workload import Workload
from warpbook.measure.corpus.problems.normalise.problem import problem as normalise

problem = replace(
    normalise,
    workloads=(
        Workload("512x1024", (512, 1024), timed_on=("cpu",)),
        # 134 MB each way: far more than any L2, so that a row done again is read again.
        Workload("4096x8192", (4096, 8192), timed_on=("cuda",)),
    ),
)
