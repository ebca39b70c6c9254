"""Bounds: accesses that are certain to be out of range.

Nothing is said of an access that need not happen, as in a branch or in a loop that may have no
iteration, nor of one that may be in range, or that control never comes to: what is reported fails
whenever the program is run. What fails in branches, or perhaps, is for
:func:`~relayish.tir.analysis.find_out_of_bounds` to tell.
"""

from __future__ import annotations

from collections.abc import Iterator

from relayish.dataflow.lattice.interval import Interval
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, operands, scope_roots
from relayish.ir.verification.rules import Report
from relayish.tir.analysis.facts.loop_ranges import LoopRanges
from relayish.tir.analysis.regions.elements import body_of_element
from relayish.tir.analysis.regions.out_of_bounds import find_out_of_bounds, reached_accesses
from relayish.tir.analysis.regions.regions import index_ends
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.family import IrNode
from relayish.tir.ir.intrinsic import GetAddr
from relayish.tir.ir.operators import Expr, IntImm
from relayish.tir.ir.stmt import For, IfThenElse, PolyFor
from relayish.tir.ir.tensor import Load, Store, Tensor
from relayish.tir.verifier.nodes import ProgramNodes
from relayish.tir.verifier.rules import is_index
from relayish.tir.verifier.violation import Rule


def check_bounds(nodes: ProgramNodes, ranges: LoopRanges, report: Report) -> None:
    """Report accesses that are certain to be out of range.

    Args:
        nodes: The program.
        ranges: What is known of its variables.
        report: Takes down what is found.

    Complexity:
        Linear in distinct nodes; no recursion. Where elements of inline tensors are used, that of
        :func:`~relayish.tir.analysis.find_out_of_bounds`.
    """
    if any(body_of_element(load) is not None for load in nodes.of(Load)):
        _check_elements(nodes.root, ranges, report)
    suspicious: set[Node] = {load for load in nodes.of(Load) if _may_leave(load, ranges)}
    suspicious.update([store for store in nodes.of(Store) if _may_leave(store, ranges)])
    if not suspicious:
        return
    found: dict[Load | Store, str] = {}
    for access in _happening(nodes.root, ranges):
        message = _find_outside(access, ranges) if access in suspicious else ""
        if message:
            found[access] = message
    if not found:
        return
    reached = reached_accesses(nodes.root)
    for access, message in found.items():
        if access in reached:
            report(Rule.BOUNDS, access, message)


def _check_elements(root: IrNode, ranges: LoopRanges, report: Report) -> None:
    """Report accesses out of range by which elements of inline tensors are computed."""
    bodies = dict.fromkeys(map(body_of_element, _happening(root, ranges)))
    made: dict[Node, None] = {}
    pending = [body for body in bodies if body is not None]
    while pending:
        for access in _happening(pending.pop(), ranges):
            made[access] = None
            body = body_of_element(access)
            if body is not None and body not in bodies:
                bodies[body] = None
                pending.append(body)
    if not made:
        return
    for found in find_out_of_bounds(root):
        if found.is_definite and found.access in made:
            said = f"{found._replace(span=None)}; correct the index, or what is computed of it"
            report(Rule.BOUNDS, found.access, said)


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


def _happening(root: IrNode, ranges: LoopRanges) -> Iterator[Load | Store]:
    """Yield the accesses that are certain to happen when ``root`` runs, each once.

    Those in branches are left out, and in loops that may have no iteration.
    """
    seen: set[Node] = set()
    pending: list[Node] = [root]
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, Load | Store):
            yield node
        if isinstance(node, IfThenElse):
            pending.append(node.condition)
        elif isinstance(node, GetAddr):
            continue  # an address is taken, and nothing accessed
        elif isinstance(node, For | PolyFor | Reduce):
            if _has_iterations(node, ranges):
                pending += reversed(scope_roots(node))
            pending += reversed(operands(node))
        else:
            pending += reversed(PROGRAM.children(node))


def _has_iterations(loop: For | PolyFor | Reduce, ranges: LoopRanges) -> bool:
    """Return whether it is certain that a loop has iterations."""
    if isinstance(loop, For):
        return loop.extent.type.is_integer and ranges.interval(loop.extent).low > 0
    if isinstance(loop, Reduce):
        return all(axis in ranges.complete for axis in loop.reduce_axis)
    return False


def _find_outside(access: Load | Store, ranges: LoopRanges) -> str:
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
            if not always:
                form = ranges.form(end)
                extremes = None if form is None else ranges.extremes(form)
                if extremes is None:
                    continue
                found = extremes
            if always or found.low < 0 or found.high >= most:
                where = (
                    f"is {_spell(found)}"
                    if always
                    else f"becomes {found.low if found.low < 0 else found.high}"
                )
                return (
                    f"{one_line(access)} is out of range: index {one_line(index)} of dimension "
                    f"{dimension} {where}, and tensor {tensor.name} has {_size(most, size)} there; "
                    f"correct or clamp the index, or guard the access with IfThenElse"
                )
    return ""


def _spell(found: Interval) -> str:
    return str(found.low) if found.is_point else f"{found.low} to {found.high}"


def _size(most: int, size: Expr) -> str:
    return str(most) if isinstance(size, IntImm) else f"at most {most}"
