"""Element types to compute in: wide enough to round once, narrow enough to be fast.

Matrix products of floats run on the processor's fast paths, those of integers do not. Integers are
therefore computed as floats wherever every partial sum is a whole number the float holds exactly.
Floats narrower than float32 are computed in float32, and rounded when all is done.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from relayish.errors import DivisionByZeroError

Array: TypeAlias = NDArray[Any]  # Any: the element type is known when the value is
ElementType: TypeAlias = np.dtype[Any]  # Any: as above

_SINGLE_BYTES: Final = 4
_EXACT: Final = ((2**24, np.dtype(np.float32)), (2**53, np.dtype(np.float64)))
"""Below these bounds the types hold every whole number."""


def is_native(dtype: ElementType) -> bool:
    """Return whether an element type is numpy's own, in whatever order its bytes are."""
    return dtype.type.__module__ == "numpy"


def is_fractional(dtype: ElementType) -> bool:
    """Return whether an element type holds floating-point numbers, those of ml_dtypes included."""
    return dtype.kind in "fc" or "float" in dtype.name


def is_integral(dtype: ElementType) -> bool:
    """Return whether an element type holds integers, those of ml_dtypes included; no booleans."""
    return dtype.kind in "iu" or (dtype.kind == "V" and "int" in dtype.name)


def is_whole(dtype: ElementType) -> bool:
    """Return whether an element type holds integers or booleans."""
    return dtype.kind == "b" or is_integral(dtype)


def compute_dtype(dtype: ElementType) -> ElementType:
    """Return the element type to compute in: float32 for what is narrower and fractional.

    Strings keep theirs; integers of fewer than 8 bits get one that numpy itself computes with.
    """
    if dtype.kind in "fc" and is_native(dtype):
        return np.dtype(np.float32) if dtype.itemsize < _SINGLE_BYTES else dtype
    if dtype.kind == "O" or (dtype.kind in "iub" and is_native(dtype)):
        return dtype
    return np.dtype(np.float32) if is_fractional(dtype) else np.dtype(np.int32)


def weighing_dtype(dtype: ElementType) -> ElementType:
    """Return the element type for sums of elements times weights that are fractions.

    Floats are computed as :func:`compute_dtype` says; integers of 16 bits or fewer fit a float32.
    """
    work = compute_dtype(dtype)
    if is_fractional(work):
        return work
    return np.dtype(np.float32 if dtype.itemsize < _SINGLE_BYTES else np.float64)


def widen(x: Array) -> Array:
    """Return ``x`` in the element type to compute in; ``x`` itself where it has that type.

    What is computed of it and then cast back has been rounded once, not at every step.
    """
    return x.astype(compute_dtype(x.dtype), copy=False)


def narrow(y: Array, x: Array) -> Array:
    """Return ``y`` in the element type of ``x``; ``y`` itself where it has that type."""
    return np.asarray(y).astype(x.dtype, copy=False)


def cast_to(data: Array, dtype: ElementType) -> Array:
    """Return ``data`` with elements of ``dtype``, without a warning.

    Floating point numbers lose their fraction on the way to integers. What an integer cannot hold
    (NaN, infinities, numbers out of its range) becomes what the machine makes of it, as in Relay.
    """
    with np.errstate(all="ignore"):
        try:
            return data.astype(dtype)
        except TypeError:  # between two kinds of narrow numbers
            wide = np.dtype(np.float32 if is_fractional(data.dtype) else np.int64)
            return data.astype(wide).astype(dtype)


def unpack(data: Array) -> Array:
    """Return ``data``, integers of fewer than 8 bits in a type that numpy itself computes with."""
    return widen(data) if data.dtype.kind == "V" and is_integral(data.dtype) else data


def operand(data: Array, dtype: ElementType) -> Array:
    """Return ``data`` as what it counts as where products are of element type ``dtype``.

    Integers need no cast to other integers: their sums wrap around to the same value later.
    """
    if is_whole(data.dtype) and is_whole(dtype):
        return unpack(data)
    return unpack(data.astype(dtype, copy=False))


def accumulator(dtype: ElementType, left: Array, right: Array, terms: int) -> ElementType:
    """Return in which type to compute sums of ``terms`` products that are to be of ``dtype``.

    Sums of integers are exact in it, or wrap around as those of ``dtype`` do; :func:`round_to`
    makes that of them, and rounds floats once.
    """
    if not is_whole(dtype):
        return dtype if dtype.itemsize >= _SINGLE_BYTES else np.dtype(np.float32)
    bound = _magnitude(left) * _magnitude(right) * terms
    return next((exact for limit, exact in _EXACT if bound < limit), dtype)


def round_to(result: Array, dtype: ElementType) -> Array:
    """Return what was computed in an :func:`accumulator` as ``dtype``; integers wrap around."""
    if is_whole(dtype) and result.dtype.kind == "f":
        return result.astype(np.int64).astype(dtype)
    return result.astype(dtype, copy=False)


def refuse_zeros(divisor: Array) -> Array:
    """Return ``divisor``, of integers.

    Raises:
        DivisionByZeroError: If an element of it is 0, naming the place of the first.
    """
    if not np.all(divisor):
        place = np.argwhere(np.equal(divisor, 0))[0].tolist()
        raise DivisionByZeroError(
            f"an integer is divided by zero, the divisor's element {place}; expected none that is 0"
        )
    return divisor


def truncate_quotient(lhs: Array, rhs: Array) -> Array:
    """Return the quotient of integers, none of them divided by 0, rounded towards zero as in C."""
    return np.asarray((lhs - np.fmod(lhs, rhs)) // rhs)


def divide_sum(total: Array, count: Array, dtype: ElementType) -> Array:
    """Return a sum of integers by how many there are, rounded towards zero, as ``dtype``.

    It is computed in 64 bits: counts may be greater, and the lowest number further from zero, than
    ``dtype`` holds.
    """
    wide = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
    return truncate_quotient(total.astype(wide), count.astype(wide)).astype(dtype)


def _magnitude(data: Array) -> int:
    return max(abs(int(data.min())), abs(int(data.max()))) if data.size else 0
