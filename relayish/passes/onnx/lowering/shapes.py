"""Operators that move elements, and tell shapes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import numpy as np

from relayish.ir.relay.expr import Constant, Expr, Tuple
from relayish.ir.relay.type import SizeVar, TensorType
from relayish.onnx.calls import count_outputs
from relayish.onnx.element_types import element_type_name
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, const, lowers
from relayish.passes.onnx.lowering.training import trained_dropout


@lowers("Constant")
def constant(node: OnnxNode) -> Expr:
    """A value, which is a constant of Relay."""
    for name, value in node.attributes.items():
        if name == "value":
            if value.dtype.kind in "OUS":
                raise Unlowered("Relay has no tensors of strings")
            return Constant(value)
        if name in ("value_float", "value_floats"):
            return const(value, "float32")
        if name in ("value_int", "value_ints"):
            return const(value, "int64")
    raise Unlowered("its value is sparse, or of strings")


@lowers("Shape")
def shape(node: OnnxNode) -> Expr:
    """The shape of a tensor, or a part of it."""
    known = node.type(0).shape
    start, end = int(node.attr("start", 0)), node.attr("end")
    part = slice(start, None if end is None else int(end))
    if all(isinstance(size, int) for size in known[part]):
        return const(known[part], "int64")
    found = build("shape_of", node.input(0), dtype="int64")
    places = range(len(known))[part]
    if len(places) == len(known):
        return found
    return build("strided_slice", found, begin=[places.start], end=[places.stop])


@lowers("Size")
def size(node: OnnxNode) -> Expr:
    """How many elements there are."""
    return build("ndarray_size", node.input(0), dtype="int64")


@lowers("Reshape")
def reshape(node: OnnxNode) -> Expr:
    """Another shape; ``0`` takes a size over, ``-1`` is what is left."""
    if _is_of_nothing(node):
        sizes = node.ints(1, "shape")
        if -1 in sizes:
            raise Unlowered("nothing says what size is left beside one of 0")
        return build("full", const(0, node.dtype()), sizes, node.dtype())
    return build("reshape", node.input(0), _find_shape(node))


def _find_shape(node: OnnxNode) -> tuple[int, ...]:
    known = node.attr("shape") if "shape" in node.attributes else node.value(1)
    if known is None:
        return _shape_of_result(node)
    return tuple([int(each) for each in np.asarray(known).reshape(-1)])


def _is_of_nothing(node: OnnxNode) -> bool:
    """Return whether sizes of 0 are meant as such: the result has no elements then."""
    known = node.attr("shape") if "shape" in node.attributes else node.value(1)
    return bool(node.attr("allowzero", 0)) and known is not None and 0 in np.asarray(known)


def _shape_of_result(node: OnnxNode) -> tuple[int, ...]:
    """Return a shape that is computed, where the sizes of the result are known but for one."""
    ty = node.result_type()
    if not isinstance(ty, TensorType):
        raise Unlowered("its shape is known only when it runs")
    given = node.type(0).shape
    found: list[int] = []
    for axis, size in enumerate(ty.shape):
        if isinstance(size, int):
            found.append(size)
        else:
            taken = axis < len(given) and type(size) is SizeVar and given[axis] is size
            found.append(0 if taken else -1)
    if found.count(-1) > 1 or 0 in [size for size in ty.shape if isinstance(size, int)]:
        raise Unlowered("several sizes of its shape are known only when it runs")
    return tuple(found)


@lowers("Flatten")
def flatten(node: OnnxNode) -> Expr:
    """A matrix: what stands before an axis, and what stands behind."""
    axis = int(node.attr("axis", 1))  # one behind the last is meant, too
    axis = axis + node.rank() if axis < 0 else axis
    if axis == 1:
        return build("nn.batch_flatten", node.input(0))
    if axis == 0:
        return build("reshape", node.input(0), (1, -1))
    sizes = node.sizes()
    return build("reshape", node.input(0), (int(np.prod(sizes[:axis])), int(np.prod(sizes[axis:]))))


@lowers("Transpose")
def transpose(node: OnnxNode) -> Expr:
    """Axes in another order."""
    return build("transpose", node.input(0), axes=node.attr("perm"))


@lowers("Squeeze")
def squeeze(node: OnnxNode) -> Expr:
    """Without axes of size one."""
    return build("squeeze", node.input(0), axis=node.axes())


@lowers("Unsqueeze")
def unsqueeze(node: OnnxNode) -> Expr:
    """With further axes of size one."""
    axes = node.axes()
    if axes is None:
        raise Unlowered("its axes are missing")
    found, rank = node.input(0), node.rank() + len(axes)
    for axis in sorted([axis + rank if axis < 0 else axis for axis in axes]):
        found = build("expand_dims", found, axis=axis)
    return found


@lowers("Concat")
def concat(node: OnnxNode) -> Expr:
    """Tensors one behind another."""
    parts = [node.input(place) for place in range(len(node.inputs))]
    return build("concatenate", Tuple(parts), axis=int(node.attr("axis", 1)))


@lowers("Split")
def split(node: OnnxNode) -> list[Expr]:
    """Parts along an axis, of equal sizes or of sizes that are said."""
    axis = node.axis()
    outputs = count_outputs(node.call.attrs)
    sizes = node.attr("split")
    if sizes is None and node.has(1):
        sizes = node.ints(1, "sizes")
    if sizes is None:
        whole = node.type(0).shape[axis]
        count = int(node.attr("num_outputs", outputs))
        if not isinstance(whole, int):
            raise Unlowered("the size of the axis that it splits is known only when it runs")
        each = -(-whole // count)
        sizes = [min(each, whole - each * place) for place in range(count)]
    begins = np.cumsum([0, *sizes])
    return [
        build("strided_slice", node.input(0), begin=[int(b)], end=[int(e)], axes=[axis])
        for b, e in pairwise(begins)
    ]


@lowers("Slice")
def slice_(node: OnnxNode) -> Expr:
    """A part of each axis, with steps that may be negative."""
    if "starts" in node.attributes:
        starts, ends = node.attr("starts"), node.attr("ends")
        axes, steps = node.attr("axes"), None
    else:
        starts, ends = node.ints(1, "starts"), node.ints(2, "ends")
        axes = node.ints(3, "axes") if node.has(3) else None
        steps = node.ints(4, "steps") if node.has(4) else None
    axes = tuple(range(len(starts))) if axes is None else axes
    steps = (1,) * len(starts) if steps is None else steps
    shape, found = node.type(0).shape, node.input(0)
    for start, end, given, step in zip(starts, ends, axes, steps, strict=True):
        axis = given + len(shape) if given < 0 else given
        begin, stop = _bounds(start, end, step, shape[axis])
        if (begin, stop, step) == (0, shape[axis], 1):
            continue
        found = build(
            "strided_slice", found, begin=[begin], end=[stop], strides=[step], axes=[axis]
        )
    return found


def _bounds(start: int, end: int, step: int, size: object) -> tuple[int, int]:
    """Return where a part begins and ends; beyond the ends of an axis where it is long enough."""
    if isinstance(size, int):
        first, last, _ = slice(start, end, step).indices(size)
        if step < 0 and start < -size and size:
            first = 0  # where ONNX clamps to, and Python to before the first
        if (last - first) * step <= 0:
            return 0, 0  # of nothing; -1 would be the last element
        # a slice to the very begin ends before it, at -1, which is the last element elsewhere
        return first, last if last >= 0 else -(size + 1)
    most = (1 << 31) - 1
    if step < 0:
        raise Unlowered("it goes backwards through an axis whose size is known only when it runs")
    return max(min(start, most), -most), max(min(end, most), -most)


@lowers("Expand")
def expand(node: OnnxNode) -> Expr:
    """The shape that both have after broadcasting."""
    wanted = node.ints(1, "shape")
    sizes = node.sizes()
    try:
        both = np.broadcast_shapes(sizes, wanted)
    except ValueError as error:
        raise Unlowered(f"{sizes} cannot be expanded to {wanted}: {error}") from error
    return build("broadcast_to", node.input(0), both)


@lowers("Tile")
def tile(node: OnnxNode) -> Expr:
    """A tensor several times along each axis."""
    return build("tile", node.input(0), node.ints(1, "repeats"))


@lowers("ConstantOfShape")
def constant_of_shape(node: OnnxNode) -> Expr:
    """One value everywhere."""
    value = np.asarray(node.attr("value", np.zeros(1, "float32"))).reshape(())
    return build("full", const(value, value.dtype.name), node.ints(0, "shape"), value.dtype.name)


@lowers("Range")
def range_(node: OnnxNode) -> Expr:
    """Numbers from one to another."""
    start, limit, delta = [node.constant(place, "bounds").item() for place in range(3)]
    return Constant(np.arange(start, limit, delta).astype(node.dtype()))


@lowers("Pad")
def pad(node: OnnxNode) -> Expr:
    """Elements around a tensor."""
    rank = node.rank()
    widths = node.attr("pads", node.attr("paddings"))
    widths = list(node.ints(1, "widths") if widths is None else widths)
    if node.has(3):
        axes = [axis + rank if axis < 0 else axis for axis in node.ints(3, "axes")]
        whole = [0] * (2 * rank)
        for place, axis in enumerate(axes):
            whole[axis], whole[axis + rank] = widths[place], widths[place + len(axes)]
        widths = whole
    x = node.input(0)
    for axis in range(rank):
        before, after = (min(int(widths[at]), 0) for at in (axis, axis + rank))
        if before or after:
            begin, end = -before, node.sizes()[axis] + after
            x = build("strided_slice", x, begin=[begin], end=[max(begin, end)], axes=[axis])
    pairs = [(max(int(widths[axis]), 0), max(int(widths[axis + rank]), 0)) for axis in range(rank)]
    mode = node.attr("mode", "constant")
    if mode == "wrap":
        return _wrapped(node, x, [int(each) for each in widths])
    fill: Any = 0  # Any: a number or an expression
    if node.has(2):
        known = node.value(2)
        fill = build("reshape", node.input(2), ())
        if known is not None:
            fill = const(known.reshape(()), node.dtype())
    elif node.attr("value"):
        fill = const(node.attr("value"), node.dtype())
    return build("nn.pad", x, pairs, fill, pad_mode=mode)


def _wrapped(node: OnnxNode, x: Expr, widths: list[int]) -> Expr:
    """Return a tensor that begins anew where it ends; elements may be taken away, too."""
    for axis, size in enumerate(node.sizes()):
        before, after = widths[axis], widths[axis + node.rank()]
        kept = max(size + min(before, 0) + min(after, 0), 0)
        if (before > 0 or after > 0) and not kept:
            raise Unlowered("it wraps around nothing")
        if before > 0 or after > 0:
            places = np.arange(-max(before, 0), kept + max(after, 0)) % kept
            x = build("take", x, const(places, "int64"), axis=axis)
    return x


@lowers("DepthToSpace", "SpaceToDepth")
def space(node: OnnxNode) -> Expr:
    """Blocks of pixels to channels, and back."""
    block = int(node.attr("blocksize"))
    mode = node.attr("mode", "DCR")
    if node.identity.name == "SpaceToDepth":
        if mode != "DCR":
            raise Unlowered(f"Relay takes depth from space in one order, and not {mode}")
        return build("nn.space_to_depth", node.input(0), block)
    return build("nn.depth_to_space", node.input(0), block, mode="DCR" if mode == "DCR" else "CDR")


@lowers("Trilu")
def trilu(node: OnnxNode) -> Expr:
    """The upper or the lower triangle."""
    offset = node.constant(1, "diagonal") if node.has(1) else np.array(0)
    return build("trilu", node.input(0), const(offset, "int32"), upper=bool(node.attr("upper", 1)))


@lowers("ReverseSequence")
def reverse_sequence(node: OnnxNode) -> Expr:
    """Sequences of a batch backwards."""
    return build(
        "reverse_sequence",
        node.input(0),
        node.input(1),
        seq_axis=int(node.attr("time_axis", 0)),
        batch_axis=int(node.attr("batch_axis", 1)),
    )


@lowers("EyeLike")
def eye_like(node: OnnxNode) -> Expr:
    """Ones on a diagonal."""
    rows, columns = node.sizes()
    to = node.attr("dtype")
    dtype = node.dtype() if to is None else element_type_name(int(to))
    return const(np.eye(rows, columns, int(node.attr("k", 0))), dtype)


@lowers("Dropout")
def dropout(node: OnnxNode) -> list[Expr]:
    """Nothing, where the model is not trained."""
    if node.has(2) and bool(node.constant(2, "mode").any()):
        return trained_dropout(node)
    x = node.input(0)
    mask = "bool" if node.version >= _MASKS else node.dtype()
    return [x, build("ones_like", build("cast", x, mask))]


_MASKS: Final = 10
"""The version from which masks of ``Dropout`` are of truth values."""


@lowers("CumSum")
def cumsum(node: OnnxNode) -> Expr:
    """Sums of all elements so far."""
    axis = int(node.constant(1, "axis"))
    found = node.input(0)
    backwards = bool(node.attr("reverse", 0))
    if backwards:
        found = build("reverse", found, axis=axis)
    found = build("cumsum", found, axis=axis, exclusive=bool(node.attr("exclusive", 0)))
    return build("reverse", found, axis=axis) if backwards else found


@lowers("OptionalHasElement")
def has_element(node: OnnxNode) -> Expr:
    """Whether there is a value, which is known of tensors."""
    return const(node.has(0), "bool")


@lowers("OptionalGetElement")
def get_element(node: OnnxNode) -> Expr:
    """The value that is there."""
    return node.input(0)
