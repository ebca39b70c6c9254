"""Rules for operators of two tensors, joins among them.

One of two operands may be a constant in floating point, which is quantised: as the other operand
is, where that represents it well, else with a scale of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from relayish.errors import PassError
from relayish.ir.relay.expr import Call, Constant, Expr, Tuple
from relayish.op.builders.call import attrs_of, relay_call
from relayish.op.declaration.fake_quantization import register_fake_quantization_to_integer
from relayish.op.types.affine_type import AffineType, TensorAffineType
from relayish.passes.relay.quantisation.affine_types import AffineTypes
from relayish.passes.relay.quantisation.integer_rules.parameters import (
    array_of,
    is_same,
    quantize,
    requantize,
    with_dtype,
)

_WIDE: Final = "int32"
_BYTES: Final = ("int8", "uint8")
_STEPS: Final = {"uint8": (0, 255)}
_SIGNED_STEPS: Final = (-127, 127)
"""The integers that a constant with a scale of its own is spread over; wide ones, so that products
of them stay in range, over no more."""


class _Operand(NamedTuple):
    """An operand in integers, and what they stand for."""

    expr: Expr
    affine: TensorAffineType


def _operands(
    call: Call, types: AffineTypes, wanted: TensorAffineType, *, exact: bool
) -> tuple[_Operand, _Operand, TensorAffineType]:
    """Return both operands, of one element type, and what their result is to stand for.

    Args:
        call: A call of two arguments.
        types: The affine types of its arguments.
        wanted: What its result is quantised to in the end.
        exact: Whether a constant beside wide integers must be represented well, as a factor must;
            one that is added is as good as the sum, which stands at the scale of these.
    """
    left, right = call.args
    known = [types.tensor(arg) if arg in types else None for arg in (left, right)]
    given = next((ty for ty in known if ty is not None), None)
    if given is None:
        raise PassError("neither operand is quantised")
    one, other = [
        _quantized_constant(arg, given, call, types, exact=exact)
        if ty is None
        else _Operand(arg, ty)
        for arg, ty in zip((left, right), known, strict=True)
    ]
    one, other, given = _of_one_dtype(one, other, given)
    if given.dtype != wanted.dtype:
        wanted = with_dtype(wanted, given.dtype) if given.dtype in _BYTES else given
    return one, other, wanted


def _quantized_constant(
    expr: Expr, beside: TensorAffineType, call: Call, types: AffineTypes, *, exact: bool
) -> _Operand:
    """Return a constant in integers.

    Raises:
        PassError: If ``expr`` is no constant of finite floating point numbers.
    """
    value = array_of(expr)
    if type(expr) is not Constant or value is None or value.dtype.kind not in "fV":
        raise PassError("an operand must be quantised or a constant")
    if not np.all(np.isfinite(value)):
        raise PassError("an operand is a constant that is not finite")
    if types.is_per_axis(beside):
        place = beside.axis if beside.axis < 0 else beside.axis - types.rank_of(call)
        axis = value.ndim + place
        if not 0 <= axis < value.ndim:
            raise PassError("a constant has not the axis along which scales differ")
        return _Operand(quantize(expr, beside, axis), beside)
    own = _own_type(value, beside.dtype)
    if (beside.dtype == _WIDE and not exact) or _represents(value, beside, own):
        return _Operand(quantize(expr, beside), beside)
    return _Operand(quantize(expr, own), own)


def _own_type(value: Any, dtype: str) -> TensorAffineType:  # Any: an array of floats
    """Return the affine type of ``dtype`` that spreads the numbers of ``value`` the most."""
    low, high = min(float(value.min()), 0.0), max(float(value.max()), 0.0)
    least, most = _STEPS.get(dtype, _SIGNED_STEPS)
    if least < 0:
        scale, zero_point = max(-low, high) / most, 0
    else:
        scale = (high - low) / most
        zero_point = round(-low / scale) if scale else 0
    return TensorAffineType(Constant(np.float32(scale or 1)), Constant(np.int32(zero_point)), dtype)


def _represents(value: Any, ty: TensorAffineType, own: TensorAffineType) -> bool:
    """Return whether integers of ``ty`` stand for the numbers of ``value`` as well as others may.

    Any: an array of floats.
    """
    scale, zero_point = array_of(ty.scale), array_of(ty.zero_point)
    best = array_of(own.scale)
    if scale is None or zero_point is None:
        return True  # nothing is known of the scale
    limits = np.iinfo(ty.dtype)
    steps = np.clip(np.rint(value / scale) + zero_point, limits.min, limits.max)
    error = np.abs((steps - zero_point) * scale - value)
    return bool(np.max(error) <= best / 2)


def _of_one_dtype(
    one: _Operand, other: _Operand, given: TensorAffineType
) -> tuple[_Operand, _Operand, TensorAffineType]:
    """Return operands of one element type, the wider, and the affine type of a wide one."""
    first, second = one.affine.dtype, other.affine.dtype
    if first == second:
        return one, other, one.affine if given is not other.affine else given
    if first in _BYTES and second in _BYTES:
        ty = with_dtype(other.affine, first)
        return one, _Operand(requantize(other.expr, other.affine, ty), ty), one.affine
    if first == _WIDE and second in _BYTES:
        return one, _widened(other), one.affine
    if second == _WIDE and first in _BYTES:
        return _widened(one), other, other.affine
    raise PassError(f"operands of {first} and {second} cannot be computed in integers")


def _widened(operand: _Operand) -> _Operand:
    ty = operand.affine
    wide = TensorAffineType(ty.scale, ty.zero_point, _WIDE, ty.axis)
    return _Operand(relay_call("cast", operand.expr, dtype=_WIDE), wide)


def _compute(
    name: str, one: _Operand, other: _Operand, wanted: TensorAffineType
) -> tuple[Expr, AffineType]:
    parameters = [(ty.scale, ty.zero_point) for ty in (one.affine, other.affine, wanted)]
    made = relay_call(
        name,
        one.expr,
        other.expr,
        *[part for pair in parameters for part in pair],
        lhs_axis=one.affine.axis,
        rhs_axis=other.affine.axis,
    )
    return made, wanted


@register_fake_quantization_to_integer("add")
def add(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Add by ``qnn.add``; what is quantised alike and wide, as a product and its bias, as it is."""
    one, other, wanted = _operands(call, types, types.tensor(call), exact=False)
    zero_point = array_of(one.affine.zero_point)
    alike = _is_alike(one.affine, other.affine, types) and _is_alike(one.affine, wanted, types)
    plain = zero_point is not None and not np.any(zero_point)
    if one.affine.dtype == _WIDE and alike and plain:
        return relay_call("add", one.expr, other.expr), one.affine
    return _compute("qnn.add", one, other, wanted)


def _is_alike(one: TensorAffineType, other: TensorAffineType, types: AffineTypes) -> bool:
    """Return whether two operands that broadcast have the same scales and zero points.

    Vectors of scales are those of one axis, counted from behind, or the operands would not fit.
    """
    same_axis = TensorAffineType(other.scale, other.zero_point, other.dtype, one.axis)
    return is_same(types, one, same_axis)


@register_fake_quantization_to_integer("subtract")
def subtract(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Subtract by ``qnn.subtract``."""
    return _compute("qnn.subtract", *_operands(call, types, types.tensor(call), exact=False))


@register_fake_quantization_to_integer("multiply")
def multiply(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Multiply by ``qnn.mul``."""
    return _compute("qnn.mul", *_operands(call, types, types.tensor(call), exact=True))


def _choose(name: str) -> Callable[[Call, AffineTypes], tuple[Expr, AffineType]]:
    """Return the rule for an operator that chooses one of two numbers."""

    def rule(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
        one, other, wanted = _operands(call, types, types.result_of_choice(), exact=False)
        left, right = [
            operand.expr
            if operand.affine == wanted
            else requantize(operand.expr, operand.affine, wanted)
            for operand in (one, other)
        ]
        return relay_call(name, left, right), wanted

    return rule


for _name in ("minimum", "maximum"):
    register_fake_quantization_to_integer(_name, _choose(_name))


@register_fake_quantization_to_integer("concatenate")
def concatenate(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Join by ``qnn.concatenate``, which moves the scale of each part."""
    (data,) = call.args
    parts, wanted = types.fields(data), types.result_of_choice()
    for part in parts:
        types.require_single(part, "concatenate")
        if part.dtype != wanted.dtype:
            raise PassError(f"a part of {part.dtype} is joined to numbers of {wanted.dtype}")
    scales = Tuple(tuple([part.scale for part in parts]))
    zero_points = Tuple(tuple([part.zero_point for part in parts]))
    joined = (data, scales, zero_points, wanted.scale, wanted.zero_point)
    return relay_call("qnn.concatenate", *joined, axis=attrs_of(call).axis), wanted
