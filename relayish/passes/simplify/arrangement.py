"""Operators that only arrange elements, or convert or limit them, one after the other."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from relayish.dataflow_pattern import Found, Rule, RuleSet, is_constant, is_op, rule, wildcard
from relayish.ir.dtype import numpy_dtype
from relayish.ir.expr import Call, Expr
from relayish.op.call import call_op
from relayish.passes.simplify.common import same_type, splat, static_type, tensor_type

_data = wildcard()


def _reshape() -> Any:  # Any: a pattern of either operator
    return is_op("reshape") | is_op("contrib_reverse_reshape")


@rule(_reshape()(_reshape()(_data)))
def adjacent_reshapes(call: Call, found: Found) -> Expr:
    """Reshape once to what the last of two says."""
    ty = static_type(found, call)
    if ty is None or 0 in ty.shape:
        return call
    return call_op("reshape", found[_data], newshape=ty.shape).with_fields(span=call.span)


@rule(_reshape()(_data))
def idle_reshape(call: Call, found: Found) -> Expr:
    """Drop a reshape to the shape there is."""
    return found[_data] if same_type(found, found[_data], call) else call


def _axes(call: Expr, rank: int) -> tuple[int, ...]:
    assert isinstance(call, Call)
    axes: Any = None if call.attrs is None else call.attrs.get("axes")  # Any: of the attribute
    if not axes:  # none, or an empty tuple
        return tuple(range(rank))[::-1]
    return tuple(axis % rank for axis in axes)


_first = is_op("transpose")(_data)


@rule(is_op("transpose")(_first))
def adjacent_transposes(call: Call, found: Found) -> Expr:
    """Transpose once, as both would."""
    ty = tensor_type(found, call)
    if ty is None or not ty.shape:
        return call
    first, second = _axes(found[_first], len(ty.shape)), _axes(call, len(ty.shape))
    axes = tuple(first[axis] for axis in second)
    return call_op("transpose", found[_data], axes=axes).with_fields(span=call.span)


@rule(is_op("transpose")(_data))
def idle_transpose(call: Call, found: Found) -> Expr:
    """Drop a transposition that leaves every axis where it is."""
    ty = tensor_type(found, call)
    if ty is None:
        return call
    rank = len(ty.shape)
    return found[_data] if _axes(call, rank) == tuple(range(rank)) else call


_inner_layout = is_op("layout_transform")(_data)


@rule(is_op("layout_transform")(_inner_layout))
def adjacent_layouts(call: Call, found: Found) -> Expr:
    """Go back to the layout there was, or from it to the last, at once."""
    inner = found[_inner_layout]
    assert isinstance(inner, Call)
    if inner.attrs is None or call.attrs is None:
        return call
    source, between = inner.attrs.get("src_layout"), inner.attrs.get("dst_layout")
    if between != call.attrs.get("src_layout"):
        return call
    if source == call.attrs.get("dst_layout"):
        return found[_data] if same_type(found, found[_data], call) else call
    attrs = call.attrs.with_values(src_layout=source)
    out = Call(call.op, (found[_data],), attrs, span=call.span)
    return out if same_type(found, out, call) else call


@rule(is_op("cast")(_data))
def idle_cast(call: Call, found: Found) -> Expr:
    """Drop a conversion to the element type there is."""
    before, after = tensor_type(found, found[_data]), tensor_type(found, call)
    same = before is not None and after is not None and before.dtype == after.dtype
    return found[_data] if same else call


_inner_cast = is_op("cast")(_data)


@rule(is_op("cast")(_inner_cast))
def adjacent_casts(call: Call, found: Found) -> Expr:
    """Convert at once where the conversion between loses nothing."""
    source, between = tensor_type(found, found[_data]), tensor_type(found, found[_inner_cast])
    if source is None or between is None or not keeps_values(source.dtype, between.dtype):
        return call
    return call.with_fields(args=(found[_data],))


def keeps_values(source: str, target: str) -> bool:
    """Return whether every number of element type ``source`` is one of ``target``.

    Example:
        >>> keeps_values("int8", "float16"), keeps_values("int64", "float64")
        (True, False)
    """
    before, after = numpy_dtype(source), numpy_dtype(target)
    if before == after or before.kind == "b":
        return True
    if before.kind not in "iuf" or after.kind not in "iuf" or source.startswith("float8"):
        return False
    if before.kind == "f" or after.kind != "f":
        return bool(np.can_cast(before, after, "safe"))
    bits = before.itemsize * 8 - (before.kind == "i")
    return bits <= np.finfo(after.name).nmant + 1


@rule(is_op("clip")(_data))
def idle_clip(call: Call, found: Found) -> Expr:
    """Drop limits that no number of the element type passes."""
    ty, (low, high) = tensor_type(found, call), _limits(call)
    if ty is None or numpy_dtype(ty.dtype).kind not in "iu":
        return call
    range_ = np.iinfo(ty.dtype)
    return found[_data] if low <= range_.min and high >= range_.max else call


_inner_clip = is_op("clip")(_data)


@rule(is_op("clip")(_inner_clip))
def adjacent_clips(call: Call, found: Found) -> Expr:
    """Limit once, to what both limits leave."""
    inner = found[_inner_clip]
    assert isinstance(inner, Call)
    (low, high), (lower, upper) = _limits(call), _limits(inner)
    if not max(low, lower) <= min(high, upper):
        return call
    out = call_op("clip", found[_data], a_min=max(low, lower), a_max=min(high, upper))
    return out.with_fields(span=call.span)


def _limits(call: Call) -> tuple[float, float]:
    attrs: Any = call.attrs  # Any: those of a clip
    return attrs.a_min, attrs.a_max


def _of_dequantized(name: str) -> Rule:
    """Return the rule that asks whole numbers what depends on their order only."""
    scale, point = is_constant(), is_constant()

    @rule(is_op(name)(is_op("qnn.dequantize")(_data, scale, point)))
    def of_dequantized(call: Call, found: Found) -> Expr:
        ty, factor = tensor_type(found, found[_data]), splat(found[scale])
        if ty is None or factor is None or splat(found[point]) is None:
            return call
        order_kept = ty.dtype in ("int8", "uint8", "int16") and np.isfinite(float(factor))
        if not order_kept or not float(factor) > float(np.finfo("float32").tiny):
            return call
        return call.with_fields(args=(found[_data],))

    of_dequantized.name = f"{name} of dequantize"
    return of_dequantized


ARRANGEMENT: Final = RuleSet(
    [
        adjacent_reshapes,
        idle_reshape,
        adjacent_transposes,
        idle_transpose,
        adjacent_layouts,
        adjacent_casts,
        idle_cast,
        adjacent_clips,
        idle_clip,
        *[_of_dequantized(name) for name in ("argmax", "argmin", "argsort")],
    ]
)
