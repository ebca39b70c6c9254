"""Affine types: for which real numbers the integers of a tensor stand.

A real number ``r`` is stored as the integer ``q`` for which ``r = scale * (q - zero_point)``.
"""

from __future__ import annotations

from collections.abc import Iterable

from relayish.errors import FieldError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Expr
from relayish.ir.values.dtype import DType, check_dtype


class AffineType:
    """The root of affine types, which are equal when their parts are, up to structure."""

    __slots__ = ()


class TensorAffineType(AffineType):
    """The affine type of a tensor.

    Args:
        scale: An expression of type ``float32``: one number, or a vector along ``axis``.
        zero_point: An expression of type ``int32``, of the same form.
        dtype: The element type of the integers.
        axis: Along which axis scales and zero points differ, where they are vectors.

    Source:
        TVM ``ir.TensorAffineType``.

    Example:
        >>> from relayish.ir.relay.build import const
        >>> half, zero = const(0.5), const(0)
        >>> TensorAffineType(half, zero, "int8") == TensorAffineType(const(0.5), zero, "int8", -1)
        True
    """

    __slots__ = ("axis", "dtype", "scale", "zero_point")

    def __init__(self, scale: Expr, zero_point: Expr, dtype: DType, axis: int = -1) -> None:
        given: tuple[object, object] = (scale, zero_point)  # still to be checked
        if not all(isinstance(part, Expr) for part in given):
            raise FieldError(
                f"scale and zero point of an affine type must be expressions; "
                f"found {scale!r} and {zero_point!r}; say const(...)"
            )
        place: object = axis  # as above
        if not isinstance(place, int):
            raise FieldError(f"the axis of an affine type is {place!r}; expected a number")
        self.scale = scale
        self.zero_point = zero_point
        self.dtype = check_dtype(dtype)
        self.axis = axis

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorAffineType):
            return NotImplemented
        return (
            self.dtype == other.dtype
            and self.axis == other.axis
            and structural_equal(self.scale, other.scale)
            and structural_equal(self.zero_point, other.zero_point)
        )

    def __hash__(self) -> int:
        return hash((self.dtype, self.axis))

    def __repr__(self) -> str:
        return (
            f"TensorAffineType({self.scale}, {self.zero_point}, {self.dtype!r}, axis={self.axis})"
        )


class TupleAffineType(AffineType):
    """The affine types of the fields of a tuple.

    Source:
        TVM ``ir.TupleAffineType``.
    """

    __slots__ = ("types",)

    def __init__(self, types: Iterable[TensorAffineType]) -> None:
        given: object = types  # still to be checked
        if not isinstance(given, Iterable):
            raise FieldError(f"an affine type of a tuple has the types of fields; found {given!r}")
        self.types = tuple(types)
        for each in self.types:
            field: object = each  # as above
            if not isinstance(field, AffineType):
                raise FieldError(
                    f"an affine type of a tuple has the types of fields; found {field!r} "
                    f"({type(field).__name__}) among them"
                )

    def __eq__(self, other: object) -> bool:
        return self.types == other.types if isinstance(other, TupleAffineType) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.types)

    def __repr__(self) -> str:
        return f"TupleAffineType({list(self.types)!r})"
