"""Open tables each key of which is claimed once: rules by operator, kernels by version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from relayish.ir.claims import Claims
from relayish.ir.declarations import Undo, changes_of, declared_temporarily, watch_declarations

K = TypeVar("K")
V = TypeVar("V")


class ClaimedTable(dict[K, V], Generic[K, V]):
    """A table to which other packages add, each key by one of them.

    What is registered where declarations are temporary is forgotten with them.

    Args:
        what: What is claimed, by key, as the subject of an error: ``"the rule for Relu"``.
        instead: What to do about a second claim.

    Example:
        >>> table: ClaimedTable[str, type] = ClaimedTable(
        ...     lambda key: f"the meaning of {key!r}", "choose another word"
        ... )
        >>> table.register("whole", int)
        >>> table.register("whole", float)
        Traceback (most recent call last):
        ...
        relayish.errors.DuplicateNameError: the meaning of 'whole' is claimed by builtins.int and \
by builtins.float; choose another word
    """

    __slots__ = ("_claims", "_instead", "_what")

    def __init__(self, what: Callable[[K], str], instead: str) -> None:
        super().__init__()
        self._what = what
        self._instead = instead
        self._claims: Claims[K] = Claims()
        watch_declarations(self._watch)

    def register(self, key: K, entry: V, *, by: object = None) -> None:
        """Enter ``entry``; the same code may do so again, in place of what it entered before.

        Args:
            key: What it is found by.
            entry: What is found.
            by: The function that somebody registers, where the entry is made of it.

        Raises:
            DuplicateNameError: If somebody else claims the key.
        """
        made = entry if by is None else by
        taken = key in self
        self._claims.enter(key, made, self._what(key), taken=taken, instead=self._instead)
        self[key] = entry

    def _watch(self, context: declared_temporarily) -> Undo:
        return changes_of(self, lambda key, _: context.stays(self._claims.module_of(key)))
