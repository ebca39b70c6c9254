"""Atomic replacement of files: a file holds all of the old or all of the new, never a part."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final


@contextlib.contextmanager
def name_in_errors(path: str | Path) -> Iterator[None]:
    """Let errors of the system that name no file, as that of a full disk, name ``path``.

    Example:
        >>> with name_in_errors("model.onnx"):
        ...     raise OSError(errno.ENOSPC, "No space left on device")
        Traceback (most recent call last):
        OSError: [Errno 28] No space left on device: 'model.onnx'
    """
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise


@contextlib.contextmanager
def replace_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of what ``path`` holds, in one step, behind the block.

    Where the block raises, ``path`` holds what it held, and nothing is left beside it. Permissions
    and owner of an existing file are kept; a link is followed. What is no regular file (a terminal,
    a pipe) is written to as it is.

    Raises:
        OSError: If the directory or the file cannot be written, be it that its permissions say so;
            it names ``path``.
    """
    with name_in_errors(path), _opened_beside(path) as file:
        yield file


@contextlib.contextmanager
def _opened_beside(path: Path) -> Iterator[BinaryIO]:
    target = Path(os.path.realpath(path))
    before = _state_of(target)
    if before is not None and not stat.S_ISREG(before.st_mode):
        with target.open("wb") as file:
            yield file
        return
    check_writable(path)
    temporary = target.with_name(f".{target.name[:100]}.{os.urandom(8).hex()}.tmp")
    try:
        # a new file has the permissions that any gets here, unlike those of the tempfile module
        mode = 0o666 if before is None else 0o600
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
        put_in_place(temporary, target)
    except BaseException as error:
        if isinstance(error, OSError) and error.filename == str(temporary):
            error.filename, error.filename2 = str(path), None  # the name the caller knows
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        raise


def check_writable(path: Path) -> None:
    """Refuse to replace a file whose permissions let nobody write it, or not this process.

    Raises:
        PermissionError: With the name of the file; for the superuser, who may write any, as well.
    """
    before = _state_of(path)
    if before is not None and not (before.st_mode & _ANY_WRITE and os.access(path, os.W_OK)):
        raise PermissionError(errno.EACCES, "the file is read-only", str(path))


def put_in_place(source: Path, target: Path, like: Path | None = None) -> None:
    """Move a file that was written beside another one to its place, in one step.

    It takes over the permissions, and where the process may say so the owner, of what stands there.

    Args:
        source: The file.
        target: Its place.
        like: What stood there, if that was moved away.

    Raises:
        OSError: If it cannot be moved.
    """
    before = _state_of(target if like is None else like)
    if before is not None:
        mode = stat.S_IMODE(before.st_mode)
        if hasattr(os, "chown") and not _give(source, before.st_uid, before.st_gid):
            _give(source, -1, before.st_gid)
            mode &= ~(stat.S_ISUID | stat.S_ISGID)  # the rights were those of somebody else
        source.chmod(mode)
    source.replace(target)


def _give(path: Path, owner: int, group: int) -> bool:
    """Give a file to an owner and a group; return whether that was allowed."""
    try:
        os.chown(path, owner, group)
    except PermissionError:
        return False
    return True


def _state_of(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


_ANY_WRITE: Final = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
