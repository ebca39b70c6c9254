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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import attributes_of, count_outputs, inputs_of
from relayish.pass_infra import register_pass
from relayish.passes.onnx.fuse.affine import is_given
from relayish.passes.onnx.fuse.constants import integers, normalize_axes, number_of
from relayish.passes.onnx.rewrite.engine import OnnxRules, Rewriter, rewrite_function, rule

_FLOATS: Final = frozenset({"float16", "float32"})
"""Elements that are normalised no narrower than they are: the operators compute in float32."""


@register_pass("FuseLayerNormalization", opt_level=3, idempotent=True)
def fuse_layer_normalization(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Layer normalization fusion: normalize the last axes by one operator.

    What is centred and divided by its standard deviation becomes ``LayerNormalization``, from
    version 17 on, which takes a constant scale and bias behind it too; what is divided by the root
    of the mean of its squares ``RMSNormalization``, from version 23 on, which takes a scale. The
    last axes have known sizes. Results may be rounded differently.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes and the elements of scales and biases.
    """
    return rewrite_function(func, RULES, mod)


@rule("Div", "Mul")
def form_layer_normalization(call: Call, graph: Rewriter) -> Call | None:
    """Return the operator for what is divided by its standard deviation, or root mean square."""
    found = _find_normalization(call, graph)
    if found is None or not graph.has_operator(found.operator):
        return None
    shape, dtype = graph.shape_of(found.source), graph.dtype_of(found.source)
    if shape is None or dtype not in _FLOATS:
        return None
    first = len(shape) - len(found.axes)
    sizes = shape[first:]
    if list(found.axes) != list(range(first, len(shape))):
        return None
    if any(type(size) is not int for size in sizes):
        return None
    scale = graph.emit_constant("scale", np.ones(sizes, dtype))
    attrs = {"axis": -len(found.axes), "epsilon": found.epsilon}
    return graph.call(found.operator, (found.source, scale), attrs, like=call)


def ends_normalization(call: Call, graph: Rewriter) -> bool:
    """Return whether a call scales or shifts what other operators have normalised.

    Runtimes that know normalisations know them with their scale alone, so it must not go elsewhere.
    """
    scaled = [graph.producer(each, "Mul", "Div") for each in inputs_of(call)]
    normalized = [
        graph.producer(each, "Mul", "Div")
        for found in scaled
        if found is not None and graph.operator(call) == "Add"
        for each in inputs_of(found)
    ]
    return any(
        found is not None and _find_normalization(found, graph) is not None
        for found in (*scaled, *normalized)
    )


@rule("Mul")
def scale_normalized(call: Call, graph: Rewriter) -> Call | None:
    """Return a normalization with the scale that is multiplied by."""
    return _take_constant(call, 1, graph, "LayerNormalization", "RMSNormalization")


@rule("Add")
def shift_normalized(call: Call, graph: Rewriter) -> Call | None:
    """Return ``LayerNormalization`` with the bias that is added."""
    return _take_constant(call, 2, graph, "LayerNormalization")


def _take_constant(call: Call, place: int, graph: Rewriter, *operators: str) -> Call | None:
    """Return a normalization with a constant as its scale or bias, where it has none yet."""
    for value, other in (inputs_of(call), inputs_of(call)[::-1]):
        found = graph.producer(value, *operators)
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
        operator = graph.operator(found)
        assert operator is not None
        return graph.call(operator, (*inputs[:place], given), attributes_of(found), like=call)
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


@dataclass(frozen=True)
class _Normalization:
    """Which operator computes what several others do."""

    operator: str
    source: Expr
    axes: tuple[int, ...]
    epsilon: float


def _find_normalization(call: Call, graph: Rewriter) -> _Normalization | None:
    """Return what a quotient, or a product with a reciprocal, is the normalisation of."""
    for value, deviation in _quotients(call, graph):
        variance = _operand_used_once(deviation, graph, "Sqrt")
        found = None if variance is None else _split_epsilon(variance, graph)
        mean = None if found is None else _mean_of(found[0], graph)
        square = None if mean is None else _squared(mean[0], graph)
        if found is None or mean is None or square is None:
            continue
        whole = _centred(value, graph)
        if whole is not None and whole[1] == mean[1] and _centred(square, graph) == whole:
            return _Normalization("LayerNormalization", *whole, found[1])
        if square is value:
            return _Normalization("RMSNormalization", value, mean[1], found[1])
    return None


def _quotients(call: Call, graph: Rewriter) -> Iterator[tuple[Expr, Expr]]:
    """Yield what is divided, and by what."""
    first, second = inputs_of(call)
    if graph.operator(call) == "Div":
        yield first, second
        return
    for value, other in ((first, second), (second, first)):
        reciprocal = graph.producer(other, "Reciprocal", "Div")
        if reciprocal is None or not graph.is_used_once(other):
            continue
        *one, divisor = inputs_of(reciprocal)
        if not one or number_of(one[0], graph) == 1:
            yield value, divisor


def _operand_used_once(expr: Expr, graph: Rewriter, operator: str) -> Expr | None:
    found = graph.producer(expr, operator)
    return inputs_of(found)[0] if found is not None and graph.is_used_once(expr) else None


def _split_epsilon(expr: Expr, graph: Rewriter) -> tuple[Expr, float] | None:
    """Return the variance, and what is added to it."""
    add = graph.producer(expr, "Add")
    if add is None or not graph.is_used_once(expr):
        return None
    for value, number in (inputs_of(add), inputs_of(add)[::-1]):
        epsilon = number_of(number, graph)
        if epsilon is not None:
            return value, epsilon
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
    return value if number_of(other, graph) == 2 else None


def _centred(expr: Expr, graph: Rewriter) -> tuple[Expr, tuple[int, ...]] | None:
    """Return what the mean over which axes is subtracted from."""
    found = graph.producer(expr, "Sub")
    mean = None if found is None else _mean_of(inputs_of(found)[1], graph)
    if found is None or mean is None or mean[0] is not inputs_of(found)[0]:
        return None
    return mean


RULES: Final = OnnxRules(
    (
        form_layer_normalization,
        scale_normalized,
        shift_normalized,
    )
)
