"""Exact comparison of literals, by type and bits, and the text of scalars.

So 1, 1.0, True, 0.0, -0.0 and NaNs of different payloads are all told apart.
"""

from __future__ import annotations

import struct
from enum import Enum
from functools import lru_cache
from hashlib import blake2b
from typing import Final

import numpy as np

from relayish.ir.values.string_array import pack_strings

_MASK: Final = (1 << 61) - 1


def is_same_literal(lhs: object, rhs: object) -> bool:
    """Return whether two values without nodes in them are the same in type and in every bit.

    Arrays are the same if element type, shape and bits are; two NaNs if their payloads are.

    Complexity:
        Linear in the number of distinct pairs of tuples; no recursion.
    """
    if type(lhs) is not type(rhs):
        return False
    if _is_plain(lhs) and _is_plain(rhs):
        return bool(lhs == rhs)
    pairs = [(lhs, rhs)]
    compared: set[tuple[int, int]] = set()
    while pairs:
        left, right = pairs.pop()
        if left is right:
            continue
        if isinstance(left, tuple) and isinstance(right, tuple) and type(left) is type(right):
            if len(left) != len(right):
                return False
            if (id(left), id(right)) not in compared:
                compared.add((id(left), id(right)))
                pairs += zip(left, right, strict=True)
        elif not _is_same_leaf(left, right):
            return False
    return True


def _is_same_leaf(lhs: object, rhs: object) -> bool:
    if type(lhs) is not type(rhs):
        return False
    if isinstance(lhs, (np.ndarray, np.generic)):
        assert isinstance(rhs, (np.ndarray, np.generic))
        if lhs.dtype.kind == "O" == rhs.dtype.kind:
            return lhs.shape == rhs.shape and bool(lhs.tolist() == rhs.tolist())
        return lhs.dtype == rhs.dtype and lhs.shape == rhs.shape and lhs.tobytes() == rhs.tobytes()
    if isinstance(lhs, float):
        return struct.pack("d", lhs) == struct.pack("d", rhs)
    return bool(lhs == rhs)


def _is_plain(value: object) -> bool:
    """Return whether what Python takes to be equal to a value is the same, if it is as plain."""
    if type(value) is tuple:
        return _PLAIN.issuperset(map(type, value))
    return type(value) in _PLAIN


_PLAIN: Final = frozenset({int, str})


def hash_briefly(value: object) -> int:
    """Return a hash of ``value`` that agrees with :func:`is_same_literal`, in this process.

    Of an array it looks at the first elements, of a tuple at its items but not inside these.

    Complexity:
        Constant, but linear in the items of a tuple.
    """
    if _is_plain(value):
        return hash(value)
    if type(value) is tuple:
        return hash((len(value), *[_hash_start(item) for item in value]))
    return _hash_start(value)


_FIRST: Final = 8
"""So many elements of an array are looked at."""


def _hash_start(value: object) -> int:
    if isinstance(value, (np.ndarray, np.generic)):
        first = b"" if value.dtype.hasobject else value.flat[:_FIRST].tobytes()
        return hash((value.shape, first))
    if isinstance(value, float):
        return hash(struct.pack("d", value))
    return hash((type(value), value)) if isinstance(value, _HASHED) else hash(type(value))


_HASHED: Final = (int, str, bytes)


def hash_literal(value: object) -> int:
    """Return a hash of ``value`` that agrees with :func:`is_same_literal` and between processes."""
    if not isinstance(value, tuple):
        return _hash_leaf(value)
    hashes: dict[int, int] = {}
    stack: list[tuple[object, ...]] = [value]
    while stack:
        nest = stack[-1]
        pending = [i for i in nest if isinstance(i, tuple) and id(i) not in hashes]
        if pending:
            stack += pending
            continue
        stack.pop()
        items = [hashes[id(i)] if isinstance(i, tuple) else _hash_leaf(i) for i in nest]
        hashes[id(nest)] = hash((5, *items))
    return hashes[id(value)]


def _hash_leaf(value: object) -> int:
    if isinstance(value, str):
        return hash_stably(value)
    if isinstance(value, (np.ndarray, np.generic)):
        held = pack_strings(np.asarray(value)) if value.dtype.kind == "O" else value.tobytes()
        digest = blake2b(held, digest_size=8).digest()
        return hash((hash_stably(str(value.dtype)), value.shape, int.from_bytes(digest, "little")))
    if isinstance(value, float):
        return hash((1, int.from_bytes(struct.pack("d", value), "little")))
    if isinstance(value, bool) or value is None:
        return {True: 2, False: 3, None: 4}[value]
    if isinstance(value, int):
        return hash((6, value))
    exact = isinstance(value, (bytes, Enum))  # of other values, equal ones may print differently
    return hash_stably(repr(value) if exact else type(value).__qualname__)


@lru_cache(maxsize=4096)
def hash_stably(text: str) -> int:
    """Return a hash of ``text`` that is the same in every process."""
    return (
        int.from_bytes(
            blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
        )
        & _MASK
    )


_FLOAT_SUFFIX: Final[dict[type, str]] = {np.float32: "f", np.float64: "f64", np.float16: "f16"}
_QUIET_NAN: Final = {
    np.float16: np.float16("nan").tobytes(),
    np.float32: np.float32("nan").tobytes(),
    np.float64: np.float64("nan").tobytes(),
}


_LARGEST: Final[dict[type, float]] = {
    np.float16: float(np.finfo(np.float16).max),
    np.float32: float(np.finfo(np.float32).max),
    np.float64: float(np.finfo(np.float64).max),
}


def spell_scalar(value: np.generic) -> str | None:
    """Return the literal of a numpy scalar, or ``None`` when it has none.

    ``bool``, ``int16``, ``int32``, ``int64`` and the IEEE floats have literals, as in TVM; so has
    NaN, unless its sign or payload is unusual.

    Example:
        >>> spell_scalar(np.float32(0.1)), spell_scalar(np.int64(-2)), spell_scalar(np.uint8(1))
        ('0.1f', '-2i64', None)
    """
    kind = type(value)
    if value.dtype.byteorder not in "=|":
        return None
    if kind is np.bool_:
        return "True" if value else "False"
    if kind is np.int32:
        return str(int(value))
    if kind is np.int64 or kind is np.int16:
        return f"{int(value)}i{8 * value.itemsize}"
    suffix = _FLOAT_SUFFIX.get(kind)
    if suffix is None:
        return None
    if value != value:  # noqa: PLR0124 - NaN is what differs from itself
        return f"nan{suffix}" if value.tobytes() == _QUIET_NAN[kind] else None
    text = str(value).removesuffix(".0")
    if kind(text).tobytes() != value.tobytes():  # reading rounds by way of double
        return None
    if np.isfinite(value) and abs(float(text)) > _LARGEST[kind]:
        text = repr(float(value))  # the largest number, which must not be rounded up
    return text + suffix
