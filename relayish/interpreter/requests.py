"""What evaluators ask for while they run: the scope, and what it is entered with."""

from __future__ import annotations

from relayish.errors import EvaluationError
from relayish.interpreter.emit import Entries, ScopeEntry
from relayish.interpreter.evaluator import Run, ScopeName
from relayish.interpreter.value import Closure, Evaluated, normalise
from relayish.ir.node import Node
from relayish.ir.relay.expr import Expr, Function, Var


def scope_asked_for(name: ScopeName, entries: Entries, node: Expr) -> ScopeEntry:
    """Return the scope of ``node`` that an evaluator names."""
    try:
        return entries[name]
    except (KeyError, TypeError):
        count = sum(isinstance(key, int) for key in entries)
        raise EvaluationError(
            f"the evaluator of {type(node).__name__} asked for the scope {name!r}; expected one of "
            f"its {count} scopes, by its root, the tuple of a block, or its position"
        ) from None


def bound_values(asked: Run, entry: ScopeEntry, node: Expr) -> list[Evaluated]:
    """Return the values of the variables bound in a scope, in order."""
    bindings, binders = asked.bindings, entry.binders
    if len(bindings) != len(binders) or not all(var in bindings for var in binders):
        expected = ", ".join(map(_name, binders)) or "none"
        found = ", ".join(map(_name, bindings)) or "none"
        raise EvaluationError(
            f"the evaluator of {type(node).__name__} ran a scope with values for {found}; "
            f"expected values for all variables bound there: {expected}"
        )
    return [normalise(bindings[var]) for var in binders]


def captured(entry: ScopeEntry, frame: list[Evaluated], machine: object, node: Expr) -> Evaluated:
    """Return a scope as a function of the variables bound in it."""
    code, params = entry.code, entry.binders
    if code.function is None:
        if not all(isinstance(var, Var) for var in params) or entry.is_block:
            raise EvaluationError(
                f"the evaluator of {type(node).__name__} captured a scope that is no function of "
                f"Relay variables; expected one expression, and variables that are Var"
            )
        code.function = Function(params, entry.roots[0], span=node.span)
    return Closure(code, frame, machine)


def _name(var: Node) -> str:
    return f"%{getattr(var, 'name_hint', type(var).__name__)}"
