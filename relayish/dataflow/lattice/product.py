"""Products of lattices."""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any, TypeAlias

from relayish.dataflow.lattice.lattice import Lattice, checked_lattice

Tuple: TypeAlias = tuple[Any, ...]  # Any: a state of each lattice


class Product(Lattice[Tuple]):
    """The product of some lattices: tuples of their states, each by itself.

    Args:
        lattices: One for each element of a state.

    Raises:
        FieldError: If one of them is no lattice.

    Example:
        >>> from relayish.dataflow.lattice.booleans import Booleans
        >>> from relayish.dataflow.lattice.flat import Flat
        >>> both = Product(Flat(), Booleans())
        >>> both.bottom, both.join((3, False), (4, False)), both.leq((3, True), both.top)
        ((BOTTOM, False), (TOP, False), True)
    """

    def __init__(self, *lattices: Lattice[Any]) -> None:
        for lattice in lattices:
            checked_lattice(lattice, "Product(Powerset(), Booleans())")
        self.lattices = lattices
        self.bottom: Tuple = tuple([lattice.bottom for lattice in lattices])
        self.top: Tuple = tuple([lattice.top for lattice in lattices])
        self.finite_height = all(lattice.finite_height for lattice in lattices)

    def join(self, a: Tuple, b: Tuple) -> Tuple:
        return _each([lattice.join for lattice in self.lattices], a, b)

    def meet(self, a: Tuple, b: Tuple) -> Tuple:
        return _each([lattice.meet for lattice in self.lattices], a, b)

    def leq(self, a: Tuple, b: Tuple) -> bool:
        return a is b or all(
            lattice.leq(x, y) for lattice, x, y in zip(self.lattices, a, b, strict=True)
        )

    def equal(self, a: Tuple, b: Tuple) -> bool:
        return a is b or all(
            lattice.equal(x, y) for lattice, x, y in zip(self.lattices, a, b, strict=True)
        )

    def widen(self, old: Tuple, new: Tuple) -> Tuple:
        return _each([lattice.widen for lattice in self.lattices], old, new)

    def narrow(self, old: Tuple, new: Tuple) -> Tuple:
        return _each([lattice.narrow for lattice in self.lattices], old, new)

    def is_state(self, given: object) -> bool:
        return (
            isinstance(given, tuple)
            and len(given) == len(self.lattices)
            and all(each.is_state(x) for each, x in zip(self.lattices, given, strict=True))
        )

    def __repr__(self) -> str:
        return f"Product({', '.join(map(repr, self.lattices))})"


def _each(operations: list[Callable[[Any, Any], Any]], a: Tuple, b: Tuple) -> Tuple:
    if a is b:
        return a
    made = tuple([f(x, y) for f, x, y in zip(operations, a, b, strict=True)])
    return a if all(map(is_, made, a)) else made
