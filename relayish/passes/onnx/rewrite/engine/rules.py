"""Rewrite rules of calls of ONNX's operators, found by the operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from relayish.errors import DeclarationError
from relayish.ir.kinds.one_line import show_found
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, GlobalVar
from relayish.onnx.operators import identity_of
from relayish.rewriting.rule import Key, Rule, name_of
from relayish.rewriting.rules import RuleSet

if TYPE_CHECKING:
    Apply: TypeAlias = Callable[[Call, Any], Expr | None]
    # Any: the rewriter, which is made of rules


FUNCTIONS: Final = "@"
"""In place of an operator: calls of functions of the module."""


def rule(*operators: str, domain: str = "") -> Callable[[Apply], Rule]:
    """Make a function a rule for calls of ``operators``, in any version.

    The function is given the call and the :class:`Rewriter` of the function around, and returns
    what the variable of the call is to be bound to from now on, or ``None`` where there is nothing
    to do.

    Args:
        operators: Their names; ``"*"`` is all of the domain, tried after rules that name the
            operator, and :data:`FUNCTIONS` all functions of the module.
        domain: The domain of ONNX they are in.

    Raises:
        DeclarationError: If there are none, one is no name, or below it is no function.

    Example:
        >>> @rule("Identity")
        ... def forward_identity(call, graph):
        ...     return call.args[0]
        >>> forward_identity.name
        'forward_identity'
    """
    given: tuple[object, ...] = operators  # still to be checked
    wrong = [each for each in given if not isinstance(each, str)]
    if wrong or not given:
        raise DeclarationError(
            f"a rule for ONNX is for operators, by name, as in @rule('Relu'); found "
            f"{show_found(wrong[0]) if wrong else 'nothing'}"
        )

    def wrap(apply: Apply) -> Rule:
        if not callable(apply):
            raise DeclarationError(
                f"a rule for {operators[0]} does {apply!r}; expected a function of a call and of "
                f"the function around"
            )

        @wraps(apply)
        def action(call: Call, graph: Any) -> Expr:  # Any: as above
            found = apply(call, graph)
            return call if found is None else found

        return OnnxRule(name_of(apply), [(domain, operator) for operator in operators], action)

    return wrap


class OnnxRule(Rule):
    """A rule for calls of operators of ONNX, by name."""


class OnnxRules(RuleSet):
    """Rules by the name of the operator, whatever its version."""

    takes = "operators of ONNX by name, as relayish.passes.onnx.rewrite.engine.rule says them"

    def is_key(self, key: Key) -> bool:
        """Return whether calls are found by such a key."""
        return isinstance(key, (tuple, type))

    def keys_of(self, op: Node) -> Sequence[Key]:
        """Return the names by which rules for calls of ``op`` are told, in the order to try."""
        identity = identity_of(op) if isinstance(op, Expr) else None
        if identity is not None:
            return ((identity.domain, identity.name), (identity.domain, "*"))
        return (("", FUNCTIONS),) if type(op) is GlobalVar else ()
