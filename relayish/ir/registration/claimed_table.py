"""Open tables each key of which is claimed once: rules by operator, kernels by version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from relayish.ir.registration.claims import Claims
from relayish.ir.registration.declarations import (
    Undo,
    changes_of,
    declared_temporarily,
    watch_declarations,
)

K = TypeVar("K")
V = TypeVar("V")

REPLACE: Final = "say replace=True to put the second in place of the first"
"""What to do about a second claim of what may be replaced."""


class ClaimedTable(dict[K, V], Generic[K, V]):
    """A table to which other packages add, each key by one of them.

    What is registered where declarations are temporary is forgotten with them.

    Args:
        what: What is claimed, by key, as the subject of an error: ``"the rule for Relu"``.
        instead: What to do about a second claim; by default to say ``replace=True``.

    Example:
        >>> table: ClaimedTable[str, type] = ClaimedTable(
        ...     lambda key: f"the meaning of {key!r}", "choose another word"
        ... )
        >>> table.register("whole", int)
        <class 'int'>
        >>> table.register("whole", float)
        Traceback (most recent call last):
        ...
        relayish.errors.DuplicateNameError: the meaning of 'whole' is claimed by builtins.int and \
by builtins.float; choose another word
    """

    __slots__ = ("_claims", "_instead", "_what")

    def __init__(self, what: Callable[[K], str], instead: str = REPLACE) -> None:
        super().__init__()
        self._what = what
        self._instead = instead
        self._claims: Claims[K] = Claims()
        watch_declarations(self._watch)

    def register(self, key: K, entry: V, *, replace: bool = False, by: object = None) -> V:
        """Enter ``entry``; the same code may do so again, in place of what it entered before.

        Args:
            key: What it is found by.
            entry: What is found, and returned.
            replace: Take the place of whatever entry there is.
            by: The function that somebody registers, where the entry is made of it.

        Raises:
            DuplicateNameError: If somebody else claims the key and ``replace`` is false.
        """
        made = entry if by is None else by
        taken = key in self
        self._claims.enter(
            key, made, self._what(key), taken=taken, instead=self._instead, replace=replace
        )
        self[key] = entry
        return entry

    def _watch(self, context: declared_temporarily) -> Undo:
        return changes_of(self, lambda key, _: context.stays(self._claims.module_of(key)))
