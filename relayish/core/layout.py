"""Data layout: sizes and alignments of types in bytes, and places of fields in structures.

Numbers have their natural alignment and truth values take one byte. Fields stand in order, each at
the next place that suits its alignment, and a structure ends at a multiple of its own, as in C.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, NamedTuple

from relayish.core.ir.definition import StructDef
from relayish.core.ir.type import Type, TypeLike, as_type
from relayish.errors import FieldError, suggest
from relayish.ir.modules.module import AnyModule

POINTER_SIZE: Final = 8


class Extent(NamedTuple):
    """How many bytes a value takes, and of what its address is a multiple."""

    size: int
    alignment: int


class Layout:
    """Sizes of types, where the structures are those of a module.

    Args:
        structures: What defines each structure, by name.

    Complexity:
        Linear in the fields of structures, once; no recursion.

    Example:
        >>> layout = Layout({"pair": StructDef((("tag", "uint8"), ("x", "int32")))})
        >>> layout.size_of("struct pair[2]"), layout.offset_of("struct pair", "x")
        (16, 4)
    """

    def __init__(self, structures: Mapping[str, StructDef] | None = None) -> None:
        self._structures = dict(structures or {})
        self._extents: dict[str, Extent] = {}
        self._offsets: dict[str, dict[str, int]] = {}

    def size_of(self, given: TypeLike) -> int:
        """Return the size of a type.

        Raises:
            FieldError: If it has none: ``void``, a function, a structure that is not defined, or
                one that contains itself.
        """
        return self.extent_of(given).size

    def extent_of(self, given: TypeLike) -> Extent:
        """Return size and alignment of a type; raises as :meth:`size_of` does."""
        count, base = _count_of(as_type(given))
        if base.is_struct:
            self._measure(base.struct_name)
            found = self._extents[base.struct_name]
        else:
            found = _extent_of_scalar(base)
        return Extent(count * found.size, found.alignment)

    def fields_of(self, given: TypeLike) -> dict[str, Type]:
        """Return the types of the fields of a structure, by name.

        Raises:
            FieldError: If it is no structure, or none that is defined.
        """
        return dict(self._definition(as_type(given).struct_name).fields)

    def offset_of(self, given: TypeLike, name: str) -> int:
        """Return at which byte of a structure a field begins.

        Raises:
            FieldError: As :meth:`size_of`, or if the structure has no such field.
        """
        struct = as_type(given).struct_name
        self._measure(struct)
        offsets = self._offsets[struct]
        if name not in offsets:
            raise FieldError(f"struct {struct} has no field {name!r}{suggest(name, offsets)}")
        return offsets[name]

    def _definition(self, name: str) -> StructDef:
        found = self._structures.get(name)
        if found is None:
            raise FieldError(
                f"no structure {name!r} is defined{suggest(name, self._structures)}; define it in "
                f"the module: StructDef(((field, type), ...))"
            )
        return found

    def _measure(self, name: str) -> None:
        """Find the extents of a structure and of those it holds."""
        entered: dict[str, None] = {}
        pending = [name]
        while pending:
            each = pending[-1]
            if each in self._extents:
                pending.pop()
                continue
            held = [_count_of(given)[1] for _, given in self._definition(each).fields]
            inner = [base.struct_name for base in held if base.is_struct]
            missing = [struct for struct in inner if struct not in self._extents]
            if not missing:
                self._place(each)
                pending.pop()
            elif each in entered:
                raise FieldError(
                    f"struct {missing[0]} contains itself, so it has no size; hold a pointer to it"
                )
            else:
                entered[each] = None
                pending += missing

    def _place(self, name: str) -> None:
        """Find where the fields of a structure are, all structures in which have an extent."""
        end, alignment = 0, 1
        offsets: dict[str, int] = {}
        for each, given in self._definition(name).fields:
            extent = self.extent_of(given)
            offsets[each] = _align(end, extent.alignment)
            end = offsets[each] + extent.size
            alignment = max(alignment, extent.alignment)
        self._offsets[name] = offsets
        self._extents[name] = Extent(_align(end, alignment), alignment)


def layout_of(mod: AnyModule) -> Layout:
    """Return the layout in which the structures are those that a module defines."""
    found = mod.functions_of(StructDef)
    return Layout({mod.name_of(key) or "": definition for key, definition in found.items()})


def _count_of(given: Type) -> tuple[int, Type]:
    """Return how many elements arrays, one within the other, have, and the type of each."""
    count = 1
    while given.is_array:
        count *= math.prod(given.shape)
        given = given.element
    return count, given


def _extent_of_scalar(given: Type) -> Extent:
    if given.is_pointer:
        return Extent(POINTER_SIZE, POINTER_SIZE)
    if not given.is_scalar:
        raise FieldError(f"values of type {given} have no size; expected a type of values")
    size = (given.bits + 7) // 8
    return Extent(size, size)


def _align(place: int, alignment: int) -> int:
    return -(-place // alignment) * alignment
