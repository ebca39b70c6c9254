"""Reading a program: its records, their columns, and its objects, each after all that it holds.

Nothing is executed but constructors, which check what they are given. What is allocated is bounded
by the bytes that are there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum, Flag
from functools import cache
from itertools import islice
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from relayish.binary.arrays import ArraySource
from relayish.binary.columns import Cursor, Owners
from relayish.binary.layout import HEAD_SIZE
from relayish.binary.records import (
    COLUMNS,
    PAYLOADS,
    REQUIREMENTS,
    STRINGS,
    Column,
    Record,
    Sort,
    find_attrs,
    find_class,
    find_form,
    find_kind,
    find_module,
    plain_class,
)
from relayish.binary.varints import to_signed
from relayish.errors import BinaryFormatError, FieldError, RelayishError, add_note, suggest
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.fields.field import REQUIRED
from relayish.ir.fields.generate import compile_function
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.storage import INTERNED, intern
from relayish.ir.values.dtype import find_type
from relayish.ir.values.string_array import unpack_strings

_T = TypeVar("_T")

_DAMAGED: Final = (
    ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError
)  # fmt: skip
"""What constructors may end in that are given what somebody else has made."""


class Decoder:
    """Reads one program.

    Args:
        program: Its bytes.
        check_nodes: Whether operators and the like have to be declared.
    """

    def __init__(self, program: memoryview, *, check_nodes: bool) -> None:
        self._cursor = Cursor(program, HEAD_SIZE)
        self._check_nodes = check_nodes
        self._objects: list[Any] = []  # Any: whatever the records say
        self._levels: dict[int, int] = {}
        self._has_deep_nests = False
        self.producer = self._cursor.text()
        has_phase = self._cursor.byte()
        phase = self._cursor.text()
        self.phase = phase if has_phase else None

    def read_records(self) -> tuple[list[Record], npt.NDArray[np.int64]]:
        """Read what objects there are: the records, and that of each object by number."""
        cursor = self._cursor
        records = [self._record() for _ in range(cursor.number())]
        of_objects = cursor.numbers(cursor.number(), "the records of objects")
        if not len(of_objects):
            raise cursor.error("there are no objects")
        if int(of_objects.max()) >= len(records):
            raise cursor.error(
                f"an object is of record {int(of_objects.max())}, where there are {len(records)}"
            )
        return records, of_objects.astype(np.int64)

    def read(self, arrays: ArraySource) -> Any:  # Any: what was written
        """Read all objects, and return the one that was written.

        Raises:
            BinaryFormatError: If the bytes are damaged, or of a newer version.
            RelayishError: If a kind, an operator or a class is not declared, or its fields are
                others.

        Complexity:
            Linear in the bytes; no recursion.
        """
        records, of_objects = self.read_records()
        order = np.argsort(of_objects, kind="stable")
        ends = np.cumsum(np.bincount(of_objects, minlength=len(records)))
        is_nest = np.array([record.sort in _NESTS for record in records])
        self._has_deep_nests = int(is_nest[of_objects].sum()) > _DEEPEST
        makers = [
            self._maker(record, owners, arrays)
            for record, owners in zip(records, np.split(order, ends[:-1]), strict=True)
        ]
        root = self._cursor.number()
        if self._cursor.left:
            raise self._cursor.error(f"{self._cursor.left} bytes follow the program")
        if root >= len(of_objects):
            raise self._cursor.error(f"there is no object {root}, which was written")
        append = self._objects.append
        try:
            for record in of_objects.tolist():
                append(makers[record]())
        except RelayishError as error:
            add_note(error, self._place(records, of_objects))
            raise
        except _DAMAGED as error:
            raise BinaryFormatError(
                f"{self._place(records, of_objects)} cannot be made: {error!r}; read the file with "
                f"the version that wrote it ({self.producer})",
                HEAD_SIZE,
            ) from error
        arrays.finish()
        return self._objects[root]

    def _place(self, records: list[Record], of_objects: npt.NDArray[np.int64]) -> str:
        number = len(self._objects)
        return f"object {number} of the file, {records[of_objects[number]]}"

    def _record(self) -> Record:
        cursor = self._cursor
        number = cursor.byte()
        if number > max(Sort):
            raise cursor.error(f"{number} is no sort of objects")
        sort, name = Sort(number), cursor.text()
        columns = [Column(cursor.text(), bool(cursor.byte())) for _ in range(cursor.number())]
        record = Record(sort, name, tuple(columns))
        fixed = COLUMNS.get(sort) if sort not in _WITH_FIELDS else record.columns
        names = {column.name for column in columns}
        if record.columns != (fixed or ()) or len(names) != len(columns) or len(names) > _WIDEST:
            raise cursor.error(f"{record} has {len(columns)} columns, which are not those of it")
        return record

    def _maker(
        self, record: Record, owners: Owners, arrays: ArraySource
    ) -> Callable[[], Any]:  # Any: the next object of the record
        """Return what makes the objects of a record, one after the other."""
        if record.sort in _CONSTANTS:
            constant = _CONSTANTS[record.sort]
            return lambda: constant
        if record.sort in PAYLOADS:
            return self._payload(record, len(owners), arrays).__next__
        columns: list[list[int]] = []
        counts: list[list[int] | None] = []
        for column in record.columns:
            what = f"{record}.{column.name}"
            held = self._cursor.counts(len(owners), what) if column.many else None
            columns.append(self._cursor.column(owners, held, what).tolist())
            counts.append(None if held is None else held.tolist())
        return self._build(record, columns, counts).__next__

    # Values that hold no others

    def _payload(self, record: Record, count: int, arrays: ArraySource) -> Iterator[Any]:
        cursor, what = self._cursor, f"the {record} objects"
        match record.sort:
            case Sort.INT:
                return iter(to_signed(cursor.numbers(count, what)).tolist())
            case Sort.FLOAT | Sort.COMPLEX:
                dtype = "<f8" if record.sort is Sort.FLOAT else "<c16"
                return iter(self._elements(np.dtype(dtype), count, what).tolist())
            case Sort.SCALAR:
                return iter(self._elements(self._dtype(record.name), count, what))
            case Sort.ARRAY:
                return self._arrays(record, count, arrays)
            case Sort.STRING:
                ends = self._ends(count, what)
                text = cursor.text()
                self._check_end(ends, len(text), what)
                return iter([text[i:j] for i, j in zip([0, *ends], ends, strict=False)])
            case _:
                ends = self._ends(count, what)
                data = bytes(cursor.block())
                self._check_end(ends, len(data), what)
                parts = [data[i:j] for i, j in zip([0, *ends], ends, strict=False)]
                if record.sort is Sort.BYTES:
                    return iter(parts)
                return iter([int.from_bytes(part, "little", signed=True) for part in parts])

    def _ends(self, count: int, what: str) -> list[int]:
        lengths = self._cursor.numbers(count, what)
        found: list[int] = []
        end = 0
        for length in lengths.tolist():
            end += length
            found.append(end)
        return found

    def _check_end(self, ends: list[int], expected: int, what: str) -> None:
        found = ends[-1] if ends else 0
        if found != expected:
            raise self._cursor.error(f"{what} are to have {found} bytes, and have {expected}")

    def _elements(
        self, dtype: np.dtype[Any], count: int, what: str
    ) -> npt.NDArray[Any]:  # Any: whatever type of elements
        data = self._cursor.block()
        if len(data) != count * dtype.itemsize:
            raise self._cursor.error(
                f"{what}: found {len(data)} bytes, where {count * dtype.itemsize} are expected"
            )
        return np.frombuffer(data, dtype)

    def _dtype(self, name: str) -> np.dtype[Any]:
        if _TYPE.fullmatch(name) is None:  # numpy evaluates lists of types with shapes in them
            raise self._cursor.error(f"{name[:80]!r} is no element type")
        try:
            found = find_type(name)
        except (TypeError, ValueError, ArithmeticError) as error:
            raise self._cursor.error(f"{name!r} is no element type", error) from error
        if found.hasobject or found.itemsize <= 0:  # numpy 1 wraps huge lengths around
            raise self._cursor.error(f"{name!r} is no element type of arrays in files")
        return found

    def _arrays(self, record: Record, count: int, arrays: ArraySource) -> Iterator[Any]:
        what = f"the {record} objects"
        is_text = record.name == STRINGS
        dtype = np.dtype(np.uint8) if is_text else self._dtype(record.name)
        ends = self._ends(count, what)
        sizes = self._cursor.numbers(None, what).tolist()
        self._check_end(ends, len(sizes), what)
        shapes = [tuple(sizes[i:j]) for i, j in zip([0, *ends], ends, strict=False)]
        if is_text:
            return (self._strings(arrays, shape, what) for shape in shapes)
        return (arrays.take(dtype, shape) for shape in shapes)

    def _strings(self, arrays: ArraySource, shape: tuple[int, ...], what: str) -> Any:
        """Return the next array of strings. Any: of objects."""
        data = arrays.take(np.dtype(np.uint8), shape[-1:]).tobytes()
        try:
            return unpack_strings(data, shape[:-1])
        except ValueError as error:
            raise self._cursor.error(f"{what}: {error}", error) from error

    # Objects that hold others

    def _build(
        self, record: Record, columns: list[list[int]], counts: list[list[int] | None]
    ) -> Iterator[Any]:
        """Return an iterator over the objects of a record, made of generated code."""
        make, arguments = self._constructor(record)
        defaults = [None if isinstance(value, int) else value[0] for value in arguments]
        many = tuple([column.many for column in record.columns])
        spelt = tuple([value if isinstance(value, int) else None for value in arguments])
        made: Iterator[Any] = _generate(many, spelt)(
            self._objects, make, defaults, columns, counts, [iter(numbers) for numbers in columns]
        )
        return made

    def _note_levels(self, make: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``make``, which notes how deep the tuples that it makes nest."""
        if not self._has_deep_nests:
            return make
        levels = self._levels

        def make_nest(*parts: Any) -> object:
            made = make(*parts)
            levels[id(made)] = 1 + max([levels.get(id(item), 0) for item in made], default=0)
            return made

        return make_nest

    def _refuse_deep_nests(
        self, make: Callable[..., Any], checked: Sequence[int]
    ) -> Callable[..., Any]:
        """Return ``make``, which refuses tuples that nest deeply among the arguments ``checked``.

        What is checked by its annotation may be hashed, and Python's hash of tuples recurses.
        """
        if not self._has_deep_nests or not checked:
            return make
        levels = self._levels

        def make_checked(*values: object) -> object:
            if any(levels.get(id(values[index]), 0) > _DEEPEST for index in checked):
                raise FieldError(f"tuples nest deeper than {_DEEPEST} levels")
            return make(*values)

        return make_checked

    def _constructor(self, record: Record) -> tuple[Callable[..., Any], list[_Argument]]:
        """Return what makes objects of a record, and its arguments."""
        columns: list[_Argument] = list(range(len(record.columns)))
        match record.sort:
            case Sort.NODE:
                return self._node_constructor(record)
            case Sort.ATTRS:
                return self._attrs_constructor(record)
            case Sort.NAMED:
                cls = find_class(record.name)
                names = getattr(cls, "_fields", None)
                if names is None:
                    raise self._cursor.error(f"{record.name} is no class of named tuples")
                defaults = cls._field_defaults
                declared = {name: defaults.get(name, REQUIRED) for name in names}
                return self._note_levels(cls), _match(record, declared)
            case Sort.MEMBER:
                return _member_maker(find_class(record.name)), columns
            case Sort.PLAIN:
                cls = find_class(record.name)
                plain = plain_class(cls)
                if plain is None:
                    raise self._cursor.error(f"{record.name} is no class of strings or numbers")
                return lambda value: cls(_expect(value, plain)), columns
            case Sort.OTHER:
                make = find_form(record.name).make
                return lambda parts: make(*_expect(parts, tuple)), columns
            case Sort.MODULE:
                return find_module(record.name), columns
            case Sort.TUPLE:
                return self._note_levels(tuple), columns
            case Sort.RANGE:
                return range, columns
            case Sort.DTYPE:
                return lambda name: self._dtype(_expect(name, str)), columns
            case Sort.DICT:
                return _make_dict, columns
            case _:
                assert record.sort is Sort.MAPPING
                return lambda keys, values: DictAttrs(dict(zip(keys, values, strict=True))), columns

    def _node_constructor(self, record: Record) -> tuple[Callable[..., Any], list[_Argument]]:
        kind = find_kind(record.name)
        declared = {f.name: f.default for f in kind.fields_}
        arguments = _match(record, declared)
        for column in record.columns:
            held = next(f for f in kind.fields_ if f.name == column.name)
            if held.holds_many is not column.many:
                raise self._cursor.error(
                    f"{record.name} has {'many' if column.many else 'one'} {column.name} in the "
                    f"file, and is declared otherwise"
                )
        check = REQUIREMENTS[kind] if self._check_nodes else None
        converted = [i for i, f in enumerate(kind.fields_) if f.convert is not None and f.accepts]
        construct = self._refuse_deep_nests(kind, converted)
        if INTERNED[kind] is None and check is None:
            return construct, arguments

        def make(*values: object) -> Node:
            node = intern(construct(*values))
            if check is not None:
                check(node)
            return node

        return make, arguments

    def _attrs_constructor(self, record: Record) -> tuple[Callable[..., Any], list[_Argument]]:
        cls = find_attrs(record.name)
        declared = {name: cls.defaults.get(name, REQUIRED) for name in cls.field_names}
        arguments = _match(record, declared)
        names = cls.field_names

        def make(*values: object) -> Attrs:
            return cls(**dict(zip(names, values, strict=True)))

        return self._refuse_deep_nests(make, range(len(names))), arguments


_Argument: TypeAlias = "int | tuple[object]"
"""The index of a column, or what stands where the file has none."""

_CONSTANTS: Final[dict[Sort, object]] = {Sort.NONE: None, Sort.FALSE: False, Sort.TRUE: True}

_TYPE: Final = re.compile(r"[<>|=]?[A-Za-z]\w{0,40}(?:\[\w{1,20}\])?", re.ASCII)
_NESTS: Final = frozenset({Sort.TUPLE, Sort.NAMED})
_DEEPEST: Final = 1000
"""How deep tuples nest in what is checked by an annotation."""

_WIDEST: Final = 10_000
"""How many columns a record has, of which code is generated."""

_WITH_FIELDS: Final = frozenset({Sort.NODE, Sort.ATTRS, Sort.NAMED, Sort.MODULE})
"""The sorts whose records say which columns they have."""


def _match(record: Record, declared: Mapping[str, object]) -> list[_Argument]:
    """Return, for each declared field, its column, or its default where the file has none.

    Raises:
        FieldError: If the file has a field that is not declared, or one without a default is not
            in the file.
    """
    columns = {column.name: index for index, column in enumerate(record.columns)}
    strange = [name for name in columns if name not in declared]
    if strange:
        raise FieldError(
            f"the file holds {record} with the field {strange[0]!r}, which is not declared"
            f"{suggest(strange[0], declared)}; read it with the version that wrote it, and write "
            f"text"
        )
    missing = [n for n, default in declared.items() if n not in columns and default is REQUIRED]
    if missing:
        raise FieldError(
            f"the file holds {record} without the field {missing[0]!r}, which has no default; "
            f"declare one, or read the file with the version that wrote it, and write text"
        )
    return [columns.get(name, (default,)) for name, default in declared.items()]


@cache
def _generate(
    many: tuple[bool, ...], arguments: tuple[int | None, ...]
) -> Callable[..., Any]:  # Any: an iterator
    """Return the generator of objects whose columns are such.

    Args:
        many: By column, whether there are any number of objects in it for each.
        arguments: By argument, its column; ``None`` for its default.
    """
    rows = [f"counts[{i}]" if is_many else f"columns[{i}]" for i, is_many in enumerate(many)]
    given = []
    lines = []
    for index, column in enumerate(arguments):
        if column is None:
            lines.append(f"default{index} = defaults[{index}]")
            given.append(f"default{index}")
        elif many[column]:
            lines.append(f"items{column} = items[{column}]")
            given.append(f"tuple([objects[i] for i in islice(items{column}, n{column})])")
        else:
            given.append(f"objects[n{column}]")
    names = "".join([f"n{index}, " for index, _ in enumerate(many)])
    lines += [
        f"for {names}in zip({', '.join(rows)}):" if many else "while True:",
        f"    yield make({', '.join(given)})",
    ]
    signature = "build(objects, make, defaults, columns, counts, items)"
    made: Callable[..., Any] = compile_function(signature, lines, {"islice": islice})
    return made


def _make_dict(keys: tuple[object, ...], values: tuple[object, ...]) -> dict[object, object]:
    """Return definitions by name or by key; a nest of tuples, say, has a hash that recurses."""
    for key in keys:
        if not isinstance(key, (str, Node)):
            raise FieldError(f"found {key!r}, where a definition has a name")
    return dict(zip(keys, values, strict=True))


def _member_maker(cls: type[Any]) -> Callable[[object], object]:
    """Return what finds a member of an enumeration: by its name, or by the value of flags."""
    if not issubclass(cls, Enum):
        raise FieldError(f"{cls.__name__} is no enumeration, as the file says")

    def find(given: object) -> object:
        if isinstance(given, str) and given in cls.__members__:
            return cls[given]
        if isinstance(given, int) and issubclass(cls, Flag):
            return cls(given)
        raise FieldError(
            f"{cls.__name__} has no member {given!r}{suggest(str(given), cls.__members__)}; "
            f"read the file with the version that wrote it"
        )

    return find


def _expect(value: Any, cls: type[_T]) -> _T:  # Any: whatever stands in the file
    if not isinstance(value, cls):
        raise FieldError(f"found {value!r}, where a {cls.__name__} is expected")
    return value
