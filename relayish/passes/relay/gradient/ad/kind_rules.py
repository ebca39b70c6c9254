"""Differentiation rules of kinds of nodes; other packages add theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.errors import DeclarationError, GradientError
from relayish.ir.fields.roles import Role, Runs
from relayish.ir.nodes.kind_table import MadeTable
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import PatternConstructor, PatternTuple, PatternVar, PatternWildcard
from relayish.ir.relay.expr import Expr, If, RefCreate, RefRead, RefWrite
from relayish.ir.scopes.scoping import has_scopes, operands

VectorJacobian: TypeAlias = Callable[[Any, Expr], Sequence[Expr]]  # Any: a node of one kind
"""``product(node, grad)``: the gradients of the operands of ``node`` in order, one for each.

``grad`` is the gradient of the value of ``node``; a tuple of them where the value is a tuple. The
node has its type, but its operands are not those of the program: they are names of their values.
"""


class ControlFlow(NamedTuple):
    """Gradients go through nodes of a kind as values do: what comes out went in somewhere.

    The node stays, and where a value goes its gradient goes along; so the operands, scopes and
    variables of the node are no longer tensors but pairs. What the node itself looks at, as a
    condition, is given to it plain.

    Attributes:
        plain: The fields that hold operands and scopes that the node looks at.
    """

    plain: tuple[str, ...] = ()


GradientRule: TypeAlias = VectorJacobian | ControlFlow


def _checked(kind: type[Node], rule: GradientRule) -> GradientRule:
    """Return a rule, which fits what the kind declares."""
    if not isinstance(rule, ControlFlow):
        if has_scopes(kind):
            raise DeclarationError(
                f"{kind.__name__} has scopes, so there is no product with a Jacobian to return; "
                f"register a ControlFlow(plain=...) for it"
            )
        return rule
    inside = [f.name for f in kind.fields_ if f.role in (Role.OPERAND, Role.SCOPE, Role.PART)]
    wrong = [name for name in rule.plain if name not in inside]
    if wrong:
        raise DeclarationError(
            f"{kind.__name__} has no operand or scope {wrong[0]!r} that could be plain; "
            f"it has {', '.join(inside) or 'none'}"
        )
    for declared in kind.fields_:
        if declared.recursive or declared.runs is Runs.DEFERRED:
            raise DeclarationError(
                f"{kind.__name__}.{declared.name} is no operand evaluated before the node, nor a "
                f"scope that runs with it; a ControlFlow is for these alone"
            )
        if declared.block:
            raise DeclarationError(
                f"{kind.__name__}.{declared.name} is a block; a ControlFlow is for scopes of one "
                f"expression each"
            )
    return rule


GRADIENT_RULES: Final[MadeTable[GradientRule, GradientRule]] = MadeTable(
    "the gradient",
    "relay.transform.GRADIENT_RULES",
    _checked,
    {
        If: ControlFlow(plain=("cond",)),
        RefCreate: ControlFlow(),
        RefRead: ControlFlow(),
        RefWrite: ControlFlow(),
        **dict.fromkeys(
            (PatternConstructor, PatternTuple, PatternVar, PatternWildcard), ControlFlow()
        ),
    },
)


def gradients_of_operands(node: Expr, rule: VectorJacobian, grad: Expr) -> tuple[Expr, ...]:
    """Return the gradients of the operands of ``node``, by its rule.

    Raises:
        GradientError: If there are not as many as operands.
    """
    found = tuple(rule(node, grad))
    expected = len(operands(node))
    if len(found) != expected:
        raise GradientError(
            f"the gradient rule of {type(node).__name__} returned {len(found)} gradients for a "
            f"node with {expected} operands; expected one for each"
        )
    return found
