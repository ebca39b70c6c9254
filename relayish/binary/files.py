"""Writing programs to files in binary form, and reading them back with their arrays mapped."""

from __future__ import annotations

import contextlib
import mmap
import os
import stat
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from relayish._support.collector import pause_collection
from relayish._support.files import replace_file
from relayish.binary.arrays import StoredArrays
from relayish.binary.decoder import Decoder
from relayish.binary.layout import AGAIN, HEAD_SIZE, MAGIC, Head, read_head
from relayish.binary.writer import write_pieces
from relayish.errors import BinaryFormatError, FieldError, RelayishError, add_note
from relayish.ir.kinds.one_line import show_found

SUFFIX = ".rly"
"""What names of files in binary form end in; they are told by what they begin with."""


def write_binary(
    program: object,
    path: str | os.PathLike[str],
    phase: str | None = None,
    *,
    spans: bool = True,
    types: bool = True,
) -> None:
    """Serialise a module, a node or a value into a file in binary form, whole or not at all.

    Every node stays one, however often it is used. Arrays are written piece by piece, so that
    nothing of them is copied.

    Args:
        program: A module, a node of any language, or what attributes may hold.
        path: The file, which is replaced when all of it is written.
        phase: Up to where a pipeline got, in words of its own; :func:`read_phase` gives it back.
        spans: Whether to keep where in a source text nodes come from.
        types: Whether to keep what was inferred of nodes, such as ``checked_type``.

    Raises:
        FieldError: If something in it is of a class that files cannot hold; nothing is written.
        OSError: If the file cannot be written; what it held is still there.

    Complexity:
        Linear in the distinct objects and the bytes of arrays; no recursion.

    Example:
        >>> import tempfile
        >>> from relayish.ir.relay.expr import Var
        >>> from relayish.ir.relay.module import IRModule
        >>> path = tempfile.mkdtemp() + "/model.rly"
        >>> write_binary(IRModule.from_expr(Var("x")), path, phase="imported")
        >>> read_binary(path)["main"].params[0].name_hint, read_phase(path)
        ('x', 'imported')
    """
    _check_phase(phase)
    with pause_collection():
        pieces = write_pieces(program, phase, spans=spans, types=types)
    with replace_file(Path(path)) as file:
        for piece in pieces:
            file.write(piece)


def to_binary(
    program: object, phase: str | None = None, *, spans: bool = True, types: bool = True
) -> bytes:
    """Return what :func:`write_binary` writes."""
    _check_phase(phase)
    with pause_collection():
        pieces = write_pieces(program, phase, spans=spans, types=types)
    return b"".join(pieces)


def read_binary(
    path: str | os.PathLike[str],
    *,
    mapped: bool = True,
    verify: bool = True,
    allow_unknown_ops: bool = False,
) -> Any:  # Any: what was written
    """Return the module, node or value in a file in binary form.

    Its arrays are read-only views of the file, which is mapped into memory, not copied. The mapping
    is released when the last array of it is freed; until then it keeps a descriptor of the file
    open. Replacing the file, as :func:`write_binary` does, does not touch it. Who may shorten or
    overwrite the file in place reads it with ``mapped=False``.

    Args:
        path: The file.
        mapped: Whether arrays are views of the file; otherwise they are copied.
        verify: Whether to compare the checksums of arrays, for which all of the file is read;
            otherwise pages are read when something uses them, and damage in arrays is not noticed.
        allow_unknown_ops: Take operators that nobody declares for operators without properties.

    Raises:
        BinaryFormatError: If the file is damaged, cut short, of a newer version, or none.
        RelayishError: If it holds what is not declared, or what has other fields now.
        OSError: If it cannot be read.

    Complexity:
        Linear in the distinct objects, and with ``verify`` in the bytes of arrays; no recursion.
    """
    with _source_of(path) as source:
        return _read(source, mapped, verify, allow_unknown_ops)


def from_binary(
    data: bytes, *, verify: bool = True, allow_unknown_ops: bool = False
) -> Any:  # Any: as above
    """Return what :func:`to_binary` was given; arrays are views of ``data``.

    Raises:
        BinaryFormatError: If it is no such bytes.
        FieldError: If it is something else than bytes.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise FieldError(
            f"bytes in binary form are read; found {show_found(data)}; read a file by read_binary, "
            f"and text by relayish.parse"
        )
    return _read(bytes(data), True, verify, allow_unknown_ops)


def _check_phase(phase: object) -> None:
    if phase is not None and not isinstance(phase, str):
        raise FieldError(f"a phase is a string, or None; found {show_found(phase)}")


class BinaryInfo(NamedTuple):
    """What a file in binary form holds.

    Attributes:
        version: The version of the format.
        producer: What wrote it.
        phase: Up to where a pipeline got, if that was told.
        size: The bytes of the file.
        program_size: Those of all but arrays.
        num_arrays: How many arrays there are.
        objects: How many objects there are of each record, such as ``node relay.call``.
    """

    version: int
    producer: str
    phase: str | None
    size: int
    program_size: int
    num_arrays: int
    objects: Mapping[str, int]


def inspect_binary(path: str | os.PathLike[str]) -> BinaryInfo:
    """Return what a file holds, without making any of it; what it needs need not be declared.

    Raises:
        BinaryFormatError: As :func:`read_binary`.
        OSError: If it cannot be read.
    """
    with _source_of(path) as source:
        head, decoder = _open(source, check_nodes=False)
        records, of_objects = decoder.read_records()
    counts = Counter(of_objects.tolist())
    objects = {str(records[number]): count for number, count in counts.most_common()}
    return BinaryInfo(
        head.version, decoder.producer, decoder.phase, head.size, head.program_size,
        head.num_arrays, objects,
    )  # fmt: skip


def read_phase(path: str | os.PathLike[str]) -> str | None:
    """Return the phase that :func:`write_binary` was told.

    Raises:
        BinaryFormatError: As :func:`read_binary`.
        OSError: If it cannot be read.
    """
    with _source_of(path) as source:
        return _open(source, check_nodes=False)[1].phase


def is_binary(data: bytes) -> bool:
    """Return whether ``data`` begins as files in binary form do."""
    return data.startswith(MAGIC)


def _read(
    source: bytes | mmap.mmap, mapped: bool, verify: bool, allow_unknown_ops: bool
) -> Any:  # Any: as above
    head, decoder = _open(source, check_nodes=not allow_unknown_ops)
    arrays = StoredArrays(source, head, verify=verify, copy=not mapped)
    with pause_collection():
        return decoder.read(arrays)


def _open(source: bytes | mmap.mmap, *, check_nodes: bool) -> tuple[Head, Decoder]:
    """Return what a file begins with, and the reader of its program, of which it has the checksum.

    Raises:
        BinaryFormatError: If either is damaged.
    """
    view = memoryview(source)
    head = read_head(view, len(view))
    program = view[HEAD_SIZE : HEAD_SIZE + head.program_size]
    crc = zlib.crc32(program)
    if crc != head.program_crc:
        raise BinaryFormatError(
            f"byte {HEAD_SIZE}: the checksum of the program, which has {head.program_size} bytes, "
            f"is {crc:#010x}, where the file says {head.program_crc:#010x}; it was damaged: "
            f"{AGAIN}",
            HEAD_SIZE,
        )
    return head, Decoder(program, check_nodes=check_nodes)


@contextlib.contextmanager
def _source_of(path: str | os.PathLike[str]) -> Iterator[bytes | mmap.mmap]:
    """Open a file, mapped where that can be done; errors in the block say which file it is."""
    with Path(path).open("rb") as file:
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_size:
            source: bytes | mmap.mmap = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        else:
            source = file.read()
    try:
        yield source
    except BinaryFormatError as error:
        error.path = os.fspath(path)
        raise
    except RelayishError as error:
        add_note(error, f"while reading {os.fspath(path)}")
        raise
