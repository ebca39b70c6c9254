"""Operators through which a transposition moves: the same call, of what was not transposed yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from relayish.ir.relay.expr import Call, Expr
from relayish.onnx.calls import attributes_of, inputs_of, is_absent
from relayish.passes.onnx.fuse.affine import is_given
from relayish.passes.onnx.fuse.constants import integers, normalize_axes
from relayish.passes.onnx.rewrite.engine import Rewriter

Permutation = tuple[int, ...]

_SHARED_LIMIT: Final = 4096
"""How many elements a constant may have that is transposed for one of several uses."""


class Moved(NamedTuple):
    """A call of what its operands are transposed from.

    Attributes:
        perm: How its result is transposed to that of the call.
        inputs: Its inputs: those of the call, or constants in their place.
        places: Which inputs are replaced by what they are transposed from.
        attributes: Its attributes.
    """

    perm: Permutation
    inputs: tuple[Expr | npt.NDArray[Any], ...]  # Any: of whatever element type
    places: frozenset[int]
    attributes: Mapping[str, object]


class Operands(NamedTuple):
    """A call whose operand is transposed, and what else is known to be.

    Attributes:
        call: The call.
        value: The operand that is transposed.
        perm: How it is.
        is_alike: Whether another operand is transposed in the same way.
        graph: The function around.
    """

    call: Call
    value: Expr
    perm: Permutation
    is_alike: Callable[[Expr], bool]
    graph: Rewriter


def move_transpose(given: Operands) -> Moved | None:
    """Return a call of what was not transposed yet; ``None`` if its operator does not allow that.

    Complexity:
        Linear in the operands and in the elements of those that are constant.
    """
    move = _MOVES.get(given.graph.operator(given.call) or "")
    return None if move is None else move(given)


def _is_first_only(given: Operands) -> bool:
    inputs = inputs_of(given.call)
    return inputs[0] is given.value and all(each is not given.value for each in inputs[1:])


def _first(
    given: Operands,
    perm: Permutation,
    attributes: Mapping[str, object] | None = None,
    others: Mapping[int, npt.NDArray[Any]] | None = None,  # Any: of whatever element type
) -> Moved:
    """Return the call with another first operand, and other constants at some places."""
    inputs: list[Expr | npt.NDArray[Any]] = list(inputs_of(given.call))  # Any: as above
    for place, array in (others or {}).items():
        inputs[place] = array
    attrs = attributes_of(given.call) if attributes is None else attributes
    return Moved(perm, tuple(inputs), frozenset([0]), attrs)


def _through_unary(given: Operands) -> Moved | None:
    return _first(given, given.perm) if _is_first_only(given) else None


def _through_elementwise(given: Operands) -> Moved | None:
    """Move through an operator of operands that are transposed alike, constants or numbers."""
    call, graph, perm = given.call, given.graph, given.perm
    if graph.version(call) < 7:
        return None  # operands have equal shapes, or an attribute says which axes they share
    inputs: list[Expr | npt.NDArray[Any]] = []  # Any: of whatever element type
    places: set[int] = set()
    for place, each in enumerate(inputs_of(call)):
        if each is given.value or given.is_alike(each):
            inputs.append(each)
            places.add(place)
            continue
        other = each if _is_number(each, len(perm), graph) else _transposed(each, perm, graph)
        if other is None:
            return None
        inputs.append(other)
    return Moved(perm, tuple(inputs), frozenset(places), attributes_of(call))


def _is_number(expr: Expr, rank: int, graph: Rewriter) -> bool:
    """Return whether an operand has one element, whatever the order of axes."""
    array = graph.constant(expr)
    shape = graph.shape_of(expr) if array is None else array.shape
    return shape is not None and len(shape) <= rank and all(size == 1 for size in shape)


def _transposed(
    expr: Expr, perm: Permutation, graph: Rewriter, *, is_whole: bool = False
) -> npt.NDArray[Any] | None:  # Any: of whatever element type
    """Return what a constant, which broadcasts unless ``is_whole``, is transposed from."""
    array = graph.constant(expr)
    rank = len(perm)
    if array is None or array.ndim > rank or (is_whole and array.ndim != rank):
        return None
    if array.size > _SHARED_LIMIT and not graph.is_used_once(expr):
        return None  # it would be there twice
    array = array.reshape((1,) * (rank - array.ndim) + array.shape)
    return np.ascontiguousarray(array.transpose(np.argsort(perm)))


def _through_concat(given: Operands) -> Moved | None:
    call, perm = given.call, given.perm
    inputs: list[Expr | npt.NDArray[Any]] = []  # Any: of whatever element type
    places: set[int] = set()
    for place, each in enumerate(inputs_of(call)):
        if each is given.value or given.is_alike(each):
            inputs.append(each)
            places.add(place)
            continue
        other = _transposed(each, perm, given.graph, is_whole=True)
        if other is None:
            return None
        inputs.append(other)
    axis = given.graph.attribute(call, "axis", 1)
    attrs = attributes_of(call) | {"axis": perm[axis]}
    return Moved(perm, tuple(inputs), frozenset(places), attrs)


def _through_axis(given: Operands) -> Moved | None:
    """Move through ``Softmax`` and its like, which work along one axis."""
    call, graph, perm = given.call, given.graph, given.perm
    name, last = graph.operator(call), len(perm) - 1
    if graph.version(call) < 13 and name != "LpNormalization":
        axis = graph.attribute(call, "axis", 1)  # of this axis and all behind it
        is_last = axis in (last, -1) and perm[last] == last
        return _first(given, perm) if is_last else None
    axis = graph.attribute(call, "axis", -1)
    return _first(given, perm, attributes_of(call) | {"axis": perm[axis]})


def _through_layer_normalization(given: Operands) -> Moved | None:
    """Move through a normalization of the last axes, which have to stay as they are."""
    axis = given.graph.attribute(given.call, "axis", -1)
    first, rank = (axis + len(given.perm) if axis < 0 else axis), len(given.perm)
    if not _is_first_only(given) or given.perm[first:] != tuple(range(first, rank)):
        return None
    others = [each for each in inputs_of(given.call)[1:] if not is_absent(each)]
    ranks = [given.graph.rank_of(each) for each in others]
    if any(each is None or each > rank - first for each in ranks):
        return None
    return _first(given, given.perm, attributes_of(given.call) | {"axis": first})


def _through_reduction(given: Operands) -> Moved | None:
    call, graph, perm = given.call, given.graph, given.perm
    if not _is_first_only(given):
        return None
    keeps = bool(graph.attribute(call, "keepdims", 1))
    if graph.operator(call) in ("ArgMax", "ArgMin"):
        axis = perm[graph.attribute(call, "axis", 0)]
        attrs = attributes_of(call) | {"axis": axis}
        return _first(given, perm if keeps else _without(perm, [axis]), attrs)
    if graph.attribute(call, "axes") is None and not is_given(inputs_of(call), 1):
        if graph.attribute(call, "noop_with_empty_axes", 0):
            return None
        return _first(given, tuple(range(len(perm))) if keeps else ())
    moved = _moved_axes(given)
    if moved is None or not moved[0]:
        return None
    axes, attributes, others = moved
    return _first(given, perm if keeps else _without(perm, axes), attributes, others)


def _moved_axes(
    given: Operands,
) -> tuple[list[int], dict[str, object], dict[int, npt.NDArray[Any]]] | None:
    """Return the axes of a call before the transposition, and where the call gets them.

    Any: elements of whatever type.
    """
    axes = normalize_axes(integers(given.call, "axes", 1, given.graph) or [], len(given.perm))
    if not axes:
        return None
    moved = [given.perm[axis] for axis in axes]
    attrs = attributes_of(given.call)
    if "axes" in attrs:
        return moved, attrs | {"axes": tuple(moved)}, {}
    return moved, attrs, {1: np.asarray(moved, np.int64)}


def _without(perm: Permutation, axes: list[int]) -> Permutation:
    """Return a permutation without some axes of what is transposed."""
    kept = [axis for axis in perm if axis not in axes]
    places = {axis: place for place, axis in enumerate(sorted(kept))}
    return tuple([places[axis] for axis in kept])


def _through_squeeze(given: Operands) -> Moved | None:
    moved = _moved_axes(given) if _is_first_only(given) else None
    if moved is None:
        return None
    return _first(given, _without(given.perm, moved[0]), *moved[1:])


def _through_unsqueeze(given: Operands) -> Moved | None:
    axes = integers(given.call, "axes", 1, given.graph)
    if not axes or not _is_first_only(given):
        return None
    rank = len(given.perm) + len(axes)
    added = {axis % rank for axis in axes}
    others = [axis for axis in range(rank) if axis not in added]
    perm = list(range(rank))
    for place, axis in zip(others, given.perm, strict=True):
        perm[place] = others[axis]
    return _first(given, tuple(perm))


def _through_pad(given: Operands) -> Moved | None:
    call, graph, perm = given.call, given.graph, given.perm
    pads = integers(call, "pads", 1, graph)
    if pads is None or not _is_first_only(given):
        return None
    if is_given(inputs_of(call), 3):
        axes = normalize_axes(integers(call, "axes", 3, graph) or [], len(perm))
        if not axes:
            return None
        return _first(given, perm, others={3: np.asarray([perm[axis] for axis in axes], np.int64)})
    order = np.argsort(perm)
    moved = np.asarray(pads, np.int64).reshape(2, len(perm))[:, order].reshape(-1)
    if "pads" in attributes_of(call):
        return _first(given, perm, attributes_of(call) | {"pads": tuple(moved.tolist())})
    return _first(given, perm, others={1: moved})


def _through_product(given: Operands) -> Moved | None:
    """Move through a product with a matrix, which concerns the last axis alone."""
    last = len(given.perm) - 1
    lhs, rhs = inputs_of(given.call)
    if lhs is not given.value or rhs is lhs or given.perm[last] != last:
        return None
    return _first(given, given.perm) if given.graph.rank_of(rhs) == 2 else None


def _into_gemm(given: Operands) -> Moved | None:
    """Let a product of matrices do the transposition."""
    call = given.call
    if given.perm != (1, 0) or given.graph.version(call) < 7:
        return None
    inputs, attrs = inputs_of(call), attributes_of(call)
    if any(each is given.value for each in inputs[2:]):
        return None
    places = frozenset(place for place in (0, 1) if inputs[place] is given.value)
    for place in places:
        name = ("transA", "transB")[place]
        attrs[name] = 0 if attrs.get(name, 0) else 1
    return Moved((0, 1), inputs, places, attrs)


def _through_scaling(given: Operands) -> Moved | None:
    """Move through (de)quantization of all axes by the same scale."""
    others = [each for each in inputs_of(given.call)[1:] if not is_absent(each)]
    if not _is_first_only(given) or any(given.graph.rank_of(each) != 0 for each in others):
        return None
    return _first(given, given.perm)


_Move = Callable[[Operands], Moved | None]

UNARY: Final = (
    "Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot", "Cast", "Ceil",
    "Celu", "Clip", "Cos", "Cosh", "Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid",
    "HardSwish", "Identity", "IsInf", "IsNaN", "LeakyRelu", "Log", "Mish", "Neg", "Not",
    "Reciprocal", "Relu", "Round", "Selu", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh",
    "Softplus", "Softsign", "Sqrt", "Swish", "Tan", "Tanh", "ThresholdedRelu",
)  # fmt: skip
"""Operators of each element of the first operand; others are numbers."""

ELEMENTWISE: Final = (
    "Add", "And", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "Equal",
    "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Mean", "Min", "Mod", "Mul",
    "Or", "PRelu", "Pow", "Sub", "Sum", "Where", "Xor",
)  # fmt: skip
"""Operators of elements of all operands, which broadcast."""

REDUCTIONS: Final = (
    "ArgMax", "ArgMin", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
    "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare",
)  # fmt: skip

_MOVES: Final[Mapping[str, _Move]] = {
    **dict.fromkeys(UNARY, _through_unary),
    **dict.fromkeys(ELEMENTWISE, _through_elementwise),
    **dict.fromkeys(REDUCTIONS, _through_reduction),
    **dict.fromkeys(("Softmax", "LogSoftmax", "Hardmax", "LpNormalization"), _through_axis),
    **dict.fromkeys(("QuantizeLinear", "DequantizeLinear"), _through_scaling),
    "Concat": _through_concat,
    "Gemm": _into_gemm,
    "LayerNormalization": _through_layer_normalization,
    "MatMul": _through_product,
    "Pad": _through_pad,
    "Squeeze": _through_squeeze,
    "Unsqueeze": _through_unsqueeze,
}
