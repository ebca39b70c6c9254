"""Fault analysis: which expressions may divide by zero, miss an element, or cast what does not fit.

Reading memory faults where an index is out of range or nothing was written yet, so a load cannot
fault only if it is of an argument, at indices that are proven to be in range.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias

from relayish.dataflow.lattice.interval import Interval
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval import FloatInterval, type_range
from relayish.tir.analysis.values.interval_rules import interval_by_rules
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Load, Tensor, Var


class Known(Protocol):
    """What is asked about an expression.

    Attributes:
        context: Intervals of variables.
        arguments: What the function is given, which holds values.
        undefined: Variables that are declared without a value.
    """

    context: Context
    arguments: frozenset[Node]
    undefined: set[Var]

    def interval(self, expr: Expr) -> Interval:
        """Return where the elements of an integer expression lie."""


FaultRule: TypeAlias = Callable[[Any, Known], bool]  # Any: expressions of one kind
"""``rule(expr, known)``: whether evaluating ``expr``, its operands aside, may fault.

What cannot fault and has no effect is dropped where its value is not needed."""


def may_fault(expr: Node, known: Known) -> bool:
    """Return whether evaluating ``expr`` may fault or do anything by itself, its operands aside.

    A kind of which nothing is said may.
    """
    return FAULTS[type(expr)](expr, known)


def _never(_node: Node, _known: Known) -> bool:
    return False


def _always(_node: Node, _known: Known) -> bool:
    return True


def _quotient_may_fault(node: ops.Div | ops.Mod, known: Known) -> bool:
    return node.type.is_integer and known.interval(node.b).holds(0)


def _fraction_may_fault(node: ops.FracOp, known: Known) -> bool:  # noqa: ARG001 - as rules are called
    return node.type.is_integer and ops.integer_of(node.b) not in (1, -1)


def _cast_may_fault(node: ops.Cast, known: Known) -> bool:
    source, target = node.v.type, node.type
    if not source.is_float or not target.is_integer or target.is_bool:
        return not (source.is_numeric and target.is_numeric)
    found, whole = interval_by_rules(node.v, known.context), type_range(target)
    assert isinstance(found, FloatInterval)
    return found.nan or found.low <= whole.low - 1 or found.high >= whole.high + 1


def _variable_may_fault(node: Var, known: Known) -> bool:
    return node in known.undefined


def _load_may_fault(node: Load, known: Known) -> bool:
    tensor = node.tensor
    if not isinstance(tensor, Tensor) or tensor.buffer not in known.arguments:
        return True
    return not is_in_range(tensor, node.indices, known)


def is_in_range(tensor: Tensor, indices: Sequence[Expr], known: Known) -> bool:
    """Return whether the element at ``indices`` is proven to be one of the buffer of ``tensor``."""
    buffer = tensor.buffer
    if not isinstance(buffer, Buffer):
        return False
    if buffer.strides or buffer.elem_offset is not None or buffer.dtype != tensor.dtype:
        return False
    shape = [ops.integer_of(size) for size in tensor.shape]
    if shape != [ops.integer_of(size) for size in buffer.shape] or len(shape) != len(indices):
        return False
    return not any(
        size is None or not Interval(0, size - 1).covers(known.interval(index))
        for size, index in zip(shape, indices, strict=True)
    )


FAULTS: Final[KindTable[FaultRule]] = KindTable(
    "the analysis of faults",
    "relayish.tir.analysis.FAULTS",
    {
        Node: _always,
        **dict.fromkeys(
            (
                ops.UnaryOpNode,
                ops.BinaryOpNode,
                ops.NaryOpNode,
                ops.Select,
                ops.Ramp,
                ops.Broadcast,
            ),
            _never,
        ),
        **dict.fromkeys((ops.IntImm, ops.UIntImm, ops.FloatImm, ops.StringImm, Buffer), _never),
        ops.Div: _quotient_may_fault,
        ops.Mod: _quotient_may_fault,
        ops.FracOp: _fraction_may_fault,
        ops.Cast: _cast_may_fault,
        Var: _variable_may_fault,
        Load: _load_may_fault,
    },
)
"""By kind; what reads memory, calls or reduces may fault unless a rule says that it does not."""
