"""Patterns of nodes of any kind, by the fields that hold what they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relayish.dataflow_pattern.pattern import (
    DATAFLOW_PATTERNS,
    STRUCTURAL,
    DFPattern,
    Parts,
    as_patterns,
    commas,
)
from relayish.errors import DeclarationError
from relayish.ir.domains.property import Property
from relayish.ir.nodes.node import Node, field, node
from relayish.ir.scopes.scoping import PROGRAM


def _as_kind(given: object) -> type[Node]:
    if isinstance(given, type) and issubclass(given, Node):
        return given
    raise TypeError(f"expected a class of nodes; found {given!r}")


@node("node_pattern")
class NodePattern(DFPattern):
    """Matches nodes of ``kind``, of whatever language, whose fields match.

    Called with patterns, in the order of the fields that are evaluated or by their names, it is the
    pattern of such nodes with parts like these; a field of several nodes takes as many patterns.
    Where the kind is commutative, either order will do.

    Example:
        >>> from relayish import tir
        >>> from relayish.dataflow_pattern import is_node, wildcard
        >>> i, x = tir.Var("i"), wildcard()
        >>> print(is_node(tir.Add)(x, is_node(tir.Minus)(x)))
        %0 = *; Add(a=%0, b=Minus(v=%0))
        >>> is_node(tir.Add)(x, is_node(tir.Minus)(x)).match(i + -i)
        True
    """

    kind: Any = field(convert=_as_kind)  # Any: a class, in which no field looks for nodes
    names: tuple[str, ...] = ()
    counts: tuple[int | None, ...] = ()
    parts: tuple[DFPattern, ...] = field(default=(), convert=as_patterns)

    def __call__(self, *args: object, **named: object) -> NodePattern:  # type: ignore[override]
        """Return the pattern of nodes of the kind with parts like these.

        Args:
            args: Patterns, or sequences of them, for the first fields that are evaluated.
            named: The same, by the names of fields.

        Raises:
            DeclarationError: If the kind has no such field.
        """
        fields = [each.name for each in PROGRAM.fields(self.kind)]
        told = {**dict(zip(fields, args, strict=False)), **named}
        if len(args) > len(fields) or any(name not in fields for name in named):
            raise DeclarationError(
                f"{self.kind.__name__} has the fields {', '.join(fields) or 'none'}; the pattern "
                f"names {len(args)} of them in order, and {', '.join(named) or 'none'}"
            )
        many = {name: as_patterns(each) for name, each in told.items() if _is_sequence(each)}
        counts = [len(many[name]) if name in many else None for name in told]
        parts = [part for name, each in told.items() for part in many.get(name, (each,))]
        return NodePattern(self.kind, tuple(told), tuple(counts), parts)  # type: ignore[arg-type]

    def by_field(self) -> list[tuple[str, DFPattern | tuple[DFPattern, ...]]]:
        """Return the patterns of each field; several where it holds several nodes."""
        found: list[tuple[str, DFPattern | tuple[DFPattern, ...]]] = []
        at = 0
        for name, count in zip(self.names, self.counts, strict=True):
            width = 1 if count is None else count
            held = self.parts[at : at + width]
            found.append((name, held[0] if count is None else held))
            at += width
        return found

    @property
    def is_commutative(self) -> bool:
        """Whether its two parts may stand in either order."""
        is_pair = self.counts == (None, None) and self.parts[0] is not self.parts[1]
        return is_pair and Property.COMMUTATIVE in self.kind.properties_

    def _parts(self) -> Parts:
        parts: Parts = []
        for name, held in self.by_field():
            parts += [", " if parts else "", f"{name}="]
            parts += ["(", *commas(held), ")"] if isinstance(held, tuple) else [held]
        return [self.kind.__name__, *(["(", *parts, ")"] if parts else [])]


def fields_to_match(
    pattern: DFPattern,
) -> tuple[type[Node], list[tuple[str, DFPattern | tuple[DFPattern, ...]]]]:
    """Return the kind of node that a pattern matches by its fields, and the patterns of these."""
    if type(pattern) is NodePattern:
        return pattern.kind, pattern.by_field()
    names = [declared.name for declared in DATAFLOW_PATTERNS.fields(type(pattern))]
    told = [name for name in names if not getattr(pattern, f"any_{name}", False)]
    return STRUCTURAL[type(pattern)], [(name, getattr(pattern, name)) for name in told]


def _is_sequence(given: object) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, (str, Node))
