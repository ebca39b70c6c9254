"""Checks of type rules: equal element types and shapes, integer indices."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.errors import TypeInferenceError
from relayish.ir.relay.type import TensorType, Type
from relayish.op.types.dimension import show_shape, show_type, unify
from relayish.op.types.fields import Dimension
from relayish.op.types.type_rules import tensor


def integers(ty: Type, what: str, rank: int | None = None) -> TensorType:
    """Return ``ty``, the type of the argument called ``what``, as that of a tensor of integers.

    Raises:
        TypeInferenceError: If it is another type, or not of ``rank`` dimensions where one is given.
    """
    found = tensor(ty, what, rank)
    if not found.dtype.startswith(("int", "uint")):
        raise TypeInferenceError(f"{what} must hold integers; found {show_type(found)}")
    return found


def vector_of_sizes(ty: Type, what: str) -> TensorType:
    """Return ``ty``, the type of the argument called ``what``, as that of the sizes of a shape.

    Raises:
        TypeInferenceError: If it is another type, or of a shape without dimensions.
    """
    found = integers(ty, what, rank=1)
    if found.shape[0] == 0:
        raise TypeInferenceError(f"{what} must hold a size or more; found {show_type(found)}")
    return found


def unify_dimensions(left: Dimension, right: Dimension, what: str) -> Dimension:
    """Return the better known of two dimensions that must be equal.

    Raises:
        TypeInferenceError: If they differ; ``what`` says what has them, both in one phrase.
    """
    found = unify(left, right)
    if found is None:
        raise TypeInferenceError(f"{what} {left} and {right}; they must be equal")
    return found


def unify_dtypes(parts: Sequence[TensorType]) -> str:
    """Return the element type that ``parts``, at least one, have in common.

    Raises:
        TypeInferenceError: If they have several.
    """
    for index, part in enumerate(parts):
        if part.dtype != parts[0].dtype:
            raise TypeInferenceError(
                f"field 0 has the element type {parts[0].dtype}, field {index} has {part.dtype}; "
                f"they must be the same: cast one of them"
            )
    return parts[0].dtype


def unify_shapes(parts: Sequence[TensorType], free: int | None = None) -> tuple[Dimension, ...]:
    """Return the shape that ``parts``, at least one, have in common, as well as it is known.

    Args:
        parts: The types of the fields of a tuple.
        free: The axis along which sizes may differ; there the first one's is returned.

    Raises:
        TypeInferenceError: If they differ in their number of dimensions, or in one of them.
    """
    shape = list(parts[0].shape)
    for index, part in enumerate(parts[1:], 1):
        if len(part.shape) != len(shape):
            raise TypeInferenceError(
                f"field 0 has {len(shape)} dimensions, field {index} has {len(part.shape)}: "
                f"{show_shape(parts[0].shape)} and {show_shape(part.shape)}; "
                f"they must have the same number"
            )
        for axis, size in enumerate(part.shape):
            if axis != free and size != shape[axis]:
                what = f"in axis {axis}, fields before field {index} and that field have the sizes"
                shape[axis] = unify_dimensions(shape[axis], size, what)
    return tuple(shape)


def check_within(part: TensorType, whole: TensorType, what: str, free: int | None = None) -> None:
    """Check that ``part``, of the rank of ``whole``, is no larger, save along the axis ``free``.

    Raises:
        TypeInferenceError: If it is; ``what`` says what both are, as in "indices and data".
    """
    for axis, (size, limit) in enumerate(zip(part.shape, whole.shape, strict=True)):
        known = isinstance(size, int) and isinstance(limit, int)
        if known and axis != free and size > limit:  # type: ignore[operator]  # both are numbers
            raise TypeInferenceError(
                f"{what} have the shapes {show_shape(part.shape)} and {show_shape(whole.shape)}; "
                f"the first must not be larger in axis {axis}"
            )
