"""How programs are run: what they are given, what errors say, and how deep programs may be."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from relayish import tir
from relayish.errors import EvaluationError, OutOfBoundsError, TypeConfusionError, UnknownNameError
from relayish.ir.nodes.span import Span
from tests.support.depth import DEPTH
from tests.support.tir_deep import LEVELS

both = pytest.mark.parametrize("mode", ["plain", "vectorised"])


def tensor(name, *shape, dtype="int32"):
    sizes = tuple(map(tir.const, shape))
    return tir.Tensor(name, sizes, dtype, tir.Buffer(f"_{name}", sizes, dtype))


def store(target, value, *indices):
    return tir.Store(
        target, value, tuple([tir.const(i) if isinstance(i, int) else i for i in indices])
    )


@pytest.fixture
def copy():
    """``B[i] = A[i] * n``."""
    a, b, n, i = tensor("A", 3), tensor("B", 3), tir.Var("n"), tir.Var("i")
    body = tir.For(i, 0, 3, tir.Block((store(b, a[i] * n, i),)))
    return tir.LoweredFunc("copy", (a.buffer, b.buffer, n), body)


@pytest.fixture
def given():
    return np.array([1, 2, 3], "int32"), np.zeros(3, "int32"), 2


class TestArguments:
    def test_are_given_in_order(self, copy, given):
        tir.run(copy, *given)
        assert given[1].tolist() == [2, 4, 6]

    def test_are_given_as_one_list(self, copy, given):
        tir.run(copy, list(given))
        assert given[1].tolist() == [2, 4, 6]

    @pytest.mark.parametrize("names", [("_A", "_B", "n"), ("A", "B", "n")])
    def test_are_given_by_name(self, copy, given, names):
        tir.run(copy, dict(zip(names, given, strict=True)))
        assert given[1].tolist() == [2, 4, 6]

    def test_are_given_by_parameter(self, copy, given):
        tir.run(copy, dict(zip(copy.args, given, strict=True)))
        assert given[1].tolist() == [2, 4, 6]

    def test_one_is_missing(self, copy, given):
        with pytest.raises(TypeConfusionError, match="function copy is not given n"):
            tir.run(copy, {"A": given[0], "B": given[1]})

    def test_one_is_unknown(self, copy, given):
        with pytest.raises(UnknownNameError, match="function copy has no argument C"):
            tir.run(copy, {"A": given[0], "B": given[1], "n": 2, "C": given[0]})

    def test_number_of_them_is_wrong(self, copy, given):
        with pytest.raises(TypeConfusionError, match=r"takes 3 arguments \(_A, _B, n\) and"):
            tir.run(copy, *given[:2])

    @pytest.mark.parametrize(
        ("array", "complaint"),
        [
            (np.zeros(3, "int64"), "_A of type int32 is given an array of type int64"),
            (np.zeros(4, "int32"), r"_A of shape \(3,\) is given an array of shape \(4,\)"),
            (np.zeros(3, ">i4"), "_A of type int32 is given an array of type >i4"),
            ([1, 2, 3], "_A is given .* expected a numpy array of type int32"),
        ],
    )
    def test_array_of_another_type_or_shape_is_refused(self, copy, given, array, complaint):
        with pytest.raises(TypeConfusionError, match=complaint):
            tir.run(copy, array, *given[1:])

    def test_array_that_is_stored_to_is_writeable(self, copy, given):
        given[1].flags.writeable = False
        with pytest.raises(TypeConfusionError, match="_B is stored to, and the array given"):
            tir.run(copy, *given)

    def test_array_that_is_only_read_may_be_read_only(self, copy, given):
        given[0].flags.writeable = False
        tir.run(copy, *given)
        assert given[1].tolist() == [2, 4, 6]

    @pytest.mark.parametrize("number", [1.5, 2**31, True, "1", np.int64(3), None])
    def test_number_of_another_type_is_refused(self, copy, given, number):
        with pytest.raises(TypeConfusionError, match="variable n is of type int32 and is given"):
            tir.run(copy, *given[:2], number)

    @pytest.mark.parametrize("number", [3, 3.0, np.int32(3), np.array(3, "int32")])
    def test_number_of_the_type_is_taken(self, copy, given, number):
        tir.run(copy, *given[:2], number)
        assert given[1].tolist() == [3, 6, 9]

    def test_elements_that_are_vectors_are_refused(self):
        buffer = tir.Buffer("_A", (tir.const(3),), "float32<4>")
        with pytest.raises(TypeConfusionError, match="of type float32<4>"):
            tir.run(tir.LoweredFunc("f", (buffer,), tir.Block(())), np.zeros(3, "float32"))

    def test_elements_that_numpy_does_not_hold_are_refused(self):
        buffer = tir.Buffer("_A", (tir.const(3),), "int4")
        with pytest.raises(EvaluationError, match="int4"):
            tir.run(tir.LoweredFunc("f", (buffer,), tir.Block(())), np.zeros(3, "int8"))


class TestFreeStanding:
    def test_statement_runs_over_what_it_is_given(self):
        a, n = tensor("A", 3), tir.Var("n")
        out = np.zeros(3, "int32")
        tir.run(store(a, n, 1), {a: out, n: 5})
        assert out.tolist() == [0, 5, 0]

    def test_expression_has_a_value(self):
        a, i = tensor("A", 3), tir.Var("i")
        found = tir.evaluate(a[i] + 1, {a.buffer: np.array([1, 2, 3], "int32"), i: 2})
        assert found == 4
        assert found.dtype == np.int32

    def test_variable_that_is_not_given_is_an_error(self):
        with pytest.raises(EvaluationError, match="variable i has no value here"):
            tir.evaluate(tir.Var("i") + 1)

    def test_vector_may_be_given(self):
        v = tir.Var("v", "int32<4>")
        assert tir.evaluate(v + v, {v: np.arange(4, dtype="int32")}).tolist() == [0, 2, 4, 6]
        with pytest.raises(TypeConfusionError, match="expected a numpy array of 4 elements"):
            tir.evaluate(v, {v: np.arange(3, dtype="int32")})

    def test_what_is_no_program_is_refused(self):
        with pytest.raises(TypeConfusionError, match="cannot be run; expected a LoweredFunc"):
            tir.run(tir.Var("i"))
        with pytest.raises(TypeConfusionError, match="expected an expression"):
            tir.evaluate(tir.Block(()))

    def test_unknown_mode_is_refused(self, copy, given):
        with pytest.raises(EvaluationError, match="'fast' is no mode"):
            tir.run(copy, *given, mode="fast")

    def test_string_is_its_own_value(self):
        assert tir.evaluate(tir.StringImm("a")) == "a"


@both
class TestPlaces:
    def test_error_names_the_node_its_span_and_the_variables(self, mode):
        a, i, j = tensor("A", 20), tir.Var("i"), tir.Var("j")
        span = Span("kernel.tir", 3, 3, 5, 20)
        bad = tir.Store(a, i, (i + j,), span=span)
        body = tir.For(i, 0, 20, tir.Block((tir.For(j, 0, 2, tir.Block((bad,))),)))
        out = np.zeros(20, "int32")
        with pytest.raises(OutOfBoundsError) as caught:
            tir.run(body, {a: out}, mode=mode)
        assert str(caught.value) == (
            "index 20 is out of range in dimension 0 of A of shape (20,); expected 0 to 19, in "
            "A[%0] = i at kernel.tir:3:5, with i = 19, j = 1"
        )

    def test_what_was_stored_before_an_error_stays(self, mode):
        a, i = tensor("A", 20), tir.Var("i")
        out = np.full(20, -1, "int32")
        with pytest.raises(OutOfBoundsError):
            tir.run(tir.For(i, 0, 21, tir.Block((store(a, i, i),))), {a: out}, mode=mode)
        assert out.tolist() == list(range(20))

    def test_variables_of_units_around_are_shown(self, mode):
        a = tensor("A", 2)
        outer, body = tir.Var("outer"), None
        body = store(a, 1 + outer, outer)
        for at in range(40):
            body = tir.For(tir.Var(f"i{at}"), 0, 1, tir.Block((body,)))
        with pytest.raises(OutOfBoundsError, match=r"outer = 2"):
            tir.run(tir.For(outer, 2, 1, tir.Block((body,))), {a: np.zeros(2, "int32")}, mode=mode)


@both
class TestDepth:
    def run(self, stmt, mode):
        a = np.array([0, 0], "int32")
        tir.run(stmt, {self.a: a}, mode=mode)
        return int(a[0])

    @pytest.fixture(autouse=True)
    def memory(self):
        self.a = tensor("A", 2)

    def count(self):
        return store(self.a, self.a[0] + 1, 0)

    @pytest.mark.deep
    def test_loops_nest(self, mode):
        outer = tir.Var("outer")
        body = store(self.a, self.a[0] + outer, 0)
        for at in range(DEPTH):
            body = tir.For(tir.Var(f"i{at}"), 0, 1, tir.Block((body,)))
        assert self.run(tir.For(outer, 3, 2, tir.Block((body,))), mode) == 7

    @pytest.mark.deep
    def test_branches_nest(self, mode):
        body = self.count()
        for _ in range(DEPTH):
            body = tir.IfThenElse(self.a[0] < 1, tir.Block((body,)))
        assert self.run(body, mode) == 1

    @pytest.mark.deep
    def test_blocks_nest(self, mode):
        body = self.count()
        for _ in range(DEPTH):
            body = tir.Block((body,))
        assert self.run(body, mode) == 1

    @pytest.mark.deep
    def test_schedule_blocks_nest(self, mode):
        body, value = self.count(), tir.const(0)
        for at in range(DEPTH):
            made = tir.ScheduleBlock((tir.Var(f"v{at}"),), (), (), "b", tir.Block((body,)))
            body = tir.ScheduleBlockRealize((value,), made)
        assert self.run(body, mode) == 1

    @pytest.mark.deep
    def test_allocations_nest(self, mode):
        temps = [tensor(f"T{at}", 1).buffer for at in range(LEVELS)]
        body = self.count()
        for temp in temps:
            body = tir.Alloc(temp, body=tir.Block((body,)))
        out = np.zeros(2, "int32")
        tir.run(tir.LoweredFunc("f", (self.a.buffer,), body, tuple(temps)), out, mode=mode)
        assert out[0] == 1

    @pytest.mark.deep
    def test_operators_nest(self, mode):
        value = self.a[0]
        for _ in range(DEPTH):
            value = value + 1
        assert self.run(store(self.a, value, 0), mode) == DEPTH

    @pytest.mark.deep
    def test_loads_nest(self, mode):
        value = self.a[0]
        for _ in range(DEPTH):
            value = self.a[value]
        assert self.run(store(self.a, value + 1, 0), mode) == 1

    @pytest.mark.deep
    def test_reductions_nest(self, mode):
        value = self.a[0] + 1
        for at in range(LEVELS):
            axis = tir.Var(f"r{at}", "int32", tir.const(0), tir.const(1))
            value = tir.Reduce(tir.ReduceType.SUM, tir.const(0), value, (axis,))
        assert self.run(store(self.a, value, 0), mode) == 1

    @pytest.mark.deep
    def test_inline_tensors_nest(self, mode):
        axis = tir.Var("x")
        made = tir.Tensor("t", (tir.const(2),), "int32", None, tir.ComputeOp((axis,), (), (axis,)))
        for at in range(LEVELS):
            axis = tir.Var("x")
            operation = tir.ComputeOp((axis,), (), (made[axis] + 1,))
            made = tir.Tensor(f"t{at}", (tir.const(2),), "int32", None, operation)
        assert self.run(store(self.a, made[1], 0), mode) == LEVELS + 1

    @pytest.mark.deep
    def test_functions_call_each_other(self, mode):
        last = tir.LoweredFunc("f0", (self.a.buffer,), self.count())
        functions = [last]
        for at in range(1, LEVELS):
            a = tensor("A", 2)
            call = tir.Call("void", f"f{at - 1}", (), (a,), tir.CallType.CINN)
            functions.append(tir.LoweredFunc(f"f{at}", (a.buffer,), call))
        out = np.zeros(2, "int32")
        module = tir.Module("m", functions=tuple(functions))
        tir.run(module, out, name=functions[-1].name, mode=mode)
        assert out[0] == 1

    @pytest.mark.deep
    def test_blocks_are_long(self, mode):
        assert self.run(tir.Block((self.count(),) * DEPTH), mode) == DEPTH

    @pytest.mark.deep
    def test_blocks_of_declarations_are_long(self, mode):
        x = [tir.Var(f"x{at}") for at in range(DEPTH)]
        lets = [tir.Let(new, old + 1) for old, new in pairwise(x)]
        body = tir.Block((tir.Let(x[0], tir.const(1)), *lets, store(self.a, x[-1], 0)))
        assert self.run(body, mode) == DEPTH
