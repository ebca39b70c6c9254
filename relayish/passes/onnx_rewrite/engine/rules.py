"""Rewrite rules of calls of ONNX's operators, found by the operator."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from relayish.ir.relay.expr import Call, Expr, GlobalVar
from relayish.onnx.operators import identity_of

if TYPE_CHECKING:
    Apply: TypeAlias = Callable[[Call, Any], Expr | None]
    # Any: the rewriter, which is made of rules


FUNCTIONS: Final = "@"
"""In place of an operator: calls of functions of the module."""


class Rule(NamedTuple):
    """A rewrite rule for calls of some operators.

    Attributes:
        name: What it is called in reports.
        operators: Domain and name of each operator it is for, whatever its version.
        apply: ``apply(call, graph)`` returns what the variable of the call is to be bound to from
            now on, or ``None`` where there is nothing to do.
    """

    name: str
    operators: frozenset[tuple[str, str]]
    apply: Apply

    def __call__(self, call: Call, graph: Any) -> Expr | None:  # Any: as above
        """Apply the rule."""
        return self.apply(call, graph)


def rule(*operators: str, domain: str = "") -> Callable[[Apply], Rule]:
    """Make a function a rule for calls of ``operators``, in any version.

    Args:
        operators: Their names; ``"*"`` is all of the domain, tried after rules that name the
            operator, and :data:`FUNCTIONS` all functions of the module.
        domain: The domain of ONNX they are in.

    Example:
        >>> @rule("Identity")
        ... def forward_identity(call, graph):
        ...     return call.args[0]
        >>> forward_identity.name
        'forward_identity'
    """

    def wrap(apply: Apply) -> Rule:
        return Rule(
            apply.__name__, frozenset([(domain, operator) for operator in operators]), apply
        )

    return wrap


class RuleTable:
    """Rules by operator, in the order in which they are tried."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._by_name: dict[tuple[str, str], tuple[Rule, ...]] = {}
        for each in rules:
            for operator in each.operators:
                self._by_name[operator] = (*self._by_name.get(operator, ()), each)
        self._by_op: dict[Expr, tuple[Rule, ...]] = {}

    def find(self, op: Expr) -> tuple[Rule, ...]:
        """Return the rules for calls of ``op``.

        Complexity:
            Constant.
        """
        found = self._by_op.get(op)
        if found is None:
            identity = identity_of(op)
            found = _NONE
            if identity is not None:
                domain, name, _ = identity
                found = self._by_name.get((domain, name), _NONE)
                found += self._by_name.get((domain, "*"), _NONE)
            elif type(op) is GlobalVar:
                found = self._by_name.get(("", FUNCTIONS), _NONE)
            self._by_op[op] = found
        return found


_NONE: Final[tuple[Rule, ...]] = ()
