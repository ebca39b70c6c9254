"""Tensors in a file beside the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, BinaryIO, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from relayish.onnx.element_types import find_element_type
from relayish.onnx.package import load_onnx
from relayish.onnx.protos.tensors import array_to_proto, raw_bytes

Store: TypeAlias = Callable[[NDArray[Any], str], Any]
"""``store(array, name)``: the proto of a tensor. Any: of whatever element type; a TensorProto."""

_ALIGNED: Final = 4096
"""Tensors begin at multiples of it, so that they can be mapped into memory."""


def move_tensors(file: BinaryIO, location: str, threshold: int) -> Store:
    """Return what writes tensors into ``file``, which readers find as ``location``.

    A tensor of fewer bytes than ``threshold`` stays within the model, and so do strings.
    """

    def store(array: NDArray[Any], name: str) -> Any:  # Any: as of Store
        if array.nbytes < threshold or array.dtype.kind in "OUS":
            return array_to_proto(array, name)
        file.write(b"\0" * (-file.tell() % _ALIGNED))
        begin = file.tell()
        plain = array.dtype.isbuiltin == 1 and array.flags.c_contiguous
        if plain:
            file.write(array.reshape(-1).view(np.uint8).data)
        else:
            file.write(raw_bytes(array))
        proto = load_onnx().TensorProto()
        proto.name = name
        proto.dims.extend(array.shape)
        proto.data_type = find_element_type(array.dtype)
        proto.data_location = load_onnx().TensorProto.EXTERNAL
        for key, value in (
            ("location", location),
            ("offset", begin),
            ("length", file.tell() - begin),
        ):
            proto.external_data.add(key=key, value=str(value))
        return proto

    return store


def as_array(value: object) -> NDArray[Any] | None:  # Any: as of Store
    """Return the elements of a constant, ``None`` if it is no tensor."""
    return np.asarray(value) if isinstance(value, (np.ndarray, np.generic)) else None
