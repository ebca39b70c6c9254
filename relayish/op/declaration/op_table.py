"""Tables of properties: what is known of each operator, one table a property."""

from __future__ import annotations

from typing import Any, Final, Generic, TypeVar, overload

from relayish.errors import DeclarationError
from relayish.ir.registration.claims import Claims
from relayish.ir.registration.declarations import (
    DECLARED_LEVEL,
    Undo,
    changes_of,
    declared_temporarily,
)
from relayish.ir.relay.expr import Op

_T = TypeVar("_T")
_D = TypeVar("_D")

ALL_TABLES: Final[list[OpTable[Any]]] = []  # Any: the values of each are of a type of its own
"""All tables of properties."""

_DEFAULT_LEVEL: Final = 0
"""The level of what an operator has because nobody tells: any registration counts more."""


class OpTable(Generic[_T]):
    """One property of operators: a value for each operator that has it.

    Each value has a level, and that of the highest counts. What a declaration tells has
    :data:`~relayish.ir.registration.declarations.DECLARED_LEVEL`; declaring an operator anew takes
    nothing away that was registered.

    Args:
        name: What it is called.
        takes: What each of its functions is called with, where the property is a function that
            takes the same for all operators.
    """

    __slots__ = ("_claims", "_levels", "_values", "name", "takes")

    def __init__(self, name: str, *, takes: tuple[str, ...] | None = None) -> None:
        self.name = name
        self.takes = takes
        self._values: dict[Op, _T] = {}
        self._levels: dict[Op, int] = {}  # of what was registered, and of defaults
        self._claims: Claims[Op] = Claims()
        ALL_TABLES.append(self)

    def watch(self, context: declared_temporarily) -> tuple[Undo, Undo]:
        """Let values be temporary, but those of parts of relayish that are imported meanwhile."""

        def stays(op: Op, _: object) -> bool:
            return context.stays(self._claims.module_of(op))

        return changes_of(self._values, stays), changes_of(self._levels, stays)

    def set(self, op: Op, value: _T, *, replace: bool = False, by: object = None) -> None:
        """Give ``op`` the property, at the level of declarations.

        Args:
            op: The operator.
            value: What the property is.
            replace: Whether it takes the place of whatever there is, of any level.
            by: The function that somebody registers, where the value is made of it.

        Raises:
            DuplicateNameError: If somebody else gave it the property and ``replace`` is false.
        """
        self._claims.enter(
            op,
            value if by is None else by,
            f"operator {op.full_name} has its {self.name!r} already; it",
            taken=self._level_of(op) > _DEFAULT_LEVEL,
            instead="say replace=True to put the second in place of the first",
            replace=replace,
        )
        self._levels[op] = DECLARED_LEVEL
        self._values[op] = value

    def set_at_level(self, op: Op, value: _T, level: int) -> None:
        """Give ``op`` the property, unless it was given it at a higher level.

        Raises:
            DeclarationError: If the level is no number above 0.
            DuplicateNameError: If somebody else gave it the property at that level, or its
                declaration did.
        """
        found: object = level
        if not isinstance(found, int) or isinstance(found, bool) or level <= _DEFAULT_LEVEL:
            raise DeclarationError(
                f"{self.name} of operator {op.full_name!r} is registered at level {found!r}; "
                f"expected a number above 0, {DECLARED_LEVEL} for that of declarations"
            )
        known = self._level_of(op)
        if level < known:
            return
        self._claims.enter(
            op,
            value,
            f"operator {op.full_name!r} has its {self.name!r} of level {level} already; it",
            taken=known == level,
            instead="give a higher level to replace it",
        )
        self._levels[op] = level
        self._values[op] = value

    def declare(self, op: Op, value: _T | None, *, default: bool = False) -> None:
        """Give ``op`` the property, or take it away, as its declaration says.

        Args:
            op: The operator.
            value: What the property is, ``None`` for none.
            default: Whether the declaration does not tell, and any registration counts more.
        """
        registered = self._levels.get(op, _DEFAULT_LEVEL)
        if registered > DECLARED_LEVEL or (registered and (value is None or default)):
            return
        if value is None:
            self._values.pop(op, None)
            return
        self._values[op] = value
        self._levels.pop(op, None)
        if default:
            self._levels[op] = _DEFAULT_LEVEL

    def _level_of(self, op: Op) -> int:
        return self._levels.get(op, DECLARED_LEVEL) if op in self._values else _DEFAULT_LEVEL

    def remove(self, op: Op) -> None:
        """Take the property away from ``op``, if it has it."""
        self._values.pop(op, None)
        self._levels.pop(op, None)

    def entry(self, op: Op) -> tuple[_T, int] | None:
        """Return the property of ``op`` and its level, if it has it."""
        return (self._values[op], self._level_of(op)) if op in self._values else None

    def put_back(self, op: Op, entry: tuple[_T, int] | None) -> None:
        """Let the property of ``op`` be again what :meth:`entry` returned."""
        self.remove(op)
        if entry is not None:
            self._values[op], self._levels[op] = entry

    @overload
    def get(self, op: object) -> _T | None: ...
    @overload
    def get(self, op: object, default: _D) -> _T | _D: ...
    def get(self, op: object, default: object = None) -> object:
        """Return the property of ``op``, or ``default``; constant time; any object may be asked."""
        return self._values.get(op, default)  # type: ignore[call-overload]

    def __contains__(self, op: object) -> bool:
        return op in self._values

    def __len__(self) -> int:
        return len(self._values)
