"""Compiled code that is kept: by what it is of, sound, whole, and safe with several processes."""

import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from relayish import tir
from relayish._support.this_machine import cache_folder
from relayish.codegen.c import build, to_c
from relayish.codegen.c.cache import compiled
from relayish.codegen.c.toolchain import find_toolchain
from relayish.errors import CodegenError
from tests.support.tir_small import function, memory

A = memory("A", 1)
ROOT = Path(__file__).parents[3]


def program(number):
    return function([A], tir.Store(A, tir.const(number), (tir.const(0),)))


def run(number):
    array = np.zeros(1, "int32")
    build(program(number))(array)
    return array[0]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RELAYISH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def compiler(path, body):
    """A program that stands for a compiler."""
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_what_was_compiled_is_taken_again_and_nothing_else_is_left(folder, tmp_path, monkeypatch):
    assert run(7) == 7
    assert sorted(each.suffix for each in folder.iterdir()) == [".sha256", ".so"]
    real = find_toolchain().command[0]
    counted = compiler(tmp_path / "counted", f'echo x >> {tmp_path}/calls\nexec {real} "$@"')
    monkeypatch.setenv("CC", counted)
    for _ in range(3):
        assert run(8) == 8
    calls = (tmp_path / "calls").read_text().count("x")
    assert calls == 2  # one asks for the version


def test_the_folder_is_the_users_own(folder):
    assert run(6) == 6
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_other_flags_make_other_code(folder):
    text = to_c(program(1)).text
    plain = compiled(text, find_toolchain())
    assert compiled(text, find_toolchain(("-O0",))) != plain
    assert compiled(text, find_toolchain()) == plain


@pytest.mark.parametrize("damage", [b"", b"no code", None])
def test_what_somebody_damaged_is_compiled_anew(folder, damage):
    assert run(9) == 9
    [kept] = folder.glob("*.so")
    [told] = folder.glob("*.sha256")
    if damage is None:
        told.unlink()
    else:
        kept.unlink()
        kept.write_bytes(damage)
    place = compiled(to_c(program(9)).text, find_toolchain())
    assert place == kept
    assert len(place.read_bytes()) > 1000


@pytest.mark.slow("starts processes that import the library")
def test_several_processes_compile_at_once(folder):
    script = (
        "import numpy as np\n"
        "from relayish import tir\n"
        "A, found = tir.placeholder('A', (1,), 'int32'), np.zeros(1, 'int32')\n"
        "for n in range(3):\n"
        "    made = tir.compute((1,), lambda i: A[i] + n)\n"
        "    tir.build(tir.lower('f', [A, made]))(found + 5, found)\n"
        "    print(found[0])"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        for _ in range(2)
    ]
    assert [each.communicate(timeout=100)[0] for each in started] == ["5\n11\n18\n"] * 2
    assert not list(folder.glob(".compiling-*"))


def refused(match):
    return pytest.raises(CodegenError, match=match)


def test_no_compiler_is_an_error_that_says_what_to_install(folder, tmp_path, monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setitem(sys.modules, "ziglang", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with refused("there is no compiler of C: looked for gcc, clang, cc and .*pip install"):
        run(1)
    assert not folder.exists()


def test_a_compiler_that_is_named_and_not_there_is_an_error(folder, monkeypatch):
    monkeypatch.setenv("CC", "nowhere-cc -O1")
    with refused("CC names 'nowhere-cc', which is no program"):
        run(1)


def test_a_compiler_that_fails_is_quoted(folder, tmp_path, monkeypatch):
    failing = compiler(tmp_path / "failing", "echo 'internal error' >&2\nexit 3")
    monkeypatch.setenv("CC", f"{failing} -pipe")
    with refused("(?s)ended with status 3: .*failing -pipe .*\ninternal error"):
        run(1)
    assert not list(folder.iterdir())


def test_a_compiler_that_is_killed_is_told(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("CC", compiler(tmp_path / "killed", "kill -9 $$"))
    with refused(f"ended by signal {signal.SIGKILL.value}"):
        run(1)
    assert not list(folder.iterdir())


def test_a_compiler_that_makes_nothing_is_told(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("CC", compiler(tmp_path / "idle", "exit 0"))
    with refused("ended with status 0"):
        run(1)


def test_names_in_a_compiler_never_reach_a_shell(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("CC", f"gcc '; touch {tmp_path}/made'")
    with refused("ended with status"):
        run(1)
    assert not (tmp_path / "made").exists()


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path, monkeypatch):
    place = tmp_path / "file"
    place.write_text("no folder")
    monkeypatch.setenv("RELAYISH_CACHE", str(place))
    with refused("cannot be written to .*file.*RELAYISH_CACHE"):
        run(1)
    assert place.read_text() == "no folder"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
def test_a_full_disk_is_an_error_and_leaves_nothing(folder, tmp_path, monkeypatch):
    real = find_toolchain().command[0]
    full = compiler(
        tmp_path / "full",
        f'case "$1" in --version) exec {real} --version;; esac\n'
        "echo 'final link failed: No space left on device' >&2\nexit 1",
    )
    monkeypatch.setenv("CC", full)
    with refused("No space left on device"):
        run(1)
    assert not list(folder.iterdir())


def test_the_compiler_is_that_of_the_environment_with_its_arguments(monkeypatch):
    monkeypatch.setenv("CC", f"{sys.executable} -m ziglang cc")
    assert find_toolchain().command == (sys.executable, "-m", "ziglang", "cc")
    monkeypatch.setenv("CC", "  ")
    assert len(find_toolchain().command) == 1


def test_the_folder_is_the_users_where_nothing_names_one(monkeypatch):
    monkeypatch.delenv("RELAYISH_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/relayish")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "relayish"
