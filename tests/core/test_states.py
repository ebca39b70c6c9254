"""Dense analyses of core that users write: what they do not handle may have written anything."""

from __future__ import annotations

import random

import pytest

from relayish import core
from relayish.core.mod_ref import place_of
from relayish.dataflow import ForwardDataFlow, solve
from relayish.dataflow.lattice import TOP, Flat, MapLattice
from relayish.domain import DefaultHandler, TransformCtx, Visitor
from relayish.errors import AnalysisError
from tests.support.core_machine import scalars_of, watch
from tests.support.core_programs import random_core_program
from tests.support.seeds import seeds

INT64 = core.as_type("int64")


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
        return self.lattice.set(state, place_of(symbol), self.value(value, state))

    def visit_stp(self, st, state):
        return self.put(st.preg, st.value, state)

    def value(self, expr, state):
        match expr:
            case core.Intconst():
                return expr.value
            case core.Zero() | core.One():
                return int(type(expr) is core.One)
            case core.Ld():
                return state.get(place_of(expr.symbol), TOP)
            case core.Ldp():
                return state.get(expr.preg, TOP)
            case core.Add() | core.Sub() | core.Mul() if expr.type == INT64:
                a, b = self.value(expr.a, state), self.value(expr.b, state)
                if TOP in (a, b):
                    return TOP
                found = {core.Add: a + b, core.Sub: a - b, core.Mul: a * b}[type(expr)]
                return found if abs(found) < 2**62 else TOP
        return TOP

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
    """As above, and neither loops nor registers are handled."""

    lattice = Literals.lattice
    boundary = Literals.boundary
    visit_st = Literals.visit_st
    put = Literals.put
    value = Literals.value
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
        value = Literals.value

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


class StoreLiterals(DefaultHandler, domain="core"):
    """Puts stores of literals to some places before others."""

    def __init__(self, seed, places):
        super().__init__()
        self.random, self.places = random.Random(f"literals {seed}"), places

    def handle_st(self, visitor, st):
        place = self.random.choice(self.places)
        visitor.context.prepend(core.St(place, core.const(self.random.randrange(100), place.type)))
        return st


def with_literals(seed):
    """Return a random program in which literals are stored to globals, and to a variable more."""
    mod = random_core_program(seed)
    shared = [
        each
        for each in scalars_of(mod)
        if isinstance(each, core.Global) and not mod[each.name].is_const
    ]
    places = [each for each in shared if each.type in (INT64, core.as_type("int32"))]
    changed = {}
    for name, function in mod.functions.items():
        if isinstance(function, core.FuncEntry):
            own = core.Var("own", INT64)
            handler = StoreLiterals(f"{seed} {name}", [own, *places])
            body = Visitor(TransformCtx(), handler).visit(function.body)
            changed[name] = function.with_fields(body=body, locals=(*function.locals, own))
    return mod.with_functions(changed)


def count_compared(seed):
    """Hold the states of a random program against what its variables hold; return how many."""
    mod = with_literals(seed)
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
    return compared


def test_literals_of_random_programs_are_what_variables_hold():
    programs = seeds(15)
    assert sum(map(count_compared, programs)) > 20 * len(programs)
