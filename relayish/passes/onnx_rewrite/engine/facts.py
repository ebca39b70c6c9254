"""What rules know of types and values of a function that is being rewritten."""

from __future__ import annotations

from typing import Any, Protocol

import numpy.typing as npt

from relayish.ir.relay.expr import Call, Expr, Function, Tuple, TupleGetItem, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Type
from relayish.onnx.propagation import Facts, propagate


class Scope(Protocol):
    """What is asked of a function that is being rewritten."""

    @property
    def outer(self) -> Scope | None:
        """The function around, of a graph."""

    def bound_to(self, expr: Expr) -> Expr | None:
        """Return what a variable is bound to; ``None`` of parameters."""

    def outside(self, expr: Expr) -> Expr | None:
        """Return what a captured value is called outside."""


class FactSource:
    """Types and values of the variables of a function, found when a rule asks for the first.

    Values of variables stay the same while a function is rewritten, so what was found of them stays
    true. What is known of new variables follows from what they are bound to.

    Args:
        func: The function, as it is before anything is rewritten.
        mod: The module it belongs to.
    """

    def __init__(self, func: Function, mod: IRModule | None) -> None:
        self._func = func
        self._mod = mod
        self._facts: Facts | None = None
        self._known: set[Expr] = set()

    def type_of(self, graph: Scope, expr: Expr) -> Type | None:
        """Return the type of an expression in the function of ``graph``."""
        return self._ask(graph, expr).type_of(expr)

    def value_of(
        self, graph: Scope, expr: Expr
    ) -> npt.NDArray[Any] | None:  # Any: of whatever element type
        """Return the value of an expression, where it is known."""
        return self._ask(graph, expr).value_of(expr)

    def _ask(self, graph: Scope, expr: Expr) -> Facts:
        """Return the facts, among which are those of an expression.

        Complexity:
            Linear in what the expression is computed from and was not asked for before; no
            recursion but into the functions around.
        """
        facts = self._facts
        if facts is None:
            facts = self._facts = propagate(self._func, self._mod, strict=False)
            self._known.update([each for each, _ in facts.items()])
        if expr in self._known:
            return facts
        stack = [expr]
        while stack:
            each = stack[-1]
            value = None if each in self._known else graph.bound_to(each)
            pending = [] if value is None else [
                part for part in _variables(value) if part not in self._known
            ]  # fmt: skip
            if pending:
                stack += pending
                continue
            stack.pop()
            if each not in self._known and type(each) is Var:
                self._learn(facts, graph, each, value)
        return facts

    def _learn(self, facts: Facts, graph: Scope, var: Var, value: Expr | None) -> None:
        self._known.add(var)
        if value is not None:
            facts.bind(var, value)
            return
        outside = graph.outside(var)
        if outside is not None and graph.outer is not None:
            self._ask(graph.outer, outside)
            facts.bind(var, outside)


def _variables(value: Expr) -> list[Expr]:
    """Return the variables that a value is made of."""
    parts: tuple[Expr, ...] = ()
    if type(value) is Call:
        parts = value.args
    elif type(value) is Tuple:
        parts = value.fields
    elif type(value) is TupleGetItem:
        parts = (value.tuple_value,)
    elif type(value) is Var:
        parts = (value,)
    return [part for part in parts if type(part) is Var]
