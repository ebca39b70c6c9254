"""Element types as C holds them, in variables and in memory, and their literals.

Numbers with a point of 16 bits and fewer are ``float`` in variables, which holds each of them
exactly, and their bits, ``uint16_t`` or ``uint8_t``, in memory. Integers of fewer than 8 bits have
a byte each, in memory without a sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from relayish.codegen.c.packed import SMALL_FLOATS, SMALL_INTEGERS
from relayish.errors import CodegenError
from relayish.tir.interpreter.numbers import literal
from relayish.tir.ir.operators import integer_range
from relayish.tir.ir.type import Type


class CType(NamedTuple):
    """An element type in C.

    Attributes:
        value: The type of a variable that holds an element.
        storage: The type of an element in memory.
        is_packed: Whether elements are converted when they are loaded and stored.
    """

    value: str
    storage: str
    is_packed: bool = False


_INTEGERS: Final = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]

C_TYPES: Final[Mapping[str, CType]] = MappingProxyType(
    {
        **{name: CType(f"{name}_t", f"{name}_t") for name in _INTEGERS},
        "bool": CType("bool", "bool"),
        "float64": CType("double", "double"),
        "float32": CType("float", "float"),
        "float16": CType("float", "uint16_t", True),
        "bfloat16": CType("float", "uint16_t", True),
        **{name: CType("float", "uint8_t", True) for name in SMALL_FLOATS},
        **{name: CType(f"{name[:-1]}8_t", "uint8_t", True) for name in SMALL_INTEGERS},
    }
)
"""By the name of an element type."""


def c_type(given: Type) -> CType:
    """Return how C holds elements of a type.

    Raises:
        CodegenError: If it has no such elements.
    """
    found = None if given.pointers else C_TYPES.get(given.element)
    if found is None:
        raise CodegenError(
            f"C has no elements of type {given.element if not given.pointers else given}; there "
            f"are {', '.join(C_TYPES)}; cast to one of these"
        )
    return found


def c_literal(value: Any, given: Type) -> str:  # Any: a number
    """Return the text of a literal.

    Raises:
        TypeConfusionError: If it is out of range of its type.

    Example:
        >>> c_literal(0.1, Type("float32")), c_literal(-(2**31), Type("int32"))
        ('0.1f', 'INT32_MIN')
    """
    held = literal(value, given)
    if given.is_bool:
        return "true" if held else "false"
    if given.is_integer:
        return _integer(int(held), given)
    number = float(held)
    if np.isnan(number):
        return "NAN"
    if np.isinf(number):
        return "INFINITY" if number > 0 else "-INFINITY"
    if given.element == "float64":
        return repr(number)
    text = np.format_float_positional(np.float32(held), trim="0", unique=True)
    short = np.format_float_scientific(np.float32(held), trim="0", unique=True, exp_digits=1)
    return f"{min(text, short, key=len)}f"


def _integer(value: int, given: Type) -> str:
    low, _ = integer_range(given)
    if value == low and low < -(2**15):
        return f"INT{given.bits}_MIN"
    if given.bits < 32:
        return str(value)
    if given.is_uint:
        return f"{value}u" if given.bits == 32 else f"UINT64_C({value})"
    return str(value) if given.bits == 32 else f"INT64_C({value})"
