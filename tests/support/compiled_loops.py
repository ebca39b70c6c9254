"""Loop programs in C beside the interpreter: any number of functions are compiled together.

python -m tests.support.compiled_loops --start 0 --programs 1000  # faults among them, every third
SANITIZE=1 LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" \
    ASAN_OPTIONS=detect_leaks=0 python -m tests.support.compiled_loops  # with both sanitizers
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest

from relayish import tir
from relayish.codegen.c import NativeModule, to_c
from relayish.codegen.c.toolchain import Toolchain, find_toolchain
from relayish.errors import CodegenError, RelayishError, VerificationError
from tests.support.tir_programs import arguments, outcome, random_func, same_bits

_SENSELESS = (
    *("unused", "bool-compare", "tautological-compare", "unknown-pragmas", "type-limits"),
    "div-by-zero",
)
"""What a compiler warns of that random programs say: whether a truth value is more than 3."""

QUICK = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", *[f"-Wno-{w}" for w in _SENSELESS])
SANITIZED = (*QUICK, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
TOGETHER = 25
"""So many functions are compiled together."""


def skip_without_compiler() -> Toolchain:
    """Return the compiler of C; skip the test where there is none."""
    try:
        return find_toolchain()
    except CodegenError as error:
        pytest.skip(str(error))


def compile_all(funcs: Iterable[tir.LoweredFunc], flags: Sequence[str] = QUICK) -> NativeModule:
    """Return functions compiled together, under their names."""
    return NativeModule(to_c(tir.Module("m", functions=tuple(funcs))), find_toolchain(flags))


def natively(function: Any, given: Sequence[Any]) -> list[Any] | str:
    """Return the arguments as a compiled function leaves them, or the kind of error it ends in."""
    copies = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in given]
    try:
        function(*copies)
    except RelayishError as error:
        return type(error).__name__
    return copies


def same_outcome(expected: list[Any] | str, found: list[Any] | str) -> bool:
    if isinstance(expected, str) or isinstance(found, str):
        return expected == found
    return all(map(same_bits, expected, found))


def drawn(seed: int) -> tir.LoweredFunc | None:
    """Return a random function without functions of mathematics, if it keeps the rules.

    Functions of mathematics are those of the library of C, which rounds in its own way.
    """
    more = ("shared", "same_names") if seed % 2 else ()
    func = random_func(seed, without=("call",), more=more, faulty=seed % 3 == 0)
    try:
        to_c(func)
    except VerificationError:
        return None
    return func.with_fields(name=f"f{seed}")


def differences(seeds: Iterable[int], flags: Sequence[str] = QUICK) -> list[str]:
    """Return what is computed otherwise in C than by the interpreter."""
    found = {seed: func for seed in seeds if (func := drawn(seed)) is not None}
    module = compile_all(found.values(), flags)
    wrong = []
    for seed, func in found.items():
        for given in (0, 1):
            args = arguments(func, given)
            expected = outcome(func, args, mode="plain")
            made = natively(module[func.name], args)
            if not same_outcome(expected, made):
                wrong.append(f"{seed} given {given}: expected {expected}, found {made}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--programs", type=int, default=1000)
    options = parser.parse_args()
    flags = SANITIZED if os.environ.get("SANITIZE") else QUICK
    end, wrong = options.start + options.programs, 0
    for start in range(options.start, end, TOGETHER):
        for line in differences(range(start, min(start + TOGETHER, end)), flags):
            sys.stdout.write(f"{line}\n")
            wrong += 1
    sys.stdout.write(f"{options.programs} programs, {wrong} differ\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
