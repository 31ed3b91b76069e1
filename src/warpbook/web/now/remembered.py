"""Markup that is made again only when what it shows has changed.

A page that looks every second would otherwise send a part anew for each second that passed.
"""

from collections.abc import Callable
from typing import Any

from warpbook.web.markup import Markup


class Remembered:
    """Of one browser's part of a page: `make(*shown)`, or what it made of the same before."""

    def __init__(self, make: Callable[..., Markup]) -> None:
        self._make = make
        self._shown: tuple[Any, ...] | None = None
        self._made = Markup("")

    def __call__(self, *shown: Any) -> Markup:
        if self._shown is None or shown != self._shown:
            self._made = self._make(*shown)
            self._shown = shown
        return self._made
