"""Layer normalization fusion: normalize the last axes by one operator.

Before::

    let %m = ReduceMean_13(%x, axes=[-1]);
    let %d = Sub_14(%x, %m);
    let %s = Pow_15(%d, 2f);
    let %v = ReduceMean_13(%s, axes=[-1]);
    let %e = Add_14(%v, 1e-05f);
    let %r = Sqrt_13(%e);
    let %n = Div_14(%d, %r);
    let %p = Mul_14(%n, %scale);
    let %y = Add_14(%p, %bias);

After::

    let %y = LayerNormalization_17(%x, %scale, %bias, axis=-1, epsilon=1e-05);
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import attributes_of, count_outputs, inputs_of
from relayish.pass_infra import register_pass
from relayish.passes.onnx_fuse.affine import is_given
from relayish.passes.onnx_fuse.constants import integers, normalize_axes
from relayish.passes.onnx_rewrite.engine import Rewriter, Rule, rewrite_function, rule

_FLOATS: Final = frozenset({"float16", "float32", "float64"})


@register_pass("FuseLayerNormalization", opt_level=3, idempotent=True)
def fuse_layer_normalization(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Layer normalization fusion: normalize the last axes by one operator.

    What is centred and divided by its standard deviation becomes ``LayerNormalization``, from
    version 17 on, which takes a constant scale and bias behind it too. The last axes have known
    sizes. Results may be rounded differently.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes and the elements of scales and biases.
    """
    return rewrite_function(func, RULES, mod)


@rule("Div")
def form_layer_normalization(call: Call, graph: Rewriter) -> Call | None:
    """Return ``LayerNormalization`` for what is centred, divided by its standard deviation."""
    if not graph.has_operator("LayerNormalization"):
        return None
    centred, deviation = inputs_of(call)
    variance = _operand_used_once(deviation, graph, "Sqrt")
    found = None if variance is None else _split_epsilon(variance, graph)
    if found is None:
        return None
    squares, epsilon = found
    mean = _mean_of(squares, graph)
    square = None if mean is None else _squared(mean[0], graph)
    whole = _centred(centred, graph)
    if mean is None or square is None or whole is None or _centred(square, graph) != whole:
        return None
    source, axes = whole
    shape, dtype = graph.shape_of(source), graph.dtype_of(source)
    if shape is None or mean[1] != axes or dtype not in _FLOATS:
        return None
    first = len(shape) - len(axes)
    sizes = shape[first:]
    if list(axes) != list(range(first, len(shape))) or any(type(size) is not int for size in sizes):
        return None
    scale = graph.emit_constant("scale", np.ones(sizes, dtype))
    attrs = {"axis": -len(axes), "epsilon": epsilon}
    return graph.call("LayerNormalization", (source, scale), attrs, like=call)


@rule("Mul")
def scale_normalized(call: Call, graph: Rewriter) -> Call | None:
    """Return ``LayerNormalization`` with the scale that is multiplied by."""
    return _take_constant(call, 1, graph)


@rule("Add")
def shift_normalized(call: Call, graph: Rewriter) -> Call | None:
    """Return ``LayerNormalization`` with the bias that is added."""
    return _take_constant(call, 2, graph)


def _take_constant(call: Call, place: int, graph: Rewriter) -> Call | None:
    """Return a normalization with a constant as its scale or bias, where it has none yet."""
    for value, other in (inputs_of(call), inputs_of(call)[::-1]):
        found = graph.producer(value, "LayerNormalization")
        if found is None or not graph.is_used_once(value) or count_outputs(found.attrs) != 1:
            continue
        inputs = inputs_of(found)
        old = graph.constant(inputs[1])
        if is_given(inputs, 2) or (place == 1 and (old is None or not (old == 1).all())):
            continue
        sizes = _normalized_sizes(found, graph)
        array = None if sizes is None else _broadcast(other, sizes, graph)
        if array is None:
            continue
        given = graph.emit_constant(("", "scale", "bias")[place], array)
        return graph.call(
            "LayerNormalization", (*inputs[:place], given), attributes_of(found), like=call
        )
    return None


def _normalized_sizes(call: Call, graph: Rewriter) -> tuple[int, ...] | None:
    shape = graph.shape_of(inputs_of(call)[0])
    if shape is None:
        return None
    sizes = shape[graph.attribute(call, "axis", -1) :]
    return sizes if all(type(size) is int for size in sizes) else None


def _broadcast(
    expr: Expr, sizes: tuple[int, ...], graph: Rewriter
) -> npt.NDArray[Any] | None:  # Any: of whatever element type
    """Return a constant in a shape, if it is the same along all axes before that."""
    array = graph.constant(expr)
    if array is None:
        return None
    spare = array.ndim - len(sizes)
    if spare > 0:
        return None
    if any(
        size not in (1, full) for size, full in zip(array.shape[::-1], sizes[::-1], strict=False)
    ):
        return None
    return np.ascontiguousarray(np.broadcast_to(array, sizes))


def _operand_used_once(expr: Expr, graph: Rewriter, operator: str) -> Expr | None:
    found = graph.producer(expr, operator)
    return inputs_of(found)[0] if found is not None and graph.is_used_once(expr) else None


def _split_epsilon(expr: Expr, graph: Rewriter) -> tuple[Expr, float] | None:
    """Return the variance, and what is added to it."""
    add = graph.producer(expr, "Add")
    if add is None or not graph.is_used_once(expr):
        return None
    for value, number in (inputs_of(add), inputs_of(add)[::-1]):
        array = graph.constant(number)
        if array is not None and array.size == 1 and array.ndim <= 1:
            return value, float(array.reshape(()).item())
    return None


def _mean_of(expr: Expr, graph: Rewriter) -> tuple[Expr, tuple[int, ...]] | None:
    """Return what ``expr`` is the mean of, and over which axes, that are kept."""
    found = graph.producer(expr, "ReduceMean")
    if found is None or not graph.attribute(found, "keepdims", 1):
        return None
    source = inputs_of(found)[0]
    axes = normalize_axes(integers(found, "axes", 1, graph) or [], graph.rank_of(source))
    return (source, tuple(sorted(axes))) if axes else None


def _squared(expr: Expr, graph: Rewriter) -> Expr | None:
    """Return what ``expr`` is the square of."""
    found = graph.producer(expr, "Pow", "Mul")
    if found is None:
        return None
    value, other = inputs_of(found)
    if graph.operator(found) == "Mul":
        return value if other is value else None
    power = graph.constant(other)
    is_square = power is not None and power.size == 1 and power.ndim <= 1 and (power == 2).all()
    return value if is_square else None


def _centred(expr: Expr, graph: Rewriter) -> tuple[Expr, tuple[int, ...]] | None:
    """Return what the mean over which axes is subtracted from."""
    found = graph.producer(expr, "Sub")
    mean = None if found is None else _mean_of(inputs_of(found)[1], graph)
    if found is None or mean is None or mean[0] is not inputs_of(found)[0]:
        return None
    return mean


RULES: Final[tuple[Rule, ...]] = (
    form_layer_normalization,
    scale_normalized,
    shift_normalized,
)
