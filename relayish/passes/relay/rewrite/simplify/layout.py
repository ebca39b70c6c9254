"""Transpositions and changes of layout, one after the other."""

from __future__ import annotations

from typing import Any, Final

from relayish.dataflow_pattern import Found, RuleSet, rule, wildcard
from relayish.ir.relay.expr import Call, Expr
from relayish.op.builders.call import relay_call
from relayish.op.types.layout import LayoutAxis, read_layout
from relayish.op.types.layout_algebra import show_layout
from relayish.passes.relay.rewrite.simplify.common import is_relay_op, same_type, tensor_type

_TRANSPOSE, _LAYOUT_TRANSFORM = is_relay_op("transpose"), is_relay_op("layout_transform")

_data = wildcard()
_first = (_TRANSPOSE | _LAYOUT_TRANSFORM)(_data)


@rule((_TRANSPOSE | _LAYOUT_TRANSFORM)(_first))
def merge_arrangements(call: Call, found: Found) -> Expr:
    """Arrange once, as both would.

    What only puts axes into another order is one transposition. One beside a change of layout that
    splits axes, or joins them, is said by the layout there: from ``NHWC`` by way of ``NCHW`` to
    ``NCHW4c`` leads one step.
    """
    inner, ty = found[_first], tensor_type(found, call)
    assert isinstance(inner, Call)
    before = tensor_type(found, inner)
    if ty is None or before is None:
        return call
    first, second = _axes(inner, len(before.shape)), _axes(call, len(before.shape))
    if first is not None and second is not None:
        axes = tuple(first[axis] for axis in second)
        return relay_call("transpose", found[_data], axes=axes, span=call.span)
    layouts = _join(_layouts(inner), _layouts(call), first, second)
    if layouts is None:
        return call
    source, target = map(show_layout, layouts)
    if source == target:
        return found[_data] if same_type(found, found[_data], call) else call
    out = relay_call("layout_transform", found[_data], src_layout=source, dst_layout=target)
    out = out.with_fields(span=call.span)
    return out if same_type(found, out, call) else call


_Layout = tuple[LayoutAxis, ...]
_Layouts = tuple[_Layout, _Layout]


def _join(
    inner: _Layouts | None,
    outer: _Layouts | None,
    first: tuple[int, ...] | None,
    second: tuple[int, ...] | None,
) -> _Layouts | None:
    """Return the layouts of one change that stands for both, if one does."""
    if inner is not None and outer is not None and inner[1] == outer[0]:
        return inner[0], outer[1]
    if outer is not None and second is None and first is not None and len(outer[0]) == len(first):
        axis_of = {axis: place for place, axis in enumerate(first)}
        return tuple(outer[0][axis_of[axis]] for axis in range(len(first))), outer[1]
    if inner is not None and first is None and second is not None and len(inner[1]) == len(second):
        return inner[0], tuple(inner[1][axis] for axis in second)
    return None


def _layouts(call: Call) -> _Layouts | None:
    """Return from which layout to which a change of layout leads."""
    attrs: Any = call.attrs  # Any: those of the operator
    if call.op is not _LAYOUT_TRANSFORM.expr or attrs is None:
        return None
    return read_layout(attrs.src_layout), read_layout(attrs.dst_layout)


def _axes(call: Call, rank: int) -> tuple[int, ...] | None:
    """Return which axis comes where, if ``call`` only puts ``rank`` axes into another order."""
    layouts = _layouts(call)
    if layouts is not None:
        source, target = layouts
        if len(source) != rank or any(axis.factor for axis in (*source, *target)):
            return None
        return tuple(source.index(axis) for axis in target)
    if call.op is not _TRANSPOSE.expr:
        return None
    axes: Any = None if call.attrs is None else call.attrs.get("axes")  # Any: of the attribute
    if not axes:  # none, or an empty tuple
        return tuple(range(rank))[::-1]
    return tuple(axis % rank for axis in axes)


@rule((_TRANSPOSE | _LAYOUT_TRANSFORM)(_data))
def drop_idle_arrangement(call: Call, found: Found) -> Expr:
    """Drop what leaves every axis where it is."""
    ty = tensor_type(found, call)
    if ty is None:
        return call
    layouts, rank = _layouts(call), len(ty.shape)
    if layouts is not None and layouts[0] == layouts[1]:
        return found[_data]
    return found[_data] if _axes(call, rank) == tuple(range(rank)) else call


LAYOUT: Final = RuleSet([merge_arrangements, drop_idle_arrangement])
