"""Bytes that many items need: sent to workers once, as files they map where they see one disk."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

Buffer: TypeAlias = bytes | bytearray | memoryview

Share: TypeAlias = Callable[[str, Buffer], object]
"""``share(key, data)``: what stands for bytes in what is sent; for a key that was given before
nothing is sent again."""


class Packed(NamedTuple):
    """What is sent in place of an item.

    Attributes:
        payload: What the function is called with.
        parts: Handles of what it shares with others; the function gets a view of the bytes of each.
        kept: What stays here until the result is unpacked.
    """

    payload: object
    parts: tuple[object, ...] = ()
    kept: object = None


class Transport(Protocol):
    """How items and results travel: here called before they do, and after."""

    def pack(self, item: Any, share: Share) -> Packed:  # Any: an item
        """Return what is sent in place of an item; what this raises is the error of it."""

    def unpack(self, packed: Packed, value: Any) -> Any:  # Any: what the function returned
        """Return the result that stands for what came back."""


class _AsItIs:
    def pack(self, item: object, share: Share) -> Packed:
        del share
        return Packed(item)

    def unpack(self, packed: Packed, value: object) -> object:
        del packed
        return value


AS_IT_IS: Final = _AsItIs()
"""Sends items, and takes results, as they are."""


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
