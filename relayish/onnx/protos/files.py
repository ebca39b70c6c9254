"""Files beside a model, in which tensors lie: found within its folder, and mapped into memory."""

from __future__ import annotations

from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, TypeAlias

from relayish.errors import ModelError

Bytes: TypeAlias = "tuple[mmap | bytes, int]"
"""Something with bytes, and where in it a tensor begins."""


class DataFiles:
    """The files beside one model, each mapped once: there are more tensors than files may be open.

    Args:
        folder: Where the model lies; files are looked for there, and only there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._maps: dict[str, tuple[mmap | bytes, str]] = {}

    def find(self, proto: Any, expected: int, where: str) -> Bytes:  # Any: a TensorProto
        """Return where the bytes of a tensor are.

        Args:
            proto: A ``TensorProto`` whose elements lie in another file.
            expected: How many bytes it has.
            where: What the tensor is, for errors.

        Raises:
            ModelError: If the file is missing, lies outside of the folder, or is too short.
        """
        told = {entry.key: entry.value for entry in proto.external_data}
        data, name = self._open(told.get("location", ""), where)
        try:
            offset, length = int(told.get("offset", 0)), int(told.get("length", expected))
        except ValueError:
            raise ModelError(
                f"{where} lies at offset {told.get('offset')!r} for {told.get('length')!r} bytes "
                f"of {name}; expected numbers"
            ) from None
        if length != expected:
            raise ModelError(f"{where} has {length} bytes in {name}; expected {expected}")
        if offset < 0 or offset + length > len(data):
            raise ModelError(
                f"{where} lies in bytes {offset} to {offset + length} of {name}, which has "
                f"{len(data)}; the file was cut off, or belongs to another model"
            )
        return data, offset

    def _open(self, location: str, where: str) -> tuple[mmap | bytes, str]:
        found = self._maps.get(location)
        if found is None:
            path = self._locate(location, where)
            try:
                found = self._maps[location] = (_map(path), path.name)
            except OSError as error:
                raise ModelError(
                    f"{where} lies in {location!r}, which cannot be read: {error.strerror}"
                ) from error
        return found

    def _locate(self, location: str, where: str) -> Path:
        try:
            base = self._folder.resolve()
            path = (base / location).resolve()
            is_there = path.is_file()
        except (OSError, ValueError, RuntimeError) as error:  # too long, a null byte, a circle
            raise ModelError(
                f"{where} lies in {location!r}, which names no file: {error}; expected a path "
                f"within the folder of the model"
            ) from error
        if not location or not path.is_relative_to(base):
            raise ModelError(
                f"{where} lies in {location!r}, outside of the folder of the model; expected a "
                f"path within it"
            )
        if not is_there:
            raise ModelError(
                f"{where} lies in {location!r}, and no such file is beside the model; put it there"
            )
        return path


def _map(path: Path) -> mmap | bytes:
    with path.open("rb") as file:
        if not path.stat().st_size:  # which cannot be mapped
            return b""
        return mmap(file.fileno(), 0, access=ACCESS_READ)
