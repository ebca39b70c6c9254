"""Persistent sets as states of analyses: the tables of docs/adr/0014."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import pyrsistent
from measure import nanoseconds, show

from relayish._support.persistent_set import PersistentSet

SIZES = (1, 10, 30, 1_000, 100_000)
KINDS: dict[str, Callable[[Any], Any]] = {
    "`PersistentSet`": PersistentSet,
    "`frozenset`": frozenset,
    "`pyrsistent.pset`": pyrsistent.pset,
}


class Element:
    """What a state holds: compared by identity, as nodes are."""


def changes(kind: str, size: int) -> dict[str, float]:
    """Return what it takes to change a set, and to join two that differ in three elements."""
    keys = [Element() for _ in range(size + 3)]
    state = KINDS[kind](keys[:size])
    number = 20_000 if size < 1_000 or kind == "`PersistentSet`" else 10
    scope = {"state": state, "first": keys[0], "new": keys[size]}
    if kind == "`frozenset`":
        scope["other"] = state - {keys[0]} | {*keys[size:]}
        add, discard = "state | {new}", "state - {first}"
    else:
        remove = "discard" if kind == "`PersistentSet`" else "remove"
        scope["other"] = getattr(state, remove)(keys[0]) | KINDS[kind](keys[size:])
        add, discard = "state.add(new)", f"state.{remove}(first)"
    ways = {"add": add, "discard": discard, "join": "state | other", "equal": "state == other"}
    return {name: nanoseconds(way, scope, number) for name, way in ways.items()}


def kept(size: int, steps: int = 100_000) -> float:
    """Return the microseconds of a chain of changes, all of whose versions are kept."""
    keys = [Element() for _ in range(size + steps)]
    state = PersistentSet(keys[:size])
    versions = []
    gc.disable()  # as the solver does
    begin = time.process_time()
    for old, new in zip(keys, keys[size:], strict=False):
        state = state.discard(old).add(new)
        versions.append(state)
    taken = time.process_time() - begin
    gc.enable()
    return taken / steps * 1e6


def main() -> None:
    for size in SIZES:
        rows: dict[str, float | str] = {}
        for kind in KINDS:
            if kind == "`pyrsistent.pset`" and size > 1_000:
                continue
            found = changes(kind, size)
            rows[kind] = ", ".join([format(value, ".3g") for value in found.values()])
        show(f"Sets of {size}", "ns to add, discard, join, compare", rows)
    show(
        "A change of each of two kinds, versions kept",
        "µs",
        {f"sets of {size}": kept(size) for size in SIZES},
    )


if __name__ == "__main__":
    main()
