"""Dense analyses of core that users write: what they do not handle may have written anything."""

from __future__ import annotations

import pytest

from relayish import core
from relayish.core.mod_ref import place_of
from relayish.dataflow import ForwardDataFlow, solve
from relayish.dataflow.lattice import TOP, Flat, MapLattice
from relayish.errors import AnalysisError
from tests.support.core_machine import scalars_of, watch
from tests.support.core_programs import random_core_program
from tests.support.each import each
from tests.support.seeds import seeds


class Literals(ForwardDataFlow):
    """What variables hold where a literal was stored last."""

    lattice = MapLattice(Flat(), default=TOP)

    def boundary(self, _procedure):
        return self.lattice.top

    def visit_st(self, st, state):
        return self.put(st.symbol, st.value, state)

    def visit_do_loop(self, loop, state):
        return self.put(loop.iv, loop.init, state)

    def put(self, symbol, value, state):
        known = value.value if type(value) is core.Intconst else TOP
        return self.lattice.set(state, place_of(symbol), known)

    def overwritten(self, node, places, state):
        for place in places:
            state = self.lattice.set(state, place, TOP)
        return state


def counting(*, stored_before: bool = False):
    scope = core.GlobalScope()
    with scope.function("main", {}, "int32") as f:
        i = f.local("i")
        if stored_before:
            f.store(i, 5)
        with f.do_loop(i, 0, i < 3):
            f.store(f.local("a"), i)
        f.retv(i)
    return scope.module()["main"], i


def test_variable_that_a_loop_counts_up_is_not_known_in_it_nor_behind_it():
    main, i = counting()
    [found] = solve([Literals()], main)
    assert found.before(main.body.stmts[-1]) == {}
    loop = main.body.stmts[0]
    assert i not in found.before(loop.body.stmts[0])


class Stores(ForwardDataFlow):
    """As above, and loops are not handled."""

    lattice = Literals.lattice
    boundary = Literals.boundary
    visit_st = Literals.visit_st
    put = Literals.put
    overwritten = Literals.overwritten


def test_variable_that_a_loop_begins_to_count_is_overwritten():
    main, i = counting(stored_before=True)
    [found] = solve([Stores()], main)
    store, loop, left = main.body.stmts
    assert found.after(store) == {i: 5}
    assert i not in found.before(loop.body.stmts[0])
    assert i not in found.before(left)


def test_nothing_is_known_after_what_writes_and_is_not_handled():
    class Careless(ForwardDataFlow):
        lattice = Literals.lattice
        boundary = Literals.boundary
        visit_st = Literals.visit_st
        put = Literals.put

    main, _ = counting(stored_before=True)
    [found] = solve([Careless()], main)
    store, loop, left = main.body.stmts
    assert found.after(store) != {}
    assert found.before(left) == found.before(loop.body.stmts[0]) == {}


def test_strict_analysis_refuses_what_writes_and_is_not_handled():
    class Strict(ForwardDataFlow):
        lattice = Literals.lattice
        strict = True

    main, _ = counting()
    with pytest.raises(AnalysisError, match=r"Strict does not say .*do_loop.*%i; it is strict;"):
        solve([Strict()], main)


def test_lattice_without_top_is_told():
    class Least:
        bottom = 0

        def join(self, a, b):
            return max(a, b)

    class Counts(ForwardDataFlow):
        lattice = Least()

    main, _ = counting()
    with pytest.raises(AnalysisError, match=r"Least has no top; .*overwritten\(node, places,"):
        solve([Counts()], main)


def test_call_may_write_what_others_reach():
    scope = core.GlobalScope()
    shared = scope.variable("g", "int32", 1)
    set_ = scope.declare("set", ["int32"], "int32")
    with scope.function("main", {}, "int32") as f:
        own = f.local("own")
        f.store(shared, 5)
        f.store(own, 6)
        f.call(set_, 7)
        f.retv(shared + own)
    main = scope.module()["main"]
    [found] = solve([Literals()], main)
    before, after = found.before(main.body.stmts[2]), found.before(main.body.stmts[-1])
    assert sorted(before.values()) == [5, 6]
    assert list(after.items()) == [(own, 6)]


@each("seed", seeds(30))
def test_literals_of_random_programs_are_what_variables_hold(seed):
    mod = random_core_program(seed)
    literals, stores = solve([Literals(), Stores()], mod)
    compared = 0

    def check(stmt, held):
        nonlocal compared
        for solution in (literals, stores):
            state = solution.before(stmt)
            known = {each: state.get(place_of(each), TOP) for each in held}
            wrong = [each for each in held if known[each] not in (TOP, held[each])]
            assert wrong == [], (stmt, state)
            compared += sum(value is not TOP for value in known.values())

    watch(mod, seed, check, scalars_of(mod))
    assert compared or seed
