"""Weights that scale and shift: affine functions put into the operators before or behind them.

The result of a convolution is linear in its weights, so numbers that it is multiplied by, one for
each channel, can be multiplied into the weights, and numbers that are added into the bias. What its
input is multiplied by can be put there as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Call, Constant, Expr, Var
from relayish.onnx.calls import attributes_of, count_outputs, inputs_of, with_parts
from relayish.onnx.operators import identity_of
from relayish.passes.onnx.fuse.affine import (
    FloatArray,
    ScaleShift,
    is_float,
    is_given,
    over_axis,
    read_batch_normalization,
    round_to,
)
from relayish.passes.onnx.rewrite.engine import Rewriter

Fold: TypeAlias = Callable[[Call, ScaleShift, Rewriter], "Call | None"]


def scale_result(call: Call, affine: ScaleShift, graph: Rewriter) -> Call | None:
    """Return a call whose result is that of ``call``, scaled and shifted.

    Args:
        call: A call of an operator in :data:`SCALED_RESULTS`.
        affine: What becomes of its result; the source does not count.
        graph: Where the call stands.

    Returns:
        ``None`` where the weights are no constants, or the numbers are not one for each channel, or
        too large for the element type.
    """
    return _RESULTS[_name(call)](call, affine, graph)


def scale_input(call: Call, affine: ScaleShift, graph: Rewriter) -> Call | None:
    """Return a call of the source of ``affine`` with the result that ``call`` has of its value.

    Args:
        call: A call of an operator in :data:`SCALED_INPUTS`, whose first input has that value.
        affine: What becomes of the source before the call.
        graph: Where the call stands.

    Returns:
        ``None`` as for :func:`scale_result`, where it pads the input, which is shifted, and where
        the numbers broadcast the source to another shape.
    """
    return _INPUTS[_name(call)](call, affine, graph) if _keeps_shape(call, affine, graph) else None


def _keeps_shape(call: Call, affine: ScaleShift, graph: Rewriter) -> bool:
    """Return whether the source has the shape of the value, so that nothing broadcasts it."""
    source, value = graph.shape_of(affine.source), graph.shape_of(inputs_of(call)[0])
    if source is not None and source == value:
        return True
    rank = graph.rank_of(affine.source)
    held = [each for each in (affine.scale, affine.shift) if each is not None]
    return rank is not None and all(each.size == 1 and each.ndim <= rank for each in held)


def _name(call: Call) -> str:
    identity = identity_of(call.op)
    assert identity is not None
    return identity.name


# the result


def _scale_convolution(call: Call, affine: ScaleShift, graph: Rewriter) -> Call | None:
    inputs = inputs_of(call)
    weights = graph.constant(inputs[1])
    shape = graph.shape_of(inputs[1]) if weights is None else weights.shape
    if shape is None or not all(type(dim) is int for dim in shape):
        return None
    is_transposed = _name(call) == "ConvTranspose"
    group: int = graph.attribute(call, "group", 1)
    channels = shape[1] * group if is_transposed else shape[0]
    vectors = _over_channels(affine, len(shape), 1, channels)
    if vectors is None:
        return None
    scale, shift = vectors
    new = list(inputs[:2])
    if scale is not None:
        if weights is None or not is_float(weights):
            return None
        wide = np.asarray(weights, np.float64)
        if is_transposed:
            factors = scale.reshape(group, 1, -1, *(1,) * (len(shape) - 2))
            scaled = (wide.reshape(group, -1, *shape[1:]) * factors).reshape(shape)
        else:
            scaled = wide * scale.reshape(-1, *(1,) * (len(shape) - 1))
        rounded = round_to(scaled, weights)
        if rounded is None:
            return None
        new[1] = graph.emit(_hint(inputs[1], "weight"), Constant(rounded))
    return _with_bias(call, new, scale, shift, graph)


def _over_channels(
    affine: ScaleShift, rank: int, axis: int, channels: int
) -> tuple[FloatArray | None, FloatArray | None] | None:
    """Return scale and shift as one number for each channel; ``None`` if they are not that."""
    scale = over_axis(affine.scale, rank, axis, channels)
    shift = over_axis(affine.shift, rank, axis, channels)
    if (scale is None) != (affine.scale is None) or (shift is None) != (affine.shift is None):
        return None
    return scale, shift


def _with_bias(
    call: Call,
    inputs: list[Expr],
    scale: FloatArray | None,
    shift: FloatArray | None,
    graph: Rewriter,
) -> Call | None:
    """Return ``call`` of new data and weights, with its third input scaled and shifted."""
    old = inputs_of(call)
    if is_given(old, 2):
        if scale is not None or shift is not None:
            bias = _adjust(old[2], scale, shift, graph)
            if bias is None:
                return None
            inputs.append(bias)
        else:
            inputs.append(old[2])
    elif shift is not None and shift.any():
        bias = _new_constant("bias", shift, inputs[1], graph)
        if bias is None:
            return None
        inputs.append(bias)
    return with_parts(call, inputs=inputs)


def _adjust(
    expr: Expr, scale: FloatArray | None, shift: FloatArray | None, graph: Rewriter
) -> Expr | None:
    """Return a constant of floats, scaled and shifted."""
    array = graph.constant(expr)
    if array is None or not is_float(array):
        return None
    wide = np.asarray(array, np.float64)
    wide = wide if scale is None else wide * scale
    wide = wide if shift is None else wide + shift
    rounded = round_to(wide, array)
    return None if rounded is None else graph.emit(_hint(expr, "weight"), Constant(rounded))


def _new_constant(hint: str, array: FloatArray, like: Expr, graph: Rewriter) -> Expr | None:
    """Return a constant of the element type of another expression."""
    dtype = graph.dtype_of(like)
    held = graph.constant(like)
    if held is None and dtype is None:
        return None
    rounded = round_to(array, np.empty(0, dtype) if held is None else held)
    return None if rounded is None else graph.emit(hint, Constant(rounded))


def _hint(expr: Expr, otherwise: str) -> str:
    return expr.name_hint if type(expr) is Var else otherwise


def _scale_gemm(call: Call, affine: ScaleShift, graph: Rewriter) -> Call | None:
    inputs = inputs_of(call)
    matrix = graph.constant(inputs[1])
    shape = graph.shape_of(inputs[1]) if matrix is None else matrix.shape
    axis = 0 if graph.attribute(call, "transB", 0) else 1
    if shape is None or len(shape) != 2 or type(shape[axis]) is not int:
        return None
    vectors = _over_channels(affine, 2, 1, shape[axis])
    if vectors is None or graph.version(call) < 7:
        return None
    scale, shift = vectors
    new = inputs[1]
    if scale is not None:
        found = _adjust(new, scale if axis else scale.reshape(-1, 1), None, graph)
        if found is None:
            return None
        new = found
    return _with_addend(call, new, scale, shift, graph)


def _with_addend(
    call: Call,
    matrix: Expr,
    scale: FloatArray | None,
    shift: FloatArray | None,
    graph: Rewriter,
) -> Call | None:
    """Return a product of another matrix, and what is added to it scaled and shifted.

    The factor ``beta`` goes into the sum.
    """
    inputs = inputs_of(call)
    attrs = attributes_of(call)
    beta: Any = attrs.pop("beta", 1.0)  # Any: attributes are of any class
    if is_given(inputs, 2):
        addend = graph.constant(inputs[2])
        if addend is None or (addend.ndim == 2 and addend.shape[0] != 1):
            return None
        factor = np.asarray(float(beta)) if scale is None else float(beta) * scale
        changed = _adjust(inputs[2], factor, shift, graph)
    elif shift is not None:
        changed = _new_constant("bias", shift, inputs[1], graph)
    else:
        return with_parts(call, inputs=(inputs[0], matrix))
    if changed is None:
        return None
    made = with_parts(call, inputs=(inputs[0], matrix, changed))
    return made.with_fields(attrs=DictAttrs(attrs) if attrs else None)


def _scale_matmul(call: Call, affine: ScaleShift, graph: Rewriter) -> Call | None:
    """Scale the columns; a shift makes a ``Gemm`` of a product of matrices."""
    lhs, rhs = inputs_of(call)
    matrix = graph.constant(rhs)
    rank = graph.rank_of(lhs)
    if matrix is None or matrix.ndim != 2 or not is_float(matrix):
        return None
    if rank is None or rank < 2:
        return None
    vectors = _over_channels(affine, rank, rank - 1, matrix.shape[1])
    if vectors is None:
        return None
    scale, shift = vectors
    if shift is not None and (rank != 2 or graph.function_opset < 7):
        return None
    columns = rhs if scale is None else _adjust(rhs, scale, None, graph)
    if columns is None:
        return None
    if shift is None:
        return with_parts(call, inputs=(lhs, columns))
    addend = _new_constant("bias", shift, rhs, graph)
    if addend is None:
        return None
    return graph.call("Gemm", (lhs, columns, addend), like=call)


def _scale_normalization(call: Call, affine: ScaleShift, graph: Rewriter) -> Call | None:
    """Scale and shift the scale and the bias of a normalisation."""
    inputs = inputs_of(call)
    weights = graph.constant(inputs[1])
    rank = graph.rank_of(inputs[0])
    if weights is None or weights.ndim != 1 or rank is None or count_outputs(call.attrs) != 1:
        return None
    axis = 1
    if _name(call) == "LayerNormalization":
        axis = rank - 1
        if graph.attribute(call, "axis", -1) not in (-1, axis):
            return None
    if _name(call) == "BatchNormalization" and read_batch_normalization(call, graph) is None:
        return None
    vectors = _over_channels(affine, rank, axis, weights.size)
    if vectors is None:
        return None
    scale, shift = vectors
    new = inputs[1] if scale is None else _adjust(inputs[1], scale, None, graph)
    if new is None:
        return None
    if is_given(inputs, 2):
        bias = _adjust(inputs[2], scale, shift, graph)
    elif shift is not None:
        bias = _new_constant("bias", shift, inputs[1], graph)
    else:
        return with_parts(call, inputs=(inputs[0], new))
    return None if bias is None else with_parts(call, inputs=(inputs[0], new, bias, *inputs[3:]))


# the input


def _scale_convolved(call: Call, affine: ScaleShift, graph: Rewriter) -> Call | None:
    inputs = inputs_of(call)
    weights = graph.constant(inputs[1])
    if weights is None or not is_float(weights):
        return None
    is_transposed = _name(call) == "ConvTranspose"
    group: int = graph.attribute(call, "group", 1)
    channels = weights.shape[0] if is_transposed else weights.shape[1] * group
    vectors = _over_channels(affine, weights.ndim, 1, channels)
    if vectors is None:
        return None
    scale, shift = vectors
    wide = np.asarray(weights, np.float64)
    spatial = (1,) * (weights.ndim - 2)
    new, added = inputs[1], None
    if shift is not None and shift.any():
        if is_transposed or pads_input(call, graph):
            return None
        grouped = wide.reshape(group, -1, *weights.shape[1:])
        terms = grouped * shift.reshape(group, 1, -1, *spatial)
        added = terms.sum(axis=tuple(range(2, terms.ndim))).reshape(-1)
    if scale is not None:
        if is_transposed:
            scaled = wide * scale.reshape(-1, 1, *spatial)
        else:
            grouped = wide.reshape(group, -1, *weights.shape[1:])
            scaled = (grouped * scale.reshape(group, 1, -1, *spatial)).reshape(weights.shape)
        rounded = round_to(scaled, weights)
        if rounded is None:
            return None
        new = graph.emit(_hint(inputs[1], "weight"), Constant(rounded))
    return _with_bias(call, [affine.source, new], None, added, graph)


def pads_input(call: Call, graph: Rewriter) -> bool:
    """Return whether a convolution or pooling may pad its input."""
    if graph.attribute(call, "auto_pad", "NOTSET") not in ("NOTSET", "VALID"):
        return True
    return any(graph.attribute(call, "pads", ()) or ())


def _scale_multiplied(call: Call, affine: ScaleShift, graph: Rewriter) -> Call | None:
    """Scale the rows of the matrix that a value is multiplied by."""
    inputs = inputs_of(call)
    matrix = graph.constant(inputs[1])
    if matrix is None or matrix.ndim != 2 or not is_float(matrix):
        return None
    is_gemm = _name(call) == "Gemm"
    if is_gemm and graph.version(call) < 7:
        return None
    rank = 2 if is_gemm else graph.rank_of(inputs[0])
    if rank is None or rank < 2:
        return None
    rows = 1 if is_gemm and graph.attribute(call, "transB", 0) else 0
    axis = 0 if is_gemm and graph.attribute(call, "transA", 0) else rank - 1
    vectors = _over_channels(affine, rank, axis, matrix.shape[rows])
    if vectors is None:
        return None
    scale, shift = vectors
    if shift is not None and (rank != 2 or graph.function_opset < 7):
        return None
    new = inputs[1]
    if scale is not None:
        found = _adjust(new, scale if rows else scale.reshape(-1, 1), None, graph)
        if found is None:
            return None
        new = found
    if shift is None:
        return with_parts(call, inputs=(affine.source, new, *inputs[2:]))
    wide = np.asarray(matrix, np.float64)
    added = shift @ (wide.T if rows else wide)
    if is_gemm:
        alpha: float = graph.attribute(call, "alpha", 1.0)
        moved = with_parts(call, inputs=(affine.source, *inputs[1:]))
        return _with_addend(moved, new, None, alpha * added, graph)
    addend = _new_constant("bias", added, inputs[1], graph)
    if addend is None:
        return None
    return graph.call("Gemm", (affine.source, new, addend), like=call)


def _scale_normalized(call: Call, affine: ScaleShift, graph: Rewriter) -> Call | None:
    """Return a batch normalisation that scales and shifts its input first."""
    numbers = read_batch_normalization(call, graph)
    inputs = inputs_of(call)
    rank = graph.rank_of(inputs[0])
    if numbers is None or rank is None:
        return None
    factor, offset = numbers
    vectors = _over_channels(affine, rank, 1, factor.size)
    if vectors is None:
        return None
    scale = 1.0 if vectors[0] is None else vectors[0]
    shift = 0.0 if vectors[1] is None else vectors[1]
    mean = np.asarray(graph.constant(inputs[3]), np.float64)
    new = inputs[1] if vectors[0] is None else _adjust(inputs[1], vectors[0], None, graph)
    bias = graph.constant(inputs[2])
    assert bias is not None
    rounded = round_to(offset + factor * (scale * mean + shift), bias)
    if new is None or rounded is None:
        return None
    added = graph.emit(_hint(inputs[2], "bias"), Constant(rounded))
    return with_parts(call, inputs=(affine.source, new, added, *inputs[3:]))


_RESULTS: Final[dict[str, Fold]] = {
    "Conv": _scale_convolution,
    "ConvTranspose": _scale_convolution,
    "Gemm": _scale_gemm,
    "MatMul": _scale_matmul,
    "BatchNormalization": _scale_normalization,
    "InstanceNormalization": _scale_normalization,
    "LayerNormalization": _scale_normalization,
}
_INPUTS: Final[dict[str, Fold]] = {
    "Conv": _scale_convolved,
    "ConvTranspose": _scale_convolved,
    "Gemm": _scale_multiplied,
    "MatMul": _scale_multiplied,
    "BatchNormalization": _scale_normalized,
}

SCALED_RESULTS: Final = tuple(_RESULTS)
"""Operators whose results can be scaled by their weights."""
SCALED_INPUTS: Final = tuple(_INPUTS)
"""Operators whose inputs can be scaled by their weights."""
