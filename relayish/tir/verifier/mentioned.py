"""Scopes of annotations: variables in shapes, in bounds of axes, and in what is computed inline.

They are evaluated all the same: a shape where an element is accessed, bounds where a reduction
begins, the body of an inline tensor where that is loaded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from relayish.ir.kinds.one_line import one_line
from relayish.ir.kinds.one_line import one_line_at as at
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.scopes.scoping import PROGRAM, bound_by
from relayish.ir.verification.rules import Report
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.operation import ComputeOp
from relayish.tir.ir.operators import Expr, IntImm
from relayish.tir.ir.tensor import Buffer, Tensor
from relayish.tir.verifier.nodes import ProgramNodes
from relayish.tir.verifier.violation import Rule


def check_mentioned(nodes: ProgramNodes, report: Report, *, known: Collection[Node]) -> None:
    """Report variables that are mentioned and that nothing binds.

    Args:
        nodes: A function.
        report: Takes down what is found.
        known: The variables that something outside of the function binds.

    Complexity:
        Linear in distinct nodes; no recursion.
    """
    bound = {variable for node in nodes.order for variable in bound_by(node)}.union(known)
    for buffer in nodes.of(Buffer):
        offset = () if buffer.elem_offset is None else (buffer.elem_offset,)
        held = (*buffer.shape, *buffer.strides, *offset)
        _check(buffer, f"the layout of buffer {buffer.name}", held, bound, report)
    for tensor in nodes.of(Tensor):
        _check(tensor, f"the shape of tensor {tensor.name}", tensor.shape, bound, report)
    for reduce in nodes.of(Reduce):
        for axis in reduce.reduce_axis:
            bounds = [each for each in (axis.lower_bound, axis.upper_bound) if each is not None]
            _check(reduce, f"a bound of the axis {one_line(axis)}", bounds, bound, report)
    _check_inline(nodes, bound, report)


def _check(
    node: Node, what: str, held: Iterable[Expr], bound: Collection[Node], report: Report
) -> None:
    computed = [each for each in held if not isinstance(each, IntImm)]
    if not computed:
        return
    for each in PROGRAM.post_order(computed):
        if type(each) in VARIABLES and each not in bound:
            report(
                Rule.SCOPE,
                node,
                f"{what} mentions {at(each)}, which nothing binds; bind it, or make it a parameter",
            )


def _check_inline(nodes: ProgramNodes, bound: Collection[Node], report: Report) -> None:
    """Report what computations of inline tensors use beside their axes, and nothing binds."""
    pending = [tensor for tensor in nodes.of(Tensor) if tensor.buffer is None]
    seen: set[Node] = set(pending)
    while pending:
        tensor = pending.pop()
        operation = tensor.operation
        if not isinstance(operation, ComputeOp):
            continue
        order = PROGRAM.post_order(operation)
        inner = {variable for node in order for variable in bound_by(node)}
        for node in order:
            if isinstance(node, Tensor) and node.buffer is None and node not in seen:
                seen.add(node)
                pending.append(node)
            if type(node) in VARIABLES and node not in bound and node not in inner:
                report(
                    Rule.SCOPE,
                    tensor,
                    f"the computation of tensor {tensor.name} uses {at(node)}, which nothing "
                    f"binds; make it an axis, or bind it around",
                )
