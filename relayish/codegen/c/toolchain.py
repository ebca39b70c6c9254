"""The compiler of C: which one there is, and how it is called, never through a shell."""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from relayish.errors import CodegenError

CANDIDATES: Final = ("gcc", "clang", "cc")
"""Compilers that are looked for, in order, where ``CC`` names none."""

_WIDEST: Final = ("-mprefer-vector-width=512",)
"""What has compilers use the widest vectors there are: of itself gcc takes half of them."""

_HAS_WIDTHS: Final = platform.machine().lower() in ("x86_64", "amd64")
"""Whether compilers of C for this machine can be told so."""

FLAGS: Final = (
    *("-std=c11", "-O3", "-march=native", *(_WIDEST if _HAS_WIDTHS else ())),
    *("-fno-math-errno", "-fopenmp-simd"),
)
"""What a shared object is compiled with; none of it changes what numbers are."""

_SHARED: Final = ("-fPIC", "-shared", *(("-Wl,-Bsymbolic",) if sys.platform == "linux" else ()))
"""What makes it a shared object, in which names mean its own functions, and not the process's."""

_REASSOCIATING: Final = (
    *("-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"),
    *("-ffp-contract=fast", "-DRELAYISH_LOOSE"),
)
"""What lets sums of floats be added in another order, and products be rounded with their sum."""


def flags_for(*, exact: bool) -> tuple[str, ...]:
    """Return what is compiled with: what changes no numbers, or what may round sums otherwise."""
    return FLAGS if exact else (*FLAGS, *_REASSOCIATING)


LONGEST: Final = 600
"""Seconds that a compiler may take, if nobody says otherwise."""


class Toolchain(NamedTuple):
    """A compiler of C, and what it is called with.

    Attributes:
        command: The compiler, and arguments that always stand behind it.
        flags: What a shared object is compiled with.
        longest: Seconds that it may take.
        shared: What makes it one.
    """

    command: tuple[str, ...]
    flags: tuple[str, ...] = FLAGS
    longest: float = LONGEST
    shared: tuple[str, ...] = _SHARED

    def compile(self, source: Path, target: Path) -> None:
        """Compile a source to a shared object.

        Raises:
            CodegenError: If that fails: what was called, and the first lines of what it says.
        """
        call = [*self.command, *self.flags, *self.shared, "-o", str(target), str(source), "-lm"]
        shown = shlex.join(call)
        try:
            done = subprocess.run(  # noqa: S603 - the user's compiler, without a shell
                call,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=self.longest,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise CodegenError(
                f"the compiler took more than {self.longest:g} s and was ended: {shown}"
            ) from error
        except OSError as error:
            raise CodegenError(f"the compiler cannot be called: {error}: {shown}") from error
        if done.returncode < 0:
            raise CodegenError(f"the compiler was ended by signal {-done.returncode}: {shown}")
        if done.returncode or not target.exists():
            said = "\n".join((done.stderr or done.stdout).splitlines()[:20])
            raise CodegenError(f"the compiler ended with status {done.returncode}: {shown}\n{said}")


def find_toolchain(flags: Sequence[str] = FLAGS) -> Toolchain:
    """Return the compiler that the environment names as ``CC``, or the first that is installed.

    Raises:
        CodegenError: If there is none, or ``CC`` names none.
    """
    named = os.environ.get("CC")
    if named is not None and named.strip():
        command = tuple(shlex.split(named))
        if shutil.which(command[0]) is None:
            raise CodegenError(
                f"CC names {command[0]!r}, which is no program that can be found; unset it, or "
                f"name a compiler of C"
            )
        return Toolchain(command, tuple(flags))
    for name in CANDIDATES:
        if shutil.which(name) is not None:
            return Toolchain((name,), tuple(flags))
    if importlib.util.find_spec("ziglang") is not None:
        return Toolchain((sys.executable, "-m", "ziglang", "cc"), tuple(flags))
    raise CodegenError(
        f"there is no compiler of C: looked for {', '.join(CANDIDATES)} and the package ziglang; "
        f"install one (pip install 'relayish[native]' brings the last), or name it by CC"
    )


@lru_cache(maxsize=16)
def version_of(command: tuple[str, ...]) -> str:
    """Return what a compiler says of its version; empty where it says nothing."""
    try:
        done = subprocess.run(  # noqa: S603 - as above
            [*command, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout
