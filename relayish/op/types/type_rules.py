"""Helpers of type rules: those several families share, and rules that serve many operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish.errors import TypeInferenceError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.op.declaration.relation import Rule
from relayish.op.types.dimension import broadcast_shapes, show_shape, show_type
from relayish.op.types.fields import Dimension
from relayish.op.values.evaluation import Parameters

_MOST_DIMENSIONS: Final = 1024
"""More than any tensor has; a vector that is longer is no shape."""


def tensor(ty: Type, what: str = "the argument", rank: int | None = None) -> TensorType:
    """Return ``ty``, the type of the argument called ``what``, as that of a tensor.

    Raises:
        TypeInferenceError: If it is another type, or not of ``rank`` dimensions where one is given.
    """
    if not isinstance(ty, TensorType):
        raise TypeInferenceError(f"{what} must be a tensor; found {show_type(ty)}")
    if rank is not None and len(ty.shape) != rank:
        raise TypeInferenceError(
            f"{what} must have {rank} dimensions; found {len(ty.shape)}: {show_type(ty)}"
        )
    return ty


def tensors(ty: Type, what: str = "the argument") -> tuple[TensorType, ...]:
    """Return the fields of ``ty``, the type of a tuple of tensors.

    Raises:
        TypeInferenceError: If it is another type, or has a field that is no tensor.
    """
    if not isinstance(ty, TupleType):
        raise TypeInferenceError(f"{what} must be a tuple of tensors; found {show_type(ty)}")
    return tuple(tensor(part, f"field {i} of {what}") for i, part in enumerate(ty.fields))


def unify_dtype(left: TensorType, right: TensorType) -> str:
    """Return the element type two operands have in common.

    Raises:
        TypeInferenceError: If they have none.
    """
    if left.dtype != right.dtype:
        raise TypeInferenceError(
            f"operands have the element types {left.dtype} and {right.dtype}; "
            f"they must be the same: cast one of them"
        )
    return left.dtype


def identity(_: Parameters, data: Type) -> Type:
    """Return the type of the only operand."""
    return tensor(data)


def keep_type(_: Parameters, body: Type) -> Type:
    """Return the type of the only operand, which may be of any kind: a tuple, a function."""
    return body


def identity_comparison(_: Parameters, data: Type) -> TensorType:
    """Return the type of a question asked of each element: booleans."""
    return TensorType(tensor(data).shape, "bool")


def scalar(ty: Type, what: str) -> TensorType:
    """Return ``ty``, the type of the argument called ``what``, as that of a single number.

    Raises:
        TypeInferenceError: If it is another type.
    """
    found = tensor(ty, what)
    if found.shape:
        raise TypeInferenceError(f"{what} must have no dimensions; found {show_type(found)}")
    return found


def require_number(ty: Type, what: str) -> TensorType:
    """Return ``ty``, that of the argument called ``what``: a number, in a tensor of any rank.

    Raises:
        TypeInferenceError: If it is another type, or holds none or several.
    """
    found = tensor(ty, what)
    if any(isinstance(size, int) and size != 1 for size in found.shape):
        raise TypeInferenceError(f"{what} must be one number; found {show_type(found)}")
    return found


def require_length(ty: Type, what: str) -> int:
    """Return how many numbers the vector called ``what`` holds, which says the rank of a result.

    Raises:
        TypeInferenceError: If it is no vector, of unknown length, or longer than a shape can be.
    """
    (size,) = tensor(ty, what, rank=1).shape
    if not isinstance(size, int):
        raise TypeInferenceError(
            f"{what} must have a known length, for the rank of the result follows from it; "
            f"found {show_type(ty)}"
        )
    if size > _MOST_DIMENSIONS:
        raise TypeInferenceError(
            f"{what} has {size} numbers, one for each dimension; "
            f"a tensor has no more than {_MOST_DIMENSIONS}"
        )
    return size


def sizes(values: Sequence[Dimension], what: str) -> tuple[Dimension, ...]:
    """Return ``values``, the sizes in the attribute called ``what``.

    Raises:
        TypeInferenceError: If one is negative.
    """
    if any(isinstance(size, int) and size < 0 for size in values):
        raise TypeInferenceError(
            f"the sizes of {what} must not be negative; found {show_shape(values)}"
        )
    return tuple(values)


def broadcast(_: Parameters, lhs: Type, rhs: Type) -> TensorType:
    """Return the type of an element by element operation on operands that broadcast."""
    left, right = tensor(lhs, "lhs"), tensor(rhs, "rhs")
    dtype = unify_dtype(left, right)
    if left.shape == right.shape:
        return left
    return TensorType(broadcast_shapes(left.shape, right.shape), dtype)


def broadcast_comparison(_: Parameters, lhs: Type, rhs: Type) -> TensorType:
    """Return the type of an element by element comparison: booleans."""
    left, right = tensor(lhs, "lhs"), tensor(rhs, "rhs")
    unify_dtype(left, right)
    return TensorType(broadcast_shapes(left.shape, right.shape), "bool")


def takes(*expected: Type, gives: Type) -> Rule:
    """Return the type rule of an operator whose arguments and result always have these types.

    Example:
        >>> from relayish.ir.relay.type import scalar_type
        >>> rule = takes(scalar_type("int32"), gives=scalar_type("bool"))
        >>> print(rule(None, scalar_type("int32")))
        bool
        >>> rule(None, scalar_type("int8"))
        Traceback (most recent call last):
        ...
        relayish.errors.TypeInferenceError: argument 0 must be of type int32; found int8
    """

    def rule(_: Parameters, *found: Type) -> Type:
        if len(found) != len(expected):
            raise TypeInferenceError(
                f"its rule has types for {len(expected)} arguments; found {len(found)}; declare "
                f"as many arguments as takes(...) is given types"
            )
        for place, (given, wanted) in enumerate(zip(found, expected, strict=True)):
            if given is not wanted and not structural_equal(given, wanted):
                raise TypeInferenceError(
                    f"argument {place} must be of type {show_type(wanted)}; "
                    f"found {show_type(given)}"
                )
        return gives

    return rule
