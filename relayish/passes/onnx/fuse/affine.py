"""Affine operators: calls that multiply a value by constants and add constants to it."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from relayish.ir.relay.expr import Call, Expr
from relayish.onnx.calls import count_outputs, inputs_of, is_absent
from relayish.onnx.operators import identity_of
from relayish.passes.onnx.rewrite.engine import Rewriter

FloatArray = npt.NDArray[np.float64]

AFFINE: Final = ("Add", "Sub", "Mul", "Div", "Neg", "BatchNormalization")
"""Operators that are affine in one input where the others are constants."""

_MINUS: Final = np.asarray(-1.0)

_FLOATS: Final = frozenset({"float16", "bfloat16", "float32", "float64"})


class ScaleShift(NamedTuple):
    """The value ``source * scale + shift``.

    Attributes:
        source: What is scaled and shifted.
        scale: Numbers that broadcast to the value, ``None`` for one.
        shift: Numbers that broadcast to the value, ``None`` for zero.
    """

    source: Expr
    scale: FloatArray | None
    shift: FloatArray | None


def is_float(array: npt.NDArray[Any]) -> bool:  # Any: any element type
    """Return whether an array holds binary floating-point numbers of 16 bits or more."""
    return array.dtype.name in _FLOATS


def read_affine(call: Call, graph: Rewriter) -> ScaleShift | None:
    """Return ``call`` as an affine function of its one input that is not constant.

    Numbers are read as ``float64``, so that those that are computed from them are rounded once.

    Returns:
        ``None`` if it is none, or one of integers.
    """
    identity = identity_of(call.op)
    if identity is None or identity.domain:
        return None
    if identity.name == "BatchNormalization":
        return _read_batch_normalization(call, graph)
    if identity.name == "Neg":
        return ScaleShift(inputs_of(call)[0], _MINUS, None)
    if identity.name in AFFINE:
        return _read_arithmetic(call, identity.name, graph)
    return None


def _read_arithmetic(call: Call, name: str, graph: Rewriter) -> ScaleShift | None:
    lhs, rhs = inputs_of(call)
    number = _read_number(rhs, call, graph)
    if number is not None:
        if name == "Add":
            return ScaleShift(lhs, None, number)
        if name == "Sub":
            return ScaleShift(lhs, None, -number)
        if name == "Mul":
            return ScaleShift(lhs, number, None)
        return ScaleShift(lhs, 1.0 / number, None) if number.all() else None
    number = _read_number(lhs, call, graph)
    if number is None:
        return None
    if name == "Add":
        return ScaleShift(rhs, None, number)
    if name == "Sub":
        return ScaleShift(rhs, _MINUS, number)
    return ScaleShift(rhs, number, None) if name == "Mul" else None


def _read_number(expr: Expr, call: Call, graph: Rewriter) -> FloatArray | None:
    array = graph.constant(expr)
    if array is None or not is_float(array):
        return None
    return _align(np.asarray(array, np.float64), call, graph)


def _align(array: FloatArray, call: Call, graph: Rewriter) -> FloatArray | None:
    """Return an operand in the shape in which it broadcasts from the right.

    Before version 7 an operand broadcast if ``broadcast`` said so, and from ``axis`` on.
    """
    identity = identity_of(call.op)
    assert identity is not None
    if identity.since_version >= 7 or not graph.attribute(call, "broadcast", 0):
        return array
    axis = graph.attribute(call, "axis", None)
    if axis is None:
        return array
    rank = graph.rank_of(inputs_of(call)[0])
    if rank is None:
        return None
    first = axis + rank if axis < 0 else axis
    return array.reshape(*array.shape, *(1,) * (rank - first - array.ndim))


def _read_batch_normalization(call: Call, graph: Rewriter) -> ScaleShift | None:
    source = inputs_of(call)[0]
    rank = graph.rank_of(source)
    numbers = read_batch_normalization(call, graph)
    if rank is None or rank < 2 or numbers is None:
        return None
    shape = (-1, *(1,) * (rank - 2))
    return ScaleShift(source, numbers[0].reshape(shape), numbers[1].reshape(shape))


def read_batch_normalization(call: Call, graph: Rewriter) -> tuple[FloatArray, FloatArray] | None:
    """Return what a batch normalisation multiplies each channel by, and adds to it then.

    Returns:
        ``None`` if it computes statistics of its input, or has one number for each element.
    """
    identity = identity_of(call.op)
    assert identity is not None
    if count_outputs(call.attrs) != 1 or graph.attribute(call, "training_mode", 0):
        return None
    if identity.since_version < 7 and not graph.attribute(call, "is_test", 0):
        return None
    if identity.since_version < 9 and not graph.attribute(call, "spatial", 1):
        return None
    arrays = [graph.constant(each) for each in inputs_of(call)[1:5]]
    scale, bias, mean, variance = [None if a is None else np.asarray(a, np.float64) for a in arrays]
    if scale is None or bias is None or mean is None or variance is None or scale.ndim != 1:
        return None
    epsilon: float = graph.attribute(call, "epsilon", 1e-5)
    with np.errstate(all="ignore"):
        factor = scale / np.sqrt(variance + epsilon)
        return factor, bias - factor * mean


def over_axis(array: FloatArray | None, rank: int, axis: int, size: int) -> FloatArray | None:
    """Return numbers that broadcast to a value as one for each element along an axis.

    Args:
        array: Numbers that broadcast to a value of that rank.
        rank: The rank of the value.
        axis: The axis, from 0.
        size: How many elements the value has along it.

    Returns:
        An array of that size; ``None`` if the numbers differ along another axis, or if broadcasting
        makes the value larger.
    """
    if array is None or array.ndim > rank:
        return None
    shape = (1,) * (rank - array.ndim) + array.shape
    if any(dim != 1 for place, dim in enumerate(shape) if place != axis):
        return None
    if shape[axis] not in (1, size):
        return None
    return np.broadcast_to(array.reshape(-1), (size,))


def round_to(array: FloatArray, like: npt.NDArray[Any]) -> npt.NDArray[Any] | None:  # Any: dtypes
    """Return numbers in the element type of ``like``, ``None`` where one becomes infinite."""
    with np.errstate(all="ignore"):
        image = np.asarray(array.astype(like.dtype))
        if not np.isfinite(image.astype(np.float64)).all():
            return None
    return image


def is_given(inputs: tuple[Expr, ...], place: int) -> bool:
    """Return whether an optional input is there."""
    return place < len(inputs) and not is_absent(inputs[place])
