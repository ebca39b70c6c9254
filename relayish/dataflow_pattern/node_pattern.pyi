# What type checkers see of relayish.dataflow_pattern.node_pattern: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import collections.abc as _collections_abc
import typing as _typing
from collections.abc import Sequence
from typing import Any
from relayish.dataflow_pattern.pattern import DATAFLOW_PATTERNS, STRUCTURAL, DFPattern, Parts, as_patterns, commas
from relayish.errors import DeclarationError
from relayish.ir.domains.property import Property
from relayish.ir.nodes.node import Node, field, node
from relayish.ir.scopes.scoping import PROGRAM
@node('node_pattern')
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
    kind: Any
    names: tuple[str, ...]
    counts: tuple[int | None, ...]
    parts: tuple[DFPattern, ...]
    def __call__(self, *args: object, **named: object) -> NodePattern:
        """Return the pattern of nodes of the kind with parts like these.

        Args:
            args: Patterns, or sequences of them, for the first fields that are evaluated.
            named: The same, by the names of fields.

        Raises:
            DeclarationError: If the kind has no such field.
        """
    def by_field(self) -> list[tuple[str, DFPattern | tuple[DFPattern, ...]]]:
        """Return the patterns of each field; several where it holds several nodes."""
    @property
    def is_commutative(self) -> bool:
        """Whether its two parts may stand in either order."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, kind: Any, names: _collections_abc.Sequence[str] | None = (), counts: _collections_abc.Sequence[int | None] | None = (), parts: _collections_abc.Sequence[DFPattern] | None = ()) -> None: ...
    def with_fields(self, /, *, kind: Any = ..., names: _collections_abc.Sequence[str] | None = ..., counts: _collections_abc.Sequence[int | None] | None = ..., parts: _collections_abc.Sequence[DFPattern] | None = ...) -> _typing.Self: ...
def fields_to_match(pattern: DFPattern) -> tuple[type[Node], list[tuple[str, DFPattern | tuple[DFPattern, ...]]]]:
    """Return the kind of node that a pattern matches by its fields, and the patterns of these."""
