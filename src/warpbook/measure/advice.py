"""One plain sentence on what to try next, by rules over what was launched and counted.

The first rule that applies speaks: what wastes most comes first. Knows nothing of how the figures
were come by.
"""

from dataclasses import dataclass

from warpbook.core.cost import Cost
from warpbook.core.roofs import Floor
from warpbook.core.units import multiple, percentage, size
from warpbook.measure.counters import Counters
from warpbook.measure.launch import Launch

NEAR_THE_FLOOR = 0.95
TOO_MANY_BYTES = 1.2
BESIDE_THE_POINT_BYTES = 1_000_000  # code, tables and padding come through DRAM too
ONE_STEP = 0.9  # of the time: the rest is not what to mend
MEMORY_BUSY = 0.8
LOW_OCCUPANCY = 0.5
FEW_WAVES = 4
IDLE_LAST_WAVE = 0.6

# What a stall means, and what helps.
STALLS = {
    "long_scoreboard": ("data from memory", ""),
    "barrier": (
        "other warps at a barrier",
        "use fewer barriers: reduce within each warp by shuffles and meet once, or use smaller "
        "blocks",
    ),
    "short_scoreboard": (
        "shared memory or special functions",
        "go to shared memory less often (shuffles, wider accesses, no bank conflicts), and call "
        "exp and its like once an element",
    ),
    "mio_throttle": (
        "room in the queue to shared memory",
        "make fewer and wider accesses to shared memory, and fewer shuffles",
    ),
    "lg_throttle": (
        "room in the queue to memory",
        "make fewer and wider loads and stores: 16 bytes a thread each",
    ),
    "tex_throttle": (
        "room in the queue to the texture unit",
        "make fewer and wider accesses",
    ),
    "math_pipe_throttle": (
        "a free arithmetic unit",
        "compute less: cheaper functions, or the tensor cores",
    ),
    "wait": (
        "the fixed latency of the instruction before",
        "give each thread several independent elements, so that it has something else to issue",
    ),
    "not_selected": (
        "their turn among warps that are ready",
        "issue fewer instructions: wider loads, fewer index computations",
    ),
    "no_instruction": (
        "instructions to be fetched",
        "unroll less, so that the code fits its cache; or give each block more work",
    ),
    "imc_miss": (
        "constants to be fetched",
        "pass fewer kernel arguments, or give each block more work",
    ),
    "membar": (
        "a memory fence",
        "use fewer fences, or narrower ones",
    ),
    "drain": (
        "their stores to leave at the end",
        "write earlier, and 16 bytes a thread at a time",
    ),
    "branch_resolving": (
        "branches",
        "take branches out of the inner loop",
    ),
    "sleeping": ("a nap they asked for", "sleep less while waiting"),
    "gmma": ("the tensor cores", "keep more matrix instructions on their way"),
}
ROOM = {
    "registers": "use fewer registers a thread (fewer elements each, less unrolling)",
    "shared memory": "use less shared memory a block",
    "blocks": "use larger blocks: the number of blocks on a multiprocessor is what runs out",
    "threads": "use a block size of which more fit: 128 to 512 threads",
}


@dataclass(frozen=True)
class Facts:
    """Of one workload. `fraction` is the floor over the time. `counters` are empty where they
    could not be read, and otherwise those of `launches`, one each."""

    launches: tuple[Launch, ...]
    copies_us: tuple[float, ...]
    multiprocessors: int
    cost: Cost
    counters: tuple[Counters, ...] = ()
    floor: Floor | None = None
    fraction: float | None = None

    @property
    def heaviest(self) -> int:
        times = [c.device_us for c in self.counters] or [x.device_us for x in self.launches]
        return max(range(len(self.launches)), key=lambda i: times[i])

    @property
    def launch(self) -> Launch:
        """The one that takes longest."""
        return self.launches[self.heaviest]

    @property
    def stall(self) -> str | None:
        return dominant(self.counters[self.heaviest]) if self.counters else None

    @property
    def steps(self) -> int:
        return len(self.launches) + len(self.copies_us)

    @property
    def moved(self) -> float:
        return sum(c.dram_read_bytes + c.dram_written_bytes for c in self.counters)

    @property
    def needed(self) -> int:
        return self.cost.bytes_read + self.cost.bytes_written


def dominant(counters: Counters) -> str | None:
    """What most warps waited for; None where they hardly waited."""
    waits = {name: value for name, value in counters.stalls.items() if name != "selected"}
    worst = max(waits, key=lambda name: waits[name], default=None)
    return worst if worst and waits[worst] > 0 else None


def share(counters: Counters, stall: str) -> float:
    """Of all that warps did, issuing included."""
    return counters.stalls[stall] / (sum(counters.stalls.values()) or 1.0)


def advice(facts: Facts) -> str:
    if not facts.launches:
        return "It launched no kernel: nothing was left to the GPU but copies."
    for rule in RULES:
        sentence = rule(facts)
        if sentence:
            return sentence
    if facts.counters:
        return "Nothing stands out in these figures: compare it with the next rung's."
    return "Nothing stands out in how it was launched; the counters would say what it waits for."


def near_the_floor(facts: Facts) -> str | None:
    if facts.fraction is None or facts.fraction < NEAR_THE_FLOOR:
        return None
    return (
        f"It reaches {percentage(facts.fraction)} of the floor: nothing is left to gain on this "
        "workload but by fusing it with what comes before or after."
    )


def too_many_bytes(facts: Facts) -> str | None:
    """Other than by spilling, for which there is a sentence of its own."""
    own = facts.moved - sum(c.local_bytes for c in facts.counters)
    if own < max(TOO_MANY_BYTES * facts.needed, facts.needed + BESIDE_THE_POINT_BYTES):
        return None
    moved = f"It moves {size(facts.moved)} where {size(facts.needed)} would do"
    if facts.steps > 1:
        return f"{moved}: fuse its kernels, so that none writes what another reads back."
    return f"{moved}: hold what was read in registers or shared memory, and read it once."


def several_steps(facts: Facts) -> str | None:
    """Without counters, or where the bytes are few: each launch costs time of its own."""
    times_us = [*(x.device_us for x in facts.launches), *facts.copies_us]
    if max(times_us) > ONE_STEP * sum(times_us):
        return None
    return f"It takes {facts.steps} steps, each with a launch and trips to memory: fuse them."


def only_a_launch(facts: Facts) -> str | None:
    if facts.floor is None or facts.floor.binds != "launch":
        return None
    return "An empty kernel sets the floor here: give a launch more work, or fuse it with others."


def spills(facts: Facts) -> str | None:
    kernel = facts.launch
    if not kernel.local_bytes:
        return None
    return (
        f"{kernel.kernel} keeps {kernel.local_bytes} bytes a thread in local memory, spilled or "
        "indexed: hold fewer values a thread, index arrays by constants, or allow more registers."
    )


def small_grid(facts: Facts) -> str | None:
    blocks = facts.launch.blocks
    if blocks >= facts.multiprocessors:
        return None
    return (
        f"{facts.launch.kernel} has {blocks} block{'s' if blocks > 1 else ''} for "
        f"{facts.multiprocessors} multiprocessors: split the work into more blocks, several to "
        "a row if there are few rows."
    )


def few_bytes_in_flight(facts: Facts) -> str | None:
    """The loads are waited for, and yet the memory has nothing to do for part of the time."""
    if facts.stall != "long_scoreboard":
        return None
    busy = facts.counters[facts.heaviest].dram_fraction
    if busy >= MEMORY_BUSY:
        return (
            f"Its warps wait for a memory that is {percentage(busy)} busy: only fewer bytes, or "
            "more even work at the start and the end, would help."
        )
    waits = f"Its warps wait for data while the memory is {percentage(busy)} busy"
    if facts.launch.occupancy.fraction < LOW_OCCUPANCY:
        return f"{waits}, and few warps fit: {ROOM[facts.launch.occupancy.limited_by]}."
    return (
        f"{waits}: have more bytes on their way, with loads of 16 bytes and several of them "
        "issued before the first is used."
    )


def other_stall(facts: Facts) -> str | None:
    if facts.stall is None or not STALLS.get(facts.stall, ("", ""))[1]:
        return None
    cause, remedy = STALLS[facts.stall]
    return f"Its warps wait for {cause}: {remedy}."


def low_occupancy(facts: Facts) -> str | None:
    room = facts.launch.occupancy
    if room.fraction >= LOW_OCCUPANCY:
        return None
    return (
        f"At most {percentage(room.fraction)} of a multiprocessor's warps fit, limited by "
        f"{room.limited_by}: {ROOM[room.limited_by]}."
    )


def idle_last_wave(facts: Facts) -> str | None:
    room = facts.multiprocessors * facts.launch.occupancy.blocks
    waves = facts.launch.blocks / room if room else 0.0
    if not 1 < waves < FEW_WAVES or not 0 < waves % 1 < IDLE_LAST_WAVE:
        return None
    return (
        f"Its {facts.launch.blocks} blocks run in {multiple(waves).rstrip('x')} waves, and the "
        "last leaves much of the GPU idle: use as many blocks as fit at once, each with more work."
    )


RULES = (
    near_the_floor,
    too_many_bytes,
    several_steps,
    only_a_launch,
    spills,
    small_grid,
    few_bytes_in_flight,
    other_stall,
    low_occupancy,
    idle_last_wave,
)
