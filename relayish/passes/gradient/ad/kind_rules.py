"""Differentiation rules of kinds of nodes; other packages add theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, overload

from relayish.errors import DeclarationError, GradientError
from relayish.ir.kind_table import KindTable
from relayish.ir.node import Node
from relayish.ir.relay.adt import (
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relayish.ir.relay.expr import Expr, If, RefCreate, RefRead, RefWrite
from relayish.ir.roles import Role, Runs
from relayish.ir.scoping import has_scopes, operands

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

GRADIENT_RULES: Final[KindTable[GradientRule]] = KindTable(
    "the gradient",
    "relay.transform.register_gradient_rule",
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


@overload
def register_gradient_rule(
    kind: type[Node], rule: GradientRule, *, replace: bool = False
) -> GradientRule: ...
@overload
def register_gradient_rule(
    kind: type[Node], *, replace: bool = False
) -> Callable[[GradientRule], GradientRule]: ...
def register_gradient_rule(
    kind: type[Node], rule: GradientRule | None = None, *, replace: bool = False
) -> GradientRule | Callable[[GradientRule], GradientRule]:
    """Say how nodes of class ``kind`` are differentiated; also a decorator.

    Args:
        kind: A kind of expressions, or a family of such kinds.
        rule: For kinds that compute tensors, or tuples of tensors, from others and have no scopes,
            a function ``rule(node, grad)`` that returns a gradient for each operand: the product
            of ``grad``, the gradient of the value of ``node``, with the Jacobian. The operands it
            finds in ``node`` stand for their values. For kinds that only lead values somewhere, as
            branches and loops do, a :class:`ControlFlow`.
        replace: Whether to put the rule in the place of another.

    Raises:
        DuplicateNameError: If there is a rule already and ``replace`` is false.
        DeclarationError: If the rule does not fit what the kind declares.

    Example:
        >>> from relayish import Expr, Function, evaluate, node, var
        >>> from relayish.ir.effect import Effect
        >>> from relayish.ir.node import declared_temporarily
        >>> with declared_temporarily():
        ...     @node("scale", effect=Effect.NONE)
        ...     class Scale(Expr):
        ...         "A tensor times a number."
        ...         value: Expr
        ...         factor: float
        ...     @register_gradient_rule(Scale)
        ...     def scale_gradient(scale, grad):
        ...         return [Scale(grad, scale.factor)]
    """
    if rule is None:
        return lambda given: register_gradient_rule(kind, given, replace=replace)
    _check(kind, rule)
    return GRADIENT_RULES.register(kind, rule, replace=replace)


def _check(kind: type[Node], rule: GradientRule) -> None:
    if not isinstance(rule, ControlFlow):
        if has_scopes(kind):
            raise DeclarationError(
                f"{kind.__name__} has scopes, so there is no product with a Jacobian to return; "
                f"register a ControlFlow(plain=...) for it"
            )
        return
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
