"""Where a plan would run, as keys: which runs may be pooled, and which share their noise.

Knows this machine by `core.machine` alone. Keys of a machine elsewhere come with a receipt.
"""

from collections.abc import Mapping
from functools import cache

from warpbook.core import machine
from warpbook.core.errors import Missing
from warpbook.core.run import Plan, environment_key


@cache
def here(device: str) -> Mapping[str, str] | None:
    """This machine's environment for a device, or None where it has no such device."""
    try:
        return machine.environment(device)
    except (Missing, ModuleNotFoundError):
        return None


def expected_keys(plan: Plan) -> tuple[str | None, str | None]:
    """The environment key and the noise key that a run would have here."""
    environment = here(plan.device)
    if environment is None:
        return None, None
    return environment_key(environment, plan), noise_key(environment, plan)


def noise_key(environment: Mapping[str, str], plan: Plan) -> str:
    """Runs stray alike on one device, problem and workload. A command without a named workload
    strays as its own baseline does."""
    workload = plan.workload or f"baseline {plan.baseline.sha256[:16]}"
    return " | ".join((environment.get("device", ""), plan.kind, plan.problem, workload))
