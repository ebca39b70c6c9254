"""Constants and tuples that folding sees through annotations of devices and names."""

from __future__ import annotations

from relayish.analysis.on_device import is_on_device, skip_on_device, with_on_device_of
from relayish.ir.relay.expr import Call, Expr, Tuple, Var
from relayish.passes.relay.fold.constant_checker import ConstantChecker


class PlacedConstants(ConstantChecker):
    """Takes what is constant for constant wherever it is to be."""

    def visit_call(self, call: Call) -> bool:
        """Look through annotations of devices."""
        return is_on_device(call) and self.check(skip_on_device(call))


class PlacedTuples:
    """The tuples that names stand for, by their own name or another, wherever they are to be."""

    def __init__(self) -> None:
        self._tuples: dict[Expr, Expr] = {}  # in their annotations

    def note(self, var: Var, value: Expr) -> None:
        """Remember that ``var`` stands for ``value``, where that is a tuple."""
        bare = skip_on_device(value)
        if type(bare) is Tuple:
            self._tuples[var] = value
        elif bare in self._tuples:
            self._tuples[var] = with_on_device_of(self._tuples[bare], value)

    def look_through(self, expr: Expr) -> Expr:
        """Return the tuple that a name stands for, with all annotations; else ``expr`` itself."""
        bound = self._tuples.get(skip_on_device(expr))
        return expr if bound is None else with_on_device_of(bound, expr)
