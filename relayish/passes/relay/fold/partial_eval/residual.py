"""Residual code: chains of bindings with places kept free in them."""

from __future__ import annotations

from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Expr, Function, Let, Var


class Slot:
    """A place in a chain of bindings, filled when somebody asks for what belongs there.

    What is known of a tuple, a data structure or a function is enough to compute with it; only
    where the program itself needs it, a binding comes to stand where it was made. Everything it is
    made of is older, so it stands further up.
    """

    __slots__ = ("value", "var")

    def __init__(self) -> None:
        self.var: Var | None = None
        self.value: Expr | None = None


class Residual:
    """The bindings of one scope, in the order in which they are evaluated."""

    __slots__ = ("_slots",)

    def __init__(self) -> None:
        self._slots: list[Slot] = []

    def reserve(self) -> Slot:
        """Return a place for a binding that may be needed."""
        slot = Slot()
        self._slots.append(slot)
        return slot

    def push(self, value: Expr, span: Span | None = None) -> Var:
        """Bind ``value`` and return its variable."""
        slot = self.reserve()
        slot.value = value
        slot.var = Var("x", span=span)
        return slot.var

    def get(self, body: Expr) -> Expr:
        """Return ``body`` within the bindings that were needed.

        What is bound last, only to be the result, is the result; a function might call itself.
        """
        for slot in reversed(self._slots):
            if slot.var is None:
                continue
            assert slot.value is not None
            if body is slot.var and type(slot.value) is not Function:
                body = slot.value
            else:
                body = Let(slot.var, slot.value, body, span=slot.value.span)
        return body
