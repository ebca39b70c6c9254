"""Tensors in a file beside the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, BinaryIO, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from relayish.onnx.package import load_onnx
from relayish.onnx.protos.tensors import fill_head, fill_tensor, raw_bytes

Store: TypeAlias = Callable[[Any, NDArray[Any], str], None]
"""``store(proto, array, name)`` fills an empty TensorProto. Any: that, and any element type."""

_ALIGNED: Final = 4096
"""Tensors begin at multiples of it, so that they can be mapped into memory."""


def move_tensors(file: BinaryIO, location: str, threshold: int) -> Store:
    """Return what writes tensors into ``file``, which readers find as ``location``.

    A tensor of fewer bytes than ``threshold`` stays within the model, and so do strings.
    """

    def store(proto: Any, array: NDArray[Any], name: str) -> None:  # Any: as of Store
        if array.nbytes < threshold or array.dtype.kind in "OUS":
            fill_tensor(proto, array, name)
            return
        fill_head(proto, array, name)
        file.write(b"\0" * (-file.tell() % _ALIGNED))
        begin = file.tell()
        if array.dtype.isbuiltin == 1 and array.flags.c_contiguous:
            file.write(array.reshape(-1).view(np.uint8).data)  # no copy, however large it is
        else:
            file.write(raw_bytes(array))
        proto.data_location = load_onnx().TensorProto.EXTERNAL
        for key, value in (
            ("location", location),
            ("offset", begin),
            ("length", file.tell() - begin),
        ):
            proto.external_data.add(key=key, value=str(value))

    return store


def as_array(value: object) -> NDArray[Any] | None:  # Any: as of Store
    """Return the elements of a constant, ``None`` if it is no tensor."""
    return np.asarray(value) if isinstance(value, (np.ndarray, np.generic)) else None
