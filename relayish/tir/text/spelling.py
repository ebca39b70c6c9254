"""Lexical syntax of the loop IR: how CINN spells types, numbers and names, and what it cannot.

A number is written as CINN writes it: ``7`` (``int32`` and ``uint32``), ``7ll``, ``7ull``,
``(int8_t)7``, ``1.50000000f``, ``1.5000000000000000``, ``(float16)1.5000f``. What its spelling does
not tell, the section of details does. A name that is no name of C stands in quotes after ``#``.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from relayish.errors import FieldError
from relayish.text.literals import STRING, quote, unquote
from relayish.tir.ir.flags import ReduceType
from relayish.tir.ir.target import Target
from relayish.tir.ir.type import FLOAT32, INT32, Type, as_type

IDENTIFIER: Final = r"[A-Za-z_][A-Za-z0-9_]*+(?:(?:\.|::)[A-Za-z_][A-Za-z0-9_]*+)*+"
NAME: Final = rf"(?:{IDENTIFIER}|\#{STRING})"
TYPE: Final = rf"(?:const[ ])?{NAME}(?:<\d++>)?\*{{0,2}}"

_IDENTIFIER_ONLY: Final = re.compile(IDENTIFIER)
_TYPE_ONLY: Final = re.compile(rf"(const )?({NAME})(?:<(\d+)>)?(\*{{0,2}})")

KEYWORDS: Final = frozenset(
    [
        "alloc",
        "and",
        "bare",
        "const",
        "default",
        "for",
        "free",
        "function",
        "if",
        "else",
        "inf",
        "nan",
        "or",
        "parallel",
        "poly_for",
        "serial",
        "thread_bind",
        "true",
        "false",
        "unroll",
        "vectorize",
        "Module",
        "ScheduleBlock",
        "_Buffer_",
        "Tensor",
        "Reduce",
        "Ramp",
        "Broadcast",
        "select",
        "axis",
        "read_buffers",
        "write_buffers",
        "attrs",
        "undefined",
    ]
)
"""Words that mean something of their own; as names they stand in quotes."""


def spell_name(name: str) -> str:
    """Return a name as it is written: ``blockIdx.x``, ``cinn_buffer_t::new_``, ``#"odd name"``."""
    if _IDENTIFIER_ONLY.fullmatch(name) and name not in KEYWORDS:
        return name
    return f"#{quote(name)}"


def looks_like_buffer(spelt: str) -> bool:
    """Return whether a name is taken for that of a buffer where nothing declares it."""
    return spelt.removeprefix('#"').startswith("_")


def read_name(spelt: str) -> str:
    """Return the name that :func:`spell_name` spelt."""
    return unquote(spelt[1:]) if spelt[0] == "#" else spelt


def spell_type(given: Type) -> str:
    """Return a type as CINN prints it: ``const float32<4>*``."""
    lanes = f"<{given.lanes}>" if given.lanes != 1 else ""
    element = spell_name(given.element)
    return f"{'const ' if given.is_const else ''}{element}{lanes}{'*' * given.pointers}"


def read_type(spelt: str) -> Type:
    """Return the type that :func:`spell_type` spelt; CINN's other names for types do as well.

    Raises:
        FieldError: If it reads as a type of numbers, but there is none of that width.
    """
    found = _TYPE_ONLY.fullmatch(spelt)
    assert found is not None
    const, element, lanes, pointers = found.groups()
    if lanes and len(lanes) > 9:
        raise FieldError(f"a vector of a number of lanes of {len(lanes)} digits is too long")
    element = read_name(element)
    made = _OTHER_NAMES.get(element) or Type(element)
    if made.is_numeric and element not in _KNOWN_TYPES:
        as_type(made.element)
    return made._replace(
        lanes=int(lanes or 1), pointers=made.pointers + len(pointers), is_const=const is not None
    )


def is_type_name(spelt: str) -> bool:
    """Return whether a word, with lanes and pointers, is taken for a type where it is called."""
    found = _TYPE_ONLY.fullmatch(spelt)
    if found is None:
        return False
    const, element, lanes, pointers = found.groups()
    if const or lanes or pointers:
        return True
    return element in _KNOWN_TYPES or element in _OTHER_NAMES


_OTHER_NAMES: Final = {
    "int": INT32,
    "uint": as_type("uint32"),
    "half": as_type("float16"),
    "float": FLOAT32,
    "double": as_type("float64"),
    "char": as_type("int8"),
    "uint1": as_type("bool"),
    **{
        f"{name}_t": as_type(name)
        for name in [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
    },
}
_KNOWN_TYPES: Final = frozenset(
    [
        "bool",
        "int1",
        "int4",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint4",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "bfloat16",
        "float8",
        "float16",
        "float32",
        "float64",
        "e4m3_float8",
        "e5m2_float8",
        "void",
        "string",
        "unk",
    ]
)

# Numbers

NUMBER: Final = (
    r"(?:\((?P<cast>[A-Za-z_]\w*+)\))?"
    r"(?P<digits>-?(?:\d++(?:\.\d*+)?(?:[eE][-+]?\d++)?|(?:inf|nan)(?![\w.:])))"
    r"(?P<suffix>[a-zA-Z]\w*+)?"
)
"""A number; the type of ``(int8_t)3`` stands before it."""
_HALVES: Final = {"float16": 5, "bfloat16": 9}
_INTS: Final[dict[Type, Callable[[int], str]]] = {
    Type("int32"): str,
    Type("uint32"): str,
    Type("int64"): "{}ll".format,
    Type("uint64"): "{}ull".format,
}


def spell_int(value: int, dtype: Type) -> str:
    """Return an integer as CINN writes it; types it has not, as it does ``int8``."""
    spell = _INTS.get(dtype)
    if spell is not None:
        return spell(value)
    if dtype.element == "bool" and dtype.is_scalar:
        return "true" if value else "false"
    if not dtype.is_integer or not dtype.is_scalar:
        return str(value)
    return f"({dtype.element}_t){value}"


def spell_float(value: float, dtype: Type) -> str:
    """Return a floating-point number as CINN writes it, with all digits that it may have."""
    element = dtype.element
    if element == "float64" or not dtype.is_float:
        return _alternate(value, 17)
    if element == "float32":
        shown = _alternate(value, 9)
        return shown if shown[-1] in "fn" else f"{shown}f"
    value = round_to(value, dtype)
    if not math.isfinite(value):
        if element in _HALVES and dtype.is_scalar:
            return f"cinn::common::raw_uint16_to_{element}({half_bits(value, dtype):#06x})"
        return f"({spell_name(element)}){_alternate(value, 9)}"
    precision = _HALVES.get(element, 17)
    return f"({spell_name(element)}){_alternate(value, precision)}f"


def _alternate(value: float, precision: int) -> str:
    """Return ``%#.<precision>g`` of C, which keeps trailing zeros and the sign of a NaN."""
    if value != value:  # noqa: PLR0124 - NaN is what differs from itself
        return "-nan" if struct.pack(">d", value)[0] & 0x80 else "nan"
    return f"{value:#.{precision}g}"


def half_bits(value: float, dtype: Type) -> int:
    """Return the bits of the number of 16 bits that is nearest to ``value``."""
    with np.errstate(over="ignore", invalid="ignore"):
        return int(np.asarray(value).astype(dtype.numpy).view(_UINT16))


def half_value(bits: int, dtype: Type) -> float:
    """Return the number of 16 bits that has these bits."""
    return float(np.asarray(bits, _UINT16).view(dtype.numpy)[()])


_UINT16: Final = np.dtype("uint16")


def round_to(value: float, dtype: Type) -> float:
    """Return the number of ``dtype`` that is nearest to ``value``, which text tells."""
    if dtype.element == "float64" or not dtype.is_float:
        return value
    with np.errstate(over="ignore", invalid="ignore"):
        return float(dtype.numpy.type(value))


def same_bits(a: float, b: float) -> bool:
    """Return whether two numbers are the same in every bit."""
    return struct.pack("d", a) == struct.pack("d", b)


# Targets


def spell_target(target: Target) -> str:
    """Return a target as CINN prints it, with its features and libraries behind, if any."""
    shown = f"Target<{target.os.value},{target.arch.value},{target.bits.value}>"
    if target.features or target.libs:
        shown += f"[{', '.join(map(quote, target.features))}]"
    if target.libs:
        shown += f"[{', '.join(map(quote, target.libs))}]"
    return shown


# Reductions

REDUCE_NAMES: Final[Mapping[ReduceType, str]] = {
    ReduceType.SUM: "sum",
    ReduceType.SUB: "sub",
    ReduceType.MUL: "Mul",
    ReduceType.DIV: "Div",
    ReduceType.MAX: "Max",
    ReduceType.MIN: "Min",
    ReduceType.ALL: "&&",
    ReduceType.ANY: "||",
}
