"""Nests of loops: no index of a device runs two loops, one inside of the other."""

from __future__ import annotations

from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import scope_roots
from relayish.ir.verification.rules import Report
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.stmt import For, PolyFor
from relayish.tir.verifier.nodes import ProgramNodes
from relayish.tir.verifier.violation import Rule


def check_nests(nodes: ProgramNodes, report: Report) -> None:
    """Report loops that are bound to what a loop around them is bound to.

    Complexity:
        Linear in distinct statements, for each set of indices they are met under; no recursion.
    """
    loops: list[For | PolyFor] = [*nodes.of(For), *nodes.of(PolyFor)]
    if not any(_axis(loop) for loop in loops):
        return
    seen: set[tuple[Node, frozenset[str]]] = set()
    reported: set[Node] = set()
    pending: list[tuple[Node, frozenset[str]]] = [(nodes.root, frozenset())]
    while pending:
        each = pending.pop()
        if each in seen:
            continue
        seen.add(each)
        node, taken = each
        axis = _axis(node) if isinstance(node, For | PolyFor) else ""
        if axis in taken and node not in reported:
            reported.add(node)
            report(
                Rule.LOOP_KIND,
                node,
                f"{one_line(node)} is bound to {axis}, as a loop around it is; bind it to "
                f"another axis",
            )
        if axis:
            taken = taken.union([axis])
        pending += [(inner, taken) for inner in reversed(scope_roots(node))]


def _axis(loop: For | PolyFor) -> str:
    """Return the index of a device that runs a loop, as CINN writes it; ``""`` for none."""
    bound = loop.for_type & (ForType.GPU_THREAD | ForType.GPU_BLOCK)
    return str(loop.bind_info) if bound and loop.bind_info.is_valid else ""
