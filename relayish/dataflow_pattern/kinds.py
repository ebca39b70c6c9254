"""The kinds of patterns that other packages declare, and what these match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from relayish.dataflow_pattern.pattern import DFPattern
from relayish.ir.kind_table import KindTable
from relayish.ir.node import Node
from relayish.ir.relay.expr import Expr
from relayish.ir.structural_equal import structural_equal

Demand: TypeAlias = Callable[[Any, Expr], Sequence[tuple[DFPattern, Expr]] | None]
"""``demand(pattern, expr)``: what else has to match for ``expr`` to; ``None`` if it cannot."""


def is_same(one: Node, other: Node) -> bool:
    """Return whether a pattern that stands for ``one`` may stand for ``other``, too.

    They have to be one node; in a language of trees, where each place has nodes of its own, two
    that are structurally equal.
    """
    if one is other:
        return True
    kind = type(one)
    return kind is type(other) and kind.language_.is_tree and structural_equal(one, other)


def register_pattern(kind: type[DFPattern], *, replace: bool = False) -> Callable[[Demand], Demand]:
    """Say what patterns of class ``kind`` match; a decorator.

    The function below it, ``demand(pattern, expr)``, returns pairs of a pattern and an expression,
    all of which have to match if ``pattern`` is to match ``expr``, those that ``pattern`` is made
    of among them; or ``None`` where it does not match, whatever they do.

    Args:
        kind: A class of patterns.
        replace: Take the place of what was said before.

    Raises:
        DuplicateNameError: If somebody else said that already and ``replace`` is false.

    Example:
        >>> from relayish.dataflow_pattern import wildcard
        >>> from relayish.ir.node import declared_temporarily, node
        >>> from relayish.ir.relay.expr import RefRead, Var
        >>> x = Var("x")
        >>> with declared_temporarily():
        ...     @node("ref_read_pattern")
        ...     class RefReadPattern(DFPattern):
        ...         "Matches a read of what ``ref`` matches."
        ...         ref: DFPattern
        ...     @register_pattern(RefReadPattern)
        ...     def demand(pattern, expr):
        ...         return [(pattern.ref, expr.ref)] if type(expr) is RefRead else None
        ...     pattern = RefReadPattern(wildcard())
        ...     print(pattern, pattern.match(RefRead(x)), pattern.match(x))
        ref_read_pattern(*) True False
    """
    return DEMANDS.register(kind, replace=replace)


DEMANDS: Final[KindTable[Demand]] = KindTable(
    "pattern matching", "relay.dataflow_pattern.register_pattern"
)
"""What kinds of patterns demand that have no place in the matcher itself."""
