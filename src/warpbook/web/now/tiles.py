"""A tile for each device: what its telemetry says, and what it is running."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from warpbook.book.browse.devices import Device
from warpbook.book.browse.running import UnderWay
from warpbook.core import units
from warpbook.web import show
from warpbook.web.markup import Markup, h, join, text
from warpbook.web.svg.spark import spark

OLD_S = 30.0  # samples come every second, and are written every ten


@dataclass(frozen=True)
class Measure:
    """`top` fixes the sparkline's scale, which begins at 0."""

    name: str
    label: str
    shown: Callable[[float], str]
    top: float | None = None


MEASURES = (
    Measure("utilisation", "utilisation", units.percentage, 1.0),
    Measure("memory_bytes", "memory", units.size),
    Measure("clock_mhz", "clock", lambda value: f"{value:,.0f} MHz"),
    Measure("memory_clock_mhz", "memory clock", lambda value: f"{value:,.0f} MHz"),
    Measure("power_w", "power", lambda value: f"{units.digits(value)} W"),
    Measure("temperature_c", "temperature", lambda value: f"{value:.0f} °C", 100.0),
)


def tiles(
    devices: Sequence[Device],
    here: Mapping[str, str],
    running: Sequence[UnderWay],
    old: frozenset[str],
    worker_lives: bool,
) -> Markup:
    """`here` are this machine's devices and their names; `old` those without samples of late."""
    seen = {device.name for device in devices}
    made = [
        tile(
            label_of(device.name, here),
            [run for run in running if run.place == device.name],
            measures(device),
            quiet(device, worker_lives) if device.name in old else strangers(device, running),
            device.name in old,
        )
        for device in devices
    ]
    if not seen & here.keys():
        made += [unseen(name, label, running, worker_lives) for name, label in here.items()]
    return h('<div class="tiles">{}</div>', join(made))


def tile(
    label: str, running: Sequence[UnderWay], body: Markup, said: Markup | None, old: bool
) -> Markup:
    runs = join((doing(run) for run in running), " ") or h('<span class="muted">idle</span>')
    return h(
        '<section class="card tile{}"><div class="head"><h2>{}</h2><span>{}</span></div>{}{}'
        "</section>",
        *(" old" if old else "", text(label, 80), "" if old and not running else runs),
        *(body, said),
    )


def unseen(name: str, label: str, running: Sequence[UnderWay], worker_lives: bool) -> Markup:
    """A device of this machine of which there are no samples at all."""
    said = (
        h('<p class="muted">its first samples are on their way</p>')
        if worker_lives
        else h('<p class="muted">no samples yet: no worker is running here ({})</p>', work())
    )
    return tile(label, [run for run in running if run.place == name], Markup(""), said, True)


def work() -> Markup:
    return h("<code>warpbook work</code>")


def label_of(name: str, here: Mapping[str, str]) -> str:
    if name in here:
        return here[name]
    return "CPU" if name == "cpu" else name if len(name) <= 14 else f"{name[:12]}…"


def doing(run: UnderWay) -> Markup:
    return h(
        '<span class="doing">{} of {} {}</span>',
        *(show.ref(run.run), show.ref(run.experiment), show.elapsed(run.started_at)),
    )


def measures(device: Device) -> Markup:
    known = [one for one in MEASURES if one.name in device.latest]
    return h('<dl class="measures">{}</dl>', join(measure(one, device) for one in known))


def measure(one: Measure, device: Device) -> Markup:
    value = device.latest[one.name]
    total = device.latest.get("memory_total_bytes") if one.name == "memory_bytes" else None
    beside = h(' <small class="muted">of {}</small>', units.size(total)) if total else ""
    recent = [part for part in device.recent[one.name] if part is not None]
    tip = f"{one.label}, the last 5 minutes: {one.shown(min(recent))} to {one.shown(max(recent))}"
    line = spark(device.recent[one.name], tip, low=0.0, high=total or one.top, width=130, height=30)
    return h(
        '<div><dt>{}</dt><dd><b>{}</b>{}<span class="went" data-tip="{}">{}</span></dd></div>',
        *(one.label, one.shown(value), beside, tip, line),
    )


def quiet(device: Device, worker_lives: bool) -> Markup:
    since = show.elapsed(datetime.fromtimestamp(device.at, UTC).isoformat())
    if worker_lives:
        return h('<p class="muted">no samples for {}</p>', since)
    return h(
        '<p class="muted">no samples for {}: no worker is running here ({})</p>', since, work()
    )


def strangers(device: Device, running: Sequence[UnderWay]) -> Markup | None:
    """A GPU that is used by others makes for invalid runs. On a CPU there are always others."""
    if device.name == "cpu" or not device.processes or running:
        return None
    several = "processes" if len(device.processes) > 1 else "process"
    pids = ", ".join(map(str, device.processes[:5]))
    return h('<p class="muted">in use by others: {} {}</p>', several, pids)
