"""Which functions of core a call may call, what addresses may be of, and what becomes known."""

from __future__ import annotations

import pytest

from relayish import core
from relayish.analysis import CallGraph
from relayish.dataflow import ForwardDataFlow, find_points_to, solve
from relayish.dataflow.analyses import Aliases, Escape
from relayish.dataflow.lattice import TOP, Everywhere, Flat, MapLattice
from relayish.pass_infra.debug.shrink import find_named

SIGNATURE = core.as_type("(int32) -> int32")
POINTER = SIGNATURE.pointer_to()


@pytest.fixture
def scope():
    """A module with @g, @h that is declared only, and @set, which puts its argument into @g."""
    made = core.GlobalScope()
    made.variable("g", "int32", init=1)
    made.declare("h", ["int32*"])
    with made.function("set", {"v": "int32"}, "int32") as f:
        f.store(G, f.v)
        f.retv(f.v + 1)
    return made


G = core.Global("g", "int32")
H = core.Global("h", core.function(["int32*"]))
SET = core.Global("set", SIGNATURE)


def calls_of(scope, entry="main"):
    """Return what each call of @main may call, by name, in order; ``?`` for what is unknown."""
    mod = scope.module()
    assert not core.verify(mod)
    found = find_points_to(mod, entries=[entry]).calls
    names = {node: str(mod.name_of(key)) for key, node in mod.functions.items()}
    return [
        [names[each.node] for each in call.callees] + ["?"] * call.is_unknown
        for call in found.values()
    ]


def test_functions_are_found_by_name_and_by_a_further_name(scope):
    other = scope.entry("other", SET)
    with scope.function("main", {}, "int32") as f:
        f.call(other, 1)
        f.retv(f.call(SET, 2))
    assert calls_of(scope) == [["set"], ["set"]]


def through_local(f, pointer):
    kept = f.local("kept", POINTER)
    f.store(kept, pointer)
    return core.Ld(kept)


def through_preg(f, pointer):
    kept = f.preg(POINTER)
    f.add(core.Stp(kept, pointer))
    return core.Ldp(kept)


def through_address(f, pointer):
    kept, at = f.local("kept", POINTER), f.local("at", POINTER.pointer_to())
    f.store(at, core.Lda(kept))
    f.add(core.Ist(core.Ld(at), pointer))
    return core.Ld(kept)


def out_of_address(f, pointer):
    kept = f.local("kept", POINTER)
    f.store(kept, pointer)
    return core.Ild(core.Lda(kept))


def through_element(f, pointer):
    kept = f.local("kept", core.array(POINTER, 4))
    f.add(core.Ist(core.Array(core.Lda(kept), (core.const(1),)), pointer))
    return core.Ild(core.Array(core.Lda(kept), (core.const(1),)))


def through_loop(f, pointer):
    kept, bits = f.local("kept", POINTER), f.local("bits", "uint64")
    f.store(kept, pointer)
    never = core.Lt(core.const(1), core.const(0))
    f.add(core.DoLoop(bits, core.Ldo(kept, 0, "uint64"), never, core.Ld(bits), core.Block()))
    return core.Ldo(bits, 0, POINTER)


@pytest.mark.parametrize(
    "way",
    [
        through_local,
        through_preg,
        through_address,
        out_of_address,
        through_element,
        through_loop,
    ],
)
def test_function_is_followed_to_where_it_is_called_by_address(scope, way):
    with scope.function("main", {}, "int32") as f:
        f.retv(f.call(way(f, core.Lda(SET)), 2))
    assert calls_of(scope) == [["set"]]


def test_variable_of_the_module_may_hold_what_callers_put_there(scope):
    kept = scope.variable("kept", POINTER)
    fixed = scope.variable("fixed", POINTER, core.Lda(SET), is_const=True)
    with scope.function("main", {}, "int32") as f:
        f.call(core.Ld(kept), 1)
        f.retv(f.call(core.Ld(fixed), 2))
    assert calls_of(scope) == [["?"], ["set"]]


def test_function_is_followed_through_calls_and_variables_of_the_module(scope):
    kept = scope.variable("kept", POINTER)
    with scope.function("same", {"p": POINTER}, POINTER) as f:
        with f.if_(core.const(1) < 2):
            f.retv(f.p)
        f.retv(core.Lda(SET))
    with scope.function("main", {}, "int32") as f:
        f.store(kept, f.call(core.Global("same", core.function([POINTER], POINTER)), core.Lda(SET)))
        f.retv(f.call(core.Ld(kept), 2))
    assert calls_of(scope) == [["same"], ["set", "?"]]


def test_what_is_declared_only_or_given_from_outside_is_unknown(scope):
    with scope.function("main", {"p": POINTER}, "int32") as f:
        f.call(H, core.Lda(f.local("kept")))
        f.retv(f.call(f.p, 2))
    assert calls_of(scope) == [["?"], ["?"]]


def test_address_that_a_function_has_that_is_not_known_has_escaped(scope):
    with scope.function("main", {}, "int32") as f:
        kept, other = f.local("kept"), f.local("other")
        address, elsewhere = core.Lda(kept), core.Lda(other)
        f.add(core.Ist(elsewhere, core.const(1)))
        f.call(H, address)
        f.retv(core.const(0))
    mod = scope.module()
    [solution] = solve([Escape(entries=("main",))], mod)
    _, call, last = mod["main"].body.stmts
    assert isinstance(call, core.Call)
    assert list(solution.before(call)) == []
    assert list(solution.after(call)) == [address]
    assert elsewhere not in solution.before(last)


class Literals(ForwardDataFlow):
    """Which literal each variable holds, by name."""

    lattice = MapLattice(Flat())
    interprocedural = True

    def value(self, expr, state):
        if isinstance(expr, core.Intconst):
            return expr.value
        return state.get(expr.symbol.name, TOP) if isinstance(expr, core.Ld) else TOP

    def visit_st(self, store, state):
        return self.lattice.set(state, store.symbol.name, self.value(store.value, state))

    def enter_call(self, site, callee, state):
        for formal, given in zip(callee.parameters, site.arguments, strict=True):
            state = self.lattice.set(state, formal.name, self.value(given, state))
        return state

    def leave_call(self, site, callee, state, at_end):
        return at_end

    def overwritten(self, node, places, state):
        for place in places:
            state = self.lattice.set(state, place.name, TOP)
        return state


@pytest.mark.parametrize(("callee", "expected"), [(SET, 7), (H, TOP)])
def test_states_go_into_functions_and_come_back(scope, callee, expected):
    with scope.function("main", {}, "int32") as f:
        f.store(G, 5)
        f.call(callee, 7 if callee is SET else core.Lda(f.local("kept")))
        f.retv(core.Ld(G))
    mod = scope.module()
    [solution] = solve([Literals()], mod, interprocedural=True, entries=["main"])
    assert solution.before(mod["main"].body.stmts[-1]).get("g") == expected


def test_names_of_core_are_references(scope):
    with scope.function("main", {}, "int32") as f:
        f.retv(f.call(SET, 1))
    mod = scope.module()
    graph = CallGraph(mod)
    assert dict(graph["main"].callees) == {"set": 1}
    assert dict(graph["g"].callers) == {"set": 1}
    assert find_named(mod, [mod["main"]]) == {"set"}


def test_aliases_outlast_what_writes(scope):
    with scope.function("main", {"n": "int32"}, "int32") as f:
        kept, i = f.local("kept"), f.local("i")
        p = f.local("p", "int32*")
        f.store(p, core.Lda(kept))
        with f.do_loop(i, 0, i < 3):
            f.store(kept, i)
        f.call(H, p)
        f.retv(kept)
    mod = scope.module()
    [solution] = solve([Aliases()], mod)
    states = [solution.before(stmt) for stmt in mod["main"].body.stmts]
    assert not any(isinstance(state, Everywhere) for state in states)
