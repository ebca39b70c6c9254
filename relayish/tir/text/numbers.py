"""Reading literals."""

from __future__ import annotations

import contextlib
import math
import re
from typing import Final, NoReturn

from relayish.errors import FieldError
from relayish.ir.nodes.node import Node
from relayish.text.literals import read_int
from relayish.tir.ir.operators import Expr, FloatImm, IntImm, UIntImm, integer_range
from relayish.tir.ir.type import FLOAT32, INT32, INT64, Type, as_type
from relayish.tir.text.literals import FLOAT64, UINT32, told_type
from relayish.tir.text.reader import Reader
from relayish.tir.text.spelling import half_value, read_type, round_to

_SUFFIXES: Final = {"ll": INT64, "ull": Type("uint64"), "f": FLOAT32}


def read_number(reader: Reader, found: re.Match[str], start: int) -> Node:
    """Return the literal that a match of ``NUMBER`` stands for."""
    cast, digits, suffix = found["cast"], found["digits"], found["suffix"]
    is_integer = digits.lstrip("-").isdigit()
    dtype = _type_told(reader, cast, suffix, is_integer=is_integer, start=start)
    span = reader.span(start, reader.pos)
    if is_integer and not dtype.is_float:
        try:
            value = -read_int(digits[1:]) if digits[0] == "-" else read_int(digits)
        except ValueError as error:
            reader.fail(str(error), start)
        kind = UIntImm if dtype.is_uint else IntImm
        made: Node = kind(value, dtype, span=span)
        if reader.notes and start in reader.notes:
            made = _as_noted(reader, made, start)
        elif dtype.is_integer:
            low, high = integer_range(dtype)
            if dtype == INT32 and high < value <= 2 * high + 1:
                reader.wide[made] = start
            elif not low <= value <= high:
                fail_range(reader, value, dtype, start)
        return made
    number = round_to(float(digits), dtype)
    is_noted = start in reader.notes
    if math.isinf(number) and not is_noted and digits[-1] != "f":
        reader.fail(f"{digits} is out of range of {dtype}; write inf for infinity", start)
    made = FloatImm(number, dtype, span=span)
    return _as_noted(reader, made, start) if is_noted else made


def fail_range(reader: Reader, value: int, dtype: Type, start: int) -> NoReturn:
    """Refuse an integer that its type does not hold."""
    low, high = integer_range(dtype)
    more = "; write 7ll for an int64" if dtype == INT32 else ""
    reader.fail(f"{value} is out of range of {dtype}, {low} to {high}{more}", start)


def _type_told(
    reader: Reader, cast: str | None, suffix: str | None, *, is_integer: bool, start: int
) -> Type:
    if cast is not None:
        dtype: Type | None = None
        with contextlib.suppress(FieldError):
            dtype = as_type(str(read_type(cast)))
        if dtype is None:
            reader.fail(
                f"({cast}) stands before a number, but is no type; numbers of 8 and 16 bits are "
                f"written (int8_t)3, (uint16_t)3, (float16)0.5f",
                start,
            )
        if suffix not in (None, "f"):
            reader.fail(f"a number with ({cast}) before it has no suffix {suffix}", start)
        return dtype
    if suffix is None:
        return INT32 if is_integer else FLOAT64
    told = _SUFFIXES.get(suffix)
    if told is None or (told == FLOAT32) == is_integer:
        kind = "an integer" if is_integer else "a number with a fraction"
        known = "ll and ull" if is_integer else "f alone"
        reader.fail(
            f"{suffix!r} is no suffix of {kind}, which is {known}: 7, 7ll, 7ull, 7.0f, 7.0", start
        )
    return told


def read_infinite(reader: Reader, digits: str, start: int) -> Node:
    """Return the literal of ``inf`` or ``nan``, a ``float32`` unless its neighbours tell other."""
    value = float(digits.removeprefix("-"))
    made = FloatImm(-value if digits[0] == "-" else value, span=reader.span(start, reader.pos))
    return _as_noted(reader, made, start) if reader.notes and start in reader.notes else made


def read_half(reader: Reader, element: str, bits: str, start: int) -> Node:
    """Return the literal of 16 bits."""
    dtype = Type(element)
    value = half_value(int(bits, 16), dtype)
    made = FloatImm(value, dtype, span=reader.span(start, reader.pos))
    return _as_noted(reader, made, start) if reader.notes and start in reader.notes else made


def read_truth(reader: Reader, word: str, start: int) -> Node:
    """Return the literal of ``true`` or ``false``."""
    made = UIntImm(1 if word == "true" else 0, span=reader.span(start, reader.pos))
    return _as_noted(reader, made, start) if reader.notes and start in reader.notes else made


_KINDS: Final[dict[str, type[IntImm | UIntImm | FloatImm]]] = {
    "int_imm": IntImm,
    "uint_imm": UIntImm,
    "float_imm": FloatImm,
}


def _as_noted(
    reader: Reader, made: IntImm | UIntImm | FloatImm | Node, start: int
) -> IntImm | UIntImm | FloatImm:
    """Return a literal as the section describes it."""
    assert isinstance(made, (IntImm, UIntImm, FloatImm))
    note = reader.note_at(start)
    assert note is not None
    name = note.pop("kind", None)
    kind: type[IntImm | UIntImm | FloatImm] = type(made)
    if name is not None:
        spelt = getattr(name, "spelt", repr(name))
        if spelt not in _KINDS:
            reader.unknown("kind of number", spelt, _KINDS, start)
        kind = _KINDS[spelt]
    dtype = reader.type_of(note.pop("dtype"), start) if "dtype" in note else made.dtype
    value = note.pop("value", made.value)
    reader.refuse_rest(note, "a number", start)
    expected = float if kind is FloatImm else int
    if not isinstance(value, (int, float)) or (expected is int and type(value) is not int):
        reader.fail(f"the value of a {kind.__name__} is a number; found {value!r}", start)
    literal = kind(value, dtype, span=made.span)  # type: ignore[arg-type]  # checked
    reader.fixed.add(literal)
    return literal


def adapt(reader: Reader, node: Expr, other: Expr) -> Expr:
    """Return a literal whose text tells no type with that of what stands beside it.

    See :func:`~relayish.tir.text.literals.takes_type_of`.
    """
    beside = told_type(other)
    if isinstance(node, IntImm) and beside == UINT32 and node.dtype == INT32:
        if node in reader.fixed:
            return node
        reader.wide.pop(node, None)
        return UIntImm(node.value, UINT32, span=node.span)
    if isinstance(node, FloatImm) and beside == FLOAT64 and node.dtype == FLOAT32:
        is_told = math.isfinite(node.value) or node in reader.fixed
        return node if is_told else FloatImm(node.value, FLOAT64, span=node.span)
    return node
