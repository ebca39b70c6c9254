"""Shared objects that were compiled before, by what they were compiled from.

A file is written beside its place and moved there, so there is never half of one. Its checksum
tells whether somebody damaged it; then it is compiled anew.
"""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from relayish._support.this_machine import VARIABLE, cache_folder, processor
from relayish._support.version import VERSION
from relayish.codegen.c.toolchain import Toolchain, version_of
from relayish.errors import CodegenError


def compiled(text: str, toolchain: Toolchain) -> Path:
    """Return the shared object of a source, compiled where there is no sound one yet.

    Raises:
        CodegenError: If it cannot be compiled, or not be written.
    """
    parts = [
        text,
        *toolchain.command,
        "",
        *toolchain.flags,
        *toolchain.shared,
        "",
        version_of(toolchain.command),
    ]
    key = hashlib.sha256("\0".join([*parts, processor(), VERSION]).encode()).hexdigest()
    folder = cache_folder()
    place = folder / f"{key}.so"
    if _is_sound(place):
        return place
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".compiling-") as name:
            source, made = Path(name) / "source.c", Path(name) / "made.so"
            source.write_text(text, encoding="utf-8")
            toolchain.compile(source, made)
            told = Path(name) / "made.sha256"
            told.write_text(_checksum(made), encoding="ascii")
            made.replace(place)
            told.replace(place.with_suffix(".sha256"))
    except OSError as error:
        raise CodegenError(
            f"compiled code cannot be written to {folder}: {error}; name another folder by "
            f"{VARIABLE}"
        ) from error
    return place


def _is_sound(place: Path) -> bool:
    """Return whether a shared object is there, and is what was written."""
    try:
        told = place.with_suffix(".sha256").read_text(encoding="ascii")
        return told == _checksum(place)
    except (OSError, UnicodeDecodeError):
        return False


def _checksum(place: Path) -> str:
    with place.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
