"""Core programs in C beside the interpreter: any number of modules are compiled together.

python -m tests.support.compiled_core 1000 0             # so many programs, from which seed on
python -m tests.support.compiled_core 300 0 --sanitize   # with the sanitizers of gcc
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

import relayish as relay
from relayish import core
from relayish.codegen.c.core.native import build
from relayish.codegen.c.toolchain import find_toolchain
from relayish.core.interpreter.run import Running
from relayish.errors import RelayishError
from tests.support.compiled_loops import QUICK, SANITIZED
from tests.support.core_programs import core_arguments
from tests.support.faulty_core import drawn, externs

TOGETHER = 25
"""So many programs are compiled together."""


def renamed(mod: relay.IRModule, number: int) -> dict[str, Any]:
    """Return the definitions of a module under names that end in a number."""
    text = re.sub(r'(@|struct |global\(")(\w+)', rf"\1\2_{number}", mod.astext())
    found = relay.parse(text.replace(" program;", ";"))
    return {found.name_of(key) or "": each for key, each in found.functions.items()}


def outcome(running: Running, seed: int, variables: Sequence[str]) -> list[Any]:
    """Return what two calls of a program give, or the kinds of errors, and what they leave."""
    found: list[Any] = []
    for given in (seed, -1 - seed):
        try:
            found.append(running.call(f"main_{seed}", *core_arguments(given)))
        except RelayishError as error:
            found.append(type(error).__name__)
    return [*found, *[running.read(name) for name in variables]]


def same(a: Any, b: Any) -> bool:
    """Return whether two values are of the same bits; numbers that are none are all alike."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (np.ndarray, np.generic)) and isinstance(b, (np.ndarray, np.generic)):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        with np.errstate(all="ignore"):
            both_none = (np.asarray(a) != a) & (np.asarray(b) != b)
        bits = np.frombuffer(a.tobytes(), np.uint8) == np.frombuffer(b.tobytes(), np.uint8)
        return bool(np.all(bits.reshape(*a.shape, -1).all(axis=-1) | both_none))
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and bool(a == b)


def differences(seeds: Iterable[int], flags: Sequence[str] = QUICK) -> list[str]:
    """Return what is computed otherwise in C than by the interpreter."""
    definitions: dict[str, Any] = {}
    variables: dict[int, list[str]] = {}
    for seed in seeds:
        own = renamed(drawn(seed), seed)
        variables[seed] = [n for n, d in own.items() if isinstance(d, core.GlobalVariable)]
        definitions |= own
    mod = relay.IRModule(definitions)
    shown: list[str] = []
    run = {f"{name}_{seed}": each for seed in variables for name, each in externs().items()}
    compiled = build(
        mod, toolchain=find_toolchain(flags), output=shown.append, clock=lambda: 1.0, externs=run
    )
    expected_lines: list[str] = []
    interpreter = core.Interpreter(
        mod, output=expected_lines.append, clock=lambda: 1.0, externs=run
    )
    wrong = []
    for seed, names in variables.items():
        expected, found = outcome(interpreter, seed, names), outcome(compiled, seed, names)
        if not same(expected, found):
            wrong.append(f"{seed}: expected {expected}, found {found}")
        if shown != expected_lines:
            wrong.append(f"{seed}: expected the lines {expected_lines[-3:]}, found {shown[-3:]}")
        shown.clear()
        expected_lines.clear()
    return wrong


def _under_sanitizers() -> int:
    """Run this again with the libraries that the sanitizers need; return its status."""
    found = [
        subprocess.run(
            ["gcc", f"-print-file-name=lib{name}.so"], check=True, capture_output=True, text=True
        ).stdout.strip()
        for name in ("asan", "ubsan")
    ]
    added = {"LD_PRELOAD": " ".join(found), "ASAN_OPTIONS": "detect_leaks=0", "SANITIZED": "1"}
    command = [sys.executable, "-m", "tests.support.compiled_core", *sys.argv[1:]]
    return subprocess.run(command, env={**os.environ, **added}, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=int, nargs="?", default=1000)
    parser.add_argument("start", type=int, nargs="?", default=0)
    parser.add_argument("--sanitize", action="store_true")
    options = parser.parse_args()
    if options.sanitize and "SANITIZED" not in os.environ:
        return _under_sanitizers()
    flags = SANITIZED if options.sanitize else QUICK
    end, wrong = options.start + options.programs, 0
    for start in range(options.start, end, TOGETHER):
        for line in differences(range(start, min(start + TOGETHER, end)), flags):
            sys.stdout.write(f"{line}\n")
            wrong += 1
    sys.stdout.write(f"{options.programs} programs, {wrong} differ\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
