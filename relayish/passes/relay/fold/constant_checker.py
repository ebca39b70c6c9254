"""Constant expressions: constants, and tuples of nothing but constants."""

from __future__ import annotations

from relayish.analysis.on_device import is_on_device
from relayish.functor import ExprVisitor
from relayish.ir.relay.expr import Constant, Expr, Tuple
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.values.value import Value


class ConstantChecker(ExprVisitor):
    """Answers :meth:`check` for many expressions, looking at each once.

    Source:
        Relay ``ConstantChecker``.
    """

    remembers = True

    def check(self, expr: Expr) -> bool:
        """Return whether ``expr`` is a constant, or a tuple of nothing but these, nested or not."""
        return self.visit(expr) is True

    def visit_constant(self, const: Constant) -> bool:  # noqa: ARG002 - any constant is constant
        """Say yes."""
        return True

    def visit_tuple(self, tup: Tuple) -> bool:
        """Say yes when every field is constant."""
        for field in tup.fields:
            if not self.check(field):
                return False
        return True

    def visit_expr(self, expr: Expr) -> bool:  # noqa: ARG002 - nothing else is constant
        """Say no, without looking below ``expr``."""
        return False


def is_constant(expr: Expr) -> bool:
    """Return whether ``expr`` is a constant, or a tuple of nothing but constants.

    Example:
        >>> from relayish.ir.relay.expr import Var
        >>> is_constant(Tuple((Constant(1), Tuple(())))), is_constant(Var("x"))
        (True, False)
    """
    return ConstantChecker().check(expr)


def constant_value(expr: Expr) -> Value:
    """Return the value of an expression that :func:`is_constant`; tuples become Python tuples.

    Annotations of devices may stand in it.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    if type(expr) is Constant:
        return expr.data
    values: dict[Expr, Value] = {}
    for node in EXPRESSIONS.post_order(expr):
        if type(node) is Constant:
            values[node] = node.data
        elif type(node) is Tuple:
            values[node] = tuple([values[field] for field in node.fields])
        elif is_on_device(node):
            values[node] = values[node.args[0]]
    return values[expr]


def value_to_expr(value: Value) -> Expr:
    """Return the expression of a value: a constant, or a tuple of them for several outputs."""
    if type(value) is tuple:
        return Tuple(tuple([value_to_expr(item) for item in value]))
    return Constant(value)
