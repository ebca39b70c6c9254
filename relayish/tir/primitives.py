"""Expansion of coarse operators: what statements or expressions a ``PrimitiveNode`` stands for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from relayish.errors import FieldError, UnsupportedError
from relayish.ir.claims import Claims
from relayish.ir.declarations import watch_table
from relayish.ir.node import Node
from relayish.ir.one_line import one_line
from relayish.tir.ir.expr import PrimitiveNode
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import Expr

Expand: TypeAlias = Callable[[PrimitiveNode], "Stmt | Expr"]
"""What a primitive stands for: an expression of its type, or a statement if it gives no value."""

_RULES: Final[dict[str, Expand]] = {}
_CLAIMS: Final[Claims[str]] = Claims()
watch_table(_RULES, module_of=_CLAIMS.module_of)


def register_primitive(name: str, rule: Expand, *, replace: bool = False) -> None:
    """Say what primitives of a name stand for.

    Args:
        name: What the primitives are called.
        rule: ``rule(node)``: an expression of the type of ``node``, or a statement.
        replace: Take the place of whatever rule there is.

    Raises:
        DuplicateNameError: If somebody else said so and ``replace`` is false.
    """
    _CLAIMS.enter(
        name,
        rule,
        f"the primitive {name!r}",
        taken=name in _RULES,
        instead="say replace=True to put the second in place of the first",
        replace=replace,
    )
    _RULES[name] = rule


def is_primitive(name: str) -> bool:
    """Return whether a rule says what primitives of a name stand for."""
    return name in _RULES


def expand_primitive(node: PrimitiveNode) -> Stmt | Expr:
    """Return what a primitive stands for.

    Raises:
        UnsupportedError: If nobody said so.
        FieldError: If the rule gives no statement or expression, or one of another type.
    """
    rule: Callable[[PrimitiveNode], object] | None = _RULES.get(node.name)
    if rule is None:
        raise UnsupportedError(
            f"nobody said what the primitive {node.name!r} stands for; call "
            f"tir.register_primitive({node.name!r}, rule)"
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
