"""Matching of patterns with partially static values."""

from __future__ import annotations

from enum import Enum

from relayish.ir.relay.adt import (
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relayish.ir.relay.expr import Constant, Var
from relayish.passes.relay.fold.partial_eval.value import Built, Fields, Value


class Matched(Enum):
    """What can be said of a value and a pattern."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


def match_pattern(pattern: Pattern, value: Value) -> tuple[Matched, dict[Var, Value]]:
    """Return whether ``value`` matches, and what the variables of ``pattern`` stand for if so.

    Complexity:
        Linear in the size of the pattern; no recursion.
    """
    bound: dict[Var, Value] = {}
    stack: list[tuple[Pattern, Value]] = [(pattern, value)]
    answer = Matched.YES
    while stack:
        pattern, value = stack.pop()
        if type(pattern) is PatternWildcard:
            continue
        if type(pattern) is PatternVar:
            bound[pattern.var] = value
            continue
        if not isinstance(pattern, (PatternConstructor, PatternTuple)):
            answer = Matched.UNKNOWN  # of another kind
            continue
        parts = _parts(pattern, value)
        if parts is Matched.NO:
            return Matched.NO, {}
        if isinstance(parts, Matched):
            answer = Matched.UNKNOWN
            continue
        stack += zip(pattern.patterns, parts, strict=True)
    return answer, bound


def _parts(pattern: PatternConstructor | PatternTuple, value: Value) -> tuple[Value, ...] | Matched:
    """Return the values that the patterns within are for, or why there are none."""
    static = value.static
    if type(pattern) is PatternConstructor:
        if not isinstance(static, Built):
            return Matched.UNKNOWN
        same = static.constructor is pattern.constructor
        if not same or len(static.fields) != len(pattern.patterns):
            return Matched.NO
        return static.fields
    if isinstance(static, Constant) and isinstance(static.data, tuple):
        constants = [Constant(item) for item in static.data]
        return tuple([Value(constant, constant) for constant in constants])
    if not isinstance(static, Fields) or len(static.fields) != len(pattern.patterns):
        return Matched.UNKNOWN
    return static.fields
