"""Operators that read and write elements at places."""

from __future__ import annotations

import functools
import math
from typing import Final

import numpy as np

from relayish.ir.relay.expr import Constant, Expr
from relayish.op.builders.builder import op
from relayish.op.tensor.slicing import slice_tensor
from relayish.passes.onnx.raising.rule import RelayCall, Unraised, ints, number, raises

_REDUCTIONS: Final = {
    "update": (None, 11), "add": ("add", 16), "mul": ("mul", 16), "min": ("min", 18),
    "max": ("max", 18),
}  # fmt: skip
"""By Relay's ways to scatter: ONNX's, and the version of the operator set that has it."""


@raises("take")
def take(call: RelayCall) -> Expr:
    """Slices at indices, which ONNX does not bring inside."""
    data, places, batch = call.args[0], call.places(1), int(call.attrs.batch_dims)
    if batch:
        return _taken_in_batches(call, batch % call.rank(1))
    if call.attrs.axis is None:
        data = call.node("Reshape", data, ints([-1]))
        return call.node("Gather", data, _inside(call, places, None), axis=0)
    return call.node("Gather", data, _inside(call, places, call.axis()), axis=call.axis())


def _taken_in_batches(call: RelayCall, batch: int) -> Expr:
    """Return slices along the first axis behind those of a batch, at indices for each of it."""
    if call.attrs.axis is None or call.axis() != batch:
        raise Unraised("it takes along another axis than the first behind those of a batch")
    inside = _inside(call, call.places(1), batch)
    places = call.unit_axes("Unsqueeze", inside, [call.rank(1)])
    return call.node("GatherND", call.args[0], places, batch_dims=batch)


def _inside(call: RelayCall, places: Expr, axis: int | None) -> Expr:
    """Return places on an axis, or among all elements, as the mode of a ``take`` has them."""
    shape = call.type(0).shape if axis is None else (call.type(0).shape[axis],)
    sizes = [size for size in shape if isinstance(size, int)]
    if call.attrs.mode == "fast":
        return places
    if len(sizes) < len(shape):
        return _brought(call, places, measured(call, axis))
    whole = math.prod(sizes)
    if not whole:
        raise Unraised("it takes from an axis without elements")
    if not isinstance(places, Constant):
        return _brought(call, places, number(whole, "int64"))
    known = np.asarray(places.data).astype("int64")
    inside = known % whole if call.attrs.mode == "wrap" else known.clip(0, whole - 1)
    return places if bool((inside == known).all()) else Constant(inside)


def measured(call: RelayCall, axis: int | None) -> Expr:
    """Return how many elements there are along an axis, or in all."""
    if axis is None:
        return call.node("Size", call.args[0])
    return call.node("Gather", call.node("Shape", call.args[0]), number(axis, "int64"), axis=0)


def _brought(call: RelayCall, places: Expr, size: Expr) -> Expr:
    """Return places from 0 to ``size``, as the mode of a ``take`` brings them there."""
    if call.attrs.mode == "wrap":
        return call.node("Mod", places, size)
    zero = number(0, "int64")
    if isinstance(size, Constant):
        last: Expr = number(np.asarray(size.data) - 1, "int64")
    else:
        last = call.node("Sub", size, number(1, "int64"))
    found = call.node("Where", call.node("Greater", places, last), last, places)
    return call.node("Where", call.node("Less", places, zero), zero, found)


@raises("gather")
def gather(call: RelayCall) -> Expr:
    """Elements at indices along an axis."""
    axis = int(call.attrs.axis or 0) % max(call.rank(), 1)
    return call.node("GatherElements", call.args[0], call.places(1), axis=axis)


@raises("gather_nd")
def gather_nd(call: RelayCall) -> Expr:
    """Slices at places, whose coordinates ONNX has in the last axis."""
    batch = int(call.attrs.batch_dims) or None
    return call.node("GatherND", call.args[0], _turned(call, 1), batch_dims=batch)


def _turned(call: RelayCall, place: int) -> Expr:
    """Return places, whose coordinates stand in the first axis, with these in the last."""
    rank = call.rank(place)
    return call.node("Transpose", call.places(place), perm=(*range(1, rank), 0))


@raises("adv_index")
def adv_index(call: RelayCall) -> Expr:
    """Elements at several indices, which broadcast."""
    data, *indices = call.parts()
    sizes = list(call.sizes())
    first = call.field_type(0)
    shape = sizes[: len(sizes) - (len(first.shape) - len(indices))]
    wide = []
    for place, each in enumerate(indices, 1):
        whole = call.cast_from(each, call.field_type(place).dtype, "int64")
        wide.append(call.reshape(call.node("Expand", whole, ints(shape)), [*shape, 1]))
    return call.node("GatherND", data, call.node("Concat", *wide, axis=len(shape)))


def _reduction(call: RelayCall, way: str) -> str | None:
    if way not in _REDUCTIONS:
        raise Unraised(f"ONNX has no scattering by {way}")
    found, since = _REDUCTIONS[way]
    if call.opset < since:
        raise Unraised(f"ONNX scatters by {way} from version {since} of its operator set on")
    if found is not None and call.type().dtype == "bool":
        raise Unraised("ONNX has no sum or order of truth values")
    return found


@raises("scatter_elements")
def scatter_elements(call: RelayCall) -> Expr:
    """Elements written at indices along an axis."""
    reduction, updates = _reduction(call, call.attrs.reduction), call.args[2]
    sizes, rank = call.sizes(1), call.rank()
    if sizes != call.sizes(2):
        axes = range(rank)
        updates = call.node("Slice", updates, ints([0] * rank), ints(sizes), ints(axes))
    return call.node(
        "ScatterElements",
        call.args[0],
        call.places(1),
        updates,
        axis=call.axis(),
        reduction=reduction,
    )


@raises("scatter_nd")
def scatter_nd(call: RelayCall) -> Expr:
    """Slices written at places."""
    reduction = _reduction(call, call.attrs.mode)
    return call.node("ScatterND", call.args[0], _turned(call, 1), call.args[2], reduction=reduction)


@raises("one_hot", "dyn.one_hot")
def one_hot(call: RelayCall) -> Expr:
    """One value at indices and another elsewhere; ONNX counts negative ones from the end."""
    dtype, is_told = call.type().dtype, call.name == "one_hot"
    depth = number(int(call.attrs.depth), "int64") if is_told else call.reshape(call.places(3), [])
    places = call.cast_from(call.args[0], call.type(0).dtype, "int64")
    is_negative = call.node("Less", places, number(0, "int64"))
    inside = call.node("Where", is_negative, depth, places)
    on, off = [call.cast_from(call.args[n], call.type(n).dtype, dtype) for n in (1, 2)]
    values = call.node("Concat", *[call.reshape(each, [1]) for each in (off, on)], axis=0)
    axis = int(call.attrs.axis) % len(call.type().shape)
    return call.node("OneHot", inside, depth, values, axis=axis)


@raises("unravel_index")
def unravel_index(call: RelayCall) -> Expr:
    """Places among all elements as places along each axis, the last ones first."""
    dtype, wide = call.type().dtype, "uint64" if call.type().dtype == "uint64" else "int64"
    rest, sizes = op.cast(call.args[0], wide), op.cast(call.args[1], wide)
    found = list[Expr]()
    for axis in reversed(range(call.size(0, 1))):
        size = op.take(sizes, number(axis, "int64"), axis=0)
        found.insert(0, op.floor_mod(rest, size))
        rest = op.floor_divide(rest, size)
    return call.write(op.cast(op.stack(found, axis=0), dtype))


@raises("argwhere")
def argwhere(call: RelayCall) -> Expr:
    """Where elements hold, one row each."""
    places = call.node("Transpose", call.node("NonZero", call.args[0]), perm=(1, 0))
    return call.cast(places, call.type().dtype)


@raises("matrix_set_diag")
def matrix_set_diag(call: RelayCall) -> Expr:
    """Matrices with other diagonals: each element is taken of these, or stays."""
    attrs, sizes = call.attrs, call.sizes()
    rows, columns = sizes[-2:]
    longest = call.sizes(1)[-1]
    places = np.full((rows, columns), -1)
    for diagonal, k in enumerate(range(attrs.k2, attrs.k1 - 1, -1)):
        length = min(rows + min(k, 0), columns - max(k, 0))
        right = attrs.super_diag_right_align if k >= 0 else attrs.sub_diag_right_align
        start = longest - length if attrs.k1 != attrs.k2 and right else 0
        along = np.arange(length)
        places[along + max(-k, 0), along + max(k, 0)] = diagonal * longest + start + along
    flat = call.reshape(call.args[1], [*sizes[:-2], (attrs.k2 - attrs.k1 + 1) * longest])
    taken = call.node("Gather", flat, Constant(np.maximum(places, 0)), axis=len(sizes) - 2)
    return call.node("Where", Constant(places >= 0), taken, call.args[0])


@raises("strided_set")
def strided_set(call: RelayCall) -> Expr:
    """A part of each axis written over, at places that are known: elements are taken of either."""
    begin, end, strides = [call.known(place).tolist() for place in (2, 3, 4)]
    sizes = call.sizes()
    steps = strides * len(sizes) if len(strides) == 1 else strides
    found, is_set = call.args[1], list[Expr]()
    for axis, size in enumerate(sizes):
        bounds = [each[axis : axis + 1] for each in (begin, end, steps)]
        places = slice_tensor(np.arange(size), *bounds)
        if not len(places):
            return call.node("Identity", call.args[0])
        if np.array_equal(places, np.arange(size)):
            continue
        behind, inside = np.full(size, -1), [1] * (len(sizes) - axis)
        behind[places], inside[0] = np.arange(len(places)), size
        found = call.node("Gather", found, Constant(np.maximum(behind, 0)), axis=axis)
        is_set.append(Constant((behind >= 0).reshape(inside)))
    if not is_set:
        return call.node("Identity", found)
    everywhere = functools.reduce(lambda one, other: call.node("And", one, other), is_set)
    return call.node("Where", everywhere, found, call.args[0])
