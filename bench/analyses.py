"""Rows of the bench for data-flow analysis, the flow graph included.

An operation is a let with its call, two nodes, or a statement of the loop IR. The tight loops keep
one state and forget it; relayish keeps one for each point, to be asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tight

Row = tuple[Callable[[int], Any], Callable[[Any], Any] | None, Callable[[int], Any], Any]


def tight_liveness(root: tight.Plain) -> int:
    """Return how many variables are live at most, in a chain of lets."""
    bindings = []
    while root.kind == tight.LET:
        bindings.append(root)
        root = root.args[2]
    live = {root}
    most = 1
    for let in reversed(bindings):
        live.discard(let.args[0])
        live.update(let.args[1].args)
        most = max(most, len(live))
    return most


def tight_constants(size: int) -> tight.Plain:
    """Return lets that add one to a constant, and every tenth time a parameter."""
    plain = tight.Plain
    one, x = plain(tight.CONST, "", (), 1), plain(tight.VAR, "x", (), None)
    bindings, last = [], one
    for number in range(size):
        var = plain(tight.VAR, "v", (), None)
        bindings.append(
            (var, plain(tight.CALL, "add", (last, x if number % 10 == 9 else one), None))
        )
        last = one if number % 10 == 9 else var
    for var, value in reversed(bindings):
        last = plain(tight.LET, "", (var, value, last), None)
    return last


def tight_sccp(root: tight.Plain) -> int:
    """Return how many variables of a chain of lets are constant."""
    known: dict[tight.Plain, Any] = {}
    while root.kind == tight.LET:
        variable, call, root = root.args
        left, right = (a.value if a.kind == tight.CONST else known.get(a) for a in call.args)
        if left is not None and right is not None:
            known[variable] = left + right
    return len(known)


def constants(size: int) -> Any:  # Any: an expression of Relay
    """Return the same program as nodes of relayish."""
    import relayish as relay
    from relayish.op.declaration.registry import get_op

    add, one, x = get_op("add"), relay.const(1), relay.var("x", shape=(), dtype="int32")
    bindings, last = [], one
    for number in range(size):
        var = relay.var("v", shape=(), dtype="int32")
        bindings.append((var, relay.Call(add, (last, x if number % 10 == 9 else one))))
        last = one if number % 10 == 9 else var
    for var, value in reversed(bindings):
        last = relay.Let(var, value, last)
    return relay.Function((x,), last)


def tight_statements(size: int) -> list[tuple[str, tuple[str, ...]]]:
    """Return ``a = a + b``, ``b = a`` over and over, as what each sets and uses."""
    return [("a", ("a", "b")), ("b", ("a",))] * (size // 2)


def tight_liveness_of_loops(statements: list[tuple[str, tuple[str, ...]]]) -> int:
    """Return how many variables are live where a loop over the statements begins."""
    live: set[str] = set()
    for _ in range(2):
        for target, used in reversed(statements):
            live.discard(target)
            live.update(used)
    return len(live)


def statements(size: int) -> Any:  # Any: a statement
    """Return a loop over the same statements, as nodes of relayish."""
    from relayish import tir

    a, b, i, n = (tir.Var(name, "int32") for name in "abin")
    store = tir.Store
    body = [each for _ in range(size // 2) for each in (store(a, a + b, ()), store(b, a, ()))]
    return tir.For(i, 0, n, tir.Block(body))


def works() -> dict[str, Row]:
    """Return, for each piece of work, (build, tight loop, build, relayish)."""
    import programs

    from relayish.dataflow import build_flow_graph, solve
    from relayish.dataflow.analyses.liveness import Liveness
    from relayish.dataflow.solver.executable import Executable
    from relayish.interpreter.constants import Constants

    return {
        "analyses: flow graph": (tight.half_dead, None, programs.half_dead, build_flow_graph),
        "analyses: liveness": (
            tight.half_dead,
            tight_liveness,
            programs.half_dead,
            lambda expr: solve([Liveness()], expr),
        ),
        "analyses: sccp": (
            tight_constants,
            tight_sccp,
            constants,
            lambda func: solve([Executable(), Constants()], func),
        ),
        "analyses: liveness in a loop": (
            tight_statements,
            tight_liveness_of_loops,
            statements,
            lambda stmt: solve([Liveness()], stmt),
        ),
    }
