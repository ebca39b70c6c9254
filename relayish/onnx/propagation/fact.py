"""Facts: what is known of a value before the program runs.

A value has a type. Of small tensors of integers the elements may be known, each of them or some of
them: a number, or a dimension by name. That is what shapes are computed with.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from relayish.errors import TypeInferenceError
from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import PrimExpr, TensorType, TupleType, Type
from relayish.onnx.element_types import ELEMENT_TYPES, find_element_type
from relayish.onnx.joins import join
from relayish.onnx.node_inference import key_of_type
from relayish.onnx.types import UnknownType

Element: TypeAlias = int | PrimExpr | None
"""An element: a number, a dimension, ``None`` where nothing is known of it."""

Array: TypeAlias = NDArray[Any]  # Any: of whatever element type

LARGEST_PARTIAL: Final = 256
"""How many elements a tensor has at most of which some are known."""

LARGEST_EVALUATED: Final = 1024
"""How many elements inputs and results have at most that are computed."""


class Partial(NamedTuple):
    """A tensor of integers or truth values, by its elements in order."""

    shape: tuple[int, ...]
    elements: tuple[Element, ...]


class Fact:
    """What is known of a value; it never changes.

    Attributes:
        type: Its type.
        value: The value, where all of it is known; not to be written to.
        fields: Of a tuple: what is known of its fields.
    """

    __slots__ = ("_alike", "_partial", "fields", "type", "value")

    def __init__(
        self,
        type: Type,  # noqa: A002 - what it is
        value: Array | None = None,
        partial: Partial | None = None,
        fields: tuple[Fact, ...] | None = None,
    ) -> None:
        self.type = type
        self.value = value
        self.fields = fields
        self._partial = partial
        self._alike: tuple[object, object] | None = None

    def alike(self, *, exactly: bool) -> object:
        """Return what is equal of facts from which the same follows, element types included.

        Args:
            exactly: Whether that may depend on a value of floating point. On that of integers and
                truth values it does.

        Complexity:
            Constant: larger values are alike only if they are the same.
        """
        found = self._alike
        if found is None:
            found = self._alike = self._find_alike()
        return found[exactly]

    def _find_alike(self) -> tuple[object, object]:
        if self.fields is not None:
            return self, self
        key, value = key_of_type(self.type), self.value
        if value is None:
            told = key if self._partial is None else (key, self._partial)
            return told, told
        is_large, is_float = value.size > LARGEST_EVALUATED, value.dtype.kind not in "iubO"
        if value.dtype.hasobject or (is_large and not is_float):
            return self, self
        exact = key if is_large else (key, value.tobytes())
        return (key if is_float else exact), exact

    @property
    def partial(self) -> Partial | None:
        """The elements of a small tensor of integers, ``None`` where none is known."""
        value = self.value
        if self._partial is not None or value is None or value.size > LARGEST_PARTIAL:
            return self._partial
        if value.dtype.kind in "iub":
            self._partial = Partial(value.shape, tuple(value.reshape(-1).tolist()))
        return self._partial

    def __repr__(self) -> str:
        known = self.partial.elements if self.partial is not None else self.value
        return f"Fact({self.type!r}, {known!r})"


UNKNOWN: Final = Fact(UnknownType())
MISSING: Final = Fact(TupleType(()), fields=())
"""An input that is missing."""


def fact_of_array(array: Array) -> Fact:
    """Return what is known of a constant."""
    dtype = ELEMENT_TYPES[find_element_type(array.dtype)]
    return Fact(TensorType(array.shape, dtype), None if array.dtype.kind in "OUS" else array)


def fact_of_tuple(fields: Sequence[Fact]) -> Fact:
    """Return what is known of a tuple, by what is known of its fields."""
    if not fields:
        return MISSING
    return Fact(TupleType([each.type for each in fields]), fields=tuple(fields))


def fact_of_type(ty: Type | None) -> Fact:
    """Return what is known of a value that has a type."""
    if isinstance(ty, TupleType):
        return fact_of_tuple([fact_of_type(each) for each in ty.fields])
    return UNKNOWN if ty is None else Fact(ty)


def fact_of_constant(data: object) -> Fact:
    """Return what is known of the value of a constant."""
    if isinstance(data, (np.ndarray, np.generic)):
        return fact_of_array(np.asarray(data))
    if isinstance(data, tuple):
        return fact_of_tuple([fact_of_constant(each) for each in data])
    return UNKNOWN


def fields_of(fact: Fact) -> tuple[Fact, ...]:
    """Return what is known of the fields of a tuple; of any other value, of that alone."""
    return (fact,) if fact.fields is None else fact.fields


def fact_of_elements(ty: Type, partial: Partial | None) -> Fact:
    """Return what is known of a value of type ``ty`` with these elements."""
    if partial is None or all(each is None for each in partial.elements):
        return Fact(ty) if partial is None or partial.elements else _known(ty, partial)
    if all(isinstance(each, int) for each in partial.elements):
        return _known(ty, partial)
    return Fact(_sharpen(ty, partial), None, partial)


def _known(ty: Type, partial: Partial) -> Fact:
    ty = _sharpen(ty, partial)
    if not isinstance(ty, TensorType) or not _holds_integers(ty):
        return Fact(ty)
    try:
        value = np.array(partial.elements, ty.dtype).reshape(partial.shape)
    except OverflowError:  # it would wrap around where it is computed
        return Fact(ty)
    value.flags.writeable = False
    return Fact(ty, value)


def _holds_integers(ty: TensorType) -> bool:
    return ty.dtype in _INTEGERS


_INTEGERS: Final = frozenset(
    {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
)


def _sharpen(ty: Type, partial: Partial) -> Type:
    """Return the type of a tensor whose elements are known: with its shape."""
    dtype = getattr(ty, "dtype", None)
    if dtype is None or (isinstance(ty, TensorType) and ty.shape == partial.shape):
        return ty
    return TensorType(partial.shape, dtype)


def join_facts(one: Fact, other: Fact) -> Fact:
    """Return what is known of a value that is either of two; ``one`` itself where that is it.

    Raises:
        TypeInferenceError: If they are of different kinds.
    """
    if one is other:
        return one
    if one.fields is not None and other.fields is not None and len(one.fields) == len(other.fields):
        fields = [join_facts(a, b) for a, b in zip(one.fields, other.fields, strict=True)]
        same = all(a is b for a, b in zip(fields, one.fields, strict=True))
        return one if same else fact_of_tuple(fields)
    if (one.fields is None) != (other.fields is None):
        missing = one is MISSING or other is MISSING
        if missing:
            return UNKNOWN
        raise TypeInferenceError("a tuple is joined with a single value; expected two of a kind")
    ty = join(one.type, other.type)
    if one.value is not None and other.value is not None and _is_same(one.value, other.value):
        return one
    left, right = one.partial, other.partial
    partial = None
    if left is not None and right is not None and left.shape == right.shape:
        pairs = zip(left.elements, right.elements, strict=True)
        partial = Partial(left.shape, tuple([a if a == b else None for a, b in pairs]))
    if ty is one.type and partial == left and one.value is None:
        return one
    return fact_of_elements(ty, partial)


def _is_same(one: Array, other: Array) -> bool:
    if one is other:
        return True
    small = one.size <= LARGEST_PARTIAL and one.shape == other.shape and one.dtype == other.dtype
    return bool(small and one.tobytes() == other.tobytes())


def elements_of_shape(ty: Type) -> Partial | None:
    """Return the shape of a tensor as a tensor; ``None`` if its rank is not known."""
    if not isinstance(ty, TensorType):
        return None
    sizes = [None if isinstance(size, AnyDim) else size for size in ty.shape]
    return Partial((len(sizes),), tuple(sizes))


def count_elements(shape: Sequence[int]) -> int:
    """Return how many elements a tensor has."""
    return math.prod(shape)
