"""Steps of reductions: stores of what is reduced so far with one value more."""

from __future__ import annotations

from typing import Final

from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Load, Store

_ANY_ORDER: Final = (ops.Add, ops.Mul, ops.Max, ops.Min, ops.And, ops.Or)
_ANY_ORDER_AFTER: Final = (*_ANY_ORDER, ops.Sub)


def free_steps(root: Node) -> dict[Node, Store]:
    """Return the accesses of reductions to what is reduced so far, where any order does the same.

    That is of integers, which wrap around, and of truth values. Each is told with its step.
    """
    found: dict[Node, Store] = {}
    for store in PROGRAM.pre_order(root):
        if not isinstance(store, Store) or store.value.type.is_float:
            continue
        value = store.value
        if isinstance(value, _ANY_ORDER_AFTER) and is_place(value.a, store):
            so_far, other = value.a, value.b
        elif isinstance(value, _ANY_ORDER) and is_place(value.b, store):
            so_far, other = value.b, value.a
        else:
            continue
        if so_far not in PROGRAM.pre_order([other, *store.indices]):
            found[store] = found[so_far] = store
    return found


def is_idempotent(step: Store) -> bool:
    """Return whether doing a step that :func:`free_steps` tells once more changes nothing."""
    return isinstance(step.value, (ops.Max, ops.Min, ops.And, ops.Or))


def is_place(expr: Expr, store: Store) -> bool:
    """Return whether an expression reads what a store writes."""
    if not isinstance(expr, Load) or expr.tensor is not store.tensor:
        return False
    pairs = zip(expr.indices, store.indices, strict=False)
    return all(structural_equal(*each) for each in pairs)
