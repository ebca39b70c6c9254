"""MLIR, by the Python bindings in jaxlib: python p_mlir.py WORK OPERATIONS ROUNDS.

The program of ``bench/loops.py`` in the dialects scf, memref and arith: two nested loops around
stores of ``A[i, j] * 2 + 1``, four operations each; for analyses a chain of sums. Prints
nanoseconds an operation.
"""

from __future__ import annotations

import gc
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from jaxlib.mlir import ir, passmanager
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import arith, func, memref, scf


def stores(size: int, *, units: bool = False) -> ir.Module:
    module = ir.Module.create()
    i32 = ir.IntegerType.get_signless(32)
    matrix = ir.MemRefType.get((16, 16), i32)
    with ir.InsertionPoint(module.body):
        made = func.FuncOp("f", ([matrix], []))
    with ir.InsertionPoint(made.add_entry_block()):
        tensor = made.arguments[0]
        low, high, step = (
            arith.ConstantOp(ir.IndexType.get(), number).result for number in (0, 16, 1)
        )
        factor, term = (arith.ConstantOp(i32, n).result for n in ((1, 0) if units else (2, 1)))
        outer = scf.ForOp(low, high, step)
        with ir.InsertionPoint(outer.body):
            inner = scf.ForOp(low, high, step)
            i, j = outer.induction_variable, inner.induction_variable
            with ir.InsertionPoint(inner.body):
                for _ in range(size // 4):
                    load = memref.LoadOp(tensor, [i, j]).result
                    product = arith.MulIOp(load, factor).result
                    memref.StoreOp(arith.AddIOp(product, term).result, tensor, [i, j])
                scf.YieldOp([])
            scf.YieldOp([])
        func.ReturnOp([])
    return module


def count(module: ir.Module) -> int:
    found = 0

    def visit(_: Any) -> ir.WalkResult:  # Any: an operation
        nonlocal found
        found += 1
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def canonicalize(module: ir.Module) -> ir.Module:
    passmanager.PassManager.parse("builtin.module(canonicalize)").run(module.operation)
    return module


def lets(size: int, *, units: bool = False) -> ir.Module:
    """A chain of sums; with ``units`` of constants, and every tenth time of a parameter."""
    module = ir.Module.create()
    i32 = ir.IntegerType.get_signless(32)
    with ir.InsertionPoint(module.body):
        made = func.FuncOp("f", ([i32, i32], [i32]))
    with ir.InsertionPoint(made.add_entry_block()):
        x, y = made.arguments
        one = arith.ConstantOp(i32, 1).result
        last = one if units else x
        for number in range(size):
            tenth = number % 10 == 9
            other = (x if tenth else one) if units else y
            total = arith.AddIOp(last, other).result
            last = one if units and tenth else total
        func.ReturnOp([last])
    return module


def run_pass(name: str) -> Callable[[ir.Module], ir.Module]:
    def run(module: ir.Module) -> ir.Module:
        passmanager.PassManager.parse(f"builtin.module({name})").run(module.operation)
        return module

    return run


WORKS: dict[str, tuple[bool, Callable[[Any], object] | None]] = {
    "build": (False, None),
    "visit": (False, count),
    "identity": (False, lambda module: module.operation.clone()),
    "simplify": (True, canonicalize),
    "print + parse": (False, lambda module: ir.Module.parse(str(module))),
    "liveness": (False, run_pass("remove-dead-values")),  # its analysis, and a walk after it
    "sccp": (True, run_pass("sccp")),
}


def main() -> None:
    work, size, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    units, run = WORKS[work]
    build = lets if work in ("liveness", "sccp") else stores
    context = ir.Context()
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    taken = []
    with context, ir.Location.unknown():
        for _ in range(rounds):
            program = None if run is None else build(size, units=units)
            gc.collect()
            start = time.process_time()
            result = stores(size) if run is None else run(program)
            taken.append(time.process_time() - start)
            del program, result
        print(f"{statistics.median(taken) / size * 1e9:.0f} ns/node", flush=True)
        os._exit(0)


if __name__ == "__main__":
    main()
