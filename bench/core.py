"""Core on programs that grow: evaluation, dead-store elimination by both ways, lowering.

python bench/core.py            # prints the tables
python bench/core.py --write    # writes them to bench/CORE.md
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any, Final

from relayish import core
from relayish.core import FuncEntry, Interpreter, Stmt, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.scoping import PROGRAM
from relayish.passes.core.cleanup.dead_store_elimination_core import eliminate_dead_stores_core
from relayish.passes.core.lowering.lower_core import lower_core

SIZES: Final = (1_000, 5_000, 25_000)
REPETITIONS: Final = 1


def wide(size: int) -> FuncEntry:
    """Stores one after the other, half of which nobody reads; 10 nodes each, about."""
    x, y, z = Var("x"), Var("y"), Var("z")
    stmts: list[Stmt] = [core.St(x, core.const(1)), core.St(y, core.const(2))]
    for index in range(size // 2):
        stmts.append(core.St(x, x * 3 + core.Band(core.Ld(y), core.const(index & 7))))
        stmts.append(core.St(z, y * 3 + core.Band(core.Ld(x), core.const(index & 7))))
    stmts.append(core.Retv(core.Ld(x)))
    return FuncEntry((), (x, y, z), (), core.Block(tuple(stmts)), "int32")


def nested(size: int) -> FuncEntry:
    """Loops, one in the other, each of which runs once; a store in each."""
    x, i = Var("x"), Var("i")
    stmt: Stmt = core.St(x, x + 1)
    once = core.Block((core.St(i, core.const(1)),))
    for _ in range(size):
        body = core.Block((core.St(i, core.const(0)), stmt, *once.stmts))
        stmt = core.WhileDo(i < 1, body)
    body = core.Block((core.St(x, core.const(0)), core.St(i, core.const(0)), stmt))
    return FuncEntry((), (x, i), (), core.Block((*body.stmts, core.Retv(core.Ld(x)))), "int32")


def branches(size: int) -> FuncEntry:
    """Branches one after the other, with a store in each arm."""
    x, y = Var("x"), Var("y")
    stmts: list[Stmt] = [core.St(x, core.const(1)), core.St(y, core.const(2))]
    for index in range(size // 3):
        then, otherwise = core.St(x, x + index), core.St(y, y + index)
        arms = (core.Block((then,)), core.Block((otherwise,)))
        stmts.append(core.If(core.Lt(core.Ld(x), core.Ld(y)), *arms))
    stmts.append(core.Retv(core.Add(core.Ld(x), core.Ld(y))))
    return FuncEntry((), (x, y), (), core.Block(tuple(stmts)), "int32")


PROGRAMS: Final[dict[str, Callable[[int], FuncEntry]]] = {
    "stores": wide,
    "branches": branches,
    "loops in loops": nested,
}


def _module(func: FuncEntry) -> IRModule:
    return IRModule().with_functions({"main": func})


def _evaluate(func: FuncEntry) -> Any:
    return Interpreter(_module(func)).call("main")


WORKS: Final[dict[str, Callable[[FuncEntry], Any]]] = {
    "evaluate": _evaluate,
    "dead stores, handlers": eliminate_dead_stores_core,
    "dead stores, solver": lambda func: eliminate_dead_stores_core(func, solver=True),
    "lower to loops": lambda func: lower_core(_module(func)),
}


def measure(work: Callable[[FuncEntry], Any], make: Callable[[int], FuncEntry], size: int) -> float:
    """Return microseconds of CPU for each statement."""
    count = sum(isinstance(each, Stmt) for each in PROGRAM.pre_order(make(size)))
    work(make(10))  # what is imported on the way is not measured
    best = float("inf")
    for _ in range(REPETITIONS):
        func = make(size)
        begun = process_time()
        work(func)
        best = min(best, process_time() - begun)
    return best / count * 1e6


def tables() -> list[str]:
    """Return the lines of a table for each program."""
    lines = []
    for name, make in PROGRAMS.items():
        lines += [f"{name.capitalize()}, microseconds of CPU a statement:", ""]
        lines += [f"| statements, about | {' | '.join(WORKS)} |"]
        lines += ["| --- " * (len(WORKS) + 1) + "|"]
        for size in SIZES:
            found = [f"{measure(work, make, size):.2f}" for work in WORKS.values()]
            lines.append(f"| {size:,} | {' | '.join(found)} |")
        lines.append("")
    return lines


def calls() -> list[str]:
    """Return the lines of a table of calls within calls."""
    scope = core.GlobalScope()
    with scope.function("down", {"n": "int32"}, "int32") as f:
        with f.if_(core.equal(f.n, 0)):
            f.retv(0)
        f.retv(f.call(f.self, f.n - 1) + 1)
    lines = ["A function that calls itself, microseconds of CPU a call:", ""]
    lines += ["| calls within calls | evaluate |", "| --- | --- |"]
    for depth in SIZES:
        running = Interpreter(scope.module())
        begun = process_time()
        assert running.call("down", depth) == depth
        lines.append(f"| {depth:,} | {(process_time() - begun) / depth * 1e6:.2f} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write bench/CORE.md")
    head = [
        "# Core",
        "",
        f"CPython {platform.python_version()}, {platform.machine()}. Made by",
        "`python bench/core.py --write`.",
        "",
    ]
    page = "\n".join([*head, *tables(), *calls(), ""])
    if parser.parse_args().write:
        Path(__file__).with_name("CORE.md").write_text(page, encoding="utf-8")
    else:
        print(page)


if __name__ == "__main__":
    main()
