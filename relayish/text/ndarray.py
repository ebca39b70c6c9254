"""Tensors in TVM's binary format, as the metadata section holds them (in base64)."""

from __future__ import annotations

import base64
import binascii
import math
import struct
from typing import Final

import numpy as np
import numpy.typing as npt

from relayish.ir.values.dtype import find_type, type_name
from relayish.ir.values.string_array import pack_strings, unpack_strings

_MAGIC: Final = 0xDD5E40F096B4A13F
_HEAD: Final = struct.Struct("<QQiiiBBH")  # magic, reserved, device type and id, rank, type
_CODES: Final = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "complex": 5}
_FAMILIES: Final = {code: family for family, code in _CODES.items()}
_FLOAT8: Final = {6: "float8_e4m3fn", 7: "float8_e5m2"}


def encode_array(array: npt.NDArray[np.generic]) -> tuple[str, str | None]:
    """Return the tensor in base64, and its element type where the format does not tell it.

    Raises:
        ValueError: If numpy cannot find the element type by name (records), or the elements are
            objects other than strings.
    """
    dtype = array.dtype
    code, bits, exact = _type_code(dtype)
    held = pack_strings(array) if dtype.kind == "O" else array.tobytes()
    size = len(held)
    head = _HEAD.pack(_MAGIC, 0, 1, 0, array.ndim, code, bits, 1)
    shape = struct.pack(f"<{array.ndim}qq", *array.shape, size)
    data = base64.b64encode(head + shape + held).decode("ascii")
    return data, None if exact else "string" if dtype.kind == "O" else type_name(dtype)


def _type_code(dtype: np.dtype[np.generic]) -> tuple[int, int, bool]:
    """Return code and width of an element type, and whether they tell it from all others."""
    name = dtype.name
    if name == "bool":
        return _CODES["uint"], 1, True
    for code, float8 in _FLOAT8.items():
        if name == float8:
            return code, 8, True
    family = name.rstrip("0123456789")
    width = name[len(family) :]
    if family in _CODES and width:
        return _CODES[family], int(width), dtype.byteorder in "=|"
    return 3, min(dtype.itemsize * 8, 255), False  # opaque: the name beside it says what it is


def decode_array(data: str, element: str | None = None) -> npt.NDArray[np.generic]:
    """Return the tensor that was encoded.

    Raises:
        ValueError: If the data is damaged or of an element type that cannot be held.
    """
    try:
        raw = base64.b64decode(data, validate=True)
        magic, _, _, _, rank, code, bits, lanes = _HEAD.unpack_from(raw)
        if magic != _MAGIC or not 0 <= rank <= 64:  # numpy's own limit
            raise ValueError("a tensor does not begin as TVM writes tensors")
        *shape, size = struct.unpack_from(f"<{rank}qq", raw, _HEAD.size)
        name = element or _name_of(code, bits, lanes)
        start = _HEAD.size + 8 * (rank + 1)
        if min(shape, default=0) < 0 or size != len(raw) - start:
            raise ValueError("a tensor is cut short; take the text from its source again")
        if name == "string":
            return unpack_strings(raw[start:], tuple(shape))
        dtype = find_type(name)
        if math.prod(shape) * dtype.itemsize != size:
            raise ValueError(f"a tensor of shape {tuple(shape)} and type {name} has {size} bytes")
        array: npt.NDArray[np.generic] = np.frombuffer(raw, dtype, offset=start).reshape(shape)
    except (struct.error, binascii.Error, TypeError, OverflowError) as error:
        raise ValueError(f"a tensor cannot be read: {error}") from error
    return array


def _name_of(code: int, bits: int, lanes: int) -> str:
    if lanes != 1:
        raise ValueError(f"tensors of vectors of {lanes} lanes cannot be held")
    if code in _FLOAT8:
        return _FLOAT8[code]
    if code == _CODES["uint"] and bits == 1:
        return "bool"
    if code not in _FAMILIES:
        raise ValueError(f"element type code {code} is unknown")
    return f"{_FAMILIES[code]}{bits}"
