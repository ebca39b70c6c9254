"""Finding and calling the handler of a node: the table of docs/adr/0002."""

from __future__ import annotations

import functools
from typing import Any

import multipledispatch
from measure import nanoseconds, show

from relayish.functor.vtable import find_handler
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.relay.adt import Match
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)

X = Var("x")
NODES: tuple[Expr, ...] = (
    Call(X, (X,)),
    Call(X, (X, X)),
    X,
    Constant(1),
    Tuple((X,)),
    TupleGetItem(X, 0),
    Let(X, X, X),
    If(X, X, X),
)
"""The kinds programs are made of, about as often."""

LADDER = (
    (Function, "function"),
    (Call, "call"),
    (Let, "let"),
    (Var, "var"),
    (GlobalVar, "global_var"),
    (If, "if"),
    (Tuple, "tuple"),
    (TupleGetItem, "tuple_getitem"),
    (Constant, "constant"),
    (Op, "op"),
    (RefCreate, "ref_create"),
    (RefRead, "ref_read"),
    (RefWrite, "ref_write"),
    (Match, "match"),
)
"""The kinds in the order in which Relay's Python functors ask for them."""


def handler(self: object, node: object) -> object:
    return node


class Handlers:
    """Handlers for every kind, and the ways to choose one."""

    table: ByKind

    def by_name(self, node: Expr) -> object:
        return getattr(self, "visit_" + node.visit_name)(node)

    @functools.singledispatchmethod
    def by_single_dispatch(self, node: Expr) -> object:
        raise TypeError(node)


@functools.singledispatch
def by_single_dispatch(node: Expr, functor: Handlers) -> object:
    raise TypeError(node)


for _kind, _name in LADDER:
    by_single_dispatch.register(_kind, handler)
    setattr(Handlers, f"visit_{_name}", handler)
    Handlers.by_single_dispatch.register(_kind, handler)  # type: ignore[attr-defined]
Handlers.table = ByKind(lambda kind: find_handler(Handlers, "visit_", kind))

_source = ["def by_isinstance(self, node):"]
for _kind, _name in LADDER:
    _source.append(f"    if isinstance(node, {_kind.__name__}): return self.visit_{_name}(node)")
_scope: dict[str, Any] = {kind.__name__: kind for kind, _ in LADDER}
exec("\n".join(_source), _scope)
Handlers.by_isinstance = _scope["by_isinstance"]  # type: ignore[attr-defined]

by_types = multipledispatch.Dispatcher("by_types")
for _kind, _name in LADDER:
    by_types.add((Handlers, _kind), handler)


def main() -> None:
    functor = Handlers()
    scope: dict[str, object] = {
        "functor": functor,
        "table": Handlers.table,
        "nodes": NODES,
        "by_types": by_types,
    }
    scope["single"] = by_single_dispatch
    loop = nanoseconds("for node in nodes: pass", scope)
    ways = {
        "table: dict[type], filled along the class hierarchy": "table[type(node)](functor, node)",
        "getattr by name": "functor.by_name(node)",
        "isinstance ladder": "functor.by_isinstance(node)",
        "functools.singledispatch": "single(node, functor)",
        "functools.singledispatchmethod": "functor.by_single_dispatch(node)",
        "multipledispatch": "by_types(functor, node)",
    }
    rows: dict[str, float | str] = {}
    for name, call in ways.items():
        taken = nanoseconds(f"for node in nodes: {call}", scope, 30_000) - loop
        rows[name] = taken / len(NODES)
    show("Choosing and calling a handler that returns its node", "ns", rows)


if __name__ == "__main__":
    main()
