"""Evaluation of core while compiling: its handlers, without the memory of a machine."""

from __future__ import annotations

from typing import Any

from relayish.core.interpreter.numbers import Scalar, form_of
from relayish.core.ir.family import Symbol
from relayish.core.ir.type import Type
from relayish.domain.eval_ctx import EvalCtx
from relayish.ir.nodes.node import Node


class FoldCtx(EvalCtx):
    """The :class:`~relayish.domain.EvalCtx` in which :class:`EvaluateExpr` evaluates core.

    Variables and pseudo registers hold what the environment says; addresses are not known.

    Example:
        >>> from relayish import core
        >>> from relayish.core.interpreter import EvaluateExpr
        >>> from relayish.domain import Visitor
        >>> x, y = core.Var("x"), core.Var("y")
        >>> ctx = FoldCtx({x: 3})
        >>> visitor = Visitor(ctx, EvaluateExpr)
        >>> ctx.value_of(visitor, x * 2 + 1), ctx.value_of(visitor, x + y)
        (7, UNKNOWN)
    """

    def load(self, variable: Node, held: Any = None) -> Scalar:  # Any: a type of core
        """Return the value of a variable or pseudo register, as a scalar of type ``held``."""
        form = form_of(held)
        value = super().load(variable)
        return self.refuse(variable) if form is None else form.take(value, "the environment")

    def zero(self, held: Type) -> Scalar:
        """Return the zero of a type of scalars."""
        form = form_of(held)
        return self._refuse_memory() if form is None else form.zero()

    def address_of(self, symbol: Symbol) -> Scalar:
        """Say that the address of a symbol is not known."""
        return self.refuse(symbol)

    def piece_of(self, symbol: Symbol) -> Any:  # Any: stands where memory is returned
        """Say that the memory of a symbol is not known."""
        return self.refuse(symbol)

    def _refuse_memory(self, *_args: object) -> Any:  # Any: as above
        return self.refuse(self._parents[-1])

    @property
    def memory(self) -> Any:  # Any: as above
        """Say that what is in memory is not known."""
        return self._refuse_memory()

    @property
    def layout(self) -> Any:  # Any: as above
        """Say that where the fields of structures lie is not known."""
        return self._refuse_memory()

    constant = read = size_of = _refuse_memory
