"""Atomic replacement of files: a file holds all of the old or all of the new, never a part."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def replace_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of what ``path`` holds, in one step, behind the block.

    Where the block raises, ``path`` holds what it held, and nothing is left beside it. The
    permissions of an existing file are kept; a link is followed. What is no regular file (a
    terminal, a pipe) is written to as it is.

    Raises:
        OSError: If the directory or the file cannot be written.
    """
    target = Path(os.path.realpath(path))
    mode = _mode_of(target)
    if mode is not None and not stat.S_ISREG(mode):
        with target.open("wb") as file:
            yield file
        return
    if mode is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, os.strerror(13), str(path))
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.tmp")
    try:
        # made with the permissions any new file gets here, unlike those of the tempfile module
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        error.filename = str(path)  # the name the caller knows
        raise
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            if mode is not None:
                os.fchmod(descriptor, stat.S_IMODE(mode))
            file.flush()
            os.fsync(descriptor)
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        raise


def _mode_of(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None
