"""Two calls of one operator in a row that are one call."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.ir.relay.expr import Call, Expr
from relayish.onnx.calls import inputs_of
from relayish.onnx.element_types import element_type_number
from relayish.passes.onnx.rewrite.engine import Rewriter, rule
from relayish.passes.onnx.rewrite.rules.dimensions import input_of, integers_of


@rule("Concat")
def merge_concats(call: Call, graph: Rewriter) -> Expr | None:
    """``Concat(Concat(a, b), c)`` along one axis is ``Concat(a, b, c)``."""
    axis = graph.attribute(call, "axis", 1)
    if _is_joined_again(axis, graph):
        return None  # with all that is around it, once
    parts: list[Expr] = []
    pending = list(reversed(call.args))
    while pending:
        part = pending.pop()
        inner = graph.producer(part, "Concat")
        is_alike = inner is not None and graph.attribute(inner, "axis", 1) == axis
        if inner is not None and is_alike and graph.is_used_once(part):
            pending += reversed(inner.args)
        else:
            parts.append(part)
    if len(parts) == len(call.args):
        return None
    return graph.call("Concat", parts, {"axis": axis}, like=call)


def _is_joined_again(axis: int, graph: Rewriter) -> bool:
    """Return whether the only use of a call is by another that puts together along its axis."""
    if not graph.is_used_once(graph.current):
        return False
    return any(
        graph.operator(user) == "Concat"
        and not graph.is_open(user)
        and graph.attribute(user, "axis", 1) == axis
        for user in graph.users(graph.current)
    )


@rule("Cast")
def merge_casts(call: Call, graph: Rewriter) -> Expr | None:
    """``Cast(Cast(x))`` is ``Cast(x)`` where the inner one keeps every value."""
    inner = graph.producer(call.args[0], "Cast")
    if inner is None:
        return None
    source, between = graph.dtype_of(inner.args[0]), graph.dtype_of(call.args[0])
    if source is None or between is None or not _holds_all(between, source):
        return None
    if element_type_number(source) == graph.attribute(call, "to"):
        return inner.args[0]
    return call.with_fields(args=(inner.args[0],))


_NUMBERS: Final = frozenset(
    {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
     "float32", "float64"}
)  # fmt: skip


def _holds_all(wide: str, narrow: str) -> bool:
    """Return whether each value of one element type is one of another."""
    if wide == "bfloat16" or narrow == "bfloat16":
        return narrow == wide or wide in {"float32", "float64"}
    if wide not in _NUMBERS or narrow not in _NUMBERS:
        return False
    return np.can_cast(narrow, wide, "safe") and (narrow, wide) not in _ROUNDED


_ROUNDED: Final = frozenset({("int64", "float64"), ("uint64", "float64")})
"""What numpy calls safe though large numbers are rounded."""


@rule("Slice")
def merge_slices(call: Call, graph: Rewriter) -> Expr | None:
    """Two slices of one axis that begin at constants not below 0, step by 1, are one."""
    inner = graph.producer(call.args[0], "Slice")
    if inner is None or not graph.is_used_once(call.args[0]):
        return None
    outer_range, inner_range = _range_of(call, graph), _range_of(inner, graph)
    if outer_range is None or inner_range is None or outer_range[0] != inner_range[0]:
        return None
    axis, start, end = outer_range
    _, offset, limit = inner_range
    start, end = start + offset, min(end + offset, limit)
    if graph.attribute(call, "starts") is not None:
        attributes = {"axes": (axis,), "starts": (start,), "ends": (end,)}
        return graph.call("Slice", [inner.args[0]], attributes, like=call)
    values = {"starts": start, "ends": end, "axes": axis}
    given = [
        graph.emit_constant(name, np.array([value], np.int64)) for name, value in values.items()
    ]
    return graph.call("Slice", [inner.args[0], *given], like=call)


def _range_of(call: Call, graph: Rewriter) -> tuple[int, int, int] | None:
    """Return axis, start and end of a slice of one axis, counted from the front, step 1."""
    if graph.attribute(call, "starts") is not None:
        starts, ends = graph.attribute(call, "starts"), graph.attribute(call, "ends")
        axes = graph.attribute(call, "axes", tuple(range(len(starts))))
    else:
        starts, ends = (integers_of(graph, input_of(call, place)) for place in (1, 2))
        if starts is None or ends is None:
            return None
        given = input_of(call, 3)
        axes = tuple(range(len(starts))) if given is None else integers_of(graph, given)
        if input_of(call, 4) is not None and integers_of(graph, inputs_of(call)[4]) != (1,):
            return None
    if axes is None or len(axes) != 1 or min(axes[0], starts[0], ends[0]) < 0:
        return None
    return axes[0], starts[0], ends[0]


RULES = (merge_concats, merge_casts, merge_slices)
