"""Matching values against patterns."""

from __future__ import annotations

from collections.abc import Iterable

from relayish.errors import EvaluationError
from relayish.interpreter.evaluator import MATCHERS
from relayish.interpreter.value import ConstructorValue, Evaluated, describe
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.relay.adt import PatternConstructor, PatternTuple, PatternVar, PatternWildcard

Pairs = Iterable[tuple[Node, Evaluated]]


def match_pattern(root: Node, matched: Evaluated) -> list[tuple[Node, Evaluated]] | None:
    """Return what the variables of a pattern stand for in a value; ``None`` if it differs.

    Raises:
        UnknownKindError: If nobody said what a pattern in it matches.

    Complexity:
        Linear in the patterns that are looked at; no recursion.
    """
    found: list[tuple[Node, Evaluated]] = []
    pending = [(root, matched)]
    while pending:
        pattern, value = pending.pop()
        if type(pattern) in VARIABLES:
            found.append((pattern, value))
            continue
        inside = MATCHERS[type(pattern)](pattern, value)
        if inside is None:
            return None
        pending += list(inside)[::-1]
    return found


def _match_anything(_pattern: PatternWildcard, _value: Evaluated) -> Pairs:
    return ()


def _match_var(pattern: PatternVar, value: Evaluated) -> Pairs:
    return ((pattern.var, value),)


def _match_tuple(pattern: PatternTuple, value: Evaluated) -> Pairs:
    if type(value) is not tuple or len(value) != len(pattern.patterns):
        raise EvaluationError(
            f"a pattern of {len(pattern.patterns)} fields is matched against {describe(value)}; "
            f"expected a tuple of {len(pattern.patterns)}"
        )
    return zip(pattern.patterns, value, strict=True)


def _match_constructor(pattern: PatternConstructor, value: Evaluated) -> Pairs | None:
    if type(value) is not ConstructorValue:
        raise EvaluationError(
            f"a pattern of constructor {pattern.constructor.name_hint} is matched against "
            f"{describe(value)}; expected a value of an algebraic data type"
        )
    if value.constructor is not pattern.constructor:
        return None
    if len(value.fields) != len(pattern.patterns):
        raise EvaluationError(
            f"a pattern of constructor {pattern.constructor.name_hint} has "
            f"{len(pattern.patterns)} fields, the value {len(value.fields)}; take both from one "
            f"type definition"
        )
    return zip(pattern.patterns, value.fields, strict=True)


MATCHERS.register(PatternWildcard, _match_anything)
MATCHERS.register(PatternVar, _match_var)
MATCHERS.register(PatternTuple, _match_tuple)
MATCHERS.register(PatternConstructor, _match_constructor)
