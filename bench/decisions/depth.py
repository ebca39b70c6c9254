"""Handlers that recurse by hand, a million levels deep: the tables of docs/adr/0003.

With ``--one-stack LEVELS`` the script tries the same on one thread with one huge stack, in this
process; it may crash, which is the point.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from measure import show

from relayish._support.segments import FIRST_LEVELS, LEVELS, MAX_LEVELS
from relayish.functor import ExprMutator, ExprVisitor
from relayish.ir.relay.expr import Call, Expr, Function, Tuple, Var
from relayish.ir.relay.op import intern_op

ADD, X = intern_op("add"), Var("x")


class Engine(ExprVisitor):
    """Overrides nothing that is met often: the engine's own loop."""

    def visit_function(self, func: Function) -> None:
        raise AssertionError


class Natural(ExprVisitor):
    """The plain way to write a visitor."""

    def visit_call(self, call: Call) -> None:
        for arg in call.args:
            self.visit(arg)


class NaturalMutator(ExprMutator):
    """The plain way to write a mutator."""

    def visit_call(self, call: Call) -> Expr:
        return call.with_fields(args=self.mutate_all(call.args))


class AcrossC(ExprVisitor):
    """Crosses from Python to C and back at every level."""

    def visit_call(self, call: Call) -> object:
        return tuple(self.visit(arg) for arg in call.args) and None


class Endless(ExprMutator):
    """A faulty handler: the node it visits is always a new one."""

    def visit_call(self, call: Call) -> Expr:
        return self.visit(Call(ADD, (call, X)))


def chain(levels: int) -> Expr:
    expr: Expr = X
    for _ in range(levels):
        expr = Call(ADD, (expr, X))
    return expr


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def microseconds(work: Callable[[], object], levels: int) -> float | str:
    try:
        return seconds(work) / levels * 1e6
    except RecursionError as error:
        return f"{type(error).__name__}: {str(error)[:60]}…"


def on_one_stack(levels: int) -> None:
    """Recurse on one thread whose stack and limit should be large enough."""

    def descend(node: Any, crossing: bool) -> int:
        if not isinstance(node, Tuple):
            return 0
        if crossing:
            return 1 + max(descend(field, crossing) for field in node.fields)
        return 1 + descend(node.fields[0], crossing)

    def run(crossing: bool) -> None:
        try:
            outcome.append(f"reached {descend(nest, crossing):,}")
        except RecursionError as error:
            outcome.append(f"RecursionError: {error}")

    nest: Expr = X
    for _ in range(levels):
        nest = Tuple((nest,))
    sys.setrecursionlimit(10 * levels + 1000)
    threading.stack_size(min(1024 * levels + 2**24, 2**30))
    for crossing in (False, True):
        outcome: list[str] = []
        thread = threading.Thread(target=run, args=(crossing,))
        thread.start()
        thread.join()
        print(f"{'across C' if crossing else 'Python only'}: {outcome[0]}", flush=True)


def main() -> None:
    if "--one-stack" in sys.argv:
        on_one_stack(int(sys.argv[-1]))
        return
    million, some = chain(1_000_000), chain(100_000)
    limit = sys.getrecursionlimit()
    rows: dict[str, float | str] = {
        "the engine's loop, 1,000,000": microseconds(lambda: Engine().visit(million), 10**6),
        "natural visitor, 1,000,000": microseconds(lambda: Natural().visit(million), 10**6),
        "natural mutator, 1,000,000": microseconds(lambda: NaturalMutator().visit(million), 10**6),
        "across C, 100,000": microseconds(lambda: AcrossC().visit(some), 10**5),
        "endless recursion": microseconds(lambda: Endless().visit(chain(10)), MAX_LEVELS),
    }
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    rows["peak memory of all of these, MB"] = f"{peak:.0f}"
    rows["recursion limit before and after"] = f"{limit}, {sys.getrecursionlimit()}"
    show(f"Levels nested: {FIRST_LEVELS} on the caller's stack, then {LEVELS:,} a stack",
         "µs a level", rows)  # fmt: skip
    for levels in (10_000, 100_000, 1_000_000):
        done = subprocess.run(
            [sys.executable, __file__, "--one-stack", str(levels)],
            capture_output=True,
            text=True,
            check=False,  # it may well die
        )
        end = "" if done.returncode == 0 else f"; process died with {done.returncode}"
        print(f"\none stack, {levels:,}: {'; '.join(done.stdout.splitlines())}{end}")


if __name__ == "__main__":
    main()
