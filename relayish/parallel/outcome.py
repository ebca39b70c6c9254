"""Outcomes of items: values or errors, each with the item it belongs to and who worked on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar, cast

_I = TypeVar("_I")
_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class Outcome(Generic[_I, _R]):
    """What became of one item.

    Attributes:
        index: The place of the item among all, from 0.
        item: The item.
        value: What the function returned; ``None`` where there is an error.
        error: What was raised instead; if in another process, with the traceback of that as a note.
        worker: Who worked on it last: host, process, and the thread if it is not the main one.
        tries: How often it was begun, as far as is known here.
        seconds: How long the function took.
    """

    index: int
    item: _I
    value: _R | None = None
    error: Exception | None = None
    worker: str = ""
    tries: int = 0
    seconds: float = 0.0

    def result(self) -> _R:
        """Return the value, or raise the error."""
        if self.error is not None:
            raise self.error
        return cast(_R, self.value)
