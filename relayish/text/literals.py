"""Lexical syntax: how numbers, strings and names are spelt in Relay text.

A float is written with the fewest digits that give its bits back. What TVM cannot read is written
here in a form of relayish's own: ``nanf`` for the quiet NaN (other NaNs go to the metadata), and a
string in double quotes after the sigil for a name that is no identifier (``%"odd name"``,
``@"f g"``, ``#"odd type"``).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import numpy as np

from relayish._support.printable import UNPRINTABLE

IDENTIFIER: Final = r"[A-Za-z_][A-Za-z0-9_]*"
DOTTED: Final = rf"{IDENTIFIER}(?:\.{IDENTIFIER})*"
STRING: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'

IDENTIFIER_ONLY: Final = re.compile(IDENTIFIER)
_PLAIN_NAME: Final = re.compile(DOTTED)
_LOCAL_NAME: Final = re.compile(rf"{IDENTIFIER}(?:\.{IDENTIFIER}|/[A-Za-z0-9_]+)*")
_ESCAPED: Final = re.compile(rf'[{UNPRINTABLE}"\\]')
_ESCAPE: Final = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U(000[0-9a-fA-F]{5})|(.))", re.DOTALL
)
_SHORT: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_LONG: Final = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "a": "\a",
    "0": "\0",
}


def quote(text: str) -> str:
    r"""Return ``text`` as a string literal on one line.

    Example:
        >>> print(quote('say "hi"\n'))
        "say \"hi\"\n"
    """
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    return _SHORT.get(char) or (
        f"\\u{ord(char):04x}" if char <= "\uffff" else f"\\U{ord(char):08x}"
    )


def unquote(literal: str) -> str:
    """Return the text that a string literal, quotes included, stands for."""
    inner = literal[1:-1]
    return _ESCAPE.sub(_unescape, inner) if "\\" in inner else inner


def _unescape(found: re.Match[str]) -> str:
    digits = found[1] or found[2] or found[3]
    return chr(int(digits, 16)) if digits else _LONG.get(found[4], found[4])


def spell_name(name: str) -> str:
    """Return ``name`` if it is an identifier (dots allowed), else as a string literal."""
    if name.isascii() and name.isidentifier():  # nearly all are, and a pattern takes longer
        return name
    return name if _PLAIN_NAME.fullmatch(name) else quote(name)


def spell_local(name: str) -> str:
    """Return ``name`` as :func:`spell_name` does; that of a variable may have slashes as well."""
    if name.isascii() and name.isidentifier():
        return name
    return name if _LOCAL_NAME.fullmatch(name) else quote(name)


def spell_float(value: float) -> str:
    """Return the digits of a Python float, without suffix: ``0.1``, ``2e-05``, ``inf``, ``nan``."""
    return repr(value).removesuffix(".0")


NUMBER: Final = (
    r"(?P<digits>(?:inf|nan)(?=f(?:16|32|64)?(?![A-Za-z0-9_.]))|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
    r"(?P<suffix>bf16|[iuf]\d+|[fi])?(?![A-Za-z0-9_])"
)
_DTYPES: Final[dict[str, type[np.generic]]] = {
    "f": np.float32,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i": np.int32,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
}


def read_scalar(digits: str, suffix: str | None, negative: bool) -> np.generic:
    """Return the scalar that a number literal stands for.

    Without a suffix that is an ``int32``, or an ``int64`` where the number takes one.

    Raises:
        ValueError: If the suffix names no type, or the number does not fit it.
    """
    is_float = not digits.isdigit()
    dtype = _DTYPES.get(suffix or ("f" if is_float else "i32"))
    if dtype is None:
        raise ValueError(f"{suffix!r} is no suffix of numbers; write 1, 1i64, 1f, 1f16 or 1f64")
    if issubclass(dtype, np.floating):
        with np.errstate(over="ignore"):
            value = dtype(digits)
        if np.isinf(value) and digits != "inf":
            raise ValueError(f"{digits} does not fit {dtype.__name__}; write inf{suffix or 'f'}")
        return dtype(-value) if negative else value
    if is_float:
        raise ValueError(f"{digits}{suffix} is no integer; the suffix of floats is f")
    number = -read_int(digits) if negative else read_int(digits)
    if not suffix and not -(2**31) <= number < 2**31:
        dtype = np.int64
    if number not in _integers_of(np.dtype(dtype)):  # numpy 1 would wrap it around
        raise ValueError(f"{number} does not fit {dtype.__name__}")
    return dtype(number)


@cache
def _integers_of(dtype: np.dtype[np.generic]) -> range:
    bounds = np.iinfo(dtype.name)
    return range(int(bounds.min), int(bounds.max) + 1)


def read_int(digits: str) -> int:
    """Return the integer of a run of decimal digits, of any length up to a sane one.

    Raises:
        ValueError: If there are more digits than any program has use for.
    """
    if len(digits) > 4000:  # Python's own limit, and its error advises a setting
        raise ValueError(f"an integer of {len(digits)} digits is too long")
    return int(digits)
