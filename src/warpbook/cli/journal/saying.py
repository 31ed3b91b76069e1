"""A verb that takes people's own words, which may begin as an item of a list does: `- [ ] read`."""

from typing import Any

from typer.core import TyperCommand


class Saying(TyperCommand):
    """What begins with a dash and a space is text, and no option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--" not in args:
            items = [word for word in args if word.startswith("- ")]
            if items:
                args = [*(word for word in args if not word.startswith("- ")), "--", *items]
        return super().parse_args(ctx, args)
