"""Deep and large typed programs to put through passes: nests of every kind, and long chains."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

import relayish as relay
from relayish.analysis.infer_type import infer_type
from relayish.ir.relay.op import intern_op
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.depth import DEPTH

DOUBLINGS: Final = 100

LEVELS: Final = min(DEPTH, 20_000)
"""Beyond what Python nests by itself; ``bench/passes.py`` takes every pass to a million."""


@cache
def deep_programs() -> dict[str, relay.IRModule]:
    """Return programs nested in every way, and one with endless paths, typed."""
    nests = {kind: infer_type(nest(kind, LEVELS)) for kind in DEEP_NESTS}
    return {**nests, "shared": infer_type(shared())}


def nest(kind: str, levels: int) -> relay.IRModule:
    """Return a module whose ``main`` nests ``levels`` deep around its parameter."""
    leaf = relay.Var("x", relay.scalar_type("bool" if kind == "if_cond" else "int32"))
    if kind == "function_nest":
        body: relay.Expr = leaf
        for _ in range(levels):  # annotated, for nothing else tells the type of the parameters
            body = relay.Function((relay.Var("y", relay.scalar_type("int32")),), body)
    else:
        body = DEEP_NESTS[kind](levels, leaf)
    return relay.IRModule({"main": relay.Function((leaf,), body)})


def shared(_: int = 0) -> relay.IRModule:
    """Return a module with few nodes and ``2 ** 100`` paths."""
    leaf = relay.Var("x", relay.scalar_type("int32"))
    return relay.IRModule({"main": relay.Function((leaf,), doublings(DOUBLINGS, leaf))})


def graph(size: int) -> relay.IRModule:
    """Return ``x, y = y, y + x``, so many times."""
    add = intern_op("add")
    first, second = (relay.Var(name, relay.TensorType((2,), "float32")) for name in "xy")
    x: relay.Expr = first
    y: relay.Expr = second
    for _ in range(size):
        x, y = y, relay.Call(add, (y, x))
    return relay.IRModule({"main": relay.Function((first, second), y)})


def lets(size: int) -> relay.IRModule:
    """Return a chain of lets, every third of which nobody uses, with tuples and projections."""
    add, one = intern_op("add"), relay.Constant(1.0)
    param = relay.Var("x", relay.TensorType((2,), "float32"))
    bindings: list[tuple[relay.Var, relay.Expr]] = []
    last: relay.Var = param
    for index in range(size // 3):
        pair, field, unused = (relay.Var(f"{name}{index}") for name in ("pair", "field", "unused"))
        bindings.append((pair, relay.Tuple((last, relay.Call(add, (last, one))))))
        bindings.append((field, relay.TupleGetItem(pair, 1)))
        bindings.append((unused, relay.Call(add, (field, field))))
        last = field
    body: relay.Expr = last
    for var, value in reversed(bindings):
        body = relay.Let(var, value, body)
    return relay.IRModule({"main": relay.Function((param,), body)})


def branches(size: int) -> relay.IRModule:
    """Return ifs one after the other, both branches of which use what came before."""
    add, multiply = intern_op("add"), intern_op("multiply")
    param = relay.Var("x", relay.TensorType((2,), "float32"))
    cond = relay.Var("c", relay.scalar_type("bool"))
    last: relay.Expr = param
    for _ in range(size // 3):
        last = relay.If(cond, relay.Call(add, (last, param)), relay.Call(multiply, (last, param)))
    return relay.IRModule({"main": relay.Function((param, cond), last)})


def functions(size: int) -> relay.IRModule:
    """Return a chain of global functions, each of which calls the next one twice."""
    ty = relay.TensorType((2,), "float32")
    add = intern_op("add")
    definitions: dict[relay.GlobalVar | str, relay.Expr] = {}
    callee = relay.GlobalVar("last")
    param = relay.Var("x", ty)
    definitions[callee] = relay.Function((param,), relay.Call(add, (param, param)), ty)
    for index in range(size // 5):
        caller = relay.GlobalVar(f"f{index:07}")
        param = relay.Var("x", ty)
        definitions[caller] = relay.Function(
            (param,), relay.Call(callee, (relay.Call(add, (param, param)),)), ty
        )
        callee = caller
    param = relay.Var("x", ty)
    definitions["main"] = relay.Function((param,), relay.Call(callee, (param,)), ty)
    return relay.IRModule(definitions)


LARGE: Final[dict[str, Callable[[int], relay.IRModule]]] = {
    "graph": graph,
    "lets": lets,
    "branches": branches,
    "functions": functions,
}
"""Programs of about so many operations, which grow in length and not in depth alone."""

_PRINTED: Final = dict.fromkeys(
    ("function_nest", "tuple_nest"),
    "every level is printed with its type, and that has as many levels",
)
NOT_FOR: Final[dict[str, dict[str, str]]] = {
    "AnnotateSpans": _PRINTED,
    "Defunctionalization": {"function_nest": "nobody could call the function main returns"},
    "PrintIR": _PRINTED,
}
"""Passes to which a program is nothing, with the reason."""
