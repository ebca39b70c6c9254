"""Models as they are given: protos, bytes, or paths of files."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path
from typing import Any

from relayish.errors import ModelError
from relayish.frontend.onnx.texts import check_texts
from relayish.onnx.package import load_onnx


def load_proto(
    model: Any, name: str | None = None
) -> tuple[Any, Path | None]:  # Any: of whatever class, a ModelProto
    """Return the proto of a model, and the path of its file if that is known.

    Args:
        model: A ``ModelProto``, the bytes of one, or the path of a file.
        name: What it is called in errors; the path of a file if not given.

    Raises:
        ModelError: If it is none of these, cannot be read, or is no model.
        PackageError: If the package ``onnx`` is not installed.
    """
    if isinstance(model, load_onnx().ModelProto):
        return _check(model, "the model"), None
    if isinstance(model, (str, PathLike)):
        path = Path(model)
        return _parse(_read(path), os.fspath(path) if name is None else name), path
    if isinstance(model, (bytes, bytearray, memoryview)):
        what = f"what was given, of {len(model)} bytes," if name is None else name
        return _parse(bytes(model), what), None
    raise ModelError(
        f"{model!r} ({type(model).__name__}) is no model; expected a ModelProto, its bytes, or the "
        f"path of a file"
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:  # a null byte
        raise ModelError(f"{str(path)!r} names no file: {error}") from error


def _parse(data: bytes, what: str) -> Any:  # Any: a ModelProto
    proto = load_onnx().ModelProto()
    decode_error = load_onnx("google.protobuf.message").DecodeError
    try:
        proto.ParseFromString(data)
    except decode_error as error:
        raise ModelError(
            f"{what} is no model of ONNX, or was cut off: its bytes are no message of protobuf; "
            f"expected a whole file that holds a ModelProto"
        ) from error
    return _check(proto, what)


def _check(proto: Any, what: str) -> Any:  # Any: a ModelProto
    if not proto.HasField("graph"):
        raise ModelError(f"{what} has no graph; expected a model of ONNX")
    check_texts(proto)
    return proto
