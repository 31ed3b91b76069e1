"""Errors that end in one clear line for the user and an exit status."""

from collections.abc import Mapping


class WarpbookError(Exception):
    """A mistake the user can mend: what was wrong, where, and what to do about it."""

    exit_status = 2


class BadInput(WarpbookError):
    """Something the user typed or wrote is not usable."""


class NotFound(BadInput):
    """What the user names is not there."""


class Taken(BadInput):
    """It is there already."""


class Missing(WarpbookError):
    """This machine lacks something the request needs (a GPU, a package)."""

    exit_status = 3


class NotCorrect(WarpbookError):
    """The answer is no: what was asked about is not correct, so there is nothing more to say.

    `document` says the same to programs."""

    exit_status = 1

    def __init__(self, message: str, document: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.document = document
