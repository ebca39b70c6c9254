"""Dependences: iterations that may run in any order, or at once, leave each other alone.

Reported is what is certain: where indices, bounds and conditions are affine, and which elements are
accessed is not for variables from outside to say.
"""

from __future__ import annotations

from typing import Final

from relayish.ir.kinds.one_line import nested_line, one_line
from relayish.ir.nodes.node import Node
from relayish.ir.verification.rules import Report
from relayish.tir.analysis.dependence.accesses import Access
from relayish.tir.analysis.dependence.dependences import is_kept_in_order, surely_carried
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType, MemoryType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import For, PolyFor
from relayish.tir.ir.tensor import Buffer
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.verifier.loop_kinds import counter_of, spell
from relayish.tir.verifier.nodes import ProgramNodes
from relayish.tir.verifier.violation import Rule

_BOUND: Final = ForType.GPU_THREAD | ForType.GPU_BLOCK | ForType.GPU_LANE
AT_ONCE: Final = ForType.PARALLEL | ForType.VECTORIZED | _BOUND


def check_dependences(nodes: ProgramNodes, report: Report) -> None:
    """Report loops that run in parallel, as vectors or on a device, and carry a dependence.

    The lanes of a vector may depend on earlier ones as far as each access is made for all of them
    before the next one. Memory that is local to a thread, or shared by those of a block, is no
    other's.

    Complexity:
        As :func:`~relayish.tir.analysis.parallel_loops`, of the accesses in such loops.
    """
    loops: list[For | PolyFor] = [*nodes.of(For), *nodes.of(PolyFor)]
    marked = {loop: reach_of(loop) for loop in loops if loop.for_type & AT_ONCE}
    root = nodes.root
    if not marked or not isinstance(root, Stmt | LoweredFunc):
        return
    reported: set[Node] = set()
    for loop, source, sink in surely_carried(root, marked):
        if loop in reported or is_harmless(loop, source, sink):
            continue
        reported.add(loop)
        report(
            Rule.LOOP_KIND,
            loop,
            f"the loop over {one_line(counter_of(loop))} is {spell(loop.for_type & AT_ONCE)}, but "
            f"{quote(sink.node)} has to wait for {quote(source.node)} of an earlier "
            f"iteration; make it serial, or give each iteration elements of its own",
        )


def reach_of(loop: For | PolyFor) -> int | None:
    """Return how many iterations apart those may be that run at once; ``None``: any number."""
    lanes = loop.vectorize_info
    if loop.for_type & AT_ONCE == ForType.VECTORIZED and isinstance(loop, For) and lanes.is_valid:
        return lanes.factor - 1
    return None


def is_harmless(loop: For | PolyFor, source: Access, sink: Access) -> bool:
    """Return whether a dependence is kept by lanes, or of memory that is not shared."""
    kind = loop.for_type & AT_ONCE
    if kind == ForType.VECTORIZED:
        inside = STATEMENTS.pre_order(loop.body)
        has_loops = any(isinstance(node, For | PolyFor) for node in inside)
        return not has_loops and is_kept_in_order(source, sink)
    if not isinstance(source.location, Buffer):
        return False
    memory = source.location.memory_type
    return bool(
        (kind & _BOUND and memory is MemoryType.GPU_LOCAL)
        or (kind & ForType.GPU_BLOCK and memory is MemoryType.GPU_SHARED)
    )


def quote(node: Node) -> str:
    """Return a node as messages quote it, on one line with all its operands."""
    return nested_line(node, lambda _: None)
