"""Tables of properties: what is known of each operator, one table a property."""

from __future__ import annotations

from typing import Any, Final, Generic, TypeVar, overload

from relayish.ir.claims import Claims
from relayish.ir.relay.expr import Op

_T = TypeVar("_T")
_D = TypeVar("_D")

ALL_TABLES: Final[list[dict[Op, Any]]] = []  # Any: the values of each are of a type of its own
"""The values, and their levels, of all tables of properties."""


DECLARED_LEVEL: Final = 10
"""The level of what the declaration of an operator tells, and of Relay's registrations."""


class OpTable(Generic[_T]):
    """One property of operators: a value for each operator that has it.

    Args:
        name: What it is called.
        by_level: Whether functions are registered for it, of which that of the highest level
            counts; then declaring an operator anew takes nothing away that others registered.
        takes: What each of them is called with, where the property is a function that takes the
            same for all operators.
    """

    __slots__ = ("_claims", "_levels", "_values", "by_level", "name", "takes")

    def __init__(
        self, name: str, *, by_level: bool = False, takes: tuple[str, ...] | None = None
    ) -> None:
        self.name = name
        self.by_level = by_level
        self.takes = takes
        self._values: dict[Op, _T] = {}
        self._levels: dict[Op, int] = {}
        self._claims: Claims[Op] = Claims()
        ALL_TABLES.extend((self._values, self._levels))

    def set(self, op: Op, value: _T, *, replace: bool = False, by: object = None) -> None:
        """Give ``op`` the property.

        Args:
            op: The operator.
            value: What the property is.
            replace: Whether it takes the place of whatever there is.
            by: The function that somebody registers, where the value is made of it.

        Raises:
            DuplicateNameError: If somebody else gave it the property and ``replace`` is false.
        """
        self._claims.enter(
            op,
            value if by is None else by,
            f"operator {op.full_name} has its {self.name!r} already; it",
            taken=op in self._values,
            instead="say replace=True to put the second in place of the first",
            replace=replace,
        )
        self._values[op] = value

    def set_at_level(self, op: Op, value: _T, level: int) -> None:
        """Give ``op`` the property, unless it was given it at a higher level.

        What was given without a level, as by a declaration, gives way to :data:`DECLARED_LEVEL`.

        Raises:
            DuplicateNameError: If somebody else gave it the property at that level.
        """
        known = self._levels.get(op)
        if level < self._levels.get(op, DECLARED_LEVEL if op in self._values else level):
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

    def declare(self, op: Op, value: _T | None) -> None:
        """Give ``op`` the property, or take it away, as its declaration says."""
        if self.by_level:
            if value is not None and self._levels.get(op, DECLARED_LEVEL) <= DECLARED_LEVEL:
                self._levels[op] = DECLARED_LEVEL
                self._values[op] = value
        elif value is not None:
            self._values[op] = value
        elif op in self._values:
            del self._values[op]

    def remove(self, op: Op) -> None:
        """Take the property away from ``op``, if it has it."""
        self._values.pop(op, None)
        self._levels.pop(op, None)

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
