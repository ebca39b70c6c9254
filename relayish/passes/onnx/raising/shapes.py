"""Operators that move elements, repeat them, and tell shapes."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from relayish.ir.relay.expr import Constant, Expr, Tuple
from relayish.op.types.layout import places_of, read_layout
from relayish.passes.onnx.raising.rule import RelayCall, Unraised, ints, number, raises

_TO_THE_BEGIN: Final = -(1 << 63) + 1
_HAS_STEPS: Final = 10


@raises("shape_of")
def shape_of(call: RelayCall) -> Expr:
    """The sizes of a tensor."""
    found = call.node("Shape", call.args[0])
    return call.cast_from(found, "int64", call.type().dtype)


@raises("ndarray_size")
def ndarray_size(call: RelayCall) -> Expr:
    """How many elements there are."""
    found = call.node("Size", call.args[0])
    return call.cast_from(found, "int64", call.type().dtype)


@raises("arange")
def arange(call: RelayCall) -> Expr:
    """Numbers from one to another."""
    if not all(isinstance(each, Constant) for each in call.args):
        return call.node("Range", *call.args)
    start, _, step = [call.known(place).item() for place in range(3)]
    (count,) = call.sizes()
    return number(start + step * np.arange(count), call.type().dtype)


@raises("reverse")
def reverse(call: RelayCall) -> Expr:
    """Elements of an axis, or of all, backwards."""
    if call.opset < _HAS_STEPS:
        raise Unraised("that version has no slices with steps")
    axes = range(call.rank()) if call.attrs.axis is None else [call.axis()]
    if not axes:
        return call.node("Identity", call.args[0])
    sides = [ints([each] * len(axes)) for each in (-1, _TO_THE_BEGIN, -1)]
    return call.node("Slice", call.args[0], sides[0], sides[1], ints(axes), sides[2])


@raises("repeat")
def repeat(call: RelayCall) -> Expr:
    """Each element several times."""
    data = call.args[0]
    if call.attrs.axis is None:
        data, axis = call.node("Reshape", data, ints([-1])), 0
        size = math.prod(call.sizes(0))
    else:
        axis, size = call.axis(), call.size(call.axis())
    places = np.repeat(np.arange(size), int(call.attrs.repeats))
    return call.node("Gather", data, Constant(places), axis=axis)


@raises("nn.mirror_pad")
def mirror_pad(call: RelayCall) -> Expr:
    """Elements of a tensor once more around it, backwards."""
    mode = call.attrs.mode.lower()
    pairs = [(int(before), int(after)) for before, after in call.attrs.pad_width]
    if mode == "reflect":
        widths = ints([pair[0] for pair in pairs] + [pair[1] for pair in pairs])
        return call.node("Pad", call.args[0], widths, mode=mode)
    found = call.args[0]
    for axis, (size, pair) in enumerate(zip(call.sizes(0), pairs, strict=True)):
        if any(pair):
            places = np.pad(np.arange(size), pair, "symmetric")
            found = call.node("Gather", found, Constant(places), axis=axis)
    return call.node("Identity", found) if found is call.args[0] else found


@raises("meshgrid")
def meshgrid(call: RelayCall) -> Expr:
    """Vectors, each along an axis of its own and the same along the others."""
    parts, fields = call.parts(), []
    shape = call.result_sizes()
    order = list(range(len(parts)))
    if call.attrs.indexing == "xy":
        order[:2] = order[1::-1]
    for axis, part in zip(order, parts, strict=True):
        alone = [1] * len(shape)
        alone[axis] = shape[axis]
        fields.append(call.node("Expand", call.reshape(part, alone), ints(shape)))
    return Tuple(fields)


@raises("trilu")
def trilu(call: RelayCall) -> Expr:
    """The upper or the lower triangle."""
    k = call.cast_from(call.args[1], call.type(1).dtype, "int64")
    return call.node("Trilu", call.args[0], k, upper=int(call.attrs.upper))


@raises("sequence_mask")
def sequence_mask(call: RelayCall) -> Expr:
    """Sequences with another value behind their ends."""
    axis, sizes, dtype = call.axis(), call.sizes(), call.type(1).dtype
    shape = [1] * len(sizes)
    places = np.arange(sizes[axis]).reshape([-1 if n == axis else 1 for n in range(len(sizes))])
    shape[1 - axis] = sizes[1 - axis]
    if "int" not in dtype:
        raise Unraised("its lengths are no integers")
    lengths = call.reshape(call.cast_from(call.args[1], dtype, "int64"), shape)
    is_inside = call.node("Less", Constant(places), lengths)
    fill = number(call.attrs.mask_value, call.type().dtype)
    return call.node("Where", is_inside, call.args[0], fill)


@raises("reverse_sequence")
def reverse_sequence(call: RelayCall) -> Expr:
    """The begins of sequences backwards; a length of none is one, and none is beyond the end."""
    axis, rank = int(call.attrs.seq_axis) % call.rank(), call.rank()
    size = call.size(axis)
    batch = int(call.attrs.batch_axis) % rank
    if {axis, batch} != {0, 1} or not size:
        raise Unraised("ONNX has sequences of some elements, in the first two axes alone")
    lengths, one, most = call.places(1), number(1, "int64"), number(size, "int64")
    lengths = call.node("Where", call.node("Less", lengths, one), one, lengths)
    lengths = call.node("Where", call.node("Greater", lengths, most), most, lengths)
    return call.node("ReverseSequence", call.args[0], lengths, time_axis=axis, batch_axis=batch)


@raises("slice_like")
def slice_like(call: RelayCall) -> Expr:
    """The first elements of each axis, as many as another tensor has."""
    sizes = call.sizes()
    axes = range(len(sizes))
    if not axes:
        return call.node("Identity", call.args[0])
    return call.node("Slice", call.args[0], ints([0] * len(sizes)), ints(sizes), ints(axes))


@raises("sliding_window")
def sliding_window(call: RelayCall) -> Expr:
    """All windows: where they stand along each axis, then what they show along each."""
    attrs, axis, found = call.attrs, call.axis(), call.args[0]
    behind = axis + 2 * len(attrs.window_shape)
    for place, (window, step) in enumerate(zip(attrs.window_shape, attrs.strides, strict=True)):
        first = np.arange(0, call.size(axis + place) - window + 1, step)
        places = first[:, None] + np.arange(window)
        found = call.node("Gather", found, Constant(places), axis=axis + 2 * place)
    perm = (*range(axis), *range(axis, behind, 2), *range(axis + 1, behind, 2))
    return call.node("Transpose", found, perm=perm)


@raises("collapse_sum_like", "collapse_sum_to")
def collapse_sum(call: RelayCall) -> Expr:
    """The sum along the axes that another shape has not, or of size one."""
    given, wanted = call.sizes(0), call.sizes()
    more = len(given) - len(wanted)
    axes = [*range(more)] + [
        axis + more for axis, size in enumerate(wanted) if size == 1 != given[axis + more]
    ]
    found = call.sum(call.args[0], axes, keep=True) if axes else call.args[0]
    return call.reshape(found, wanted)


@raises("layout_transform")
def layout_transform(call: RelayCall) -> Expr:
    """Axes in the order of another layout, joined and split; what a block lacks is zeros."""
    given, wanted = read_layout(call.attrs.src_layout), read_layout(call.attrs.dst_layout)
    if sorted(given) == sorted(wanted):
        return call.node(
            "Transpose", call.args[0], perm=tuple([given.index(axis) for axis in wanted])
        )
    sizes, letters = call.sizes(0), [axis.letter for axis in given if axis.letter.isupper()]
    order = [place for letter in letters for place in places_of(given, letter)]
    whole = [math.prod([sizes[each] for each in places_of(given, letter)]) for letter in letters]
    found = call.reshape(call.node("Transpose", call.args[0], perm=tuple(order)), whole)
    split, lacking, places = list[int](), list[int](), list[int]()
    for letter, size in zip(letters, whole, strict=True):
        parts = places_of(wanted, letter)
        factors = [wanted[place].factor for place in parts[1:]]
        lacking.append(-size % math.prod(factors))
        split += [-(-size // math.prod(factors)), *factors]
        places += parts
    if any(lacking):
        found = call.node("Pad", found, ints([0] * len(lacking) + lacking))
    perm = tuple([places.index(place) for place in range(len(places))])
    return call.node("Transpose", call.reshape(found, split), perm=perm)


@raises("broadcast_to_like")
def broadcast_to_like(call: RelayCall) -> Expr:
    """A tensor in the shape of another."""
    return call.node("Expand", call.args[0], ints(call.sizes()))


@raises("invert_permutation")
def invert_permutation(call: RelayCall) -> Expr:
    """Where each place went."""
    (size,), dtype = call.sizes(), call.type().dtype
    every = Constant(np.arange(size).astype(dtype))
    return call.node("ScatterElements", every, call.places(0), every, axis=0)
