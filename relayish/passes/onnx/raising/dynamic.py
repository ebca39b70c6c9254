"""Operators whose shapes and bounds are values."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.ir.relay.expr import Constant, Expr
from relayish.passes.onnx.raising.rule import RelayCall, Unraised, ints, number, raises

_TAKES_ZEROS: Final = 14
_AXES_AS_INPUT: Final = 13
_NO_INPUT: Final = "axes of size one are attributes"
_BOUNDS_AS_INPUT: Final = 10
_WIDTHS_AS_INPUT: Final = 11
_TO_THE_END: Final = (1 << 63) - 1
_MERGED: Final = -3


@raises("dyn.broadcast_to")
def broadcast_to(call: RelayCall) -> Expr:
    """One tensor along further axes."""
    return call.node("Expand", call.args[0], call.places(1))


@raises("dyn.full")
def full(call: RelayCall) -> Expr:
    """One number everywhere."""
    fill = call.cast_from(call.args[0], call.type(0).dtype, call.type().dtype)
    return call.node("Expand", fill, call.places(1))


@raises("dyn.zeros", "dyn.ones")
def filled(call: RelayCall) -> Expr:
    """Zeros, or ones."""
    value = np.full(1, int(call.name == "dyn.ones")).astype(call.type().dtype)
    return call.node("ConstantOfShape", call.places(0), value=value)


@raises("dyn.tile")
def tile(call: RelayCall) -> Expr:
    """A tensor several times along each axis."""
    if call.type(1).shape != (call.rank(),):
        raise Unraised("it says not how often along each axis")
    return call.node("Tile", call.args[0], call.places(1))


@raises("dyn.reshape")
def reshape(call: RelayCall) -> Expr:
    """Another shape; two sizes in one, -3, ONNX refuses when it runs."""
    shape = call.args[1]
    if isinstance(shape, Constant) and _MERGED in np.asarray(shape.data):
        raise Unraised("it makes one of two sizes, which no shape of ONNX says")
    if not call.attrs.allowzero:
        return call.node("Reshape", call.args[0], call.places(1))
    call.require(_TAKES_ZEROS, "its sizes of zero would be those of its data")
    return call.node("Reshape", call.args[0], call.places(1), allowzero=1)


@raises("dyn.squeeze")
def squeeze(call: RelayCall) -> Expr:
    """Without some axes of size one."""
    if call.type(1).shape == (0,):  # of which ONNX makes all of them
        return call.node("Identity", call.args[0])
    call.require(_AXES_AS_INPUT, _NO_INPUT)
    return call.node("Squeeze", call.args[0], call.places(1))


@raises("dyn.expand_dims")
def expand_dims(call: RelayCall) -> Expr:
    """With more axes of size one, one behind another."""
    count, rank = int(call.attrs.num_newaxis), call.rank()
    if not count:
        return call.node("Identity", call.args[0])
    call.require(_AXES_AS_INPUT, _NO_INPUT)
    first = call.reshape(call.places(1), [1])
    axes = call.node("Add", _from_the_begin(call, first, ints([rank + 1])), ints(range(count)))
    return call.node("Unsqueeze", call.args[0], axes)


def _from_the_begin(call: RelayCall, places: Expr, sizes: Expr) -> Expr:
    """Return places, of which negative ones are counted from the end."""
    is_negative = call.node("Less", places, number(0, "int64"))
    return call.node("Where", is_negative, call.node("Add", places, sizes), places)


@raises("dyn.strided_slice")
def strided_slice(call: RelayCall) -> Expr:
    """A part of each axis, up to an end or of some size."""
    call.require(_BOUNDS_AS_INPUT, "its slices have no bounds that are values")
    (count,), axes = call.sizes(1), call.attrs.axes
    axes = range(count) if axes is None else [int(axis) % call.rank() for axis in axes]
    if not count:
        return call.node("Identity", call.args[0])
    begin, end, steps = [call.places(place) for place in (1, 2, 3)]
    sizes = call.node("Gather", call.node("Shape", call.args[0]), ints(axes), axis=0)
    if call.attrs.slice_mode == "size":
        begin, end = _bounds_of_sizes(call, begin, end, sizes)
        steps = ints([1] * count)
    elif not (isinstance(steps, Constant) and np.all(np.asarray(steps.data) > 0)):
        end = _none_before_the_first(call, begin, end, steps, sizes)
    return call.node("Slice", call.args[0], begin, end, ints(axes), steps)


def _bounds_of_sizes(call: RelayCall, begin: Expr, wanted: Expr, sizes: Expr) -> tuple[Expr, Expr]:
    """Return where parts of some sizes begin and end; a negative one is all there is."""
    zero = number(0, "int64")
    begin = _from_the_begin(call, begin, sizes)
    begin = call.node("Where", call.node("Less", begin, zero), zero, begin)
    is_all = call.node("Less", wanted, zero)
    begin, wanted = (  # so that their sum is no more than twice a size
        call.node("Where", call.node("Less", sizes, each), sizes, each) for each in (begin, wanted)
    )
    end = call.node("Where", is_all, number(_TO_THE_END, "int64"), call.node("Add", begin, wanted))
    return begin, end


def _none_before_the_first(
    call: RelayCall, begin: Expr, end: Expr, steps: Expr, sizes: Expr
) -> Expr:
    """Return ends with which nothing is taken backwards from before the first element.

    There ONNX begins with the first one.
    """
    zero = number(0, "int64")
    is_before = call.node("Less", begin, call.node("Neg", sizes))
    is_empty = call.node("And", call.node("Less", steps, zero), is_before)
    return call.node("Where", is_empty, sizes, end)


@raises("dyn.nn.pad")
def pad(call: RelayCall) -> Expr:
    """Elements around a tensor."""
    call.require(_WIDTHS_AS_INPUT, "its widths are attributes")
    widths = call.reshape(call.node("Transpose", call.places(1), perm=(1, 0)), [2 * call.rank()])
    mode, dtype = call.attrs.pad_mode, call.type().dtype
    if mode != "constant":
        return call.node("Pad", call.args[0], widths, mode=mode)
    fill = call.cast_from(call.args[2], call.type(2).dtype, dtype)
    return call.node("Pad", call.args[0], widths, fill)
