"""A verb that is also a noun: `day "text"` writes, `day draft` is a verb of its own."""

from typing import Any

from typer.core import TyperGroup

HELP = ("--help", "-h")


class Nested(TyperGroup):
    """Whatever does not begin with one of its verbs goes to the one called `DEFAULT`."""

    DEFAULT = ""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in HELP):
            args = [self.DEFAULT, *args]
        return super().parse_args(ctx, args)


def defaulting_to(verb: str) -> type[TyperGroup]:
    """`typer.Typer(cls=defaulting_to("write"))`."""
    made: Any = type("Nested", (Nested,), {"DEFAULT": verb})
    return made  # type: ignore[no-any-return]
