"""Bytes that many items need: sent to workers once, as files they map where they see one disk."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

Buffer: TypeAlias = bytes | bytearray | memoryview

Share: TypeAlias = Callable[[str, Buffer], object]
"""``share(key, data)``: what stands for bytes in what is sent; for a key that was given before
nothing is sent again."""


class MappedFile(NamedTuple):
    """Bytes in a file that workers see."""

    path: str


def open_shared(handle: object) -> memoryview:
    """Return the bytes that a handle stands for, in a worker; they cannot be written.

    Raises:
        OSError: If the file cannot be read here.
        TypeError: If it stands for none.
    """
    if not isinstance(handle, MappedFile):
        return memoryview(handle).toreadonly()  # type: ignore[arg-type]  # bytes, or an error
    with Path(handle.path).open("rb") as file:
        if not file.seek(0, 2):
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


class SharedFiles:
    """A directory of a run with a file for each key, which goes with :meth:`close`.

    Args:
        folder: The directory in which it is made, which workers see; the temporary one of the
            system if not given.
    """

    def __init__(self, folder: str | None = None) -> None:
        self._parent = folder
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._handles: dict[str, MappedFile] = {}

    def share(self, key: str, data: Buffer) -> MappedFile:
        """Return the file of a key, which is written for the first."""
        found = self._handles.get(key)
        if found is None:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(
                    prefix="relayish-", dir=self._parent, ignore_cleanup_errors=True
                )
            path = Path(self._folder.name).absolute() / str(len(self._handles))
            path.write_bytes(data)
            found = self._handles[key] = MappedFile(str(path))
        return found

    def close(self) -> None:
        """Remove what was written; who has mapped it keeps it."""
        if self._folder is not None:
            self._folder.cleanup()
        self._folder = None
        self._handles.clear()
