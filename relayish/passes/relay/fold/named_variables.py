"""Variables that stand where nothing else can, so that no constant replaces them."""

from __future__ import annotations

from typing import Final

from relayish.ir.fields.roles import Role
from relayish.ir.nodes.getters import NodesGetter, compile_getter
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.traversal import EXPRESSIONS


def collect_named(root: Expr) -> set[Expr]:
    """Return the variables that stand where a constant cannot: in fields that hold variables."""
    if not any(_VARIABLES_HELD[kind] for kind in Expr.language_.kinds.values()):
        return set()
    found: set[Expr] = set()
    for node in EXPRESSIONS.pre_order(root):
        held = _VARIABLES_HELD[type(node)]
        if held is not None:
            found.update(held(node))
    return found


def _variables_held(kind: type[Node]) -> NodesGetter | None:
    """Return what gives the operands of a kind that can be nothing but variables, if it has any."""
    fields = [
        f for f in kind.fields_ if f.role is Role.OPERAND and f.kind and f.kind.kinds <= VARIABLES
    ]
    return compile_getter(fields) if fields else None


_VARIABLES_HELD: Final = ByKind(_variables_held)
