"""Regions that one iteration of a loop accesses, as sums of what is outside of its body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, bound_by
from relayish.tir.analysis.facts.scopes import children_with_contexts
from relayish.tir.analysis.facts.symbolic_bounds import SymbolicBounds, symbolic_bounds
from relayish.tir.analysis.linear.linear_form import LinearForm, interval_of_form
from relayish.tir.analysis.regions.regions import sees_whole_buffer
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.family import IrNode, Stmt
from relayish.tir.ir.stmt import For, IfThenElse, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.schedule.holding import held
from relayish.tir.schedule.state import Ref

Region = list[SymbolicBounds | None]
"""Of each dimension, between which bounds the indices are; ``None``: anywhere."""


def region_in(loop: Ref, buffer: Buffer, kind: type[Load | Store]) -> Region | None:
    """Return which part of a buffer one iteration of a loop loads, or stores to.

    Args:
        loop: The place of the loop.
        buffer: The buffer.
        kind: Which accesses count.

    Returns:
        The hull of all accesses, not less; ``None`` where the iteration makes none.

    Complexity:
        Linear in the size of the loop.
    """
    stmt = loop.stmt
    assert isinstance(stmt, For)
    nodes = PROGRAM.pre_order(stmt.body)
    inner = [var for each in nodes for var in bound_by(each) if isinstance(var, Var)]
    context = loop.state.inner_context(loop)
    found: Region | None = None
    for each, known in _without_conditions(stmt.body, context):
        for access in _own_accesses(each):
            tensor = access.tensor if isinstance(access, (Load, Store)) else access
            if not isinstance(tensor, Tensor) or tensor.buffer is not buffer:
                continue
            if isinstance(access, (Load, Store)) and not isinstance(access, kind):
                continue
            part = _part(access, inner, known)
            if found is None:
                found = part or [None] * len(buffer.shape)
            elif part is None:
                found = [None] * len(buffer.shape)
            else:
                found = [_hull(*pair, context) for pair in zip(found, part, strict=True)]
    return found


def _without_conditions(root: IrNode, context: Context) -> Iterator[tuple[IrNode, Context]]:
    """Yield the statements of a program with what is known there, whatever holds in branches.

    Sums that conditions bound may be more than what the loops around tell: guards cut it off.
    """
    pending = [(root, context)]
    while pending:
        stmt, known = pending.pop()
        yield stmt, known
        below = children_with_contexts(stmt, known)
        is_branch = isinstance(stmt, IfThenElse)
        pending += [(each, known if is_branch else inner) for each, inner in below]


def _own_accesses(stmt: IrNode) -> Iterator[Node]:
    """Yield what a statement accesses itself, not those in it: elements, and tensors as a whole."""
    if isinstance(stmt, ScheduleBlockRealize):
        roots: Sequence[Node] = stmt.iter_values
        inside: Sequence[Node] = ()
    else:
        assert isinstance(stmt, Stmt)
        roots, inside = [stmt], held(stmt)
    seen_by_element: set[Node] = set()
    nodes = PROGRAM.pre_order(list(roots), lambda node: node not in inside)
    for node in nodes:
        if isinstance(node, (Load, Store)):
            yield node
            seen_by_element.add(node.tensor)
        elif isinstance(node, Tensor) and node not in seen_by_element:
            yield node


def _part(access: Node, inner: Sequence[Var], context: Context) -> Region | None:
    """Return what an access touches; ``None``: anything."""
    if not isinstance(access, (Load, Store)):
        return None
    assert isinstance(access.tensor, Tensor)
    if not sees_whole_buffer(access.tensor):
        return None
    return [
        symbolic_bounds(each, inner, context) if each.type.is_scalar else None
        for each in access.indices
    ]


def _hull(
    one: SymbolicBounds | None, other: SymbolicBounds | None, context: Context
) -> SymbolicBounds | None:
    """Return what covers both; ``None`` where that is not known."""
    if one is None or other is None:
        return None
    lower = _less(one.lower, other.lower, context)
    upper = _less(other.upper, one.upper, context)
    if lower is None or upper is None:
        return None
    return SymbolicBounds(one.lower if lower else other.lower, one.upper if upper else other.upper)


def _less(one: LinearForm, other: LinearForm, context: Context) -> bool | None:
    """Return whether a form is at most another; ``None``: not known."""
    apart = interval_of_form(other.plus(one, -1), context)
    if apart.low >= 0:
        return True
    return False if apart.high <= 0 else None
