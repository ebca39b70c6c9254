"""Patterns as conditions and paths: which values they match, and where their variables stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from relayish.codegen.python.source import Name
from relayish.ir.node import Node
from relayish.ir.relay.adt import (
    Constructor,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)

_LARGEST: Final = 12
_DEEPEST: Final = 3


class Spelt(NamedTuple):
    """A pattern in Python.

    Attributes:
        conditions: Which must hold, in order; none if it matches anything.
        variables: What is bound, in order, and the path to its value.
    """

    conditions: list[str]
    variables: list[tuple[Node, str]]


def spell_out(pattern: Pattern, value: str, name_of: Callable[[Constructor], str]) -> Spelt | None:
    """Return ``pattern`` as conditions on ``value``; ``None`` if it is large or foreign."""
    found = Spelt([], [])
    pending: list[tuple[Pattern, str, int]] = [(pattern, value, 0)]
    looked_at = 0
    while pending:
        part, path, depth = pending.pop()
        looked_at += 1
        if looked_at > _LARGEST or depth > _DEEPEST:
            return None
        inside = path
        if isinstance(part, PatternVar):
            found.variables.append((part.var, path))
        elif isinstance(part, PatternConstructor):
            found.conditions.append(f"{name_of(part.constructor)}.built({path})")
            inside = f"{path}.fields"
        elif not isinstance(part, (PatternTuple, PatternWildcard)):
            return None
        if isinstance(part, (PatternConstructor, PatternTuple)):
            parts = [(p, f"{inside}[{i}]", depth + 1) for i, p in enumerate(part.patterns)]
            pending += reversed(parts)
    return found


def flat_targets(pattern: Pattern, names: Mapping[Node, Name]) -> list[str] | None:
    """Return what the fields of a value are assigned to; ``None`` if there are patterns in it."""
    if not isinstance(pattern, (PatternConstructor, PatternTuple)):
        return None
    targets = []
    for part in pattern.patterns:
        if isinstance(part, PatternVar):
            targets.append(names[part.var].text)
        elif isinstance(part, PatternWildcard):
            targets.append("_")
        else:
            return None
    return targets
