"""Dependences of loops that can be told by looking at them."""

from __future__ import annotations

import itertools
import random

from relayish import tir
from relayish.tir.analysis import DependenceKind, collect_accesses, dependences
from relayish.tir.analysis.dependence import finder
from tests.support.seeds import seeds
from tests.support.tir_nests import OutOfRange, Run

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


def test_distance_is_how_much_later_the_element_is_read():
    assert told(nest(1, lambda i: store(A, [i + 3], A[i]))) == {("flow", (3,), "<")}


def test_anti_dependence_is_a_read_before_the_write():
    assert told(nest(1, lambda i: store(A, [i], A[i + 2]))) == {("anti", (2,), "<")}


def test_dependence_within_an_iteration_has_distance_zero():
    assert told(nest(1, lambda i: store(A, [i], A[i] + 1))) == {("anti", (0,), "=")}


def test_distances_of_nested_loops_are_found_together():
    body = lambda i, j: store(P, [i + 1, j + 4], P[i, j + 6])  # noqa: E731
    assert told(nest(2, body)) == {("flow", (1, -2), "< >")}


def test_all_iterations_of_a_loop_that_no_index_names_depend_on_each_other():
    found = told(nest(2, lambda i, j: store(A, [i + 20])))
    assert found == {("output", (0, None), "= <")}


def test_loops_that_are_independent_are_told_together():
    found = told(nest(3, lambda i, j, k: store(A, [i * 0 + 7])))
    assert found == {
        ("output", (None, None, None), "< * *"),
        ("output", (0, None, None), "= < *"),
        ("output", (0, 0, None), "= = <"),
    }


def test_indices_of_different_parity_never_meet():
    assert told(nest(1, lambda i: store(A, [i * 2], A[i * 2 + 1]))) == set()


def test_indices_that_the_bounds_keep_apart_never_meet():
    assert told(nest(1, lambda i: store(A, [i], A[i + 8]))) == set()


def test_arms_of_one_branch_exclude_each_other():
    def body(i):
        condition = tir.EQ(A[50], tir.const(0))
        first, second = store(A, [i]), store(A, [i + 20 - 20])
        return tir.IfThenElse(condition, tir.Block((first,)), tir.Block((second,)))

    outputs = [dep for dep in dependences(nest(1, body)) if dep.kind is DependenceKind.OUTPUT]
    assert outputs == []


def test_condition_that_is_affine_counts():
    def body(i):
        return tir.IfThenElse(i < 4, tir.Block((store(A, [i], A[i + 4]),)))

    assert told(nest(1, body)) == set()


def test_poly_for_counts_iterations():
    i = tir.Var("i")
    body = tir.Block((store(A, [i + 6], A[i]),))
    loop = tir.PolyFor(i, tir.const(0), i < 40, tir.const(3), body)
    assert told(loop) == {("flow", (2,), "<")}


def test_vectors_touch_all_their_lanes():
    def body(i):
        value = tir.Broadcast(tir.const(1), 4)
        return tir.Store(A, value, (tir.Ramp(i * 3, tir.const(1), 4),))

    assert told(nest(1, body)) == {("output", (1,), "<")}


def test_axes_of_a_reduction_are_run_through():
    def body(i):
        k = tir.Var("k", "int32", 0, 3)
        value = tir.Reduce(tir.ReduceType.SUM, tir.const(0), A[i + k], (k,))
        return store(A, [i + 10], value)

    [found] = dependences(nest(1, body, extent=11))
    assert found.kind is DependenceKind.FLOW
    assert found.is_exact
    assert str(found.direction[0]) == "<"
    assert found.distance == (None,)


def test_inline_tensor_is_what_its_operation_loads():
    x = tir.Var("x")
    made = tir.ComputeOp((x,), (tir.const(8),), (A[x + 1],))
    inline = tir.Tensor("I", (8,), "int32", operation=made)
    assert told(nest(1, lambda i: store(A, [i + 2], inline[i]))) == {("flow", (1,), "<")}


def test_index_that_is_loaded_may_be_anything():
    found = dependences(nest(1, lambda i: store(A, [A[i] + 0])))
    assert found
    assert not any(dep.is_exact for dep in found if isinstance(dep.source.node, tir.Store))


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
