"""Numbering of the objects of a program, each once, and the columns of what they hold.

An object has its number after those of all that it holds, and columns refer to objects by number.
What is one node stays one; values that are equal in type and in every bit become one.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any, Final, NamedTuple, assert_never

import numpy as np
import numpy.typing as npt

from relayish.binary.records import (
    COLUMNS,
    FORMS,
    PAYLOADS,
    STRINGS,
    Column,
    Record,
    Sort,
    kind_name,
    module_name,
    name_class,
    plain_class,
)
from relayish.errors import FieldError, add_note
from relayish.ir.attributes.attrs import Attrs, attrs_class
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.fields.field import REQUIRED, Field, Shape
from relayish.ir.fields.generate import compile_function, indent
from relayish.ir.fields.naming import brief, name_of
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import Span, at_span
from relayish.ir.values.dtype import type_name
from relayish.ir.values.string_array import pack_strings

Array = npt.NDArray[np.generic]


class Table:
    """The objects of a record: what each column holds, in order of their numbers.

    Attributes:
        number: The number of the record.
        columns: By column, the numbers of the objects in it.
        counts: By column, how many there are of each object, where there may be many.
        payload: What objects without columns hold.
        same: By what objects hold, their numbers, where equal ones are one.
    """

    __slots__ = ("columns", "counts", "number", "payload", "record", "same")

    def __init__(self, number: int, record: Record) -> None:
        self.number = number
        self.record = record
        self.columns: list[list[int]] = [[] for _ in record.columns]
        self.counts: list[list[int]] = [[] for _ in record.columns]
        self.payload: list[Any] = []  # Any: what the record says
        self.same: dict[Any, int] = {}  # Any: likewise


class Encoded(NamedTuple):
    """A program in tables: ``tables[records[n]]`` is that of object ``n``."""

    tables: list[Table]
    records: list[int]
    root: int
    arrays: list[Array]


class Encoder:
    """Numbers what is below a program, from a stack.

    Args:
        spans: Whether places in source texts are kept.
        types: Whether what was inferred, such as types, is kept.
    """

    def __init__(self, *, spans: bool, types: bool) -> None:
        self._spans = spans
        self._types = types
        self.tables: list[Table] = []
        self.records: list[int] = []
        self.arrays: list[Array] = []
        self.numbers: dict[Any, int] = {}  # Any: nodes, and None
        self.ids: dict[int, int] = {}
        """The numbers of values that hold others, and of arrays, by identity."""
        self._kept: list[object] = []
        """What identities are those of, so that they stay taken."""
        self._by_record: dict[Record, Table] = {}
        self._owners: dict[type[Any], None] = {}
        self._enter: dict[type, Callable[[Any, list[Any]], None]] = {}  # Any: of the class
        self._finish: dict[type, Callable[[Any], None]] = {}  # Any: likewise
        self._atoms: dict[type, Callable[[Any], int]] = {}  # Any: likewise
        self._parts: dict[int, tuple[Any, ...]] = {}  # Any: of values that are being numbered
        self._partless: set[type] = set()
        self.numbers[None] = self.ids[id(None)] = self._add(self._table(Record(Sort.NONE)))

    def encode(self, root: object) -> Encoded:
        """Return ``root``, a node, a module or a value, in tables.

        Raises:
            FieldError: If something below it is of a class that files cannot hold.

        Complexity:
            Linear in the distinct objects and in what they hold; no recursion.
        """
        stack: list[Any] = [root]  # Any: objects, and the mark after one whose parts stand above
        pop, append = stack.pop, stack.append
        enter, finish, numbers, ids = self._enter, self._finish, self.numbers, self.ids
        thing: Any = root  # Any: as above
        try:
            while stack:
                thing = pop()
                if thing is _END:
                    thing = pop()
                    finish[type(thing)](thing)
                    continue
                if thing in numbers if isinstance(thing, Node) else id(thing) in ids:
                    continue
                kind = type(thing)
                if kind not in enter and not self._prepare(kind, thing):
                    self._number_atom(thing)
                    continue
                append(thing)
                append(_END)
                enter[kind](thing, stack)
            number = self.number_of(root)
        except FieldError as error:
            _tell_where(error, [*stack, thing])
            raise
        finally:
            for made in (self._enter, self._finish, self._atoms):
                made.clear()  # they keep all that was numbered, and this keeps them
        return Encoded(self.tables, self.records, number, self.arrays)

    def number_of(self, thing: Any) -> int:  # Any: whatever was numbered
        """Return the number of an object, of which that of a value without parts is given now."""
        number = self._atoms.get(type(thing))
        if number is not None:
            return number(thing)
        if isinstance(thing, Node):
            return self.numbers[thing]
        found = self.ids.get(id(thing))
        return self._number_atom(thing) if found is None else found

    # What is below objects of a class, and what is written of them

    def _prepare(self, kind: type[Any], thing: object) -> bool:
        """Learn how objects of a class are numbered; return whether they may hold others."""
        if kind in self._partless:
            return False
        if issubclass(kind, Node):
            self._prepare_node(kind)
            return True
        prepared = self._prepare_value(kind, thing)
        if prepared is None:
            self._partless.add(kind)
            return False
        record, parts_of = prepared
        table = self._table(record)
        many = [column.many for column in record.columns]
        held = self._parts  # parts may be made anew each time, and count by identity

        def enter(value: Any, stack: list[Any]) -> None:  # Any: of the class
            parts = held[id(value)] = parts_of(value)
            for part, is_many in zip(parts[::-1], many[::-1], strict=True):
                items = part[::-1] if is_many else (part,)
                stack += [item for item in items if type(item) not in _ATOMS]

        def finish(value: Any) -> None:  # Any: likewise
            parts = held.pop(id(value))
            found = [p if is_many else (p,) for p, is_many in zip(parts, many, strict=True)]
            self._add_value(table, value, [tuple(map(self.number_of, part)) for part in found])
            self._kept.append(parts)

        self._enter[kind], self._finish[kind] = enter, finish
        return True

    def _prepare_value(
        self, kind: type[Any], value: Any
    ) -> tuple[Record, Callable[[Any], tuple[Any, ...]]] | None:  # Any: a value and its parts
        """Return the record of values of a class and what gives their parts; ``None`` for atoms."""
        if kind is tuple:
            return Record(Sort.TUPLE, "", COLUMNS[Sort.TUPLE]), lambda nest: (nest,)
        if kind is DictAttrs:
            return (
                Record(Sort.MAPPING, "", COLUMNS[Sort.MAPPING]),
                lambda attrs: (attrs.keys(), tuple([item for _, item in attrs.items()])),
            )
        if kind in FORMS:
            parts = FORMS[kind].parts
            record = Record(Sort.OTHER, FORMS[kind].name, COLUMNS[Sort.OTHER])
            return record, lambda value: (tuple(parts(value)),)
        if issubclass(kind, Attrs) and attrs_class(kind.type_key) is kind:
            self._owners[kind] = None
            names = kind.field_names
            record = Record(Sort.ATTRS, kind.type_key, tuple([Column(name) for name in names]))
            return record, lambda attrs: tuple([getattr(attrs, name) for name in names])
        if issubclass(kind, Enum):
            name = self._name_class(kind, value)
            return (
                Record(Sort.MEMBER, name, COLUMNS[Sort.MEMBER]),
                lambda member: (member.name if member.name in kind.__members__ else member.value,),
            )
        plain = plain_class(kind)
        if plain is not None:
            name = self._name_class(kind, value)
            copy = _COPIES[plain]
            return Record(Sort.PLAIN, name, COLUMNS[Sort.PLAIN]), lambda given: (copy(given),)
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            name = self._name_class(kind, value)
            columns = tuple([Column(field) for field in kind._fields])
            return Record(Sort.NAMED, name, columns), tuple
        if kind is range:
            record = Record(Sort.RANGE, "", COLUMNS[Sort.RANGE])
            return record, lambda span: (span.start, span.stop, span.step)
        if kind is dict:
            return Record(Sort.DICT, "", COLUMNS[Sort.DICT]), _by_name
        if issubclass(kind, np.dtype):
            return Record(Sort.DTYPE, "", COLUMNS[Sort.DTYPE]), lambda dtype: (_name_type(dtype),)
        if issubclass(kind, Module):
            return self._prepare_module(kind, value)
        return None

    def _prepare_module(
        self, kind: type[Any], mod: Any
    ) -> tuple[Record, Callable[[Any], tuple[Any, ...]]]:  # Any: as above
        made_by, arguments = mod.__reduce__()
        if made_by is not kind:
            raise FieldError(
                f"a module of class {kind.__name__} cannot be written: its __reduce__ gives "
                f"{made_by!r}; let it give the class and the arguments of its constructor"
            )
        columns = tuple([Column(str(index)) for index in range(len(arguments))])
        return Record(Sort.MODULE, module_name(kind), columns), lambda given: given.__reduce__()[1]

    def _name_class(self, cls: type[Any], value: object) -> str:
        name = name_class(cls, self._owners)
        if name is None:
            raise FieldError(
                f"{value!r} ({cls.__name__}) cannot be written, for no field is annotated with its "
                f"class, by which it is found again; annotate the field, or call "
                f"relayish.binary.register_value({cls.__name__}, ...)"
            )
        return name

    def _prepare_node(self, kind: type[Node]) -> None:
        self._owners[kind] = None
        fields = tuple([declared for declared in kind.fields_ if self._keeps(declared)])
        columns = tuple([Column(declared.name, declared.holds_many) for declared in fields])
        table = self._table(Record(Sort.NODE, kind_name(kind), columns))
        bind = _generate(tuple([(declared.name, declared.shape) for declared in fields]))
        self._enter[kind], self._finish[kind] = bind(
            self.numbers, self.ids, self.number_of, self.records, table
        )

    def _keeps(self, declared: Field) -> bool:
        if declared.default is REQUIRED:
            return True
        if declared.inferred and not self._types:
            return False
        return self._spans or Span not in declared.accepts

    # Values that hold no others

    def _number_atom(self, value: Any) -> int:  # Any: a value of whatever class
        kind = type(value)
        number = self._atoms.get(kind)
        if number is None:
            number = self._atoms[kind] = self._prepare_atom(kind, value)
        return number(value)

    def _prepare_atom(self, kind: type[Any], value: object) -> Callable[[Any], int]:
        if kind is bool:
            true, false = self._numbering(Sort.TRUE, type), self._numbering(Sort.FALSE, type)
            return lambda given: (true if given else false)(given)
        if kind is int:
            short, long = self._numbering(Sort.INT, _itself), self._numbering(Sort.LONG, _itself)
            return lambda given: short(given) if -(2**63) <= given < 2**63 else long(given)
        if kind is np.ndarray:
            return self._number_array
        if issubclass(kind, np.generic):
            return self._number_scalar
        if kind in _SORTS:
            return self._numbering(*_SORTS[kind])
        raise FieldError(
            f"{brief(value)} ({kind.__name__}) cannot be written; files hold numbers, strings, "
            f"arrays, nodes, attributes, and tuples of these; let them hold it by "
            f"relayish.binary.register_value({kind.__name__}, ...)"
        )

    def _numbering(self, sort: Sort, key: Callable[[Any], object]) -> Callable[[Any], int]:
        """Return what numbers values of a sort, of which equal ones have the same key."""
        table = self._table(Record(sort))
        same, payload, records = table.same, table.payload, self.records
        get, keeps = same.get, sort in PAYLOADS

        def number(value: Any) -> int:  # Any: of the sort
            held = key(value)
            found = get(held)
            if found is None:
                found = same[held] = len(records)
                records.append(table.number)
                if keeps:
                    payload.append(value)
            return found

        return number

    def _number_scalar(self, value: np.generic) -> int:
        table = self._table(Record(Sort.SCALAR, _name_type(value.dtype)))
        bits = value.tobytes()
        found = table.same.get(bits)
        if found is None:
            found = table.same[bits] = self._add(table)
            table.payload.append(bits)
        return found

    def _number_array(self, array: Array) -> int:
        found = self.ids.get(id(array))
        if found is None and array.dtype.kind == "O":
            table = self._table(Record(Sort.ARRAY, STRINGS))
            found = self.ids[id(array)] = self._add(table)
            packed = np.frombuffer(_pack(array), np.uint8)
            table.payload.append((*array.shape, packed.size))
            self.arrays.append(packed)
        if found is None:
            table = self._table(Record(Sort.ARRAY, _name_type(array.dtype)))
            found = self.ids[id(array)] = self._add(table)
            table.payload.append(array.shape)
            self.arrays.append(array)
        return found

    # Tables

    def _table(self, record: Record) -> Table:
        found = self._by_record.get(record)
        if found is None:
            found = self._by_record[record] = Table(len(self.tables), record)
            self.tables.append(found)
        return found

    def _add(self, table: Table) -> int:
        self.records.append(table.number)
        return len(self.records) - 1

    def _add_value(self, table: Table, value: object, numbers: list[tuple[int, ...]]) -> None:
        key = tuple(numbers)
        found = table.same.get(key)
        if found is None:
            found = table.same[key] = self._add(table)
            for index, held in enumerate(numbers):
                table.columns[index] += held
                table.counts[index].append(len(held))
        self.ids[id(value)] = found
        self._kept.append(value)


_END: Final = object()
"""Stands on the stack after an object whose parts stand above."""

_ATOMS: Final = frozenset({type(None), bool, int, float, complex, str, bytes})
"""The classes of most values that hold no others."""


_COPIES: Final[dict[type, Callable[[Any], object]]] = {  # Any: of a class below
    str: str.__str__,
    bytes: lambda data: bytes(memoryview(data)),
    int: int.__int__,
    float: float.__float__,
}
"""What makes values of a class of those of one below it."""


def _itself(value: object) -> object:
    return value


_SORTS: Final[dict[type, tuple[Sort, Callable[[Any], object]]]] = {  # Any: of the class
    float: (Sort.FLOAT, struct.Struct("<d").pack),
    complex: (Sort.COMPLEX, lambda number: struct.pack("<dd", number.real, number.imag)),
    str: (Sort.STRING, _itself),
    bytes: (Sort.BYTES, _itself),
}
"""What values of a class are, and what tells them from others."""


@cache
def _generate(fields: tuple[tuple[str, Shape], ...]) -> Callable[..., Any]:  # Any: two functions
    """Return what makes the two functions that enter and finish nodes of these fields."""
    many = [index for index, (_, shape) in enumerate(fields) if shape in (Shape.MANY, Shape.MIXED)]
    lines = [
        f"add{i}, extend{i} = t.columns[{i}].append, t.columns[{i}].extend"
        for i, _ in enumerate(fields)
    ]
    lines += [f"count{index} = t.counts[{index}].append" for index in many]
    lines += ["def enter(node, stack):", "    push = stack.append"]
    for name, shape in reversed(fields):
        lines += indent(_push(f"node.{name}", shape))
    lines += ["def finish(node):"]
    for index, (name, shape) in enumerate(fields):
        lines += indent(_number(index, f"node.{name}", shape))
    lines += ["    numbers[node] = len(records)", "    records.append(t.number)"]
    scope = {"Node": Node, "atoms": _ATOMS}
    signature = "bind(numbers, ids, number_of, records, t)"
    made: Callable[..., Any] = compile_function(signature, [*lines, "return enter, finish"], scope)
    return made


def _push(value: str, shape: Shape) -> list[str]:
    """Return the lines that put what is in a field, and is not numbered yet, on the stack."""
    node = "if child not in numbers: push(child)"
    leaf = "if type(child) not in atoms and id(child) not in ids: push(child)"
    match shape:
        case Shape.ONE | Shape.OPTIONAL:
            return [f"child = {value}", node]
        case Shape.MANY:
            return [f"for child in {value}[::-1]:", f"    {node}"]
        case Shape.MIXED:
            return [
                f"for child in {value}[::-1]:",
                "    if isinstance(child, Node):",
                f"        {node}",
                f"    el{leaf}",
            ]
        case Shape.LEAF:
            return [f"child = {value}", leaf]
        case _ as unreachable:
            assert_never(unreachable)


def _number(index: int, value: str, shape: Shape) -> list[str]:
    """Return the lines that put the numbers of what is in a field into its column."""
    match shape:
        case Shape.ONE | Shape.OPTIONAL:
            return [f"add{index}(numbers[{value}])"]
        case Shape.LEAF:
            return [
                f"held = {value}",
                "found = ids.get(id(held))",
                f"add{index}(number_of(held) if found is None else found)",
            ]
        case Shape.MANY | Shape.MIXED:
            get = "numbers[c]" if shape is Shape.MANY else "number_of(c)"
            return [
                f"held = {value}",
                f"count{index}(len(held))",
                f"extend{index}([{get} for c in held])",
            ]
        case _ as unreachable:
            assert_never(unreachable)


def _by_name(definitions: dict[Any, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return keys and values in order of name; that in which modules keep them changes."""
    keys = sorted(definitions, key=lambda key: name_of(key) if isinstance(key, Node) else str(key))
    return tuple(keys), tuple([definitions[key] for key in keys])


def _pack(array: Array) -> bytes:
    try:
        return pack_strings(array)
    except ValueError as error:
        raise FieldError(str(error)) from error


def _name_type(dtype: np.dtype[Any]) -> str:  # Any: any element type
    """Return the name of an element type, whose elements are bytes that can be kept."""
    try:
        name = type_name(dtype)
    except ValueError as error:
        raise FieldError(f"an array cannot be written: {error}") from error
    if dtype.hasobject:
        raise FieldError(
            f"an array of element type {dtype} cannot be written, for it holds Python objects; "
            f"cast it"
        )
    return name


def _tell_where(error: FieldError, open_things: list[Any]) -> None:  # Any: as on the stack
    """Note at which node something was found that cannot be written."""
    for thing in reversed(open_things):
        if isinstance(thing, Node):
            add_note(error, f"in {brief(thing)}{at_span(thing)}")
            return
