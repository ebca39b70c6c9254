"""Proofs of conditions from loops, branches and definitions."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import OperatorError
from relayish.tir.analysis import (
    Context,
    Interval,
    assume,
    bind,
    can_prove,
    context_of,
    enter_loop,
    interval_of,
    linear_form,
    statements_with_contexts,
)
from tests.support.depth import DEPTH
from tests.support.tir_deep import LEVELS

EMPTY = tir.Block(())


def below(*loops):
    """Return what is known below loops, the first outermost."""
    known = Context()
    for loop in loops:
        known = enter_loop(known, loop)
    return known


def loop(var, start, extent):
    return tir.For(var, start, extent, EMPTY)


@pytest.fixture
def names():
    return {name: tir.Var(name) for name in "ijkmnx"}


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (2, 7, Interval(2, 6)),
        (2, None, Interval(2, 2**31 - 1)),
        (None, 7, Interval(-(2**31), 6)),
    ],
)
def test_variable_lies_within_the_bounds_it_is_declared_with(low, high, expected):
    bounds = [None if bound is None else tir.const(bound) for bound in (low, high)]
    assert interval_of(tir.Var("i", "int32", *bounds), Context()) == expected


class TestLoops:
    def test_variable_is_below_a_symbolic_extent(self, names):
        i, n = names["i"], names["n"]
        known = below(loop(i, 0, n))
        assert can_prove(i < n, known) is True
        assert can_prove(i >= 0, known) is True
        assert can_prove(i < 100, known) is None

    def test_body_runs_only_where_the_extent_is_positive(self, names):
        i, n = names["i"], names["n"]
        assert can_prove(n >= 1, below(loop(i, 0, n))) is True

    def test_bounds_of_nested_loops_are_combined(self, names):
        i, j, n = names["i"], names["j"], names["n"]
        known = below(loop(i, 0, n), loop(j, 0, i))
        assert can_prove(j < n, known) is True
        assert can_prove(j + 1 < n, known) is True
        assert can_prove(j + 2 < n, known) is None

    def test_start_that_is_not_zero_counts(self, names):
        i = names["i"]
        known = below(loop(i, 3, 4))
        assert interval_of(i, known) == Interval(3, 6)

    def test_nothing_is_told_of_a_loop_that_may_wrap_around(self, names):
        i, m, n = names["i"], names["m"], names["n"]
        known = below(loop(i, m, n))
        assert can_prove(i >= m, known) is None

    def test_loop_without_iterations_contradicts_itself(self, names):
        assert below(loop(names["i"], 0, 0)).is_unreachable

    def test_poly_for_knows_its_condition_and_its_start(self, names):
        i, n = names["i"], names["n"]
        made = tir.PolyFor(i, tir.const(2), i < n, tir.const(1), EMPTY)
        known = below(made)
        assert can_prove(i < n, known) is True
        assert can_prove(i >= 2, known) is True

    def test_poly_for_that_may_step_over_the_greatest_integer_has_no_start(self, names):
        i, n = names["i"], names["n"]
        made = tir.PolyFor(i, tir.const(2), i < n, tir.const(3), EMPTY)
        assert can_prove(i >= 2, below(made)) is None


class TestBranches:
    def test_condition_holds_in_one_arm_and_not_in_the_other(self, names):
        i, n = names["i"], names["n"]
        assert can_prove(i < n, assume(Context(), i < n)) is True
        assert can_prove(i < n, assume(Context(), i < n, holds=False)) is False

    def test_conjunction_gives_both_and_a_failed_disjunction_neither(self, names):
        i, j = names["i"], names["j"]
        known = assume(Context(), (i < 3) & (j < 4))
        assert can_prove(i < 3, known) is True
        assert can_prove(j < 4, known) is True
        known = assume(Context(), (i < 3) | (j < 4), holds=False)
        assert can_prove(i >= 3, known) is True
        assert can_prove(j >= 4, known) is True

    def test_truth_of_any_condition_is_known_where_it_is_asked_again(self, names):
        flag = tir.Var("flag", "bool")
        x = tir.Var("x", "float32")
        known = assume(assume(Context(), flag), x < 1.0, holds=False)
        assert can_prove(flag, known) is True
        assert can_prove(x < 1.0, known) is False
        assert can_prove(x >= 1.0, known) is None  # x may be a NaN

    def test_what_is_stored_in_memory_is_not_kept(self):
        a = tir.Tensor("A", (4,), "int32", buffer=tir.Buffer("a", (4,), "int32"))
        assert can_prove(a[0] < 3, assume(Context(), a[0] < 3)) is None

    def test_what_an_assigned_variable_held_is_not_kept(self, names):
        x = names["x"]
        branch = tir.IfThenElse(x < 3, tir.Block((tir.Store(x, tir.const(9), ()),)))
        [_, (arm, known), *_] = statements_with_contexts(branch)
        assert arm is branch.true_case
        assert can_prove(x < 3, known) is None

    def test_selected_arm_is_known_by_its_condition(self, names):
        i = names["i"]
        chosen = tir.Select(i < 4, tir.Min(i, tir.const(3)), tir.const(0))
        assert can_prove(chosen <= 3) is True


class TestScopes:
    def test_what_held_in_a_loop_does_not_hold_after_it(self, names):
        i, n = names["i"], names["n"]
        inner = tir.Store(names["x"], i, ())
        after = tir.Store(names["x"], n, ())
        root = tir.Block((tir.For(i, 0, n, tir.Block((inner,))), after))
        known = dict(statements_with_contexts(root))
        assert can_prove(n >= 1, known[inner]) is True
        assert can_prove(n >= 1, known[after]) is None

    def test_inner_loop_over_the_same_variable_hides_the_outer_one(self, names):
        i, n = names["i"], names["n"]
        known = below(loop(i, 0, n), loop(i, 5, 2))
        assert interval_of(i, known) == Interval(5, 6)
        assert can_prove(i < n, known) is None

    def test_variable_of_a_block_is_what_it_was_given(self, names):
        i, j, v = names["i"], names["j"], tir.Var("v")
        known = bind(below(loop(i, 0, 8), loop(j, 0, 4)), v, i * 4 + j)
        assert can_prove(tir.EQ(v, i * 4 + j), known) is True
        assert can_prove(v < 32, known) is True
        assert can_prove(v >= i, known) is True

    def test_context_of_a_program_knows_what_it_assigns(self, names):
        x = names["x"]
        root = tir.Block((tir.Let(x, tir.const(1)), tir.Store(x, tir.const(2), ())))
        assert context_of(root).assigned == {x}


class TestArithmetic:
    def test_quotient_and_remainder_make_up_the_dividend(self, names):
        i = names["i"]
        known = below(loop(i, 0, 1000))
        assert can_prove(tir.EQ((i / 7) * 7 + i % 7, i), known) is True
        assert can_prove((i / 7) * 7 <= i, known) is True

    def test_minimum_is_not_above_its_operands(self, names):
        i, j, n = names["i"], names["j"], names["n"]
        assert can_prove(tir.Min(i, n) <= n) is True
        assert can_prove(tir.Max(i, j) >= j) is True

    def test_sum_that_may_overflow_is_not_ordered(self, names):
        i = names["i"]
        assert can_prove(i < i + 1) is None
        assert can_prove(tir.NE(i, i + 1)) is True

    def test_facts_are_chained(self, names):
        i, j, k, n = (names[name] for name in "ijkn")
        known = assume(Context(), (i < j) & (j < k) & (k <= n))
        assert can_prove(i < n, known) is True
        assert can_prove(tir.EQ(i, n), known) is False

    def test_parity_tells_numbers_apart(self, names):
        i, j = names["i"], names["j"]
        known = below(loop(i, 0, 100), loop(j, 0, 100))
        assert can_prove(tir.EQ(i * 2, j * 2 + 1), known) is False

    def test_call_of_unknown_effect_need_not_equal_itself(self):
        roll = tir.Call("int32", "roll_dice")
        assert can_prove(tir.EQ(roll, roll)) is None
        assert can_prove(tir.EQ(roll + roll, roll * 2)) is None

    def test_float_may_differ_from_itself(self):
        x = tir.Var("x", "float32")
        assert can_prove(tir.EQ(x, x)) is None

    def test_comparison_with_a_nan_is_not_proven(self):
        x = tir.Var("x", "float32")
        assert can_prove(tir.Max(x, tir.const(2.0)) >= tir.const(1.0)) is True
        assert can_prove(tir.Max(tir.const(2.0), x) >= tir.const(1.0)) is None


class TestDepth:
    @pytest.mark.deep
    @pytest.mark.deep
    def test_long_sum(self):
        i = tir.Var("i")
        found = i
        for _ in range(DEPTH):
            found = found + 1
        known = Context().with_range(i, Interval(0, 3))
        assert interval_of(found, known) == Interval(DEPTH, DEPTH + 3)
        assert can_prove(found > i, known) is True

    @pytest.mark.deep
    @pytest.mark.deep
    def test_shared_sum_takes_each_node_once(self):
        found = i = tir.Var("i")
        for _ in range(LEVELS):
            found = found + found
        assert interval_of(found - found) == Interval(0, 0)
        assert can_prove(tir.EQ(found + i, i + found)) is True

    @pytest.mark.deep
    @pytest.mark.deep
    def test_long_conjunction(self):
        i = tir.Var("i")
        condition = i < 5
        for _ in range(DEPTH):
            condition = condition & (i < 7)
        assert can_prove(i < 5, assume(Context(), condition)) is True
        assert can_prove(condition, assume(Context(), i < 5)) is True

    @pytest.mark.deep
    @pytest.mark.deep
    def test_many_loops(self):
        n = tir.Var("n")
        root = EMPTY
        for _ in range(DEPTH):
            root = tir.For(tir.Var("i"), 0, n, tir.Block((root,)))
        loops = [
            (stmt, known)
            for stmt, known in statements_with_contexts(root)
            if isinstance(stmt, tir.Block)
        ]
        assert can_prove(root.loop_var < n, loops[-1][1]) is True

    @pytest.mark.deep
    @pytest.mark.deep
    def test_many_statements(self):
        x = tir.Var("x")
        root = tir.Block(tuple([tir.Store(x, tir.const(1), ())] * DEPTH))
        assert sum(1 for _ in statements_with_contexts(root)) == DEPTH + 1

    @pytest.mark.deep
    @pytest.mark.deep
    def test_deep_selections_and_remainders(self):
        found = i = tir.Var("i")
        for _ in range(DEPTH):
            found = tir.Select(found < 3, found % 7, tir.Min(found, i))
        assert interval_of(found).high < 2**31
        assert can_prove(found < 2**31 - 1) is not False


@pytest.mark.parametrize(
    "ask",
    [
        lambda n, _: can_prove(n + 1),
        lambda _, x: can_prove(tir.Not(x)),
        lambda _, x: linear_form(x + 1.0),
    ],
)
def test_what_is_of_another_type_is_refused(ask):
    n, x = tir.Var("n"), tir.Var("x", "float32")
    with pytest.raises(OperatorError, match=r"is of type .*; expected"):
        ask(n, x)


def test_operand_of_another_type_says_nothing():
    n, x = tir.Var("n"), tir.Var("x", "float32")
    known = Context().with_range(n, Interval(0, 3))
    chosen = tir.Select(x, n, tir.const(7))
    assert interval_of(chosen, known) == Interval(0, 7)
