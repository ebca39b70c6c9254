"""Constants and intervals of core hold for whatever random programs compute."""

from __future__ import annotations

import pytest

from relayish import core
from relayish.core.mod_ref import place_of
from relayish.dataflow import get_analysis, solve
from relayish.dataflow.lattice.interval import Interval
from tests.core.test_states import with_literals
from tests.support.core_machine import scalars_of, watch
from tests.support.core_programs import random_core_program
from tests.support.seeds import seeds


def analysed(program):
    constants, intervals = get_analysis("CoreConstants"), get_analysis("CoreIntervals")
    return constants, intervals, *solve([constants, intervals], program)


def count_known(mod, seed):
    """Hold what is known against what variables hold; return of how many something is."""
    constants, intervals, values, ranges = analysed(mod)
    known = 0

    def check(stmt, held):
        nonlocal known
        state, environment = values.before(stmt), ranges.before(stmt)
        for symbol, value in held.items():
            constant = constants.value(symbol, state)
            assert constant is None or constant == value, (stmt, symbol)
            interval = intervals.interval(symbol, environment)
            assert interval is None or interval.low <= value <= interval.high, (stmt, symbol)
            whole = interval is None or symbol.type.is_bool
            known += constant is not None
            known += not whole and interval.high - interval.low < (1 << symbol.type.bits) - 1

    watch(mod, seed, check, scalars_of(mod))
    return known


@pytest.mark.parametrize("make", [random_core_program, with_literals])
def test_values_of_random_programs_are_those_known(make):
    programs = seeds(6, soak=1000)
    assert sum(count_known(make(seed), seed) for seed in programs) > 20 * len(programs)


def test_branch_whose_condition_is_known_is_the_only_one():
    scope = core.GlobalScope()
    with scope.function("main", {"n": "int32"}, "int32") as f:
        a, b = f.local("a"), f.local("b")
        f.store(a, 3)
        with f.if_(a < 5):
            f.store(b, a + 1)
        with f.if_(f.n < 5), f.if_(f.n > 2):
            f.store(a, f.n)
        f.retv(b)
    main = scope.module()["main"]
    constants, intervals, values, ranges = analysed(main)
    last = main.body.stmts[-1]
    assert constants.value(b, values.before(last)) == 4
    assert intervals.interval(b, ranges.before(last)) == Interval(4, 4)
    assert constants.value(a, values.before(last)) is None
    assert intervals.interval(a, ranges.before(last)) == Interval(3, 4)


def test_calls_and_addresses_write_what_they_reach():
    scope = core.GlobalScope()
    shared = scope.variable("g", "int32", 1)
    set_ = scope.declare("set", ["int32"], "int32")
    with scope.function("main", {}, "int32") as f:
        own, given = f.local("own"), f.local("given")
        for each in (shared, own, given):
            f.store(each, 5)
        f.call(set_, core.Ild(core.Lda(given)))
        f.retv(shared + own)
    main = scope.module()["main"]
    constants, intervals, values, ranges = analysed(main)
    last = main.body.stmts[-1]
    assert constants.value(shared, values.before(last)) is None
    assert intervals.interval(shared, ranges.before(last)) == Interval(-(2**31), 2**31 - 1)
    assert constants.value(own, values.before(last)) == 5


def test_global_that_another_program_has_with_another_type_is_forgotten():
    others = [core.Global("told_by_name", core.as_type("float32"))]
    others.append(place_of(others[0]))
    scope = core.GlobalScope()
    shared = scope.variable("told_by_name", "int32", 1)
    set_ = scope.declare("set", ["int32"], "int32")
    with scope.function("main", {}, "int32") as f:
        f.call(set_, 1)
        f.store(shared, 5)
        f.call(set_, 7)
        f.retv(shared)
    main = scope.module()["main"]
    constants, intervals, values, ranges = analysed(main)
    last = main.body.stmts[-1]
    assert constants.value(shared, values.before(last)) is None
    assert intervals.interval(shared, ranges.before(last)) == Interval(-(2**31), 2**31 - 1)


def test_counter_that_is_read_where_it_goes_on_is_not_constant():
    scope = core.GlobalScope()
    with scope.function("main", {"n": "int32"}, "int32") as f:
        i = f.local("i")
        with f.do_loop(i, 2, i < f.n):
            f.store(f.local("a"), i)
        f.retv(i)
    main = scope.module()["main"]
    constants, intervals, values, ranges = analysed(main)
    [store] = main.body.stmts[0].body.stmts
    assert constants.value(i, values.before(store)) is None
    assert intervals.interval(i, ranges.before(store)) == Interval(2, 2**31 - 2)


def test_addresses_have_no_values():
    scope = core.GlobalScope()
    with scope.function("main", {"p": "int32*"}, "int32") as f:
        f.retv(core.Ild(core.Ld(f.p)))
    main = scope.module()["main"]
    constants, intervals, values, ranges = analysed(main)
    [last] = main.body.stmts
    assert constants.value(f.p, values.before(last)) is None
    assert intervals.interval(f.p, ranges.before(last)) is None
