"""What evaluators ask for while they run: the scope, and what it is entered with."""

from __future__ import annotations

from collections.abc import Iterable

from relayish.errors import EvaluationError
from relayish.interpreter.emit import Entries, ScopeEntry
from relayish.interpreter.evaluator import Capture, Run, ScopeName
from relayish.interpreter.value import Closure, Evaluated, normalise
from relayish.ir.node import Node
from relayish.ir.relay.expr import Expr, Function, Var
from relayish.ir.scoping import display_name


def entered(asked: Run, entries: Entries, node: Expr) -> tuple[ScopeEntry, list[Evaluated]]:
    """Return the scope that an evaluator runs, and the values of its variables in order."""
    bindings = asked.bindings
    named = _named(asked.scope, entries, node)
    for entry in named:  # scopes with the same root differ in what they bind
        if len(bindings) == len(entry.binders) and all(var in bindings for var in entry.binders):
            return entry, [normalise(bindings[var]) for var in entry.binders]
    expected = " or ".join([_names(entry.binders) for entry in named])
    raise EvaluationError(
        f"the evaluator of {type(node).__name__} ran a scope with values for {_names(bindings)}; "
        f"expected values for all variables bound there: {expected}"
    )


def captured(
    asked: Capture, entries: Entries, frame: list[Evaluated], machine: object, node: Expr
) -> Evaluated:
    """Return a scope as a function of the variables bound in it."""
    entry, *others = _named(asked.scope, entries, node)
    if any(other.binders != entry.binders for other in others):
        raise EvaluationError(
            f"the evaluator of {type(node).__name__} captured one of several scopes that have the "
            f"same root and bind other variables; name it by its position"
        )
    code, params = entry.code, entry.binders
    if code.function is None:
        if not all(isinstance(var, Var) for var in params) or entry.is_block:
            raise EvaluationError(
                f"the evaluator of {type(node).__name__} captured a scope that is no function of "
                f"Relay variables; expected one expression, and variables that are Var"
            )
        code.function = Function(params, entry.roots[0], span=node.span)
    return Closure(code, frame, machine)


def _named(name: ScopeName, entries: Entries, node: Expr) -> list[ScopeEntry]:
    """Return the scopes of ``node`` that an evaluator may mean."""
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
