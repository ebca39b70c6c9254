"""Measure what memory networks take: as planned, and in the executors.

    python bench/memory.py            # ResNet-18 and a long short-term memory
    python bench/memory.py --only lstm

What is measured is the most that is allocated at one time while a network runs, beside what there
was before: ``tracemalloc`` counts what numpy allocates. Weights, arguments and what was computed
while planning are not in it; what operators use while they run is. The results of both executors
are compared bit by bit. Planned is what ``relay.analysis.plan_memory`` says of tensors alone.
"""

# ruff: noqa: E402 - the number of threads is set before numpy is loaded

from __future__ import annotations

import os

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import argparse
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

import relayish as relay
from relayish.interpreter import same_value
from relayish.testing import lstm, resnet

NETWORKS: dict[str, tuple[str, Callable[[], Any]]] = {
    "resnet": (
        "ResNet-18, one image of 224 by 224",
        lambda: resnet.get_workload(1, 1000, 18),
    ),
    "lstm": (
        "LSTM, 16 steps, 64 sequences, a state of 256",
        lambda: lstm.get_workload(16, 256, 64),
    ),
}


def measure_peak(work: Callable[[], object]) -> int:
    """Return how many bytes ``work`` has allocated at one time at most."""
    work()  # what is kept for later runs is there now
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def best(work: Callable[[], object], runs: int) -> float:
    """Return the seconds of the fastest of several runs."""
    found = float("inf")
    for _ in range(runs):
        start = time.process_time()
        work()
        found = min(found, time.process_time() - start)
    return found


def measure(title: str, make: Callable[[], Any], runs: int) -> None:
    """Print what is planned and what is measured of one network."""
    mod, params = make()
    main = mod["main"]
    numbers = np.random.default_rng(0)
    args = [
        numbers.standard_normal(param.type_annotation.shape).astype(param.type_annotation.dtype)
        for param in main.params
        if param.name_hint not in params
    ]
    rows: list[tuple[str, int, float | None]] = []
    if hasattr(relay.analysis, "plan_memory"):
        plan = relay.analysis.plan_memory(main, mod)
        rows += [
            ("planned, every tensor kept", plan.peak_before, None),
            ("planned, freed after last use", plan.peak_freed, None),
            ("planned, in shared storages", plan.peak_after, None),
        ]
    executors = [
        (name, relay.create_executor(kind, mod, params=params).evaluate())
        for name, kind in (("interpreter", "debug"), ("graph executor", "graph"))
    ]
    results = [run(*args) for _, run in executors]
    assert same_value(*results), "the executors differ"
    for name, run in executors:
        work = lambda run=run: run(*args)  # noqa: E731
        rows.append((name, measure_peak(work), best(work, runs)))
    print(title)
    for name, size, seconds in rows:
        shown = "" if seconds is None else f"{seconds * 1e3:10.1f} ms"
        print(f"  {name:34}{size:14,} bytes{shown}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=tuple(NETWORKS))
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    for key, (title, make) in NETWORKS.items():
        if options.only in (None, key):
            measure(title, make, options.runs)


if __name__ == "__main__":
    main()
