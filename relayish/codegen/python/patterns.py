"""Patterns as conditions and paths: which values they match, and where their variables stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from relayish.codegen.python.names import ProgramNames
from relayish.codegen.python.source import Name
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.relay.adt import (
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relayish.ir.scopes.scoping import PATTERNS

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


class FlatTargets(NamedTuple):
    """A pattern as one assignment: what to, and the fields that are assigned."""

    targets: list[str]
    fields: str


class _Spelling(NamedTuple):
    """How patterns of a kind are spelt out.

    Attributes:
        condition: ``condition(pattern, path, names)``: what must hold of the value at ``path``.
        fields: Where its fields stand, behind the path; ``None`` if it does not look at them.
    """

    condition: Callable[[Any, str, ProgramNames], str] | None = None  # Any: of the kind
    fields: str | None = None


def _is_built(pattern: PatternConstructor, path: str, names: ProgramNames) -> str:
    return f"{names.constructor(pattern.constructor)}.built({path})"


_SPELLINGS: Final[KindTable[_Spelling]] = KindTable(
    "code generation for Python",
    "relay.interpreter.MATCHERS",  # which matches what is not spelt out
    {
        PatternWildcard: _Spelling(),
        PatternVar: _Spelling(),
        PatternTuple: _Spelling(fields=""),
        PatternConstructor: _Spelling(_is_built, ".fields"),
    },
)


def spell_out(pattern: Pattern, value: str, names: ProgramNames) -> Spelt | None:
    """Return ``pattern`` as conditions on ``value``; ``None`` if it is large or foreign."""
    found = Spelt([], [])
    pending: list[tuple[Node, str, int]] = [(pattern, value, 0)]
    looked_at = 0
    while pending:
        part, path, depth = pending.pop()
        if type(part) in VARIABLES:
            found.variables.append((part, path))
            continue
        looked_at += 1
        if looked_at > _LARGEST or depth > _DEEPEST or not _SPELLINGS.knows(type(part)):
            return None
        condition, fields = _SPELLINGS[type(part)]
        if condition is not None:
            found.conditions.append(condition(part, path, names))
        inside = PATTERNS.children(part)
        if fields is None:
            pending += [(each, path, depth) for each in inside]
        else:
            parts = [(each, f"{path}{fields}[{i}]", depth + 1) for i, each in enumerate(inside)]
            pending += reversed(parts)
    return found


def flat_targets(pattern: Pattern, names: Mapping[Node, Name], value: str) -> FlatTargets | None:
    """Return ``pattern`` as one assignment of fields; ``None`` if there are patterns in it."""
    if not _SPELLINGS.knows(type(pattern)):
        return None
    fields = _SPELLINGS[type(pattern)].fields
    if fields is None:
        return None
    targets = []
    for part in PATTERNS.children(pattern):
        if not isinstance(part, (PatternVar, PatternWildcard)):
            return None
        targets.append(names[part.var].text if isinstance(part, PatternVar) else "_")
    return FlatTargets(targets, f"{value}{fields}")
