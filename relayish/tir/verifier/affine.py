"""Values of schedule blocks' variables: affine in the variables of loops.

That is: sums of these variables, each multiplied by what does not change in the loops. Quotients
and remainders by such factors count as affine, as they do where loops were fused.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from relayish.ir.kinds.one_line import one_line, quote
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, operands
from relayish.ir.verification.rules import Report
from relayish.tir.ir.expr import Call, PrimitiveNode
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.intrinsic import IntrinsicOp
from relayish.tir.ir.operators import Add, Cast, Div, FracOp, Minus, Mod, Mul, Product, Sub, Sum
from relayish.tir.ir.stmt import Let, ScheduleBlockRealize
from relayish.tir.ir.tensor import Load, Var
from relayish.tir.verifier.nodes import ProgramNodes
from relayish.tir.verifier.violation import Rule

_SUMS: Final = (Add, Sub, Sum, Minus)
_PRODUCTS: Final = (Mul, Product)
_QUOTIENTS: Final = (Div, Mod, FracOp)


def check_iteration_values(nodes: ProgramNodes, report: Report) -> None:
    """Report values of schedule blocks' variables that are not affine in loop variables.

    Complexity:
        Linear in distinct nodes; no recursion.
    """
    realizes = [realize for realize in nodes.of(ScheduleBlockRealize) if realize.iter_values]
    if not realizes:
        return
    # what a Let or a caller gives a value is no variable of a loop
    fixed: set[Node] = {let.symbol for let in nodes.of(Let)}
    for func in nodes.of(LoweredFunc):
        fixed.update(func.args)
    forms = _Forms(fixed)
    forms.look_at([value for realize in realizes for value in realize.iter_values])
    for realize in realizes:
        block = realize.schedule_block
        for variable, value in zip(block.iter_vars, realize.iter_values, strict=False):
            if value in forms.reasons:
                report(
                    Rule.SCHEDULE_BLOCK,
                    realize,
                    f"variable {one_line(variable)} of schedule block {block.name!r} is given "
                    f"{quote(value)}, which is not affine in the loop variables: "
                    f"{forms.reasons[value]}; expected a sum of these, each multiplied by what "
                    f"does not vary",
                )


class _Forms:
    """What is known of expressions.

    Attributes:
        vary: Those that change with loop variables.
        reasons: Why an expression is not affine, of those that are not.
    """

    def __init__(self, fixed: Collection[Node]) -> None:
        self.vary: set[Node] = set()
        self.reasons: dict[Node, str] = {}
        self._fixed = fixed

    def look_at(self, roots: Sequence[Node]) -> None:
        """Find the form of ``roots`` and of what they consist of."""
        vary, reasons = self.vary, self.reasons
        for node in PROGRAM.post_order(roots):
            given = operands(node)
            reason = next((reasons[child] for child in given if child in reasons), "")
            changing = sum([child in vary for child in given])
            if (isinstance(node, Var) and node not in self._fixed) or changing:
                vary.add(node)
            reason = reason or _reason(node, changing, vary)
            if reason:
                reasons[node] = reason


def _reason(node: Node, changing: int, vary: Collection[Node]) -> str:
    """Return why a node over affine operands, some of them ``changing``, is not affine."""
    if not changing and not isinstance(node, Load | Call | PrimitiveNode | IntrinsicOp):
        return ""
    shown = one_line(node)
    if isinstance(node, Load):
        return f"{shown} reads memory"
    if isinstance(node, Call | PrimitiveNode | IntrinsicOp):
        return f"{shown} is a call"
    if isinstance(node, _SUMS):
        return ""
    if isinstance(node, _PRODUCTS):
        return f"{shown} multiplies two that vary" if changing > 1 else ""
    if isinstance(node, _QUOTIENTS):
        return f"{shown} divides by what varies" if node.b in vary else ""
    if isinstance(node, Cast):
        whole = node.dtype.is_integer and node.v.type.is_integer
        return "" if whole else f"{shown} converts to another kind of number"
    return f"{shown} is no sum or product"
