"""Tensors: ``TensorProto`` to arrays and back, without copies where the bytes are as numpy's.

What lies in files beside the model is mapped into memory when it is read, so a weight of gigabytes
costs nothing until somebody computes with it.
"""

from __future__ import annotations

import math
import sys
from mmap import mmap
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from relayish.errors import EvaluationError, ModelError
from relayish.onnx.element_types import (
    ELEMENT_TYPES,
    element_type_number,
    find_element_type,
    find_numpy_dtype,
)
from relayish.onnx.package import load_onnx
from relayish.onnx.protos.files import DataFiles

_PACKED: Final = {
    "uint4": 4, "int4": 4, "float4_e2m1fn": 4, "uint2": 2, "int2": 2, "float6_e2m3fn": 6,
    "float6_e3m2fn": 6,
}  # fmt: skip
"""How many bits an element has, where several share bytes."""
_FIELDS: Final = {
    "float32": "float_data", "complex64": "float_data", "float64": "double_data",
    "complex128": "double_data", "int64": "int64_data", "uint64": "uint64_data",
    "uint32": "uint64_data", "string": "string_data",
}  # fmt: skip
"""By element type: the field with the elements one by one; for all others it is ``int32_data``."""
_STORED: Final = {
    "float_data": np.float32, "double_data": np.float64, "int64_data": np.int64,
    "uint64_data": np.uint64, "int32_data": np.int32,
}  # fmt: skip
"""By field: of which type its elements are."""
_LARGEST: Final = (1 << 63) - 1
"""What numpy can count to."""
_MOST_AXES: Final = 64
"""How many axes an array of numpy has."""
_EXTERNAL: Final = 1
"""Where the elements of a tensor lie that are in another file."""


def array_of_proto(
    proto: Any,  # Any: a TensorProto
    files: DataFiles | None,
    where: str,
) -> NDArray[Any]:  # Any: the element type is known when the tensor is read
    """Return the elements of a tensor, read-only.

    Args:
        proto: A ``TensorProto``.
        files: The files beside the model, ``None`` if nobody knows where it lies.
        where: What the tensor is, for errors.

    Returns:
        An array of its shape; strings as an array of objects. It shares memory with ``proto``, or
        with the file the elements lie in, where these are stored as numpy stores them.

    Raises:
        ModelError: If there are too few or too many elements, or the file is missing, lies outside
            of the folder of the model, or is too short.
    """
    shape = tuple(proto.dims)
    if any(size < 0 for size in shape):
        raise ModelError(f"{where} has the shape {shape}; expected no negative sizes")
    if len(shape) > _MOST_AXES or 16 * math.prod([max(size, 1) for size in shape]) > _LARGEST:
        raise ModelError(f"{where} has the shape {shape}, which no memory can hold")
    if proto.HasField("segment"):
        raise ModelError(f"{where} is stored in segments, which ONNX no longer has")
    name = _name_of(proto.data_type, where)
    if proto.data_location == _EXTERNAL:
        if files is None:
            raise ModelError(
                f"{where} lies in a file beside the model, and nobody said where that is; read the "
                f"model from its path: from_onnx('model.onnx')"
            )
        _refuse_texts(name, where)
        return _from_bytes(
            *files.find(proto, _bytes_of(name, math.prod(shape)), where), name, shape
        )
    if not proto.HasField("raw_data"):
        return _from_field(proto, name, shape, where)
    _refuse_texts(name, where)
    data, wanted = proto.raw_data, _bytes_of(name, math.prod(shape))
    if len(data) != wanted:
        raise ModelError(
            f"{where} has {len(data)} bytes; expected {wanted} for {name} of shape {shape}"
        )
    return _from_bytes(data, 0, name, shape)


def _name_of(number: int, where: str) -> str:
    """Return the name of an element type that numpy can hold."""
    name = ELEMENT_TYPES.get(number)
    if name is None:
        raise ModelError(
            f"{where} has elements of type {number}, which ONNX does not have; expected "
            f"1 to {max(ELEMENT_TYPES)}"
        )
    try:
        find_numpy_dtype(number)
    except EvaluationError as error:
        raise ModelError(f"{where} cannot be read: {error}") from error
    return name


def _refuse_texts(name: str, where: str) -> None:
    if name == "string":
        raise ModelError(f"{where} has strings as raw bytes; expected them one by one")


def _bytes_of(name: str, count: int) -> int:
    bits = _PACKED.get(name)
    if bits is not None:
        return (count * bits + 7) // 8
    return count * find_numpy_dtype(element_type_number(name)).itemsize


def _from_bytes(
    data: bytes | mmap, offset: int, name: str, shape: tuple[int, ...]
) -> NDArray[Any]:  # Any: as above
    """Return the elements that lie in ``data``, which is long enough."""
    dtype = find_numpy_dtype(element_type_number(name))
    count = math.prod(shape)
    if not count:
        return _read_only(np.zeros(shape, dtype))
    if name in _PACKED:
        packed = np.ndarray((_bytes_of(name, count),), np.uint8, data, offset)
        found = _unpack(packed, _PACKED[name], count)
        return _read_only(_as_small(found, name, dtype)).reshape(shape)
    if sys.byteorder == "big":
        stored: NDArray[Any] = np.ndarray(shape, dtype.newbyteorder("<"), data, offset)
        return _read_only(stored.astype(dtype))
    # of the bytes themselves, and no view of a view: so it is seen that nobody writes to them
    return _read_only(np.ndarray(shape, dtype, data, offset))


def _unpack(data: NDArray[np.uint8], bits: int, count: int) -> NDArray[np.uint8]:
    """Return numbers of so many bits, the first in the lowest bits of the first byte."""
    if 8 % bits:
        each = np.unpackbits(data, bitorder="little")[: count * bits].reshape(count, bits)
        return np.packbits(each, axis=1, bitorder="little").reshape(-1)
    places = np.arange(0, 8, bits, dtype=np.uint8)
    found = (data[:, None] >> places) & np.uint8((1 << bits) - 1)
    return found.reshape(-1)[:count]


def _as_small(
    found: NDArray[np.uint8], name: str, dtype: np.dtype[Any]
) -> NDArray[Any]:  # Any: as above
    """Return numbers of few bits, each in a byte, as elements of that type."""
    if name.startswith("float"):
        return found.view(dtype)
    bits = _PACKED[name]
    if name.startswith("u"):
        return found.astype(dtype)
    signed = found.astype(np.int8)
    signed -= (signed >= 1 << (bits - 1)) * np.int8(1 << bits)
    return signed.astype(dtype)


def _from_field(
    proto: Any, name: str, shape: tuple[int, ...], where: str
) -> NDArray[Any]:  # Any: as above
    """Return elements that are stored one by one."""
    field, count = _FIELDS.get(name, "int32_data"), math.prod(shape)
    stored = getattr(proto, field)
    is_packed = _PACKED.get(name, 6) < 6  # those of 6 bits stand one by one
    wanted = count
    if name.startswith("complex"):
        wanted *= 2
    elif is_packed:
        wanted = _bytes_of(name, count)
    if len(stored) != wanted:
        raise ModelError(
            f"{where} has {len(stored)} elements in {field}; expected {wanted} for {name} of "
            f"shape {shape}"
        )
    dtype = find_numpy_dtype(element_type_number(name))
    if name == "string":
        texts = np.empty(count, object)
        texts[:] = [_as_text(each) for each in stored]
        return _read_only(texts).reshape(shape)
    if name.startswith("complex"):
        half = np.float32 if name == "complex64" else np.float64
        return _read_only(np.array(stored, half).view(dtype)).reshape(shape)
    if is_packed:
        data = np.array(stored, np.int64).astype(np.uint8)
        found = _unpack(data, _PACKED[name], count)
        return _read_only(_as_small(found, name, dtype)).reshape(shape)
    if field == "int32_data" and "float" in name:  # their bits
        bits = np.uint16 if dtype.itemsize > 1 else np.uint8
        return _read_only(np.array(stored, np.int64).astype(bits).view(dtype)).reshape(shape)
    return _read_only(np.array(stored, _STORED[field]).astype(dtype)).reshape(shape)


def _as_text(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")


def _read_only(array: NDArray[Any]) -> NDArray[Any]:  # Any: as above
    array.flags.writeable = False
    return array


def array_to_proto(array: NDArray[Any], name: str) -> Any:  # Any: a TensorProto
    """Return a tensor with these elements, as raw bytes but for strings.

    Raises:
        ModelError: If ONNX has no such element type.
    """
    proto = load_onnx().TensorProto()
    fill_tensor(proto, array, name)
    return proto


def fill_tensor(proto: Any, array: NDArray[Any], name: str) -> None:  # Any: a TensorProto
    """Make of an empty ``proto`` what :func:`array_to_proto` returns."""
    fill_head(proto, array, name)
    if ELEMENT_TYPES[proto.data_type] == "string":
        proto.string_data.extend(
            [str(each).encode("utf-8", "surrogateescape") for each in array.reshape(-1)]
        )
    else:
        proto.raw_data = raw_bytes(array)


def fill_head(proto: Any, array: NDArray[Any], name: str) -> None:  # Any: as above
    """Say of an empty ``proto`` all but what the elements are.

    Raises:
        ModelError: If ONNX has no such element type.
    """
    try:
        proto.data_type = find_element_type(array.dtype)
    except EvaluationError as error:
        raise ModelError(f"tensor {name!r} cannot be written: {error}") from error
    if name:
        proto.name = name
    proto.dims.extend(array.shape)


def raw_bytes(array: NDArray[Any]) -> bytes:  # Any: as above
    """Return the elements of an array as they are stored in models."""
    name = ELEMENT_TYPES[find_element_type(array.dtype)]
    bits = _PACKED.get(name)
    if bits is None:
        if sys.byteorder == "big":
            array = array.byteswap()
        return np.ascontiguousarray(array).tobytes()
    flat = np.ascontiguousarray(array).reshape(-1)
    numbers = (
        flat.view(np.uint8) if name.startswith("float") else flat.astype(np.int8).view(np.uint8)
    )
    return _pack(numbers & np.uint8((1 << bits) - 1), bits).tobytes()


def _pack(numbers: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    """Return the bytes that :func:`_unpack` takes apart."""
    if 8 % bits:
        each = np.unpackbits(numbers[:, None], axis=1, count=bits, bitorder="little")
        return np.packbits(each.reshape(-1), bitorder="little")
    per_byte = 8 // bits
    padded = np.zeros(-(-numbers.size // per_byte) * per_byte, np.uint8)
    padded[: numbers.size] = numbers
    places = np.arange(0, 8, bits, dtype=np.uint8)
    found: NDArray[np.uint8] = np.bitwise_or.reduce(
        padded.reshape(-1, per_byte) << places, axis=1, dtype=np.uint8
    )
    return found
