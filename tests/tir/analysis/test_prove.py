"""Proofs of conditions from loops, branches and definitions.

In ``tests/cases/loops/proofs.txt`` what is ``proven``, ``refuted`` or ``unknown`` at a place of a
program is assigned to a variable called so there; more about types stands in the second part.
"""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import OperatorError
from relayish.tir.analysis import (
    Context,
    Interval,
    assume,
    can_prove,
    context_of,
    enter_loop,
    interval_of,
    linear_form,
    statements_with_contexts,
)
from relayish.tir.analysis.linear import linear_facts
from relayish.tir.analysis.linear.integer_system import is_feasible
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases
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


PROOFS = read_cases(CASES / "loops" / "proofs.txt")
ANSWERS = {"proven": True, "refuted": False, "unknown": None}


@each("name", PROOFS)
def test_condition_is_told_what_is_known_at_its_place(name):
    text, *details = PROOFS[name]
    asked = [f"var {answer}: bool" for answer in ANSWERS if f"{answer}[]" in text]
    root = tir.parse("\n".join([text, "#[details]", *asked, *details]))
    found = [
        (stmt.tensor.name, can_prove(stmt.value, known))
        for stmt, known in statements_with_contexts(root)
        if isinstance(stmt, tir.Store) and stmt.tensor.name in ANSWERS
    ]
    assert len(found) == text.count("[] = (") + text.count("[] = flag")
    assert all(answer is ANSWERS[name] for name, answer in found), found


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
    def test_loop_without_iterations_contradicts_itself(self, names):
        assert below(loop(names["i"], 0, 0)).is_unreachable


class TestScopes:
    def test_inner_loop_over_the_same_variable_hides_the_outer_one(self, names):
        i, n = names["i"], names["n"]
        known = below(loop(i, 0, n), loop(i, 5, 2))
        assert interval_of(i, known) == Interval(5, 6)
        assert can_prove(i < n, known) is None

    def test_context_of_a_program_knows_what_it_assigns(self, names):
        x = names["x"]
        root = tir.Block((tir.Let(x, tir.const(1)), tir.Store(x, tir.const(2), ())))
        assert context_of(root).assigned == {x}


class TestArithmetic:
    def test_call_of_unknown_effect_need_not_equal_itself(self):
        roll = tir.Call("int32", "roll_dice")
        assert can_prove(tir.EQ(roll, roll)) is None
        assert can_prove(tir.EQ(roll + roll, roll * 2)) is None


class TestDepth:
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
    def test_shared_sum_takes_each_node_once(self):
        found = i = tir.Var("i")
        for _ in range(LEVELS):
            found = found + found
        assert interval_of(found - found) == Interval(0, 0)
        assert can_prove(tir.EQ(found + i, i + found)) is True

    @pytest.mark.deep
    def test_long_conjunction(self):
        i = tir.Var("i")
        condition = i < 5
        for _ in range(DEPTH):
            condition = condition & (i < 7)
        assert can_prove(i < 5, assume(Context(), condition)) is True
        assert can_prove(condition, assume(Context(), i < 5)) is True

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
    def test_many_statements(self):
        x = tir.Var("x")
        root = tir.Block(tuple([tir.Store(x, tir.const(1), ())] * DEPTH))
        assert sum(1 for _ in statements_with_contexts(root)) == DEPTH + 1

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


def test_what_one_sign_each_way_leaves_open_is_asked_no_further(monkeypatch):
    asked = []
    monkeypatch.setattr(
        linear_facts, "is_feasible", lambda system: asked.append(system) or is_feasible(system)
    )
    n = tir.Var("n")
    i, j = tir.Var("i"), tir.Var("j")
    assert can_prove(i < j, below(loop(i, 0, n), loop(j, 0, n))) is None
    assert len(asked) == 2


def test_facts_of_one_bound_that_many_loops_share_are_looked_at_up_to_a_limit(monkeypatch):
    walked = []
    sums_with = Context.sums_with

    def counted(self, var):
        for key in sums_with(self, var):
            walked.append(key)
            yield key

    monkeypatch.setattr(Context, "sums_with", counted)
    n = tir.Var("n")
    loops = [loop(tir.Var(f"i{at}"), 0, n) for at in range(400)]
    known = below(*loops)
    walked.clear()
    assert can_prove(loops[-1].loop_var + 1 < n, known) is None
    assert len(walked) < 200


def test_what_bounds_one_term_alone_is_no_unknown(monkeypatch):
    systems = []
    monkeypatch.setattr(
        linear_facts, "is_feasible", lambda system: systems.append(system) or is_feasible(system)
    )
    n = tir.Var("n")
    loops = [loop(tir.Var(f"i{at}"), 0, n) for at in range(10)]
    assert can_prove(loops[-1].loop_var + 1 < n, below(*loops)) is None
    unknowns = {term for system in systems for row in system.inequalities for term in row.terms}
    assert len(unknowns) == 2


@pytest.mark.parametrize(
    ("least", "expected"), [(10, True), (9, None)], ids=["enough", "one too few"]
)
@pytest.mark.parametrize("factor", [1, 2])
def test_bound_of_one_term_counts_what_was_learnt_later_of_the_other(least, factor, expected):
    i, n, m = tir.Var("i"), tir.Var("n"), tir.Var("m")
    known = assume(below(loop(m, 0, 1000), loop(n, 0, 1000), loop(i, 0, 1000)), i < n * factor)
    known = known.with_range(i, Interval(least * factor, 999))
    assert can_prove(n + m > 10 + m, known) is expected


class TestWhatContextsShare:
    def test_bound_of_a_sum_leaves_what_was_found_of_terms(self, names):
        i, n = names["i"], names["n"]
        known = below(loop(n, 1, 9), loop(i, 0, 9))
        assert interval_of(i + n, known) == Interval(1, 17)
        assert assume(known, i < n).intervals is known.intervals

    @pytest.mark.parametrize(
        "tell",
        [
            lambda known, n, _: known.with_range(n, Interval(3, 4)),
            lambda known, n, _: known.with_ranges({n: Interval(3, 4)}),
            lambda known, n, i: assume(known, (n > 2) & (n < 5) & (n - 4 <= i)),
            lambda known, n, _: known.without([n]).with_range(n, Interval(3, 4)),
        ],
        ids=["range", "ranges", "conditions", "anew"],
    )
    def test_bound_of_a_term_is_found_anew(self, names, tell):
        n, i = names["n"], names["i"]
        known = below(loop(i, 0, 9))
        assert interval_of(n, known).high > 4
        inner = tell(known, n, i)
        assert (interval_of(n, inner), interval_of(n + i, inner)) == (
            Interval(3, 4),
            Interval(3, 12),
        )
        assert interval_of(n, known).high > 4

    def test_variable_that_is_new_is_found_anew(self, names):
        n = names["n"]
        known = below(loop(n, 0, 9))
        assert interval_of(n, known) == Interval(0, 8)
        assert interval_of(n, known.without([n])).high > 8
