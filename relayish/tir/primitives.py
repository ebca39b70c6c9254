"""Expansion of coarse operators: what statements or expressions a ``PrimitiveNode`` stands for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from relayish.errors import FieldError, UnsupportedError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.registration.claimed_table import ClaimedTable
from relayish.tir.ir.expr import PrimitiveNode
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import Expr

Expand: TypeAlias = Callable[[PrimitiveNode], "Stmt | Expr"]
"""What a primitive stands for: an expression of its type, or a statement if it gives no value."""

PRIMITIVES: Final[ClaimedTable[str, Expand]] = ClaimedTable(lambda name: f"the primitive {name!r}")
"""What primitives stand for, by their names."""


def is_primitive(name: str) -> bool:
    """Return whether a rule says what primitives of a name stand for."""
    return name in PRIMITIVES


def expand_primitive(node: PrimitiveNode) -> Stmt | Expr:
    """Return what a primitive stands for.

    Raises:
        UnsupportedError: If nobody said so.
        FieldError: If the rule gives no statement or expression, or one of another type.
    """
    rule: Callable[[PrimitiveNode], object] | None = PRIMITIVES.get(node.name)
    if rule is None:
        raise UnsupportedError(
            f"nobody said what the primitive {node.name!r} stands for; call "
            f"tir.PRIMITIVES.register({node.name!r}, rule)"
        )
    made = rule(node)
    if isinstance(made, Expr) and made.type == node.dtype:
        return made
    if isinstance(made, Stmt) and node.dtype.is_void:
        return made
    shown = one_line(made) if isinstance(made, Node) else repr(made)
    raise FieldError(
        f"the primitive {node.name!r} of type {node.dtype} expands to {shown}; expected "
        f"{'a statement' if node.dtype.is_void else f'an expression of type {node.dtype}'}"
    )
