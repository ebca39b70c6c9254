"""Evaluation while compiling: what expressions of the loop IR give, where that is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Self

from relayish.domain.dispatch import Dispatch
from relayish.domain.handler import DefaultHandler
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.replacing import with_evaluated
from relayish.ir.scopes.scoping import has_scopes, operands
from relayish.tir.interpreter.numbers import hand_out, literal
from relayish.tir.interpreter.run import prepare_value
from relayish.tir.ir.operators import Expr, FloatImm, IntImm, UIntImm
from relayish.tir.ir.tensor import Var


class EvaluateExpr(DefaultHandler, domain="tir"):
    """The handler of the loop IR for :class:`~relayish.domain.EvalCtx`.

    Values are those that :func:`relayish.tir.evaluate` gives. What has effects, or reads memory,
    has none that is known.
    """

    _compiled: dict[object, Callable[..., Any]]  # by kind and types of operands

    def __new__(cls, *args: object, **options: object) -> Self:
        self = super().__new__(cls, *args, **options)
        self._compiled = {}
        return self

    def handle_var(self, visitor: Dispatch, node: Var) -> Any:  # Any: a number
        """Return what the context says of a variable."""
        return visitor.context.load(node)

    def handle_int_imm(self, _visitor: Dispatch, node: IntImm | UIntImm | FloatImm) -> Any:
        """Return the number that a literal is, without compiling it."""
        return hand_out(literal(node.value, node.type), node.type)  # Any, above: a number

    handle_uint_imm = handle_float_imm = handle_int_imm

    def handle_expr(self, visitor: Dispatch, node: Expr) -> Any:  # Any: a number, or of lanes
        """Return what an operator gives for the values of its operands."""
        if node.traits_.effect or has_scopes(type(node)) or not node.type.is_numeric:
            return visitor.context.refuse(node)
        held: Any = operands(node)  # Any: expressions
        values = [visitor.visit(operand) for operand in held]
        key = (type(node), *[operand.type for operand in held])
        compiled = self._compiled.get(key)
        if compiled is None:
            names = [Var(f"v{index}", operand.type) for index, operand in enumerate(held)]
            compiled = prepare_value(with_evaluated(node, names, ()), names)
            if _HOLDS_OPERANDS[type(node)]:
                self._compiled[key] = compiled
        return compiled(*values)


_HOLDS_OPERANDS: Final = ByKind(
    lambda kind: all(each.role is Role.OPERAND for each in kind.fields_ if each.compared)
)
"""Whether what an operator computes follows from its kind and the types of its operands."""
