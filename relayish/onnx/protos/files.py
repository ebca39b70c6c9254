"""Files beside a model, in which tensors lie: found within its folder, and mapped into memory."""

from __future__ import annotations

import os
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, Self, TypeAlias

from relayish.errors import ModelError

Bytes: TypeAlias = "tuple[mmap | bytes, int]"
"""Something with bytes, and where in it a tensor begins."""


class DataFiles:
    """The files beside one model, each mapped once: there are more tensors than files may be open.

    Args:
        folders: Where the model lies; files are looked for there, and only there, in this order.
    """

    def __init__(self, *folders: Path) -> None:
        self._folders = folders
        self._maps: dict[str, tuple[mmap | bytes, str]] = {}

    @classmethod
    def beside(cls, model: Path) -> Self:
        """Return the files beside a model, and, of a link, beside what it leads to."""
        return cls(*dict.fromkeys((model.parent, Path(os.path.realpath(model)).parent)))

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
        *others, last = self._folders
        for folder in others:
            path, is_within, is_there = self._look(folder, location, where)
            if is_within and is_there:
                return path
        path, is_within, is_there = self._look(last, location, where)
        if not is_within:
            raise ModelError(
                f"{where} lies in {location!r}, outside of the folder of the model; expected a "
                f"path within it"
            )
        if not is_there:
            raise ModelError(
                f"{where} lies in {location!r}, and no such file is beside the model; put it there"
            )
        return path

    @staticmethod
    def _look(folder: Path, location: str, where: str) -> tuple[Path, bool, bool]:
        """Return where a file would be, whether that is within the folder, and whether it is."""
        try:
            base = folder.resolve()
            path = (base / location).resolve()
            return path, bool(location) and path.is_relative_to(base), path.is_file()
        except (OSError, ValueError, RuntimeError) as error:  # too long, a null byte, a circle
            raise ModelError(
                f"{where} lies in {location!r}, which names no file: {error}; expected a path "
                f"within the folder of the model"
            ) from error


def _map(path: Path) -> mmap | bytes:
    with path.open("rb") as file:
        if not path.stat().st_size:  # which cannot be mapped
            return b""
        return mmap(file.fileno(), 0, access=ACCESS_READ)
