"""Joins of types of ONNX: what two values have in common of which either may come."""

from __future__ import annotations

from relayish.errors import TypeInferenceError
from relayish.ir.relay.type import PrimExpr, TensorType, Type
from relayish.onnx.contradictions import show
from relayish.onnx.types import (
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    UnknownType,
    UnrankedTensorType,
)
from relayish.op.types.dimension import ANY


def join(one: Type, other: Type) -> Type:
    """Return the most precise type of which both are; ``one`` itself where that is it.

    Raises:
        TypeInferenceError: If there is none: the element types differ, or the kinds of values.
    """
    if one is other:
        return one
    if type(one) is UnknownType or type(other) is UnknownType:
        return one if type(one) is UnknownType else other
    match one, other:
        case (TensorType(), TensorType()) if one.dtype == other.dtype:
            return _join_shapes(one, other)
        case (TensorType() | UnrankedTensorType(), TensorType() | UnrankedTensorType()) if (
            one.dtype == other.dtype
        ):
            return one if type(one) is UnrankedTensorType else UnrankedTensorType(one.dtype)
        case SequenceType(), SequenceType():
            return one.with_fields(element=join(one.element, other.element))
        case OptionalType(), OptionalType():
            return one.with_fields(element=join(one.element, other.element))
        case OptionalType(), _:
            return one.with_fields(element=join(one.element, other))
        case _, OptionalType():
            return other.with_fields(element=join(one, other.element))
        case SparseTensorType(), SparseTensorType():
            return one.with_fields(dense=join(one.dense, other.dense))
        case (MapType(), MapType()) if one.key_dtype == other.key_dtype:
            return one.with_fields(value=join(one.value, other.value))
    raise TypeInferenceError(f"{show(one)} is not {show(other)}")


def _join_shapes(one: TensorType, other: TensorType) -> Type:
    if len(one.shape) != len(other.shape):
        return UnrankedTensorType(one.dtype)
    if one.shape == other.shape:
        return one
    sizes = tuple([a if a == b else ANY for a, b in zip(one.shape, other.shape, strict=True)])
    return one if sizes == one.shape else TensorType(sizes, one.dtype)


def with_axis(ty: Type, axis: int, size: int | PrimExpr) -> Type:
    """Return the type of tensors stacked along a new axis; negative axes count from the end."""
    if not isinstance(ty, TensorType):
        return ty
    place = axis + len(ty.shape) + 1 if axis < 0 else axis
    if not 0 <= place <= len(ty.shape):
        raise TypeInferenceError(
            f"results of shape {show(ty)} are stacked along axis {axis}; expected one of "
            f"{-len(ty.shape) - 1} to {len(ty.shape)}"
        )
    return TensorType((*ty.shape[:place], size, *ty.shape[place:]), ty.dtype)


def without_axis(ty: Type, axis: int) -> Type:
    """Return the type of the slices of a tensor along an axis."""
    if not isinstance(ty, TensorType):
        return ty
    rank = len(ty.shape)
    place = axis + rank if axis < 0 else axis
    if not 0 <= place < rank:
        raise TypeInferenceError(
            f"{show(ty)} is scanned along axis {axis}, which it does not have; expected one of "
            f"{-rank} to {rank - 1}"
        )
    return TensorType((*ty.shape[:place], *ty.shape[place + 1 :]), ty.dtype)
