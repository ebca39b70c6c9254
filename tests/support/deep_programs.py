"""Deep and large typed programs to put through passes: nests of every kind, and long chains."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from relayish.analysis.infer_type import infer_type
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import TensorType, scalar_type
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.depth import DEPTH

DOUBLINGS: Final = 100

LEVELS: Final = min(DEPTH, 20_000)
"""Beyond what Python nests by itself; ``bench/passes.py`` takes every pass to a million."""


@cache
def deep_programs() -> dict[str, IRModule]:
    """Return programs nested in every way, and one with endless paths, typed."""
    nests = {kind: infer_type(nest(kind, LEVELS)) for kind in DEEP_NESTS}
    return {**nests, "shared": infer_type(shared())}


def nest(kind: str, levels: int) -> IRModule:
    """Return a module whose ``main`` nests ``levels`` deep around its parameter."""
    leaf = Var("x", scalar_type("bool" if kind == "if_cond" else "int32"))
    if kind == "function_nest":
        body: Expr = leaf
        for _ in range(levels):  # annotated, for nothing else tells the type of the parameters
            body = Function((Var("y", scalar_type("int32")),), body)
    else:
        body = DEEP_NESTS[kind](levels, leaf)
    return IRModule({"main": Function((leaf,), body)})


def shared(_: int = 0) -> IRModule:
    """Return a module with few nodes and ``2 ** 100`` paths."""
    leaf = Var("x", scalar_type("int32"))
    return IRModule({"main": Function((leaf,), doublings(DOUBLINGS, leaf))})


def graph(size: int) -> IRModule:
    """Return ``x, y = y, y + x``, so many times."""
    add = intern_op("add")
    first, second = (Var(name, TensorType((2,), "float32")) for name in "xy")
    x: Expr = first
    y: Expr = second
    for _ in range(size):
        x, y = y, Call(add, (y, x))
    return IRModule({"main": Function((first, second), y)})


def lets(size: int) -> IRModule:
    """Return a chain of lets, every third of which nobody uses, with tuples and projections."""
    add, one = intern_op("add"), Constant(1.0)
    param = Var("x", TensorType((2,), "float32"))
    bindings: list[tuple[Var, Expr]] = []
    last: Var = param
    for index in range(size // 3):
        pair, field, unused = (Var(f"{name}{index}") for name in ("pair", "field", "unused"))
        bindings.append((pair, Tuple((last, Call(add, (last, one))))))
        bindings.append((field, TupleGetItem(pair, 1)))
        bindings.append((unused, Call(add, (field, field))))
        last = field
    body: Expr = last
    for var, value in reversed(bindings):
        body = Let(var, value, body)
    return IRModule({"main": Function((param,), body)})


def branches(size: int) -> IRModule:
    """Return ifs one after the other, both branches of which use what came before."""
    add, multiply = intern_op("add"), intern_op("multiply")
    param = Var("x", TensorType((2,), "float32"))
    cond = Var("c", scalar_type("bool"))
    last: Expr = param
    for _ in range(size // 3):
        last = If(cond, Call(add, (last, param)), Call(multiply, (last, param)))
    return IRModule({"main": Function((param, cond), last)})


def functions(size: int) -> IRModule:
    """Return a chain of global functions, each of which calls the next one twice."""
    ty = TensorType((2,), "float32")
    add = intern_op("add")
    definitions: dict[GlobalVar | str, Expr] = {}
    callee = GlobalVar("last")
    param = Var("x", ty)
    definitions[callee] = Function((param,), Call(add, (param, param)), ty)
    for index in range(size // 5):
        caller = GlobalVar(f"f{index:07}")
        param = Var("x", ty)
        definitions[caller] = Function((param,), Call(callee, (Call(add, (param, param)),)), ty)
        callee = caller
    param = Var("x", ty)
    definitions["main"] = Function((param,), Call(callee, (param,)), ty)
    return IRModule(definitions)


LARGE: Final[dict[str, Callable[[int], IRModule]]] = {
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
