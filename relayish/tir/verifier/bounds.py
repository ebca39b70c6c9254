"""Bounds: accesses that are certain to be out of range.

Nothing is said of an access that need not happen, as in a branch, nor of one that may be in range.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from relayish.ir.node import Node
from relayish.ir.one_line import one_line
from relayish.ir.one_line import one_line_at as at
from relayish.ir.scoping import PROGRAM, operands, scope_roots
from relayish.tir.analysis.interval import Interval
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.family import IrNode
from relayish.tir.ir.intrinsic import GetAddr
from relayish.tir.ir.operators import Expr, IntImm
from relayish.tir.ir.stmt import For, IfThenElse, PolyFor
from relayish.tir.ir.tensor import Load, Store, Tensor
from relayish.tir.loop_ranges import LoopRanges
from relayish.tir.region import index_ends
from relayish.tir.verifier.nodes import ProgramNodes
from relayish.tir.verifier.rules import is_index
from relayish.tir.verifier.violation import Report, Rule


def check_bounds(nodes: ProgramNodes, ranges: LoopRanges, report: Report) -> None:
    """Report accesses that are certain to be out of range.

    Args:
        nodes: The program.
        ranges: What is known of its variables.
        report: Takes down what is found.

    Complexity:
        Linear in distinct nodes; no recursion.
    """
    suspicious: set[Node] = {load for load in nodes.of(Load) if _may_leave(load, ranges)}
    suspicious.update([store for store in nodes.of(Store) if _may_leave(store, ranges)])
    if not suspicious:
        return
    reported: set[Node] = set()
    for access, certain in _happening(nodes.root, ranges):
        if access in suspicious and access not in reported:
            found = _find_outside(access, ranges, certain=certain)
            if found:
                reported.add(access)
                report(Rule.BOUNDS, access, found)


def _may_leave(access: Load | Store, ranges: LoopRanges) -> bool:
    """Return whether some index is not known to be in range."""
    tensor = access.tensor
    if not isinstance(tensor, Tensor) or len(tensor.shape) != len(access.indices):
        return False
    intervals = ranges.intervals
    for index, size in zip(access.indices, tensor.shape, strict=True):
        if type(size) is not IntImm:
            return True
        if type(index) is IntImm:
            low = high = index.value
        else:
            known = intervals.get(index)
            if known is None:
                if not is_index(index.type.scalar):
                    return False
                known = ranges.interval(index)
            low, high = known
        if low < 0 or high >= size.value:
            return True
    return False


def _happening(root: IrNode, ranges: LoopRanges) -> Iterator[tuple[Load | Store, bool]]:
    """Yield accesses that happen when ``root`` runs, and whether that is certain.

    One in a loop that may have no iteration is not certain to happen; those in branches are left
    out. An access that happens in several places comes once for each of the two.
    """
    seen: set[tuple[Node, bool]] = set()
    pending: list[tuple[Node, bool]] = [(root, True)]
    while pending:
        each = pending.pop()
        if each in seen:
            continue
        seen.add(each)
        node, certain = each
        if isinstance(node, Load | Store):
            yield node, certain
        inside: Sequence[Node] = PROGRAM.children(node)
        if isinstance(node, IfThenElse):
            inside = (node.condition,)
        elif isinstance(node, GetAddr):
            inside = ()  # an address is taken, and nothing accessed
        elif isinstance(node, For | PolyFor | Reduce):
            pending += [(outer, certain) for outer in reversed(operands(node))]
            inside = scope_roots(node)
            trips = _trips(node, ranges)
            certain = certain and trips is not None and trips.low > 0
            if trips is not None and trips.high <= 0:
                continue
        pending += [(inner, certain) for inner in reversed(inside)]


def _trips(loop: For | PolyFor | Reduce, ranges: LoopRanges) -> Interval | None:
    """Return how many iterations a loop may have; ``None`` where that is not known."""
    if isinstance(loop, For):
        return ranges.interval(loop.extent) if loop.extent.type.is_integer else None
    if isinstance(loop, Reduce):
        complete = all(axis in ranges.complete for axis in loop.reduce_axis)
        return Interval(1, 1) if complete else None
    return None


def _find_outside(access: Load | Store, ranges: LoopRanges, *, certain: bool) -> str:
    """Return what is said of an access that leaves its tensor for certain, else ``""``."""
    tensor = access.tensor
    assert isinstance(tensor, Tensor)
    for dimension, (index, size) in enumerate(zip(access.indices, tensor.shape, strict=True)):
        most = ranges.interval(size).high if size.type.is_integer else None
        if most is None or not is_index(index.type.scalar):
            continue
        for end in index_ends(index) or ():
            found = ranges.interval(end)
            always = found.high < 0 or found.low >= most
            if not always and certain:
                form = ranges.form(end)
                extremes = None if form is None else ranges.extremes(form)
                if extremes is None:
                    continue
                found = extremes
            if not (always or certain):
                continue
            if always or found.low < 0 or found.high >= most:
                where = (
                    f"is {_spell(found)}"
                    if always
                    else f"becomes {found.low if found.low < 0 else found.high}"
                )
                return (
                    f"{at(access)} is out of range: index {one_line(index)} of dimension "
                    f"{dimension} {where}, and tensor {tensor.name} has {_size(most, size)} there; "
                    f"correct the index, or guard the access with IfThenElse"
                )
    return ""


def _spell(found: Interval) -> str:
    return str(found.low) if found.is_point else f"{found.low} to {found.high}"


def _size(most: int, size: Expr) -> str:
    return str(most) if isinstance(size, IntImm) else f"at most {most}"
