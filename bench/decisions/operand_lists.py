"""What holds operands, attributes and definitions: the tables of docs/adr/0004."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable

from measure import nanoseconds, show
from pyrsistent import pmap, pvector

from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.expr import Function, GlobalVar, Var
from relayish.ir.relay.module import IRModule

COUNT = 20_000
DEFINITIONS = 10_000


@attrs("bench.attrs.Two")
class Two(Attrs):
    axis: int = 0
    keepdims: bool = False


def bytes_each(make: Callable[[], object]) -> float:
    """Return the memory one object takes, what only it refers to included."""
    make()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    kept = [make() for _ in range(COUNT)]
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return (after - before - sys.getsizeof(kept)) / COUNT


def main() -> None:
    x, y = Var("x"), Var("y")
    scope = {"x": x, "y": y, "pvector": pvector, "pmap": pmap, "Two": Two}
    builds = {
        "tuple of two": ("(x, y)", lambda: (x, y)),
        "pvector of two": ("pvector((x, y))", lambda: pvector((x, y))),
        "attrs class with two fields": ("Two(1, True)", lambda: Two(1, keepdims=True)),
        "dict of two": (
            "{'axis': 1, 'keepdims': True}",
            lambda: {"axis": 1, "keepdims": True},
        ),
        "pmap of two": (
            "pmap({'axis': 1, 'keepdims': True})",
            lambda: pmap({"axis": 1, "keepdims": True}),
        ),
    }
    Two(1, True)
    rows = {
        name: f"{nanoseconds(statement, scope, 50_000):.0f} ns, {bytes_each(make):.0f} bytes"
        for name, (statement, make) in builds.items()
    }
    show("What every node has: building one", "time and memory", rows)

    pair, vector, two = (x, y), pvector((x, y)), Two(1, keepdims=True)
    mapping = pmap({"axis": 1, "keepdims": True})
    scope = {"pair": pair, "vector": vector, "two": two, "mapping": mapping}
    statements = {
        "over a tuple": "for item in pair: pass",
        "over a pvector": "for item in vector: pass",
        "a field of attributes": "two.axis",
        "an entry of a pmap": "mapping['axis']",
    }
    show("… and reading it", "ns", {n: nanoseconds(s, scope) for n, s in statements.items()})

    names = {GlobalVar(f"f{i}"): Function((x,), x) for i in range(DEFINITIONS)}
    definitions, key, func = pmap(names), next(iter(names)), Function((y,), y)
    mod = IRModule(names)
    scope = {"names": names, "definitions": definitions, "key": key, "func": func, "mod": mod}
    updates = {
        "pmap": "definitions.set(key, func)",
        "dict, copied": "{**names, key: func}",
        "IRModule.with_function": "mod.with_function(key, func)",
    }
    times = {name: nanoseconds(s, scope, 300) / 1000 for name, s in updates.items()}
    show(f"What is updated: one definition of {DEFINITIONS:,}", "µs", times)


if __name__ == "__main__":
    main()
