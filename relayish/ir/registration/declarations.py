"""Temporary declarations: for tests, for plug-ins, for trying something out."""

from __future__ import annotations

import sys
from collections.abc import Callable, MutableMapping
from typing import Final, TypeAlias, TypeVar

from relayish._support.own import is_own

K = TypeVar("K")
V = TypeVar("V")

Redo: TypeAlias = Callable[[], None]
Undo: TypeAlias = Callable[[], Redo]
"""Forgets what was declared since, and returns what declares it anew."""
Watch: TypeAlias = Callable[["declared_temporarily"], Undo]

DECLARED_LEVEL: Final = 10
"""The level of what a declaration tells, and of Relay's registrations; a higher one counts more."""

_WATCHES: Final[list[Watch]] = []
_OPEN: Final[list[declared_temporarily]] = []


class declared_temporarily:  # noqa: N801 - a context manager is called as a function is
    """Forget, at the end, what is declared meanwhile.

    That is kinds of nodes and what is registered of them, such as type rules, languages, domains,
    operators with their properties, gradients and builders, classes of attributes, and passes.
    Entered again, it makes the same known again.
    What relayish itself declares, where a part of it happens to be imported meanwhile, stays.

    Example:
        >>> from relayish.op import is_registered, register_op
        >>> with declared_temporarily():
        ...     halve = register_op("halve", arguments=("data",))
        ...     is_registered("halve")
        True
        >>> is_registered("halve")
        False
    """

    def __init__(self) -> None:
        self._modules: frozenset[str] = frozenset()
        self._undo: list[Undo] = []
        self._redo: list[Redo] = []

    def __enter__(self) -> None:
        self._modules = frozenset(sys.modules)
        self._undo = [watch(self) for watch in _WATCHES]
        for redo in self._redo:
            redo()
        _OPEN.append(self)

    def __exit__(self, *_raised: object) -> None:
        _OPEN.remove(self)
        self._redo = [undo() for undo in reversed(self._undo)][::-1]

    def watch(self, begin: Watch) -> None:
        """Bring back, at the end, what ``begin`` finds now."""
        self._undo.append(begin(self))

    def stays(self, module: str | None) -> bool:
        """Return whether what ``module`` declares stays: a part of relayish imported meanwhile."""
        if module is None or not is_own(module):
            return False
        return module in sys.modules and module not in self._modules


def watch_declarations(begin: Watch) -> None:
    """Let ``begin`` be called whenever declarations are to be temporary from then on.

    It is called at once as well where that is so already. Later watches are undone earlier.
    """
    _WATCHES.append(begin)
    for context in _OPEN:
        context.watch(begin)


def watch_table(
    table: MutableMapping[K, V],
    stays: Callable[[declared_temporarily, V], bool] | None = None,
    *,
    module_of: Callable[[K], str | None] | None = None,
) -> None:
    """Let what is entered in ``table`` be temporary where declarations are, unless it ``stays``.

    Args:
        table: A table.
        stays: Whether a value stays.
        module_of: Says which module enters a key, whose entry stays if it is a part of relayish
            that is imported meanwhile.
    """

    def begin(context: declared_temporarily) -> Undo:
        if module_of is not None:
            return changes_of(table, lambda key, _: context.stays(module_of(key)))
        if stays is None:
            return changes_of(table)
        return changes_of(table, lambda _, value: stays(context, value))

    watch_declarations(begin)


def changes_of(table: MutableMapping[K, V], stays: Callable[[K, V], bool] | None = None) -> Undo:
    """Return what brings ``table`` back to what it holds now, but for new entries that stay."""
    before = dict(table)

    def undo() -> Redo:
        made = {k: v for k, v in table.items() if k not in before or before[k] is not v}
        gone = {k: v for k, v in made.items() if stays is None or k in before or not stays(k, v)}
        for key in gone:
            del table[key]
        table.update(before)
        return lambda: table.update(gone)

    return undo
