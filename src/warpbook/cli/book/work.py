"""`warpbook work`: take experiments from the queue, and run them."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from warpbook.cli.book import options
from warpbook.cli.book.opening import opened
from warpbook.cli.guard import guarded, say
from warpbook.cli.screen import show_json
from warpbook.core.errors import BadInput

if TYPE_CHECKING:
    from warpbook.lab.executor import Executor
    from warpbook.lab.worker import Worker

DEVICES = ("cpu", "cuda", "none")


class ExecutorName(StrEnum):
    LOCAL = "local"
    RAY = "ray"


@guarded
def work(
    once: Annotated[bool, typer.Option("--once", help="One run, if one waits, and end.")] = False,
    until_empty: Annotated[
        bool, typer.Option("--until-empty", help="End when nothing waits that can run here.")
    ] = False,
    runs: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="End after N runs.")
    ] = None,
    device: Annotated[
        list[str] | None,
        typer.Option(
            metavar="cpu|cuda|none",
            help="Only experiments for this device; may be given again.",
        ),
    ] = None,
    executor: Annotated[
        ExecutorName, typer.Option(help="Processes of this machine, or a Ray cluster.")
    ] = ExecutorName.LOCAL,
    address: Annotated[
        str | None,
        typer.Option(metavar="A", help="The Ray cluster; by default the one on this machine."),
    ] = None,
    run_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            min=1,
            help="The longest a whole run may take; by default all its parts at their limit.",
        ),
    ] = None,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Take experiments from the queue, one to a device at a time, and record what they show."""
    for name in device or ():
        if name not in DEVICES:
            raise BadInput(f"no device {name!r}: give {', '.join(DEVICES)}")
    if address and executor is not ExecutorName.RAY:
        raise BadInput("--address is for --executor ray")
    with opened(book) as opened_book:
        from warpbook.lab.lines import run_line
        from warpbook.lab.worker import Worker

        ended: list[str] = []

        def tell(name: str) -> None:
            ended.append(name)
            with suppress(BrokenPipeError):
                print(run_line(opened_book, name), file=sys.stderr, flush=True)

        chosen = choose(executor, address, tuple(device or DEVICES))
        worker = Worker(
            opened_book,
            chosen,
            runs=1 if once else runs,
            until_empty=until_empty or once,
            run_limit_s=run_limit,
            ended=tell,
            say=say,
        )
        with ended_by_signals(worker):
            member = worker.work()
        if not ended:
            say("nothing that waits could run here; `warpbook queue` says why")
        if json:
            from warpbook.book import documents

            made = [documents.run(opened_book.runs.get(name)) for name in ended]
            show_json({"worker": member.name, "runs": made})
    return 0


def choose(executor: ExecutorName, address: str | None, devices: tuple[str, ...]) -> "Executor":
    if executor is ExecutorName.RAY:
        from warpbook.lab.ray_executor import RayExecutor

        return RayExecutor(address, devices)
    from warpbook.lab.local import LocalExecutor

    return LocalExecutor(devices)


@contextmanager
def ended_by_signals(worker: "Worker") -> Iterator[None]:
    """The first Ctrl-C, or SIGTERM, lets the worker put everything back in order."""

    def end(number: int, frame: Any) -> None:
        worker.end()

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
