"""Types of core in C: structures, arrays, and how values are held in variables and in memory.

Structures have their padding as fields, so that every byte of them is one that assignments copy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

from relayish.codegen.c.core.runtime import memory_type
from relayish.codegen.c.names import Names
from relayish.codegen.c.types import C_TYPES, c_type
from relayish.core.ir.definition import StructDef
from relayish.core.ir.type import Type
from relayish.core.layout import Layout, layout_of
from relayish.errors import CodegenError
from relayish.ir.modules.module import AnyModule
from relayish.tir.ir.type import Type as LoopType

VALUE: Final = "struct value"
"""The type of C of the value of an array or a structure: where its bytes are."""

_TAGS: Final = ("value", "piece", "machine", "program")
"""Structures of C that are no structures of a program."""


def element_of(held: Type) -> str:
    """Return the element type of a scalar: its own name, of an address that of its bits.

    Raises:
        CodegenError: If C has no such elements.
    """
    if held.is_pointer:
        return "uint64"
    given = LoopType(str(held))
    if given.is_narrow:
        raise CodegenError(
            f"core has no memory of elements of type {held}, which have fewer than 8 bits; cast to "
            f"int8 or uint8"
        )
    c_type(given)
    return str(held)


def loop_type(held: Type) -> LoopType:
    """Return the element type of a scalar, as the loop IR has it."""
    return LoopType(element_of(held))


def value_type(held: Type) -> str:
    """Return the type of C of a variable that holds a value."""
    return C_TYPES[element_of(held)].value if held.is_scalar else VALUE


def base_of(held: Type) -> tuple[Type, int]:
    """Return what arrays, one within the other, are of, and how many of it there are."""
    count = 1
    while held.is_array:
        count *= math.prod(held.shape)
        held = held.element
    return held, count


class _Struct(NamedTuple):
    """A structure in C: its tag, the names of its fields, and its definition."""

    tag: str
    fields: dict[str, str]
    text: str


class Declarations:
    """The types of a module as C declares them.

    Attributes:
        layout: Where the fields of structures are.

    Raises:
        FieldError: If a structure has no size.
        CodegenError: If C has no elements of a type.
    """

    def __init__(self, mod: AnyModule) -> None:
        self.layout: Final[Layout] = layout_of(mod)
        self._names = Names(_TAGS)
        self._structs: dict[str, _Struct] = {}
        defined = {
            mod.name_of(key) or "": each for key, each in mod.functions_of(StructDef).items()
        }
        for name in _inner_first(defined):
            self._define(name, defined[name])

    def definitions(self) -> list[str]:
        """Return the definitions of structures, each behind those that it holds."""
        return [each.text for each in self._structs.values()]

    def declare(self, held: Type, name: str) -> str:
        """Return the declaration of memory for a value under a name."""
        base, count = base_of(held)
        type_ = self.memory_type(base)
        return f"{type_} {name}[{count}]" if held.is_array else f"{type_} {name}"

    def memory_type(self, held: Type) -> str:
        """Return the type of C of what is in memory, which is no array."""
        if held.is_struct:
            return f"struct {self._structs[held.struct_name].tag}"
        return memory_type(element_of(held))

    def field(self, held: Type, name: str) -> str:
        """Return the name in C of a field of a structure."""
        return self._structs[held.struct_name].fields[name]

    def _define(self, name: str, struct: StructDef) -> None:
        """Define a structure, all structures in which are defined."""
        tag, names, held = self._names.fresh(name), Names(), Type(f"struct {name}")
        fields = {each: names.fresh(each) for each, _ in struct.fields}
        lines, end = [], 0
        for each, given in struct.fields:
            lines += _padding(names, self.layout.offset_of(held, each) - end)
            lines.append(f"  {self.declare(given, fields[each])};")
            end = self.layout.offset_of(held, each) + self.layout.size_of(given)
        size = self.layout.size_of(held)
        lines += _padding(names, size - end)
        text = "\n".join([f"struct {tag} {{", *lines, "};"])
        text += f'\n_Static_assert(sizeof(struct {tag}) == {size}, "struct {tag} has no gaps");'
        self._structs[name] = _Struct(tag, fields, text)


def _padding(names: Names, size: int) -> list[str]:
    return [f"  uint8_t {names.fresh('padding')}[{size}];"] if size else []


def _inner_first(defined: dict[str, StructDef]) -> Iterator[str]:
    """Yield the names of structures, each behind those that it holds."""
    done: set[str] = set()
    pending = [(name, False) for name in reversed(defined)]
    while pending:
        name, is_ready = pending.pop()
        if name in done:
            continue
        if is_ready:
            done.add(name)
            yield name
            continue
        pending.append((name, True))
        bases = [base_of(given)[0] for _, given in defined[name].fields]
        pending += [(base.struct_name, False) for base in bases if base.is_struct]
