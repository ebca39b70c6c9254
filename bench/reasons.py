"""Say why a pass needs as long as it needs: what it makes, what it asks for, where its time goes.

``bench/passes.py`` writes a row of this into its page for what is over its limits. A row is of one
pass on one program: nodes of expressions it is given and nodes it makes an operation, calls of
functions an operation, the share of the cyclic garbage collector in the time, and the packages that
need the most, by their share in a profile. What Python itself does counts for the package that
asked for it.
"""

from __future__ import annotations

import cProfile
import gc
import pstats
import time
from collections import Counter
from pathlib import Path

from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.transform import Pass

HEAD = ("given", "made", "calls", "collector", "where the time goes")
"""Columns of a row."""

ROOT = Path(__file__).resolve().parent.parent / "relayish"
PLACES = 3
"""So many packages are told, of those that need a twentieth at least."""


def reason(pass_: Pass, mod: IRModule, size: int) -> list[str]:
    """Return the cells of a row under ``HEAD``."""
    began = collecting = 0.0

    def collected(phase: str, _: dict[str, int]) -> None:
        nonlocal began, collecting
        if phase == "start":
            began = time.process_time()
        else:
            collecting += time.process_time() - began

    gc.callbacks.append(collected)
    start = time.process_time()
    out = pass_(mod)
    seconds = time.process_time() - start
    gc.callbacks.remove(collected)
    given = set(nodes_of(mod))
    made = sum(node not in given for node in nodes_of(out))
    del out
    profile = cProfile.Profile()
    profile.runcall(pass_, mod)
    places, calls = shares(profile)
    told = [f"{name} {share:.0%}" for name, share in places.most_common(PLACES) if share >= 0.05]
    return [
        f"{len(given) / size:.1f}",
        f"{made / size:.1f}",
        f"{calls / size:.0f}",
        f"{collecting / seconds:.0%}",
        ", ".join(told),
    ]


def nodes_of(mod: IRModule) -> list[object]:
    """Return the nodes of expressions of a module; those in attributes of calls, too."""
    functions = [*mod.functions.values()]
    return [n for n in EVERYTHING.post_order(functions) if isinstance(n, EXPRESSIONS.families)]


def shares(profile: cProfile.Profile) -> tuple[Counter[str], int]:
    """Return the share of each package in the time, and the number of calls."""
    found: Counter[str] = Counter()
    stats = pstats.Stats(profile)
    for (path, _, _), (_, _, own, _, callers) in stats.stats.items():
        place = place_of(path)
        if place is not None:
            found[place] += own
            continue
        for (caller, _, _), (_, _, part, _) in callers.items():
            found[place_of(caller) or "Python"] += part
    total = sum(found.values())
    return Counter({name: own / total for name, own in found.items()}), stats.total_calls


def place_of(path: str) -> str | None:
    """Return the package of a file of relayish, at most two levels down; of others nothing."""
    if not path.startswith(f"{ROOT}/"):
        return None
    parts = Path(path).relative_to(ROOT).with_suffix("").parts
    deep = 3 if parts[0] == "passes" else 2
    return ".".join(parts[:deep])
