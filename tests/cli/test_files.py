from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from typing import Self

import pytest

from relayish._support import files as atomic
from relayish.cli.files import write_atomically
from tests.support.guard import HANGS

AS_ROOT = os.geteuid() == 0


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_new_file_holds_the_content_and_nothing_is_beside_it(tmp_path: Path) -> None:
    write_atomically(tmp_path / "out", b"new")
    assert (tmp_path / "out").read_bytes() == b"new"
    assert names(tmp_path) == ["out"]


def test_new_file_has_the_permissions_new_files_have(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    write_atomically(tmp_path / "out", b"new")
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o664])
def test_permissions_of_an_existing_file_are_kept(tmp_path: Path, mode: int) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"old")
    out.chmod(mode)
    write_atomically(out, b"new")
    assert out.read_bytes() == b"new"
    assert stat.S_IMODE(out.stat().st_mode) == mode


def test_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    real, link = tmp_path / "sub" / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert names(tmp_path / "sub") == ["real"]


def test_long_names_fit(tmp_path: Path) -> None:
    name = "n" * 255
    write_atomically(tmp_path / name, b"new")
    assert names(tmp_path) == [name]


@pytest.mark.parametrize("step", ["replace", "fsync", "write", "chmod"])
def test_failure_at_any_step_leaves_the_original_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"old")

    def fail(*_args: object) -> None:
        raise OSError(28, "no space left on device")

    if step in ("replace", "chmod"):
        monkeypatch.setattr(Path, step, fail)
    elif step == "write":
        monkeypatch.setattr(atomic.os, "fdopen", lambda fd, mode: Failing(fd))
    else:
        monkeypatch.setattr(atomic.os, step, fail)
    with pytest.raises(OSError, match="no space left"):
        write_atomically(out, b"new")
    assert out.read_bytes() == b"old"
    assert names(tmp_path) == ["out"]


class Failing:
    """A file to which nothing can be written."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        os.close(self.descriptor)

    def write(self, _content: bytes) -> None:
        raise OSError(28, "no space left on device")


def test_interrupt_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(atomic.os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "out", b"new")
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("place", "error"),
    [
        ("nowhere/out", FileNotFoundError), ("file/out", NotADirectoryError),
        (".", IsADirectoryError),
    ],
)  # fmt: skip
def test_place_where_no_file_can_be_is_named(
    place: str, error: type[OSError], tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(error) as info:
        write_atomically(tmp_path / place, b"new")
    assert info.value.filename == str(tmp_path / place)
    assert (tmp_path / "file").read_bytes() == b"old"


def test_directory_that_refuses_new_files_leaves_the_original(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"old")

    def refuse(path: Path, _flags: int, _mode: int) -> int:
        raise PermissionError(13, "permission denied", str(path))

    monkeypatch.setattr(atomic.os, "open", refuse)
    with pytest.raises(PermissionError) as info:
        write_atomically(out, b"new")
    monkeypatch.undo()
    assert info.value.filename == str(out)
    assert out.read_bytes() == b"old"


@pytest.mark.skipif(AS_ROOT, reason="root may write everywhere")
def test_directory_that_cannot_be_written_leaves_the_original(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"old")
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(PermissionError) as info:
            write_atomically(out, b"new")
        assert info.value.filename == str(out)
        assert names(tmp_path) == ["out"]
        assert out.read_bytes() == b"old"
    finally:
        tmp_path.chmod(0o755)


def test_file_that_may_not_be_written_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"old")
    monkeypatch.setattr(atomic.os, "access", lambda _path, _mode: False)
    with pytest.raises(PermissionError) as info:
        write_atomically(out, b"new")
    assert info.value.filename == str(out)
    assert out.read_bytes() == b"old"


def test_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"new")
    reader.join(timeout=HANGS)
    assert got == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
