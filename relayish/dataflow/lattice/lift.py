"""Lifted lattices: with a state below all others, of what control never reaches."""

from __future__ import annotations

from typing import Generic, TypeAlias, TypeVar

from relayish.dataflow.lattice.lattice import Lattice, checked_lattice
from relayish.dataflow.lattice.symbols import UNREACHABLE, Unreachable

S = TypeVar("S")

Lifted: TypeAlias = S | Unreachable


class Lift(Lattice[Lifted[S]], Generic[S]):
    """A lattice with ``UNREACHABLE`` below its bottom.

    It tells what nothing reaches from what is reached with the least state. Where control begins is
    reached: the ``boundary`` of an analysis is a state of the lattice that is lifted.

    Args:
        lattice: The lattice of the other states.

    Raises:
        FieldError: If it is none.

    Example:
        >>> from relayish.dataflow.lattice.booleans import Booleans
        >>> lifted = Lift(Booleans())
        >>> lifted.bottom, lifted.join(UNREACHABLE, False), lifted.leq(False, UNREACHABLE)
        (UNREACHABLE, False, False)
    """

    bottom: Lifted[S] = UNREACHABLE

    def __init__(self, lattice: Lattice[S]) -> None:
        self.lattice = checked_lattice(lattice, "Lift(Powerset())")
        self.top: Lifted[S] = lattice.top
        self.finite_height = lattice.finite_height

    def join(self, a: Lifted[S], b: Lifted[S]) -> Lifted[S]:
        if a is b or b is UNREACHABLE:
            return a
        return b if a is UNREACHABLE else self.lattice.join(a, b)

    def meet(self, a: Lifted[S], b: Lifted[S]) -> Lifted[S]:
        if a is UNREACHABLE or b is UNREACHABLE:
            return UNREACHABLE
        return self.lattice.meet(a, b)

    def leq(self, a: Lifted[S], b: Lifted[S]) -> bool:
        if a is UNREACHABLE:
            return True
        return b is not UNREACHABLE and self.lattice.leq(a, b)

    def equal(self, a: Lifted[S], b: Lifted[S]) -> bool:
        if a is UNREACHABLE or b is UNREACHABLE:
            return a is b
        return self.lattice.equal(a, b)

    def widen(self, old: Lifted[S], new: Lifted[S]) -> Lifted[S]:
        if old is new or new is UNREACHABLE:
            return old
        return new if old is UNREACHABLE else self.lattice.widen(old, new)

    def narrow(self, old: Lifted[S], new: Lifted[S]) -> Lifted[S]:
        if old is UNREACHABLE or new is UNREACHABLE:
            return new
        return self.lattice.narrow(old, new)

    def is_state(self, given: object) -> bool:
        return given is UNREACHABLE or self.lattice.is_state(given)

    def __repr__(self) -> str:
        return f"Lift({self.lattice!r})"
