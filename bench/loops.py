"""Rows of the bench for the loop IR: a block of stores inside of two loops.

A store, a load, a product and a sum are four operations; what all of them share is not counted.
"""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Callable
from typing import Any

import tight

Row = tuple[Callable[[int], Any], Callable[[Any], Any] | None, Callable[[int], Any], Any]


def tight_stores(size: int, *, units: bool = False) -> tight.Plain:
    """Return ``A[i, j] = A[i, j] * 2 + 1`` over and over; with ``units``, ``A[i, j] * 1 + 0``."""
    plain, call = tight.Plain, tight.CALL
    tensor, i, j = (plain(tight.VAR, name, (), None) for name in "Aij")
    factor, term = (plain(tight.CONST, "", (), n) for n in ((1, 0) if units else (2, 1)))
    stores = []
    for _ in range(size // 4):
        load = plain(call, "load", (tensor, i, j), None)
        value = plain(call, "add", (plain(call, "mul", (load, factor), None), term), None)
        stores.append(plain(call, "store", (tensor, value, i, j), None))
    block = plain(call, "block", tuple(stores), None)
    inner = plain(call, "for", (j, block), None)
    return plain(call, "for", (i, plain(call, "block", (inner,), None)), None)


def tight_simplify(root: tight.Plain) -> tight.Plain:
    """Drop what adds zero or multiplies by one."""
    memo: dict[tight.Plain, tight.Plain] = {}
    for node in tight.post_order(root):
        if node.kind != tight.CALL:
            memo[node] = node
            continue
        args = tuple([memo[arg] for arg in node.args])
        if len(args) == 2 and args[1].kind == tight.CONST:
            unit = {"add": 0, "mul": 1}.get(node.name)
            if unit is not None and args[1].value == unit:
                memo[node] = args[0]
                continue
        same = all(new is old for new, old in zip(args, node.args, strict=True))
        memo[node] = node if same else tight.Plain(node.kind, node.name, args, None)
    return memo[root]


def stores(size: int, *, units: bool = False) -> Any:  # Any: a function of the loop IR
    """Return the same program as nodes of relayish."""
    from relayish import tir

    buffer = tir.Buffer("_A", (16, 16), "int32")
    tensor = tir.Tensor("A", (16, 16), "int32", buffer)
    i, j = tir.Var("i"), tir.Var("j")
    indices = (i, j)
    factor, term = (tir.const(number) for number in ((1, 0) if units else (2, 1)))
    load, add, multiply, store = tir.Load, tir.Add, tir.Mul, tir.Store
    body = [
        store(tensor, add(multiply(load(tensor, indices), factor), term), indices)
        for _ in range(size // 4)
    ]
    inner = tir.Block((tir.For(j, 0, 16, tir.Block(body)),))
    return tir.LoweredFunc("f", (buffer,), tir.Block((tir.For(i, 0, 16, inner),)))


def works() -> dict[str, Row]:
    """Return, for each piece of work, (build, tight loop, build, relayish)."""
    from relayish import tir
    from relayish.ir.equality.structural_equal import structural_equal
    from relayish.ir.equality.structural_hash import structural_hash

    class Loads(tir.IRVisitor):
        loads = 0

        def visit_load(self, load: tir.Load) -> None:
            self.loads += 1
            super().visit_load(load)

    class Natural(tir.IRMutator):
        def visit_store(self, store: tir.Store) -> tir.Stmt:
            return store.with_fields(value=self.visit(store.value))

    def simplified(func: tir.LoweredFunc) -> object:
        passes = importlib.import_module("relayish.passes.loops.simplify.simplify")
        return passes.simplify(func)

    def twice(size: int) -> tuple[Any, Any]:
        return stores(size), stores(size)

    return {
        "loops: build": (tight_stores, None, stores, None),
        "loops: visit": (tight_stores, tight.count, stores, lambda f: tir.IRVisitor().visit(f)),
        "loops: visit, own visit_load": (
            tight_stores,
            tight.count,
            stores,
            lambda f: Loads().visit(f),
        ),
        "loops: identity": (
            tight_stores,
            tight.identity,
            stores,
            lambda f: tir.IRMutator().visit(f),
        ),
        "loops: identity, own visit_store": (
            tight_stores,
            tight.identity,
            stores,
            lambda f: Natural().visit(f),
        ),
        "loops: simplify": (
            lambda size: tight_stores(size, units=True),
            tight_simplify,
            lambda size: stores(size, units=True),
            simplified,
        ),
        "loops: structural hash": (tight_stores, tight.structural_hash, stores, structural_hash),
        "loops: structural equal": (
            tight_stores,
            tight.structural_hash,
            twice,
            lambda pair: structural_equal(*pair),
        ),
        "loops: print + parse": (
            tight_stores,
            tight.print_and_parse,
            stores,
            lambda func: tir.parse(tir.astext(func)),
        ),
        "loops: pickle + unpickle": (
            tight_stores,
            tight.identity,
            stores,
            lambda func: pickle.loads(pickle.dumps(func)),
        ),
    }
