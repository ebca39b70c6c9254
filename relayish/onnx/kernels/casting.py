"""Conversions between element types: of values, and of the bits that stand for them."""

from __future__ import annotations

from typing import Any, Final

import ml_dtypes
import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import cast_to as convert
from relayish.numeric.precision import is_integral, is_native
from relayish.onnx.element_types import element_type_name, element_type_number, find_numpy_dtype
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import DType, choice, without_warnings

_SATURATING: Final = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")
_EXPONENT_BITS: Final = 0x7F800000
_FRACTION_BITS: Final = 0x007FFFFF
_HALF: Final = 1 << 22
_LARGEST_EXPONENT: Final = 254
_NO_NUMBER: Final = 255
_MODES: Final = ("up", "down", "nearest")
_BITS: Final = {"int4": 4, "uint4": 4, "float4_e2m1fn": 4, "int2": 2, "uint2": 2}


def cast_to(data: Array, dtype: DType, *, saturate: bool = True, round_mode: str = "up") -> Array:
    """Return ``data`` with elements of another type, as ONNX converts them.

    Args:
        data: Numbers, booleans or strings.
        dtype: The numpy type of the result; that of objects is meant to hold strings.
        saturate: Whether 8-bit floating point numbers stop at the largest number they have.
        round_mode: How numbers become powers of two: ``"up"``, ``"down"`` or ``"nearest"``.

    Raises:
        EvaluationError: If a string is no number.
    """
    if data.dtype == dtype:
        return data
    with np.errstate(all="ignore"):
        if data.dtype.kind == "O":
            data = _numbers_of_strings(data, dtype)
        if dtype.kind == "O":
            return _strings_of_numbers(data)
        if is_native(dtype):
            return convert(data, dtype)
        if dtype.name == "float8_e8m0fnu":
            return _powers_of_two(data, dtype, saturate, choice(round_mode, _MODES, "round_mode"))
        if saturate and dtype.name in _SATURATING:
            return _saturated(data, dtype)
        return convert(data, dtype)


def _saturated(data: Array, dtype: DType) -> Array:
    wide = data if is_native(data.dtype) else data.astype(np.float32)
    if data.dtype.kind in "iub":
        wide = data.astype(np.float64)
    largest = wide.dtype.type(float(ml_dtypes.finfo(dtype).max))  # type: ignore[no-untyped-call]
    return np.asarray(np.clip(wide, -largest, largest)).astype(dtype)


def _powers_of_two(data: Array, dtype: DType, saturate: bool, round_mode: str) -> Array:
    """Return the exponents of positive numbers, in 8 bits: 0 is 2**-127, 255 is no number."""
    single = data.astype(np.float32)
    bits = np.ascontiguousarray(single).view(np.uint32).reshape(single.shape)
    exponent = ((bits & _EXPONENT_BITS) >> 23).astype(np.int64)
    fraction = bits & _FRACTION_BITS
    # below 2**-126 there is no implicit bit: half of the fraction is 2**-127, the least power
    beyond = np.where(exponent == 0, fraction.astype(np.int64) - _HALF, fraction)
    limit = np.where(exponent == 0, _HALF // 2, _HALF)
    over = {"up": beyond > 0, "down": beyond > limit * 4, "nearest": beyond >= limit}[round_mode]
    biased = exponent + over
    if saturate:
        biased = np.minimum(biased, _LARGEST_EXPONENT)
    else:
        lost = (single == 0) | (biased > _LARGEST_EXPONENT)
        if round_mode != "up":
            lost |= (exponent == 0) & (fraction < _HALF)
        biased = np.where(lost, _NO_NUMBER, biased)
    biased = np.where(np.isnan(single), _NO_NUMBER, biased)
    return np.asarray(biased.astype(np.uint8)).view(dtype)


def _strings_of_numbers(data: Array) -> Array:
    if not is_native(data.dtype):
        data = data.astype(np.int64 if is_integral(data.dtype) else np.float32)
    texts = np.empty(data.shape, object)
    texts.reshape(-1)[:] = [_text(element) for element in data.reshape(-1)]
    return texts


def _text(element: Any) -> str:  # Any: a scalar of numpy of any type
    if element.dtype.kind != "f":
        return str(element)
    if np.isnan(element):
        return "NaN"
    if np.isinf(element):
        return "INF" if element > 0 else "-INF"
    return str(element)


def _numbers_of_strings(data: Array, dtype: DType) -> Array:
    """Return strings as numbers, wide enough to become elements of ``dtype``."""
    whole = is_integral(dtype) or dtype.kind == "b"
    read = _read_integer if whole else _read_float
    wide: Any = object if whole else np.complex128 if dtype.kind == "c" else np.float64
    numbers = np.empty(data.shape, wide)
    numbers.reshape(-1)[:] = [read(text) for text in data.reshape(-1)]
    if not whole:
        return numbers
    widest = np.iinfo(np.uint64 if dtype.kind == "u" else np.int64)
    if any(not widest.min <= number <= widest.max for number in numbers.flat):
        raise EvaluationError(
            f"strings hold integers that {dtype} does not have; expected smaller ones"
        )
    return numbers.astype(widest.dtype)


def _read_float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise EvaluationError(f"the string {text!r} is no number; expected one to cast") from None


def _read_integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        number = _read_float(text)
    if not np.isfinite(number):
        raise EvaluationError(f"the string {text!r} is no integer; expected one to cast")
    return int(number)


@kernel("Cast", since=(1,))
def cast_to_name(x: Array, *, to: str) -> Array:
    """Return ``x`` with elements of a type that is named, as ``"FLOAT"``."""
    name = {"FLOAT": "float32", "DOUBLE": "float64"}.get(to.upper(), to.lower())
    return cast_to(x, find_numpy_dtype(element_type_number(name)))


@kernel("Cast", since=(6, 9, 13))
def cast(x: Array, *, to: int) -> Array:
    """Return ``x`` with elements of the type of a number."""
    return cast_to(x, find_numpy_dtype(to))


@kernel("Cast", since=(19, 21, 23))
def cast_saturating(x: Array, *, to: int, saturate: int = 1) -> Array:
    """Return ``x`` with elements of the type of a number."""
    return cast_to(x, find_numpy_dtype(to), saturate=bool(saturate))


@kernel("Cast", since=(24, 25, 28))
def cast_rounding(x: Array, *, to: int, saturate: int = 1, round_mode: str = "up") -> Array:
    """Return ``x`` with elements of the type of a number."""
    return cast_to(x, find_numpy_dtype(to), saturate=bool(saturate), round_mode=round_mode)


@kernel("CastLike", since=(15,))
def cast_like(x: Array, target: Array) -> Array:
    """Return ``x`` with elements of the type of ``target``."""
    return cast_to(x, target.dtype)


@kernel("CastLike", since=(19, 21, 23))
def cast_like_saturating(x: Array, target: Array, *, saturate: int = 1) -> Array:
    """Return ``x`` with elements of the type of ``target``."""
    return cast_to(x, target.dtype, saturate=bool(saturate))


@kernel("CastLike", since=(24, 25))
def cast_like_rounding(
    x: Array, target: Array, *, saturate: int = 1, round_mode: str = "up"
) -> Array:
    """Return ``x`` with elements of the type of ``target``."""
    return cast_to(x, target.dtype, saturate=bool(saturate), round_mode=round_mode)


@kernel("BitCast", since=(26,))
@without_warnings
def bit_cast(x: Array, *, to: int) -> Array:
    """Return what the bits of ``x`` mean in another element type of the same width."""
    dtype = find_numpy_dtype(to)
    if "O" in {x.dtype.kind, dtype.kind} or _width(x.dtype) != _width(dtype):
        raise EvaluationError(
            f"BitCast of {x.dtype} to {element_type_name(to)}; expected a type of as many bits"
        )
    bits = np.ascontiguousarray(x).reshape(x.shape)
    if _width(dtype) >= 8:
        return bits.view(dtype)
    mask = np.uint8((1 << _width(dtype)) - 1)
    return np.asarray(bits.view(np.uint8) & mask).view(dtype)


def _width(dtype: DType) -> int:
    return _BITS.get(dtype.name, 8 * dtype.itemsize)
