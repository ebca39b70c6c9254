"""Inline tensors and reductions as values; ``test_runs.py`` runs statements."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.errors import EvaluationError, OutOfBoundsError, TypeConfusionError
from tests.support.each import each


def tensor(name, *shape, dtype="int32", **buffer):
    sizes = tuple([tir.const(n) if isinstance(n, int) else n for n in shape])
    return tir.Tensor(name, sizes, dtype, tir.Buffer(f"_{name}", sizes, dtype, **buffer))


@each(
    ("array", "strides"),
    [
        (np.zeros((3, 2), "int32")[:, 1], ()),
        (np.zeros((3, 2), "int32").T, ()),
        (np.zeros((2, 3), "int32"), (1, 2)),
    ],
)
def test_array_is_changed_in_place_however_it_lies_in_memory(array, strides):
    a = tensor("A", *array.shape, strides=strides)
    tir.run(tir.LoweredFunc("f", (a.buffer,), tir.Store(a, 7, (1, 0)[: array.ndim])), array)
    assert array.sum() == array.flat[array.size // 2] == 7


class TestInlineTensors:
    def inline(self, body, *axis, name="I"):
        sizes = tuple([tir.const(4) for _ in axis])
        operation = tir.ComputeOp(axis, sizes, (body,))
        return tir.Tensor(name, sizes, body.type, None, operation, axis)

    def test_chain_that_uses_each_twice_is_compiled_once(self):
        x = tir.Var("x")
        made = self.inline(x, x)
        for at in range(9):
            x = tir.Var("x")
            made = self.inline(made[x] + made[3 - x], x, name=f"I{at}")
        assert tir.evaluate(made[1]) == 3 * 2**8

    def test_vector_of_indices_gives_a_vector(self):
        x = tir.Var("x")
        t = self.inline(x * x, x)
        assert tir.evaluate(t[tir.Ramp(tir.const(0), tir.const(1), 4)]).tolist() == [0, 1, 4, 9]

    def test_index_is_in_range(self):
        x = tir.Var("x")
        with pytest.raises(OutOfBoundsError, match="index 4 is out of range in dimension 0 of I"):
            tir.evaluate(self.inline(x, x)[4])

    def test_one_that_is_computed_otherwise_is_refused(self):
        t = tir.Tensor(
            "I", (tir.const(4),), "int32", None, tir.PlaceholderOp((tir.const(4),), "int32")
        )
        with pytest.raises(EvaluationError, match="comes from a PlaceholderOp"):
            tir.evaluate(t[0])


REDUCTIONS = [
    (tir.ReduceType.SUM, 10, [1, 2, 3], 16),
    (tir.ReduceType.SUB, 10, [1, 2, 3], 4),
    (tir.ReduceType.MUL, 10, [1, 2, 3], 60),
    (tir.ReduceType.DIV, 100, [7, 2, 3], 2),
    (tir.ReduceType.MAX, 2, [1, 5, 3], 5),
    (tir.ReduceType.MIN, 2, [1, 5, 3], 1),
]


class TestReduce:
    @pytest.mark.parametrize(("kind", "init", "values", "expected"), REDUCTIONS)
    def test_combines_in_order_from_init(self, kind, init, values, expected):
        a = tensor("A", 3)
        k = tir.Var("k", "int32", tir.const(0), tir.const(3), is_reduce_axis=True)
        expr = tir.Reduce(kind, tir.const(init), a[k], (k,))
        assert tir.evaluate(expr, {a: np.array(values, "int32")}) == expected

    @pytest.mark.parametrize(
        ("kind", "init", "values"),
        [
            (k, i, v)
            for k in (tir.ReduceType.ALL, tir.ReduceType.ANY)
            for i in (True, False)
            for v in ([True, True], [True, False])
        ],
    )
    def test_combines_truth_values(self, kind, init, values):
        a = tensor("A", 2, dtype="bool")
        k = tir.Var("k", "int32", tir.const(0), tir.const(2))
        found = tir.evaluate(tir.Reduce(kind, tir.const(init), a[k], (k,)), {a: np.array(values)})
        assert found == (all if kind is tir.ReduceType.ALL else any)([init, *values])

    def test_last_axis_is_the_fastest(self):
        i = tir.Var("i", "int32", tir.const(1), tir.const(3))
        j = tir.Var("j", "int32", tir.const(1), tir.const(3))
        expr = tir.Reduce(tir.ReduceType.DIV, tir.const(1000), i * 3 + j, (i, j))
        found = 1000
        for value in (4, 5, 7, 8):
            found //= value
        assert tir.evaluate(expr) == found

    def test_floats_are_not_reordered(self):
        a = tensor("A", 3, dtype="float32")
        k = tir.Var("k", "int32", tir.const(0), tir.const(3))
        expr = tir.Reduce(tir.ReduceType.SUM, tir.const(0.0), a[k], (k,))
        assert tir.evaluate(expr, {a: np.array([1e8, 1, -1e8], "float32")}) == 0

    def test_over_nothing_is_init(self):
        k = tir.Var("k", "int32", tir.const(3), tir.const(3))
        assert tir.evaluate(tir.Reduce(tir.ReduceType.SUM, tir.const(5), k, (k,))) == 5

    def test_axis_without_an_end_is_refused(self):
        k = tir.Var("k")
        with pytest.raises(EvaluationError, match=r"axis k of .* has no upper bound"):
            tir.evaluate(tir.Reduce(tir.ReduceType.SUM, tir.const(0), k, (k,)))

    def test_values_of_another_type_than_init_are_refused(self):
        k = tir.Var("k", "int32", tir.const(0), tir.const(3))
        with pytest.raises(TypeConfusionError, match="begins with float32 and goes over int32"):
            tir.evaluate(tir.Reduce(tir.ReduceType.SUM, tir.const(0.0), k, (k,)))

    def test_division_by_zero_is_an_error(self):
        k = tir.Var("k", "int32", tir.const(0), tir.const(3))
        with pytest.raises(EvaluationError, match="divided by zero"):
            tir.evaluate(tir.Reduce(tir.ReduceType.DIV, tir.const(8), k, (k,)))
