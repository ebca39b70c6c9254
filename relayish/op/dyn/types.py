"""The types of operators whose shapes come as arguments: their rank is known, few of their sizes.

The rank of a result follows from the length of the vector that says its shape, which must therefore
be known; the sizes are known only when the program runs.
"""

from __future__ import annotations

from relayish.errors import TypeInferenceError
from relayish.ir.relay.type import TensorType, Type
from relayish.op.tensor.sorting import topk_type
from relayish.op.tensor.sparse import check_lengths
from relayish.op.types.dimension import ANY, compare, normalise_axis, show_type
from relayish.op.types.layout_types import layout_axes
from relayish.op.types.type_rules import require_length, require_number, scalar, tensor, unify_dtype
from relayish.op.values.evaluation import Parameters


def dynamic_init_type(attrs: Parameters, shape: Type) -> TensorType:
    """Return the type of ``dyn.zeros`` and ``dyn.ones``."""
    return TensorType((ANY,) * require_length(shape, "shape"), attrs.dtype or "float32")


def dynamic_full_type(attrs: Parameters, fill_value: Type, shape: Type) -> TensorType:
    """Return the type of ``dyn.full``."""
    dtype = scalar(fill_value, "fill_value").dtype
    return TensorType((ANY,) * require_length(shape, "shape"), attrs.dtype or dtype)


def dynamic_reshape_type(_: Parameters, data: Type, newshape: Type) -> TensorType:
    """Return the type of ``dyn.reshape``: a size for every number of ``newshape``."""
    return TensorType((ANY,) * require_length(newshape, "newshape"), tensor(data, "data").dtype)


def dynamic_squeeze_type(_: Parameters, data: Type, axes: Type) -> TensorType:
    """Return the type of ``dyn.squeeze``: an axis less for every number of ``axes``."""
    ty, count = tensor(data, "data"), require_length(axes, "axes")
    if count > len(ty.shape):
        raise TypeInferenceError(f"{count} axes cannot be squeezed out of {show_type(ty)}")
    return TensorType((ANY,) * (len(ty.shape) - count), ty.dtype)


def dynamic_expand_dims_type(attrs: Parameters, data: Type, axis: Type) -> TensorType:
    """Return the type of ``dyn.expand_dims``: as many axes more as it is told."""
    ty = tensor(data, "data")
    scalar(axis, "axis")
    if attrs.num_newaxis < 0:
        raise TypeInferenceError(f"num_newaxis must not be negative; found {attrs.num_newaxis}")
    return TensorType((ANY,) * (len(ty.shape) + attrs.num_newaxis), ty.dtype)


def dynamic_broadcast_to_type(_: Parameters, data: Type, shape: Type) -> TensorType:
    """Return the type of ``dyn.broadcast_to``."""
    ty, rank = tensor(data, "data"), require_length(shape, "shape")
    if rank < len(ty.shape):
        raise TypeInferenceError(f"{show_type(ty)} cannot be broadcast to {rank} dimensions")
    return TensorType((ANY,) * rank, ty.dtype)


def dynamic_tile_type(_: Parameters, data: Type, reps: Type) -> TensorType:
    """Return the type of ``dyn.tile``."""
    ty = tensor(data, "data")
    return TensorType((ANY,) * max(len(ty.shape), require_length(reps, "reps")), ty.dtype)


def dynamic_strided_slice_type(
    attrs: Parameters, data: Type, begin: Type, end: Type, strides: Type
) -> TensorType:
    """Return the type of ``dyn.strided_slice``; axes that are not sliced keep their size."""
    ty = tensor(data, "data")
    rank, count = len(ty.shape), require_length(begin, "begin")
    for what, bounds in (("end", end), ("strides", strides)):
        (size,) = tensor(bounds, what, rank=1).shape
        if compare(size, count) is False:
            raise TypeInferenceError(f"begin has {count} numbers and {what} has {size}")
    axes = range(count) if attrs.axes is None else [normalise_axis(a, rank) for a in attrs.axes]
    if len(axes) != count or count > rank:
        raise TypeInferenceError(
            f"begin has {count} numbers; expected one for each of the {len(axes)} axes that are "
            f"sliced of {show_type(ty)}"
        )
    return TensorType(tuple(ANY if i in axes else s for i, s in enumerate(ty.shape)), ty.dtype)


def dynamic_topk_type(attrs: Parameters, data: Type, k: Type) -> Type:
    """Return the type of ``dyn.topk``."""
    ty = tensor(data, "data")
    require_number(k, "k")
    return topk_type(ty, ANY, attrs.axis, attrs.ret_type, attrs.dtype)


def dynamic_one_hot_type(
    attrs: Parameters, indices: Type, on_value: Type, off_value: Type, depth: Type
) -> TensorType:
    """Return the type of ``dyn.one_hot``: an axis of unknown size more."""
    shape = tensor(indices, "indices").shape
    on, off = scalar(on_value, "on_value"), scalar(off_value, "off_value")
    scalar(depth, "depth")
    axis = normalise_axis(attrs.axis, len(shape) + 1)
    return TensorType((*shape[:axis], ANY, *shape[axis:]), attrs.dtype or unify_dtype(on, off))


def dynamic_pad_type(_: Parameters, data: Type, pad_width: Type, pad_value: Type) -> TensorType:
    """Return the type of ``dyn.nn.pad``."""
    ty, widths = tensor(data, "data"), tensor(pad_width, "pad_width", rank=2)
    scalar(pad_value, "pad_val")
    if compare(widths.shape[0], len(ty.shape)) is False or compare(widths.shape[1], 2) is False:
        raise TypeInferenceError(
            f"pad_width must hold a pair for each of the {len(ty.shape)} axes; "
            f"found {show_type(widths)}"
        )
    return TensorType((ANY,) * len(ty.shape), ty.dtype)


def dynamic_sparse_to_dense_type(
    _: Parameters, places: Type, values: Type, default: Type, shape: Type
) -> TensorType:
    """Return the type of ``dyn.sparse_to_dense``; what fills the rest may be of another type."""
    dtype = tensor(values, "sparse_values").dtype
    check_lengths(tensor(places, "sparse_indices"), tensor(values, "sparse_values"))
    scalar(default, "default_value")
    rank = require_length(shape, "output_shape")
    if not rank:
        raise TypeInferenceError("output_shape must hold a size or more; found none")
    return TensorType((ANY,) * rank, dtype)


def dynamic_resize_type(attrs: Parameters, data: Type, size: Type, roi: Type) -> TensorType:
    """Return the type of ``dyn.image.resize2d``: height and width are unknown."""
    if compare(tensor(size, "size", rank=1).shape[0], 2) is False:
        raise TypeInferenceError(f"size must be a height and a width; found {show_type(size)}")
    tensor(roi, "roi", rank=1)
    return _forget_sizes("HW", attrs.layout, data, attrs.out_dtype)


def dynamic_upsampling_type(attrs: Parameters, data: Type, *scales: Type) -> TensorType:
    """Return the type of ``dyn.nn.upsampling`` and ``dyn.nn.upsampling3d``."""
    letters = "DHW"[-len(scales) :]
    for letter, scale in zip(letters.lower(), scales, strict=True):
        scalar(scale, f"scale_{letter}")
    return _forget_sizes(letters, attrs.layout, data)


def _forget_sizes(letters: str, layout: str, data: Type, dtype: str | None = None) -> TensorType:
    axes = layout_axes(layout)
    ty = tensor(data, "data", rank=len(axes))
    named = {axis.letter for axis in axes}
    if not named.issuperset(letters) or not named.isdisjoint(letters.lower()):
        raise TypeInferenceError(
            f"layout {layout} does not hold the axes {', '.join(letters)}, each in one piece"
        )
    shape = tuple(
        ANY if axis.letter in letters else size for axis, size in zip(axes, ty.shape, strict=True)
    )
    return TensorType(shape, dtype or ty.dtype)
