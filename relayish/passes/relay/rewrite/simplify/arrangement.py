"""Operators that only reshape, or convert or limit elements, one after the other."""

from __future__ import annotations

import math
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.dataflow_pattern import Found, Rule, RuleSet, is_constant, rule, wildcard
from relayish.ir.relay.expr import Call, Expr
from relayish.ir.values.dtype import numpy_dtype
from relayish.op.builders.call import relay_call
from relayish.passes.relay.rewrite.simplify.common import (
    is_relay_op,
    same_type,
    splat,
    static_type,
    tensor_type,
)
from relayish.passes.relay.rewrite.simplify.layout import LAYOUT

_data = wildcard()


def _reshape() -> Any:  # Any: a pattern of either operator
    return is_relay_op("reshape") | is_relay_op("contrib_reverse_reshape")


@rule(_reshape()(_reshape()(_data)))
def merge_reshapes(call: Call, found: Found) -> Expr:
    """Reshape once to what the last of two says."""
    ty = static_type(found, call)
    if ty is None or 0 in ty.shape:
        return call
    return relay_call("reshape", found[_data], newshape=ty.shape, span=call.span)


@rule(_reshape()(_data))
def drop_idle_reshape(call: Call, found: Found) -> Expr:
    """Drop a reshape to the shape there is."""
    return found[_data] if same_type(found, found[_data], call) else call


@rule(is_relay_op("cast")(_data))
def drop_idle_cast(call: Call, found: Found) -> Expr:
    """Drop a conversion to the element type there is."""
    before, after = tensor_type(found, found[_data]), tensor_type(found, call)
    same = before is not None and after is not None and before.dtype == after.dtype
    return found[_data] if same else call


_inner_cast = is_relay_op("cast")(_data)


@rule(is_relay_op("cast")(_inner_cast))
def merge_casts(call: Call, found: Found) -> Expr:
    """Convert at once where the conversion between loses nothing."""
    source, between = tensor_type(found, found[_data]), tensor_type(found, found[_inner_cast])
    if source is None or between is None:
        return call
    if keeps_values(source.dtype, between.dtype):
        return call.with_fields(args=(found[_data],))
    numbers, kept = _range(found, found[_data]), _range_of_dtype(between.dtype)
    if numbers is None:
        numbers = _range_without_fractions(found, found[_data], call)
    if numbers is None or kept is None or not kept[0] <= numbers[0] <= numbers[1] <= kept[1]:
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


@rule(is_relay_op("clip")(_data))
def drop_idle_clip(call: Call, found: Found) -> Expr:
    """Drop limits that no number there can be passes."""
    numbers, (low, high) = _range(found, found[_data]), _limits(call)
    if numbers is None or not (low <= numbers[0] and numbers[1] <= high):
        return call
    return found[_data]


_Range: TypeAlias = tuple[int, int]
_CAST, _CLIP = is_relay_op("cast").expr, is_relay_op("clip").expr


def _range_of_dtype(dtype: str) -> _Range | None:
    """Return the least and the largest of the whole numbers of an element type."""
    kind = numpy_dtype(dtype)
    if kind.kind == "b":
        return 0, 1
    if kind.kind not in "iu":
        return None
    info = np.iinfo(kind.name)
    return int(info.min), int(info.max)


def _range(found: Found, expr: Expr) -> _Range | None:
    """Return between which whole numbers those of ``expr`` are, itself included."""
    ty = tensor_type(found, expr)
    whole = None if ty is None else _range_of_dtype(ty.dtype)
    if ty is None or whole is None or not isinstance(expr, Call) or not expr.args:
        return whole
    if expr.op is _CAST:
        source = tensor_type(found, expr.args[0])
        if source is not None and keeps_values(source.dtype, ty.dtype):
            return _range_of_dtype(source.dtype) or whole
    if expr.op is _CLIP:
        low, high = _limits(expr)
        if whole[0] <= low <= high <= whole[1]:
            return math.floor(low), math.ceil(high)
    return whole


def _range_without_fractions(found: Found, clip: Expr, call: Call) -> _Range | None:
    """Return between which numbers those of ``clip`` are, cut as ``call`` does, if it holds all."""
    ty = tensor_type(found, call)
    target = None if ty is None or ty.dtype == "bool" else _range_of_dtype(ty.dtype)
    if target is None or not isinstance(clip, Call) or clip.op is not _CLIP:
        return None
    low, high = _limits(clip)
    if not target[0] <= low <= high <= target[1]:
        return None
    return math.floor(low), math.ceil(high)


_inner_clip = is_relay_op("clip")(_data)


@rule(is_relay_op("clip")(_inner_clip))
def merge_clips(call: Call, found: Found) -> Expr:
    """Limit once, to what both limits leave."""
    inner = found[_inner_clip]
    assert isinstance(inner, Call)
    (low, high), (lower, upper) = _limits(call), _limits(inner)
    if any(map(math.isnan, (low, high, lower, upper))):
        return call
    if not max(low, lower) <= min(high, upper):
        return call
    out = relay_call("clip", found[_data], a_min=max(low, lower), a_max=min(high, upper))
    return out.with_fields(span=call.span)


def _limits(call: Call) -> tuple[float, float]:
    attrs: Any = call.attrs  # Any: those of a clip
    return attrs.a_min, attrs.a_max


_FAR: Final = 1 << 16
"""No number that is dequantized here is farther from zero than this, nor is its zero point."""


def _make_dequantized_rule(name: str) -> Rule:
    """Return the rule that asks whole numbers what depends on their order only.

    That is kept where the scale is above zero, and no two numbers become one: neither infinity nor
    one that is rounded to.
    """
    scale, point = is_constant(), is_constant()
    dequantized = is_relay_op("qnn.dequantize")(_data, scale, point)

    @rule(is_relay_op(name)(dequantized))
    def of_dequantized(call: Call, found: Found) -> Expr:
        ty, numbers = tensor_type(found, found[_data]), tensor_type(found, found[dequantized])
        factor, zero = splat(found[scale]), splat(found[point])
        if ty is None or numbers is None or factor is None or zero is None:
            return call
        if ty.dtype not in ("int8", "uint8", "int16") or numbers.dtype != "float32":
            return call
        if not float(factor) >= float(np.finfo("float32").tiny) or not abs(int(zero)) <= _FAR:
            return call
        if not 2 * _FAR * float(factor) < float(np.finfo("float32").max):
            return call
        return call.with_fields(args=(found[_data],))

    of_dequantized.name = f"{name} of dequantize"
    return of_dequantized


ARRANGEMENT: Final = RuleSet(
    [
        merge_reshapes,
        drop_idle_reshape,
        LAYOUT,
        merge_casts,
        drop_idle_cast,
        merge_clips,
        drop_idle_clip,
        *[_make_dequantized_rule(name) for name in ("argmax", "argmin", "argsort")],
    ]
)
