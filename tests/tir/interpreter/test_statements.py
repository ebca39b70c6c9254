"""What statements do: loops, branches, declarations, lifetimes of memory, blocks, reductions."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.errors import (
    EvaluationError,
    InexactError,
    LifetimeError,
    OutOfBoundsError,
    TypeConfusionError,
    UninitialisedReadError,
)

both = pytest.mark.parametrize("mode", ["plain", "vectorised"])


def tensor(name, *shape, dtype="int32", **buffer):
    sizes = tuple([tir.const(n) if isinstance(n, int) else n for n in shape])
    return tir.Tensor(name, sizes, dtype, tir.Buffer(f"_{name}", sizes, dtype, **buffer))


def block(*stmts):
    return tir.Block(stmts)


def store(tensor, value, *indices):
    value = tir.const(value, tensor.dtype) if not isinstance(value, tir.Expr) else value
    return tir.Store(
        tensor, value, tuple([tir.const(i) if isinstance(i, int) else i for i in indices])
    )


def run(body, *given, temps=(), mode="plain"):
    """Run ``body`` over (parameter, value) pairs and return the values."""
    args = tuple([p.buffer if isinstance(p, tir.Tensor) else p for p, _ in given])
    temps = tuple([t.buffer for t in temps])
    tir.run(tir.LoweredFunc("f", args, body, temps), *[v for _, v in given], mode=mode)
    return [v for _, v in given]


@pytest.fixture
def trace():
    """A tensor, its array, and a statement that appends a value to it."""
    made = tensor("T", 64)
    array = np.zeros(64, "int32")

    def append(value):
        count = made[63]
        return block(tir.Store(made, value, (count,)), store(made, count + 1, 63))

    return made, array, append


def entries(array):
    return array[: array[63]].tolist()


@both
class TestFor:
    def loop(self, trace, mode, first, extent, dtype="int32", **options):
        made, array, append = trace
        i = tir.Var("i", dtype)
        value = tir.Cast("int32", i) if dtype != "int32" else i
        bounds = tir.const(first, dtype), tir.const(extent, dtype)
        run(tir.For(i, *bounds, append(value), **options), (made, array), mode=mode)
        return entries(array)

    def test_extent_is_a_length(self, trace, mode):
        assert self.loop(trace, mode, 2, 3) == [2, 3, 4]

    @pytest.mark.parametrize("extent", [0, -1, -5])
    def test_runs_nothing_when_the_extent_is_not_positive(self, trace, mode, extent):
        assert self.loop(trace, mode, 2, extent) == []

    def test_index_wraps_around(self, trace, mode):
        assert self.loop(trace, mode, 126, 4, "int8") == [126, 127, -128, -127]

    @pytest.mark.parametrize("kind", list(tir.ForType))
    def test_every_kind_means_the_serial_loop(self, trace, mode, kind):
        assert self.loop(trace, mode, 1, 3, for_type=kind) == [1, 2, 3]

    def test_bounds_are_computed_once(self, trace, mode):
        made, array, append = trace
        n = tensor("N", 1)
        i = tir.Var("i")
        body = block(append(i), store(n, 1, 0))
        run(tir.For(i, 0, n[0], body), (made, array), (n, np.array([3], "int32")), mode=mode)
        assert entries(array) == [0, 1, 2]

    def test_bounds_of_another_type_are_refused(self, mode):
        loop = tir.For(tir.Var("i"), tir.const(0), tir.const(1, "int64"), block())
        with pytest.raises(TypeConfusionError, match="all must have one type"):
            run(loop, mode=mode)


class TestPolyFor:
    def loop(self, trace, init, condition, step):
        made, array, append = trace
        i = tir.Var("i")
        run(tir.PolyFor(i, tir.const(init), condition(i), step(i), append(i)), (made, array))
        return entries(array)

    def test_asks_the_condition_before_and_adds_after(self, trace):
        assert self.loop(trace, 1, lambda i: i <= 10, lambda _: tir.const(3)) == [1, 4, 7, 10]

    def test_runs_nothing_when_the_condition_fails_at_once(self, trace):
        assert self.loop(trace, 1, lambda i: i < 1, lambda _: tir.const(1)) == []

    def test_goes_down_by_a_negative_step(self, trace):
        assert self.loop(trace, 5, lambda i: i > 0, lambda _: tir.const(-2)) == [5, 3, 1]

    def test_computes_the_step_anew(self, trace):
        assert self.loop(trace, 1, lambda i: i < 20, lambda i: i) == [1, 2, 4, 8, 16]


@both
class TestIfThenElse:
    def test_runs_one_arm(self, trace, mode):
        made, array, append = trace
        i = tir.Var("i")
        branch = tir.IfThenElse(i < 2, append(i), append(-i))
        run(tir.For(i, 0, 4, block(branch)), (made, array), mode=mode)
        assert entries(array) == [0, 1, -2, -3]

    def test_does_not_evaluate_the_other_arm(self, mode):
        a, b = tensor("A", 20), tensor("B", 24)
        i = tir.Var("i")
        guarded = tir.IfThenElse(i < 20, block(tir.Store(b, a[i], (i,))), block(store(b, -1, i)))
        given = np.arange(20, dtype="int32")
        _, found = run(
            tir.For(i, 0, 24, block(guarded)), (a, given), (b, np.zeros(24, "int32")), mode=mode
        )
        assert found.tolist() == [*range(20), -1, -1, -1, -1]

    def test_needs_no_other_arm(self, trace, mode):
        made, array, append = trace
        run(tir.IfThenElse(tir.const(False), append(tir.const(1))), (made, array), mode=mode)
        assert entries(array) == []


@both
def test_select_evaluates_both_arms(mode):
    a, b = tensor("A", 20), tensor("B", 24)
    i = tir.Var("i")
    body = tir.For(i, 0, 24, block(tir.Store(b, tir.Select(i < 20, a[i], tir.const(0)), (i,))))
    with pytest.raises(OutOfBoundsError, match="index 20 is out of range in dimension 0 of A"):
        run(body, (a, np.zeros(20, "int32")), (b, np.zeros(24, "int32")), mode=mode)


@both
@pytest.mark.parametrize("kind", [tir.And, tir.Or])
def test_connectives_evaluate_both_operands(kind, mode):
    a = tensor("A", 4)
    decided = tir.const(kind is tir.Or)
    branch = tir.IfThenElse(kind(decided, a[4] < 0), block())
    with pytest.raises(OutOfBoundsError):
        run(branch, (a, np.zeros(4, "int32")), mode=mode)


class TestLet:
    def test_declares_for_the_rest_of_the_block(self, trace):
        made, array, append = trace
        x = tir.Var("x")
        run(block(tir.Let(x, tir.const(7)), append(x + 1)), (made, array))
        assert entries(array) == [8]

    @both
    def test_store_assigns(self, mode):
        a, b = tensor("A", 40), tensor("B", 40)
        x, i = tir.Var("x"), tir.Var("i")
        body = block(
            tir.Let(x, a[i]),
            tir.IfThenElse(x < 0, block(tir.Store(x, -x))),
            tir.Store(b, tir.Load(x) * 2, (i,)),
        )
        given = np.arange(-20, 20, dtype="int32")
        _, found = run(tir.For(i, 0, 40, body), (a, given), (b, np.zeros(40, "int32")), mode=mode)
        assert found.tolist() == (np.abs(given) * 2).tolist()

    def test_scalar_has_the_index_0(self, trace):
        made, array, append = trace
        x = tir.Var("x")
        body = block(
            tir.Let(x),
            tir.Store(x, tir.const(3), (tir.const(0),)),
            append(tir.Load(x, (tir.const(0),))),
        )
        run(body, (made, array))
        assert entries(array) == [3]

    def test_scalar_has_no_other_index(self):
        x = tir.Var("x")
        with pytest.raises(OutOfBoundsError, match="its only index is 0"):
            run(block(tir.Let(x, tir.const(1)), tir.Store(x, tir.const(3), (tir.const(1),))))

    def test_read_before_a_store_is_an_error(self, trace):
        made, array, append = trace
        x = tir.Var("x")
        with pytest.raises(
            UninitialisedReadError, match="variable x is read before it has a value"
        ):
            run(block(tir.Let(x), append(x)), (made, array))

    def test_each_iteration_declares_anew(self, trace):
        made, array, append = trace
        i, x = tir.Var("i"), tir.Var("x")
        body = block(
            tir.Let(x), tir.IfThenElse(i < 1, block(tir.Store(x, tir.const(1)))), append(x)
        )
        with pytest.raises(UninitialisedReadError, match="with i = 1"):
            run(tir.For(i, 0, 2, body), (made, array))

    def test_ends_with_its_block(self, trace):
        made, array, append = trace
        x = tir.Var("x")
        with pytest.raises(EvaluationError, match="variable x has no value here"):
            run(block(block(tir.Let(x, tir.const(1))), append(x)), (made, array))

    @pytest.mark.parametrize("what", ["index", "argument"])
    def test_indices_and_arguments_are_not_assigned(self, what):
        x = tir.Var("x")
        body = tir.Store(x, tir.const(1))
        if what == "index":
            body = tir.For(x, 0, 2, block(body))
        with pytest.raises(EvaluationError, match="x is stored to, and is an index or argument"):
            run(body, *([(x, 1)] if what == "argument" else []))

    def test_value_of_another_type_is_refused(self):
        x = tir.Var("x")
        with pytest.raises(TypeConfusionError, match="x of type int32"):
            run(block(tir.Let(x, tir.const(1.0))))
        with pytest.raises(TypeConfusionError, match="variable x of type int32"):
            run(block(tir.Let(x), tir.Store(x, tir.const(1.0))))


class TestMemory:
    def test_temporary_without_alloc_lives_for_the_call(self, trace):
        made, array, append = trace
        t = tensor("W", 2)
        run(block(block(store(t, 5, 1)), append(t[1])), (made, array), temps=[t])
        assert entries(array) == [5]

    @both
    def test_element_that_holds_nothing_is_not_read(self, mode):
        t, b = tensor("W", 32), tensor("B", 32)
        i = tir.Var("i")
        body = block(
            tir.For(i, 0, 31, block(store(t, 1, i))),
            tir.For(i, 0, 32, block(tir.Store(b, t[i], (i,)))),
        )
        with pytest.raises(
            UninitialisedReadError, match=r"element \(31,\) of W is read .*with i = 31"
        ):
            run(body, (b, np.zeros(32, "int32")), temps=[t], mode=mode)

    def test_alloc_lives_to_the_end_of_its_block(self):
        t = tensor("W", 2)
        inner = block(tir.Alloc(t.buffer), store(t, 1, 0))
        with pytest.raises(LifetimeError, match="_W was freed and is used"):
            run(block(inner, store(t, 1, 0)), temps=[t])

    def test_alloc_with_a_body_lives_as_long_as_that(self):
        t = tensor("W", 2)
        alloc = tir.Alloc(t.buffer, body=block(store(t, 1, 0)))
        with pytest.raises(LifetimeError, match="_W was freed and is used"):
            run(block(alloc, store(t, 1, 0)), temps=[t])

    def test_use_before_the_alloc_is_an_error(self):
        t = tensor("W", 2)
        with pytest.raises(LifetimeError, match="_W was not allocated and is used"):
            run(block(store(t, 1, 0), tir.Alloc(t.buffer)), temps=[t])

    def test_use_after_free_is_an_error(self):
        t = tensor("W", 2)
        body = block(tir.Alloc(t.buffer), tir.Free(t.buffer), store(t, 1, 0))
        with pytest.raises(LifetimeError, match=r"_W was freed and is used.*in W\[0\] = 1"):
            run(body, temps=[t])

    def test_second_free_is_an_error(self):
        t = tensor("W", 2)
        with pytest.raises(LifetimeError, match="_W was freed and is freed"):
            run(block(tir.Alloc(t.buffer), tir.Free(t.buffer), tir.Free(t.buffer)), temps=[t])

    def test_second_alloc_is_an_error(self):
        t = tensor("W", 2)
        with pytest.raises(LifetimeError, match="_W is allocated already"):
            run(block(tir.Alloc(t.buffer), tir.Alloc(t.buffer)), temps=[t])

    def test_allocation_in_a_loop_is_a_new_one_each_time(self, trace):
        made, array, append = trace
        t, i = tensor("W", 1), tir.Var("i")
        first = tir.IfThenElse(i < 1, block(store(t, 9, 0)))
        with pytest.raises(UninitialisedReadError, match="with i = 1"):
            run(
                tir.For(i, 0, 2, block(tir.Alloc(t.buffer), first, append(t[0]))),
                (made, array),
                temps=[t],
            )
        assert entries(array) == [9]

    def test_alloc_whose_condition_fails_allocates_nothing(self):
        t = tensor("W", 2)
        body = block(tir.Alloc(t.buffer, condition=tir.const(False)), store(t, 1, 0))
        with pytest.raises(LifetimeError, match="_W was not allocated"):
            run(body, temps=[t])

    def test_extents_are_those_of_the_buffer(self):
        t = tensor("W", 2, 3)
        run(tir.Alloc(t.buffer, (tir.const(2), tir.const(3))), temps=[t])
        with pytest.raises(LifetimeError, match=r"_W of shape \(2, 3\) .* extents \(3, 2\)"):
            run(tir.Alloc(t.buffer, (tir.const(3), tir.const(2))), temps=[t])

    @pytest.mark.parametrize("kind", [tir.Alloc, tir.Free])
    def test_argument_is_given_and_not_allocated(self, kind):
        a = tensor("A", 2)
        with pytest.raises(LifetimeError, match="_A is given, not allocated here"):
            run(kind(a.buffer), (a, np.zeros(2, "int32")))

    def test_buffer_of_nobody_has_no_memory(self):
        a = tensor("A", 2)
        with pytest.raises(LifetimeError, match="buffer _A has no memory here"):
            run(store(a, 1, 0))

    def test_alloc_of_no_buffer_is_refused(self):
        with pytest.raises(TypeConfusionError, match="expected a Buffer"):
            run(tir.Alloc(tir.Var("x")))

    def test_buffer_create_does_nothing(self):
        a = tensor("A", 2)
        run(tir.BufferCreate(a.buffer), (a, np.zeros(2, "int32")))


class TestViews:
    @both
    def test_tensors_of_other_shapes_look_at_one_buffer(self, mode):
        a = tensor("A", 4, 6)
        flat = tir.Tensor("F", (tir.const(24),), "int32", a.buffer)
        i, j = tir.Var("i"), tir.Var("j")
        body = tir.For(
            i, 0, 4, block(tir.For(j, 0, 6, block(tir.Store(flat, i * 10 + j, (i * 6 + j,)))))
        )
        (found,) = run(body, (a, np.zeros((4, 6), "int32")), mode=mode)
        assert found.tolist() == [[10 * i + j for j in range(6)] for i in range(4)]

    @both
    def test_strides_and_offset_say_where_elements_are(self, mode):
        a = tensor("A", 4, 5, strides=(tir.const(1), tir.const(4)), elem_offset=tir.const(3))
        i, j = tir.Var("i"), tir.Var("j")
        body = tir.For(i, 0, 4, block(tir.For(j, 0, 5, block(tir.Store(a, i * 10 + j, (i, j))))))
        (found,) = run(body, (a, np.full(23, -1, "int32")), mode=mode)
        assert found[:3].tolist() == [-1] * 3
        assert found[3:].reshape(5, 4).T.tolist() == [
            [10 * i + j for j in range(5)] for i in range(4)
        ]

    def test_array_of_the_shape_of_a_strided_buffer_holds_its_elements(self):
        a = tensor("A", 2, 2, strides=(tir.const(3), tir.const(1)))
        (found,) = run(store(a, 7, 1, 0), (a, np.zeros((2, 2), "int32")))
        assert found.tolist() == [[0, 0], [7, 0]]

    def test_gaps_between_elements_hold_nothing(self, trace):
        made, array, append = trace
        a = tensor("A", 2, 2, strides=(tir.const(3), tir.const(1)))
        b = tir.Tensor("B", (tir.const(2), tir.const(3)), "int32", a.buffer)
        with pytest.raises(UninitialisedReadError, match=r"element \(0, 2\) of B"):
            run(append(b[0, 2]), (made, array), (a, np.zeros((2, 2), "int32")))

    def test_view_that_is_not_contiguous_is_changed_in_place(self):
        a = tensor("A", 3)
        whole = np.zeros((3, 2), "int32")
        run(store(a, 7, 1), (a, whole[:, 1]))
        assert whole.tolist() == [[0, 0], [0, 7], [0, 0]]

    def test_view_beyond_its_buffer_is_caught(self):
        a = tensor("A", 4)
        b = tir.Tensor("B", (tir.const(2), tir.const(3)), "int32", a.buffer)
        run(store(b, 1, 1, 0), (a, np.zeros(4, "int32")))
        with pytest.raises(
            OutOfBoundsError, match=r"element \(1, 1\) of B is element 4 of buffer _A"
        ):
            run(store(b, 1, 1, 1), (a, np.zeros(4, "int32")))

    def test_element_types_of_view_and_buffer_agree(self):
        a = tensor("A", 4)
        b = tir.Tensor("B", (tir.const(4),), "float32", a.buffer)
        with pytest.raises(
            TypeConfusionError, match="B of type float32 looks at buffer _A of type int32"
        ):
            run(store(b, 1.0, 0), (a, np.zeros(4, "int32")))

    def test_sizes_may_be_arguments(self):
        n, i = tir.Var("n"), tir.Var("i")
        a = tensor("A", n)
        body = tir.For(i, tir.const(0), n, block(tir.Store(a, i, (i,))))
        _, found = run(body, (n, 5), (a, np.zeros(5, "int32")))
        assert found.tolist() == [0, 1, 2, 3, 4]
        with pytest.raises(TypeConfusionError, match=r"_A of shape \(4,\) is given .* \(5,\)"):
            run(body, (n, 4), (a, np.zeros(5, "int32")))

    def test_number_of_indices_is_that_of_dimensions(self):
        a = tensor("A", 4, 4)
        with pytest.raises(TypeConfusionError, match="has 2 dimensions and is given 1 indices"):
            run(store(a, 1, 0), (a, np.zeros((4, 4), "int32")))

    def test_index_is_an_integer(self):
        a = tensor("A", 4)
        with pytest.raises(TypeConfusionError, match="an index is an integer"):
            run(tir.Store(a, tir.const(1), (tir.const(1.0),)), (a, np.zeros(4, "int32")))

    def test_value_is_of_the_type_of_elements(self):
        a = tensor("A", 4)
        with pytest.raises(
            TypeConfusionError, match="a value of type float32 is stored to A; expected int32"
        ):
            run(tir.Store(a, tir.const(1.0), (tir.const(1),)), (a, np.zeros(4, "int32")))


class TestInlineTensors:
    def inline(self, body, *axis, name="I"):
        sizes = tuple([tir.const(4) for _ in axis])
        operation = tir.ComputeOp(axis, sizes, (body,))
        return tir.Tensor(name, sizes, body.type, None, operation, axis)

    def test_element_is_the_body_for_its_indices(self, trace):
        made, array, append = trace
        x, y = tir.Var("x"), tir.Var("y")
        t = self.inline(x * 10 + y, x, y)
        run(append(t[2, 3]), (made, array))
        assert entries(array) == [23]

    def test_one_may_stand_on_another(self, trace):
        made, array, append = trace
        x, y = tir.Var("x"), tir.Var("y")
        t = self.inline(x * x, x)
        u = self.inline(t[y] + t[3 - y], y, name="U")
        run(append(u[1]), (made, array))
        assert entries(array) == [5]

    def test_chain_that_uses_each_twice_is_compiled_once(self):
        x = tir.Var("x")
        made = self.inline(x, x)
        for at in range(9):
            x = tir.Var("x")
            made = self.inline(made[x] + made[3 - x], x, name=f"I{at}")
        assert tir.evaluate(made[1]) == 3 * 2**8

    def test_index_of_a_loop_in_its_body_is_that_of_each_loop(self, trace):
        made, array, append = trace
        x, i = tir.Var("x"), tir.Var("i")
        y = tir.Var("y")
        t = self.inline(self.inline(y + i * 10, y)[x], x, name="J")
        loops = [tir.For(i, first, 2, append(t[1])) for first in (1, 5)]
        run(block(*loops), (made, array))
        assert entries(array) == [11, 21, 51, 61]

    def test_vector_of_indices_gives_a_vector(self):
        x = tir.Var("x")
        t = self.inline(x * x, x)
        assert tir.evaluate(t[tir.Ramp(tir.const(0), tir.const(1), 4)]).tolist() == [0, 1, 4, 9]

    def test_index_is_in_range(self):
        x = tir.Var("x")
        with pytest.raises(OutOfBoundsError, match="index 4 is out of range in dimension 0 of I"):
            tir.evaluate(self.inline(x, x)[4])

    def test_nothing_is_stored_to_it(self):
        x = tir.Var("x")
        with pytest.raises(EvaluationError, match="has no buffer, so nothing can be stored"):
            run(store(self.inline(x, x), 1, 0))

    def test_one_that_is_computed_otherwise_is_refused(self):
        t = tir.Tensor(
            "I", (tir.const(4),), "int32", None, tir.PlaceholderOp((tir.const(4),), "int32")
        )
        with pytest.raises(EvaluationError, match="comes from a PlaceholderOp"):
            tir.evaluate(t[0])


class TestVectorAccess:
    def test_load_gathers_and_store_scatters(self):
        a, b = tensor("A", 8), tensor("B", 8)
        lanes = tir.Ramp(tir.const(7), tir.const(-2), 4)
        body = tir.Store(b, a[lanes], (tir.Ramp(tir.const(0), tir.const(1), 4),))
        _, found = run(body, (a, np.arange(8, dtype="int32")), (b, np.zeros(8, "int32")))
        assert found.tolist() == [7, 5, 3, 1, 0, 0, 0, 0]

    def test_scalar_indices_beside_vectors_are_repeated(self):
        a, b = tensor("A", 3, 4), tensor("B", 4)
        lanes = tir.Ramp(tir.const(0), tir.const(1), 4)
        body = tir.Store(b, a[2, lanes], (lanes,))
        _, found = run(
            body, (a, np.arange(12, dtype="int32").reshape(3, 4)), (b, np.zeros(4, "int32"))
        )
        assert found.tolist() == [8, 9, 10, 11]

    def test_last_lane_of_a_scatter_stays(self):
        a = tensor("A", 2)
        body = tir.Store(
            a, tir.Ramp(tir.const(1), tir.const(1), 4), (tir.Broadcast(tir.const(1), 4),)
        )
        (found,) = run(body, (a, np.zeros(2, "int32")))
        assert found.tolist() == [0, 4]

    def test_lane_out_of_range_is_caught(self):
        a = tensor("A", 4)
        with pytest.raises(OutOfBoundsError, match="index 4 is out of range"):
            run(
                tir.Store(
                    a, tir.Broadcast(tir.const(1), 4), (tir.Ramp(tir.const(1), tir.const(1), 4),)
                ),
                (a, np.zeros(4, "int32")),
            )

    def test_lane_that_holds_nothing_is_caught(self, trace):
        made, array, _ = trace
        t = tensor("W", 4)
        lanes = tir.Ramp(tir.const(0), tir.const(1), 4)
        body = block(store(t, 1, 0), tir.Store(made, t[lanes], (lanes,)))
        with pytest.raises(UninitialisedReadError, match=r"element \(1,\) of W"):
            run(body, (made, array), temps=[t])

    def test_scalar_to_a_vector_of_indices_is_refused(self):
        a = tensor("A", 4)
        with pytest.raises(TypeConfusionError, match="expected int32<4>"):
            run(
                tir.Store(a, tir.const(1), (tir.Ramp(tir.const(0), tir.const(1), 4),)),
                (a, np.zeros(4, "int32")),
            )


class TestScheduleBlocks:
    def realize(self, values, variables, body):
        made = tir.ScheduleBlock(tuple(variables), (), (), "b", body)
        return tir.ScheduleBlockRealize(tuple(values), made)

    @both
    def test_values_are_bound_at_once(self, mode):
        a = tensor("A", 32)
        i, v, w = tir.Var("i"), tir.Var("v"), tir.Var("w")
        body = self.realize([i, i * 2], [v, w], tir.Store(a, w - v, (v,)))
        (found,) = run(tir.For(i, 0, 32, block(body)), (a, np.zeros(32, "int32")), mode=mode)
        assert found.tolist() == list(range(32))

    def test_root_encloses_all(self):
        a = tensor("A", 2)
        (found,) = run(
            tir.ScheduleBlockRealize((), tir.ScheduleBlock((), (), (), "root", store(a, 3, 1))),
            (a, np.zeros(2, "int32")),
        )
        assert found.tolist() == [0, 3]

    def test_number_of_values_is_that_of_variables(self):
        with pytest.raises(
            TypeConfusionError, match="block b has 1 variables and is given 0 values"
        ):
            run(self.realize([], [tir.Var("v")], block()))

    def test_block_without_values_for_its_variables_is_refused(self):
        with pytest.raises(TypeConfusionError, match="stands without values"):
            run(tir.ScheduleBlock((tir.Var("v"),), (), (), "b", block()))


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

    def test_without_axes_is_one_step(self):
        b, a = tensor("B", 1), tensor("A", 4)
        k, v = tir.Var("k"), tir.Var("v", is_reduce_axis=True)
        step = tir.Store(b, tir.Reduce(tir.ReduceType.SUM, b[0], a[v]), (tir.const(0),))
        made = tir.ScheduleBlock((v,), (), (), "b", step)
        body = tir.For(k, 0, 4, block(tir.ScheduleBlockRealize((k,), made)))
        found, _ = run(body, (b, np.array([100], "int32")), (a, np.arange(4, dtype="int32")))
        assert found.tolist() == [106]

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


def test_cast_error_says_where_it_is():
    a, b = tensor("A", 3, dtype="float32"), tensor("B", 3)
    i = tir.Var("i")
    body = tir.For(i, 0, 3, block(tir.Store(b, tir.Cast("int32", a[i]), (i,))))
    with pytest.raises(InexactError, match=r"nan is out of range of int32.*in int32\(.*with i = 2"):
        run(body, (a, np.array([1, 2, np.nan], "float32")), (b, np.zeros(3, "int32")))
