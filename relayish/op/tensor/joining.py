"""Operators that join several tensors into one, and those that part one into several."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import Integer
from relayish.ir.relay.expr import Expr, Tuple
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.numeric.axes import normalise_axis
from relayish.op.builders.known_type import find_known_type
from relayish.op.declaration.properties import MixedPrecision, OpPattern, ResultMemory
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.shape_rules import concatenate_layouts, split_layouts
from relayish.op.types import dimension
from relayish.op.types.dimension import show_shape
from relayish.op.types.fields import Dimension
from relayish.op.types.result_size import bound_by_inputs
from relayish.op.types.type_checks import unify_dtypes, unify_shapes
from relayish.op.types.type_rules import tensor, tensors
from relayish.op.values.evaluation import Array


@attrs("relay.attrs.ConcatenateAttrs")
class ConcatenateAttrs(Attrs):
    """Attributes of ``concatenate``, ``qnn.concatenate``."""

    axis: int = 0


@attrs("relay.attrs.StackAttrs")
class StackAttrs(Attrs):
    """Attributes of ``stack``."""

    axis: Integer = 0


@attrs("relay.attrs.SplitAttrs")
class SplitAttrs(Attrs):
    """Attributes of ``split``."""

    indices_or_sections: int | tuple[int, ...]
    axis: int = 0


@attrs("relay.attrs.MeshgridAttrs")
class MeshgridAttrs(Attrs):
    """Attributes of ``meshgrid``."""

    indexing: str = "ij"


def concatenate_types(parts: tuple[TensorType, ...], axis: int) -> TensorType:
    """Return the type of ``parts`` put one behind the other along ``axis``.

    Raises:
        TypeInferenceError: If there are none, or they differ in more than that axis.
    """
    if not parts:
        raise TypeInferenceError("there is nothing to concatenate; expected at least one tensor")
    along = dimension.normalise_axis(axis, len(parts[0].shape))
    dtype = unify_dtypes(parts)
    shape = list(unify_shapes(parts, free=along))
    total: Dimension = 0
    for part in parts:
        total = dimension.add(total, part.shape[along])
    shape[along] = total
    return TensorType(tuple(shape), dtype)


def _concatenate_type(attrs: ConcatenateAttrs, data: Type) -> TensorType:
    return concatenate_types(tensors(data, "data"), attrs.axis)


def _concatenate(attrs: ConcatenateAttrs, data: tuple[Array, ...]) -> Array:
    return np.concatenate(data, axis=attrs.axis)


def _stack_type(attrs: StackAttrs, data: Type) -> TensorType:
    parts = tensors(data, "data")
    if not parts:
        raise TypeInferenceError("there is nothing to stack; expected at least one tensor")
    dtype = unify_dtypes(parts)
    shape = unify_shapes(parts)
    axis = dimension.normalise_axis(attrs.axis, len(shape) + 1)
    return TensorType((*shape[:axis], len(parts), *shape[axis:]), dtype)


def _stack(attrs: StackAttrs, data: tuple[Array, ...]) -> Array:
    return np.stack(data, axis=attrs.axis)


def _split_type(attrs: SplitAttrs, data: Type) -> TupleType:
    whole = tensor(data, "data")
    axis = dimension.normalise_axis(attrs.axis, len(whole.shape))
    size, parts = whole.shape[axis], attrs.indices_or_sections
    sizes = _split_evenly(size, parts) if isinstance(parts, int) else _parts_between(size, parts)
    head, tail = whole.shape[:axis], whole.shape[axis + 1 :]
    return TupleType(tuple(TensorType((*head, part, *tail), whole.dtype) for part in sizes))


def _split_evenly(size: Dimension, count: int) -> list[Dimension]:
    if count < 1:
        raise TypeInferenceError(f"split into {count} parts; expected at least one")
    if isinstance(size, int) and size % count:
        raise TypeInferenceError(f"size {size} cannot be split into {count} equal parts")
    return [dimension.floor_divide(size, count)] * count


def _parts_between(size: Dimension, places: tuple[int, ...]) -> list[Dimension]:
    """Return the sizes of the parts that end at ``places``, and of the one behind the last."""
    bounds = (0, *places)
    if any(end <= begin for begin, end in zip(bounds, places, strict=False)):
        raise TypeInferenceError(f"split at {places}; the places must be positive and ascending")
    if places and isinstance(size, int) and places[-1] >= size:
        raise TypeInferenceError(f"split at {places[-1]} of {size} elements; expected fewer")
    found: list[Dimension] = [end - begin for begin, end in zip(bounds, places, strict=False)]
    return [*found, dimension.subtract(size, bounds[-1])]


def _split(attrs: SplitAttrs, data: Array) -> tuple[Array, ...]:
    axis = normalise_axis(attrs.axis, data.ndim)
    parts = attrs.indices_or_sections
    if isinstance(parts, int) and (parts < 1 or data.shape[axis] % parts):
        raise EvaluationError(
            f"axis {axis} of {tuple(data.shape)} cannot be split into {parts} equal parts"
        )
    return tuple(np.split(data, parts, axis=axis))


def _meshgrid_type(attrs: MeshgridAttrs, data: Type) -> TupleType:
    parts = tensors(data, "data")
    if not parts:
        raise TypeInferenceError("there is nothing to spread; expected at least one tensor")
    if attrs.indexing not in ("ij", "xy"):
        raise TypeInferenceError(f"indexing {attrs.indexing!r} is not 'ij' or 'xy'")
    shape: list[Dimension] = []
    for index, part in enumerate(parts):
        if len(part.shape) > 1:
            raise TypeInferenceError(
                f"field {index} has the shape {show_shape(part.shape)}; "
                f"expected a scalar or one dimension"
            )
        shape.append(part.shape[0] if part.shape else 1)
    if attrs.indexing == "xy":
        shape[:2] = shape[1::-1]
    grid = TensorType(tuple(shape), unify_dtypes(parts))
    return TupleType((grid,) * len(parts))


def _meshgrid(attrs: MeshgridAttrs, data: tuple[Array, ...]) -> tuple[Array, ...]:
    match attrs.indexing:
        case "ij":
            return tuple(np.meshgrid(*data, indexing="ij"))
        case "xy":
            return tuple(np.meshgrid(*data, indexing="xy"))
    raise EvaluationError(f"indexing {attrs.indexing!r} of meshgrid is not 'ij' or 'xy'")


def _count_parts(attrs: SplitAttrs, _args: object) -> int:
    parts = attrs.indices_or_sections
    return parts if isinstance(parts, int) else len(parts) + 1


def _count_fields(_attrs: object, args: tuple[Expr, ...]) -> int | None:
    ty = find_known_type(args[0])
    if isinstance(args[0], Tuple):
        return len(args[0].fields)
    return len(ty.fields) if isinstance(ty, TupleType) else None


register_op(
    "concatenate",
    description="""
    Put tensors one behind another along an axis.
    data a tuple of tensors (..., n_i, ...) -> (..., sum of n_i, ...)
    """,
    rule=_concatenate_type,
    evaluate=_concatenate,
    result_size=bound_by_inputs,
    pattern=OpPattern.INJECTIVE,
    result_memory=ResultMemory(),
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=concatenate_layouts,
)
register_op(
    "stack",
    description="""
    Put tensors one behind another along a new axis.
    data a tuple of n tensors (...) -> (..., n, ...)
    """,
    rule=_stack_type,
    evaluate=_stack,
    result_size=bound_by_inputs,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "split",
    description="""
    Cut a tensor into parts along an axis.
    data (..., n, ...) -> a tuple of tensors (..., n_i, ...)
    The call can be indexed and iterated: ``first, second = split(x, 2)``.
    """,
    rule=_split_type,
    evaluate=_split,
    result_size=bound_by_inputs,
    outputs=_count_parts,
    pattern=OpPattern.INJECTIVE,
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=split_layouts,
)
register_op(
    "meshgrid",
    description="""
    Spread vectors over a grid.
    data a tuple of vectors (n_i,) -> a tuple of tensors (n_0, ..., n_k)
    """,
    rule=_meshgrid_type,
    evaluate=_meshgrid,
    outputs=_count_fields,
    pattern=OpPattern.INJECTIVE,
)
