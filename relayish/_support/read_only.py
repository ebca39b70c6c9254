"""Dictionaries that are handed out for reading."""

from __future__ import annotations

from typing import NoReturn, TypeVar

from relayish.errors import FrozenNodeError

K = TypeVar("K")
V = TypeVar("V")


class ReadOnlyDict(dict[K, V]):
    """A dictionary that says, where somebody writes to it, what to write instead.

    Args:
        held: What it holds.
        what: What it is, for the error: ``"the functions of a module"``.
        instead: What to write.
    """

    __slots__ = ("_instead", "_what")

    def __init__(self, held: dict[K, V], what: str, instead: str) -> None:
        super().__init__(held)
        self._what = what
        self._instead = instead

    def _refuse(self, *_args: object, **_named: object) -> NoReturn:
        raise FrozenNodeError(f"{self._what} are not changed in place; use {self._instead}")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[dict[K, V]], tuple[dict[K, V]]]:
        return dict, (dict(self),)
