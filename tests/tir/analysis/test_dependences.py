"""Dependences of loops that can be told by looking at them."""

from __future__ import annotations

import itertools
import random

from relayish import tir
from relayish.tir.analysis import collect_accesses, dependences
from relayish.tir.analysis.dependence import finder
from tests.support import tir_deep
from tests.support.seeds import seeds
from tests.support.tir_nests import OutOfRange, Run
from tests.support.work import calls_made

A = tir.Tensor("A", (100,), "int32", buffer=tir.Buffer("a", (100,), "int32"))
P = tir.Tensor("P", (20, 20), "int32", buffer=tir.Buffer("p", (20, 20), "int32"))


def store(tensor, indices, value=1):
    return tir.Store(tensor, tir.ir.operators.as_expr(value), tuple(indices))


def nest(count, body, extent=8):
    """Return so many loops around ``body(i, j, ...)``."""
    names = [tir.Var(name) for name in "ijkl"[:count]]
    made = body(*names)
    stmts = made if isinstance(made, tuple) else (made,)
    found = tir.Block(stmts)
    for name in reversed(names):
        found = tir.Block((tir.For(name, 0, extent, found),))
    return found.stmts[0]


def told(root):
    """Return kind, distance and direction of each dependence."""
    return {
        (dep.kind.value, dep.distance, " ".join(map(str, dep.direction)))
        for dep in dependences(root)
    }


def test_accesses_come_in_the_order_they_are_made():
    stmt = store(A, [A[1]], A[2] + A[3])
    positions = [access.node for access in collect_accesses(tir.Block((stmt,))).all]
    assert [type(node) for node in positions] == [tir.Load, tir.Load, tir.Load, tir.Store]
    assert positions[-1] is stmt


def test_pairs_of_different_buffers_are_not_looked_at():
    others = [
        tir.Tensor(f"T{n}", (9,), "int32", buffer=tir.Buffer(f"t{n}", (9,), "int32"))
        for n in range(300)
    ]
    root = nest(1, lambda i: tuple([store(each, [i], each[i]) for each in others]))
    assert len(dependences(root)) == len(others)


def test_no_dependence_is_missed_whatever_symbols_are():
    n, m = tir.Var("n"), tir.Var("m")
    for seed in seeds(20):
        rng = random.Random(f"symbols {seed}")
        offsets = [rng.randint(0, 3) for _ in range(4)]
        signs = [rng.choice([0, 1, 1, 2]) for _ in range(4)]

        def body(i, j, offsets=offsets, signs=signs):
            index = i * signs[0] + j + n * signs[1] + offsets[0]
            other = i + j * signs[2] + m * signs[3] + offsets[1]
            return store(A, [index], A[other])

        root = nest(2, body, extent=n)
        reported = {}
        for dep in dependences(root):
            key = dep.source.node, dep.sink.node, dep.kind.value
            reported.setdefault(key, []).append(dep)
        for values in itertools.product(range(4), repeat=2):
            try:
                run = Run(root, dict(zip((n, m), values, strict=True)))
            except OutOfRange:
                continue
            for key, differences in run.dependences().items():
                for difference in differences:
                    assert any(
                        all(
                            distance in (None, d) and str(sign) in _NAMES[(d > 0) - (d < 0)]
                            for distance, sign, d in zip(
                                dep.distance, dep.direction, difference, strict=True
                            )
                        )
                        for dep in reported[key]
                    )


_NAMES = {
    1: ("<", "<=", "!=", "*"),
    0: ("=", "<=", ">=", "*"),
    -1: (">", ">=", "!=", "*"),
}


def test_pairs_that_limits_or_divisors_keep_apart_are_not_solved(monkeypatch):
    solved = []
    original = finder.IterationPairs.__init__

    def count(self, source, sink, loops, context):
        solved.append((source, sink))
        original(self, source, sink, loops, context)

    monkeypatch.setattr(finder.IterationPairs, "__init__", count)
    root = nest(1, lambda i: tuple([store(A, [i * 10 + k]) for k in range(10)]))
    assert told(root) == set()
    assert len(solved) == 10  # each with itself


def test_stores_to_elements_apart_are_told_apart_in_linear_work():
    calls = []
    for count in (40, 80):
        func = tir_deep.wide_block(count)
        calls.append(calls_made(lambda func=func: dependences(func)))
        assert len(dependences(func)) == count
    assert calls[1] < 2.4 * calls[0]
