"""Requests of evaluators while they run: the scope, and what it is entered with."""

from __future__ import annotations

from collections.abc import Iterable

from relayish.errors import EvaluationError
from relayish.interpreter.code import ScopeCode
from relayish.interpreter.emit import Entries
from relayish.interpreter.evaluator import Capture, Run, ScopeName
from relayish.interpreter.value import Closure, Evaluated, normalise
from relayish.ir.fields.naming import display_name
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr, Function, Var


def enter_scope(asked: Run, entries: Entries, node: Expr) -> tuple[ScopeCode, list[Evaluated]]:
    """Return the scope that an evaluator runs, and the values of its variables in order."""
    bindings = asked.bindings
    named: ScopeCode | None = _find_scope(asked.scope, entries, node)
    expected = []
    while named is not None:  # scopes with the same root differ in what they bind
        binders = named.binders
        if len(bindings) == len(binders) and all(map(bindings.__contains__, binders)):
            return named, [normalise(bindings[var]) for var in binders]
        expected.append(_names(binders))
        named = None if isinstance(asked.scope, int) else named.following
    raise EvaluationError(
        f"the evaluator of {type(node).__name__} ran a scope with values for {_names(bindings)}; "
        f"expected values for all variables bound there: {' or '.join(expected)}"
    )


def capture_scope(
    asked: Capture, entries: Entries, frame: list[Evaluated], machine: object, node: Expr
) -> Evaluated:
    """Return a scope as a function of the variables bound in it."""
    code = _find_scope(asked.scope, entries, node)
    if code.following is not None and not isinstance(asked.scope, int):
        raise EvaluationError(
            f"the evaluator of {type(node).__name__} captured one of several scopes that have the "
            f"same root; name it by its position"
        )
    if code.function is None:
        params = code.binders
        if not all(isinstance(var, Var) for var in params) or code.is_block:
            raise EvaluationError(
                f"the evaluator of {type(node).__name__} captured a scope that is no function of "
                f"Relay variables; expected one expression, and variables that are Var"
            )
        assert code.roots is not None
        code.function = Function(params, code.roots[0], span=node.span)
    return Closure(code, frame, machine)


def _find_scope(name: ScopeName, entries: Entries, node: Expr) -> ScopeCode:
    """Return the scope of ``node`` that an evaluator means, the first of several."""
    try:
        return entries[name]
    except (KeyError, TypeError):
        count = sum(isinstance(key, int) for key in entries)
        raise EvaluationError(
            f"the evaluator of {type(node).__name__} asked for the scope {name!r}; expected one of "
            f"its {count} scopes, by its root, the tuple of a block, or its position"
        ) from None


def _names(variables: Iterable[Node]) -> str:
    return ", ".join(map(display_name, variables)) or "none"
