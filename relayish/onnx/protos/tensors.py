"""Tensors: ``TensorProto`` to arrays and back, without copies where the bytes are as numpy's.

What lies in files beside the model is mapped into memory when it is read, so a weight of gigabytes
costs nothing until somebody computes with it.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from relayish.errors import ModelError
from relayish.onnx.element_types import ELEMENT_TYPES, find_element_type, find_numpy_dtype
from relayish.onnx.package import load_onnx

_PACKED: Final = {"uint4": 4, "int4": 4, "float4_e2m1fn": 4, "uint2": 2, "int2": 2}
"""How many bits an element has, where several share a byte."""
_FIELDS: Final = {
    "float32": "float_data", "complex64": "float_data", "float64": "double_data",
    "complex128": "double_data", "int64": "int64_data", "uint64": "uint64_data",
    "uint32": "uint64_data", "string": "string_data",
}  # fmt: skip
"""By element type: the field with the elements one by one; for all others it is ``int32_data``."""
_MAPPED_FROM: Final = 4096
"""Bytes from which a tensor in another file is mapped; fewer are read."""


def array_of_proto(
    proto: Any,  # Any: a TensorProto
    folder: Path | None,
    where: str,
) -> NDArray[Any]:  # Any: the element type is known when the tensor is read
    """Return the elements of a tensor, read-only.

    Args:
        proto: A ``TensorProto``.
        folder: Where the model lies; files beside it are looked for there, and only there.
        where: What the tensor is, for errors.

    Returns:
        An array of its shape; strings as an array of objects. It shares memory with ``proto``, or
        with the file the elements lie in, where these are stored as numpy stores them.

    Raises:
        ModelError: If there are too few or too many elements, or the file is missing, lies outside
            of ``folder``, or is too short.
    """
    if proto.data_type not in ELEMENT_TYPES:
        raise ModelError(
            f"{where} has elements of type {proto.data_type}, which ONNX does not have; expected "
            f"1 to {max(ELEMENT_TYPES)}"
        )
    shape = tuple(proto.dims)
    if any(size < 0 for size in shape):
        raise ModelError(f"{where} has the shape {shape}; expected no negative sizes")
    if proto.HasField("segment"):
        raise ModelError(f"{where} is stored in segments, which ONNX no longer has")
    name, count = ELEMENT_TYPES[proto.data_type], math.prod(shape)
    if proto.data_location == load_onnx().TensorProto.EXTERNAL:
        data = _read_external(proto, folder, _bytes_of(name, count), where)
        return _from_bytes(data, name, shape, where)
    if proto.HasField("raw_data"):
        return _from_bytes(np.frombuffer(proto.raw_data, np.uint8), name, shape, where)
    return _from_field(proto, name, shape, where)


def _bytes_of(name: str, count: int) -> int:
    bits = _PACKED.get(name)
    if bits is not None:
        return (count * bits + 7) // 8
    return count * (find_numpy_dtype(_number(name)).itemsize if name != "string" else 0)


def _number(name: str) -> int:
    return next(number for number, known in ELEMENT_TYPES.items() if known == name)


def _from_bytes(
    data: NDArray[np.uint8], name: str, shape: tuple[int, ...], where: str
) -> NDArray[Any]:  # Any: as above
    if name == "string":
        raise ModelError(f"{where} has strings as raw bytes; expected them one by one")
    count = math.prod(shape)
    wanted = _bytes_of(name, count)
    if data.size != wanted:
        raise ModelError(
            f"{where} has {data.size} bytes; expected {wanted} for {name} of shape {shape}"
        )
    dtype = find_numpy_dtype(_number(name))
    if name in _PACKED:
        found = _unpack(data, _PACKED[name], count)
        return _read_only(_as_small(found, name, dtype).reshape(shape))
    if sys.byteorder == "big":
        return _read_only(data.view(dtype.newbyteorder("<")).astype(dtype).reshape(shape))
    return _read_only(data.view(dtype).reshape(shape))


def _unpack(data: NDArray[np.uint8], bits: int, count: int) -> NDArray[np.uint8]:
    """Return numbers of so many bits, the first in the lowest bits of a byte."""
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
    wanted = count
    if name.startswith("complex"):
        wanted *= 2
    elif name in _PACKED:
        wanted = _bytes_of(name, count)
    if len(stored) != wanted:
        raise ModelError(
            f"{where} has {len(stored)} elements in {field}; expected {wanted} for {name} of "
            f"shape {shape}"
        )
    dtype = find_numpy_dtype(_number(name))
    if name == "string":
        texts = np.empty(count, object)
        texts[:] = [_as_text(each) for each in stored]
        return _read_only(texts.reshape(shape))
    if name.startswith("complex"):
        half = np.float32 if name == "complex64" else np.float64
        return _read_only(np.array(stored, half).view(dtype).reshape(shape))
    if name in _PACKED:
        data = np.array(stored, np.int64).astype(np.uint8)
        return _read_only(
            _as_small(_unpack(data, _PACKED[name], count), name, dtype).reshape(shape)
        )
    if field == "int32_data" and (name in {"float16", "bfloat16"} or "float8" in name):
        bits = np.uint16 if dtype.itemsize > 1 else np.uint8
        return _read_only(np.array(stored, np.int64).astype(bits).view(dtype).reshape(shape))
    return _read_only(np.array(stored).astype(dtype).reshape(shape))


def _as_text(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")


def _read_only(array: NDArray[Any]) -> NDArray[Any]:  # Any: as above
    array.flags.writeable = False
    return array


def _read_external(
    proto: Any, folder: Path | None, expected: int, where: str
) -> NDArray[np.uint8]:  # Any: a TensorProto
    """Return the bytes of a tensor that lie in a file beside the model."""
    told = {entry.key: entry.value for entry in proto.external_data}
    path = _external_path(told.get("location", ""), folder, where)
    try:
        offset, length = int(told.get("offset", 0)), int(told.get("length", expected))
    except ValueError:
        raise ModelError(
            f"{where} lies at offset {told.get('offset')!r} for {told.get('length')!r} bytes of "
            f"{path.name}; expected numbers"
        ) from None
    size = path.stat().st_size
    if length != expected:
        raise ModelError(f"{where} has {length} bytes in {path.name}; expected {expected}")
    if offset < 0 or offset + length > size:
        raise ModelError(
            f"{where} lies in bytes {offset} to {offset + length} of {path.name}, which has "
            f"{size}; the file was cut off, or belongs to another model"
        )
    if length < _MAPPED_FROM:
        with path.open("rb") as file:
            file.seek(offset)
            return np.frombuffer(file.read(length), np.uint8)
    return np.asarray(np.memmap(path, np.uint8, "r", offset, (length,)))


def _external_path(location: str, folder: Path | None, where: str) -> Path:
    if folder is None:
        raise ModelError(
            f"{where} lies in the file {location!r} beside the model, and nobody said where that "
            f"is; read the model from its path: from_onnx('model.onnx')"
        )
    base = folder.resolve()
    path = (base / location).resolve()
    if not location or not path.is_relative_to(base):
        raise ModelError(
            f"{where} lies in {location!r}, outside of the folder of the model; expected a path "
            f"within it"
        )
    if not path.is_file():
        raise ModelError(
            f"{where} lies in {location!r}, and no such file is beside the model; put it there"
        )
    return path


def array_to_proto(array: NDArray[Any], name: str) -> Any:  # Any: a TensorProto
    """Return a tensor with these elements, as raw bytes but for strings.

    Raises:
        EvaluationError: If ONNX has no such element type.
    """
    proto = load_onnx().TensorProto()
    proto.name = name
    proto.dims.extend(array.shape)
    proto.data_type = find_element_type(array.dtype)
    known = ELEMENT_TYPES[proto.data_type]
    if known == "string":
        proto.string_data.extend(
            [str(each).encode("utf-8", "surrogateescape") for each in array.reshape(-1)]
        )
    else:
        proto.raw_data = raw_bytes(array)
    return proto


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
    per_byte = 8 // bits
    padded = np.zeros(-(-numbers.size // per_byte) * per_byte, np.uint8)
    padded[: numbers.size] = numbers & ((1 << bits) - 1)
    places = np.arange(0, 8, bits, dtype=np.uint8)
    return bytes(np.bitwise_or.reduce(padded.reshape(-1, per_byte) << places, axis=1).tobytes())
