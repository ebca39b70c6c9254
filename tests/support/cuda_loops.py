"""Loop programs in CUDA C beside the interpreter: loops that are parallel are bound at random.

python -m tests.support.cuda_loops --start 0 --programs 1000
"""

from __future__ import annotations

import argparse
import ctypes
import random
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from relayish import tir
from relayish.codegen.cuda import build_on_cpu
from relayish.codegen.cuda.on_cpu import ORDER
from relayish.codegen.cuda.source import to_cuda
from relayish.errors import CodegenError, VerificationError
from relayish.tir.analysis import parallel_loops
from tests.support.compiled_loops import natively, same_outcome
from tests.support.tir_programs import arguments, outcome, random_func

TOGETHER = 5
"""So many functions are compiled together."""

THREADS = ("threadIdx.x", "threadIdx.y", "threadIdx.z")
BARRIER = tir.call_intrinsic("cuda_sync_threads", (), "void")
APART = ("call", "alloc", "poly_for")
"""What programs are drawn without: what kernels do not have, and functions of mathematics."""


def skip_without_compiler() -> None:
    if not any(map(shutil.which, ("g++", "clang++"))):
        pytest.skip("there is no compiler of C++")


class _Binding:
    def __init__(self, func: tir.LoweredFunc, seed: int) -> None:
        self.random = random.Random(seed)
        self.parallel = parallel_loops(func)

    def stmt(self, stmt: tir.Stmt, taken: frozenset[str] = frozenset()) -> tir.Stmt:
        match stmt:
            case tir.Block():
                made: list[tir.Stmt] = []
                for each in stmt.stmts:
                    made.append(self.stmt(each, taken))
                    if not taken and not isinstance(each, tir.Let) and self.random.random() < 0.95:
                        made.append(BARRIER)
                return tir.Block(tuple(made))
            case tir.IfThenElse():
                other = stmt.false_case
                return stmt.with_fields(
                    true_case=self.stmt(stmt.true_case, taken),
                    false_case=None if other is None else self.stmt(other, taken),
                )
            case tir.For():
                free = [axis for axis in THREADS if axis not in taken]
                is_bound = stmt in self.parallel and free and self.random.random() < 0.9
                plain = {"for_type": tir.ForType.SERIAL, "bind_info": tir.BindInfo()}
                plain["vectorize_info"] = tir.VectorizeInfo()
                if is_bound:
                    info = tir.for_("i", 1, tir.Block(), thread=self.random.choice(free)).bind_info
                    plain |= {"for_type": info.for_type, "bind_info": info}
                    taken = taken | {str(info)}
                return stmt.with_fields(body=self.stmt(stmt.body, taken), **plain)
            case tir.ScheduleBlockRealize():
                block = stmt.schedule_block
                return stmt.with_fields(
                    schedule_block=block.with_fields(body=self.stmt(block.body, taken))
                )
        return stmt


def bound(func: tir.LoweredFunc, seed: int) -> tir.LoweredFunc:
    """Return a function of one kernel of one block, some of whose loops are bound to threads."""
    body = _Binding(func, seed).stmt(func.body)
    return func.with_fields(body=tir.as_block(tir.for_("b", 1, body, thread="blockIdx.x")))


def drawn(seed: int) -> tir.LoweredFunc | str | None:
    """Return a random function that a device runs, why it does not, or nothing if it is wrong."""
    func = random_func(seed, without=APART, faulty=seed % 4 == 0).with_fields(name=f"f{seed}")
    made = bound(func, seed)
    try:
        to_cuda(made)
    except VerificationError:
        return None
    except CodegenError as error:
        return str(error)
    return made


def differences(seeds: Iterable[int]) -> tuple[list[str], list[str]]:
    """Return what is computed otherwise than by the interpreter, and why programs are refused."""
    found = {seed: func for seed in seeds if (func := drawn(seed)) is not None}
    refused = [func for func in found.values() if isinstance(func, str)]
    kept = {seed: func for seed, func in found.items() if isinstance(func, tir.LoweredFunc)}
    if not kept:
        return [], refused
    module = build_on_cpu(tir.Module("m", functions=tuple(kept.values())))
    wrong = []
    for seed, func in kept.items():
        for given in (0, 1):
            args = arguments(func, given)
            expected = outcome(func, args, mode="plain")
            for order in (1, -1):
                made = in_order(module[func.name], args, order)
                if not same_outcome(expected, made):
                    wrong.append(f"{seed} given {given}, order {order}: {expected}, {made}")
    return wrong, refused


def in_order(function: Any, args: Sequence[Any], order: int) -> list[Any] | str:
    """Return what a function leaves where threads run in an order."""
    ctypes.c_int.in_dll(function._library, ORDER).value = order
    return natively(function, args)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--programs", type=int, default=1000)
    options = parser.parse_args()
    end, count = options.start + options.programs, 0
    why: list[str] = []
    for start in range(options.start, end, TOGETHER):
        wrong, refused = differences(range(start, min(start + TOGETHER, end)))
        why += refused
        count += len(wrong)
        for line in wrong:
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{options.programs} programs, {len(why)} refused, {count} differ\n")
    for line in why[:40]:
        sys.stdout.write(f"  {line[:260]}\n")
    return bool(count)


if __name__ == "__main__":
    sys.exit(main())
