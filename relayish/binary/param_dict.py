"""Parameter files: arrays by name in TVM's binary format, as ``relay.save_param_dict`` makes them.

All numbers are little-endian::

    list     0xF7E58D4F05049CB7: u64, 0: u64, names, number of arrays: u64, arrays
    names    number: u64, then of each its length in bytes: u64, and its bytes
    array    0xDD5E40F096B4A13F: u64, 0: u64, device (1, 0 for the CPU): 2 x i32, rank: i32,
             element type (code: u8, bits: u8, lanes: u16), sizes: i64 each,
             size in bytes: i64, elements in row-major order

The codes of element types are DLPack's: 0 ``int``, 1 ``uint``, 2 ``float``, 4 ``bfloat``; ``bool``
is ``uint`` of one bit, which takes a byte.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from relayish.errors import FieldError, suggest
from relayish.ir.values.dtype import check_dtype, numpy_dtype
from relayish.ir.values.ndarray import NDArray, as_ndarray

Array: TypeAlias = npt.NDArray[Any]  # Any: of any element type

_LIST: Final = 0xF7E58D4F05049CB7
_ARRAY: Final = 0xDD5E40F096B4A13F
_CODES: Final = {"int": 0, "uint": 1, "float": 2, "bfloat": 4}
_WORDS: Final = {code: word for word, code in _CODES.items()}
_CPU: Final = (1, 0)


def save_param_dict(params: Mapping[str, object]) -> bytearray:
    """Return the arrays of ``params`` as the content of a parameter file.

    Args:
        params: Arrays, or what numpy makes arrays of, by name; they are written in this order.

    Raises:
        FieldError: If a name is no string, or an element type has no code.

    Complexity:
        Linear in the bytes of the arrays.

    Source:
        TVM ``SaveParams`` (``src/runtime/file_utils.cc``), ``SaveDLTensor``.

    Example:
        >>> blob = save_param_dict({"weight": np.ones((2, 3), "float32")})
        >>> load_param_dict(blob)["weight"].shape
        (2, 3)
    """
    names: list[bytes] = []
    arrays: list[bytes] = []
    for name, value in params.items():
        if not isinstance(name, str):
            raise FieldError(f"parameters go by names; found {name!r} ({type(name).__name__})")
        names.append(name.encode())
        arrays.append(_write_array(name, np.asarray(value)))
    found = bytearray(struct.pack("<QQQ", _LIST, 0, len(names)))
    for encoded in names:
        found += struct.pack("<Q", len(encoded)) + encoded
    found += struct.pack("<Q", len(arrays))
    for array in arrays:
        found += array
    return found


def load_param_dict(param_bytes: bytes | bytearray | memoryview) -> dict[str, NDArray]:
    """Return the arrays of a parameter file by name, in its order.

    Raises:
        FieldError: If the bytes are not those of a parameter file; says where and why.

    Complexity:
        Linear in the bytes; what a length in them promises is not allocated before it is there.

    Source:
        TVM ``LoadParams``.
    """
    if not isinstance(param_bytes, (bytes, bytearray, memoryview)):
        raise FieldError(
            f"load_param_dict takes the bytes of a file; found {param_bytes!r}; "
            f"write load_param_dict(path.read_bytes())"
        )
    reader = _Reader(bytes(param_bytes))
    if reader.take("Q", "the mark of a parameter file")[0] != _LIST:
        raise reader.error("a parameter file begins with b79c04054f8de5f7")
    reader.take("Q", "a reserved number")
    (count,) = reader.take("Q", "the number of names")
    names = [reader.name() for _ in range(reader.bounded(count, 8, "names"))]
    (arrays,) = reader.take("Q", "the number of arrays")
    if arrays != count:
        raise reader.error(f"there are {count} names and {arrays} arrays")
    found = {name: as_ndarray(reader.array()) for name in names}
    if reader.at != len(reader.content):
        raise reader.error(f"{len(reader.content) - reader.at} bytes follow the last array")
    if len(found) != count:
        raise reader.error("two parameters go by one name")
    return found


def _write_array(name: str, array: Array) -> bytes:
    dtype = array.dtype.name
    word = dtype.rstrip("0123456789")
    code = _CODES.get("uint" if dtype == "bool" else word)
    if code is None:
        raise FieldError(
            f"parameter {name!r} has elements of {dtype}, which parameter files cannot hold; "
            f"convert them, as in array.astype('float32'){suggest(word, _CODES)}"
        )
    bits = 1 if dtype == "bool" else 8 * array.dtype.itemsize
    plain = array.dtype.newbyteorder("<") if array.dtype.kind in "iuf" else array.dtype
    content = np.ascontiguousarray(array, dtype=plain).tobytes()
    head = struct.pack("<QQiii", _ARRAY, 0, *_CPU, array.ndim)
    kind = struct.pack("<BBH", code, bits, 1)
    sizes = struct.pack(f"<{array.ndim}q", *array.shape)
    return b"".join((head, kind, sizes, struct.pack("<q", len(content)), content))


class _Reader:
    """A place in the bytes of a parameter file."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def take(self, form: str, what: str) -> tuple[int, ...]:
        """Return the numbers of ``form`` that follow."""
        packed = struct.Struct(f"<{form}")
        return packed.unpack(self.bytes(packed.size, what))

    def bytes(self, count: int, what: str) -> bytes:
        """Return the next ``count`` bytes."""
        found = self.content[self.at : self.at + count]
        if count < 0 or len(found) < count:
            raise self.error(f"{what} should follow, {count} bytes; found {len(found)}")
        self.at += count
        return found

    def bounded(self, count: int, least: int, what: str) -> int:
        """Return ``count``, of things that take ``least`` bytes, if there is room for so many."""
        if count * least > len(self.content) - self.at:
            raise self.error(f"{count} {what} are announced, more than there are bytes")
        return count

    def name(self) -> str:
        (length,) = self.take("Q", "the length of a name")
        found = self.bytes(self.bounded(length, 1, "bytes of a name"), "a name")
        try:
            return found.decode()
        except UnicodeDecodeError:
            raise self.error(f"a name should be UTF-8; found {found!r}") from None

    def array(self) -> Array:
        if self.take("Q", "the mark of an array")[0] != _ARRAY:
            raise self.error("an array begins with 3fa1b496f0405edd")
        rank = self.take("Qiii", "the device and rank of an array")[-1]
        code, bits, lanes = self.take("BBH", "an element type")
        dtype = self._dtype(code, bits, lanes)
        rank = self.bounded(max(rank, 0), 8, "dimensions")
        shape = self.take(f"{rank}q", "the sizes of an array")
        (size,) = self.take("q", "the size of an array in bytes")
        if min(shape, default=0) < 0 or size != math.prod(shape) * dtype.itemsize:
            raise self.error(f"an array {shape} of {dtype.name} has not {size} bytes")
        content = self.bytes(size, "the elements of an array")
        return np.frombuffer(content, dtype).reshape(shape).astype(dtype.newbyteorder("="))

    def _dtype(self, code: int, bits: int, lanes: int) -> np.dtype[Any]:  # Any: whichever it is
        word = _WORDS.get(code)
        name = "bool" if (word, bits) == ("uint", 1) else f"{word}{bits}"
        try:
            found = numpy_dtype(check_dtype(name))
        except (TypeError, ValueError):
            word = None
        if word is None or lanes != 1:
            raise self.error(f"no element type has code {code}, {bits} bits and {lanes} lanes")
        return found.newbyteorder("<") if found.kind in "iuf" else found

    def error(self, what: str) -> FieldError:
        return FieldError(f"not a parameter file: {what}, at byte {self.at}")
