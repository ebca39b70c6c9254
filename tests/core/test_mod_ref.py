"""Which places core's nodes read and write, as data-flow analyses know it."""

from __future__ import annotations

import relayish as relay
from relayish import core, tir
from relayish.core.mod_ref import place_of
from relayish.dataflow import ModRef, get_analysis, mod_ref_of, solve
from relayish.ir.domains.domain import Domain
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import declared_temporarily, node

X = core.Var("x")
A = core.Var("a", "int32[4]")
P = core.Var("p", "int32*")
R = core.Preg("int32")
G = core.Global("g", "int32")
ONE = core.const(1)


def test_a_load_reads_its_symbol():
    assert mod_ref_of(core.Ld(X)) == ModRef(reads=(X,))


def test_a_store_gives_its_symbol_another_value():
    assert mod_ref_of(core.St(X, ONE)) == ModRef((ONE,), overwrites=(X,))


def test_a_store_into_a_field_changes_its_symbol_in_part():
    point = core.Var("s", "struct point")
    assert mod_ref_of(core.Stf(point, "x", ONE)) == ModRef((ONE,), changes=(point,))


def test_registers_are_read_and_written_by_name():
    assert mod_ref_of(core.Ldp(R)).reads == (R,)
    assert mod_ref_of(core.Stp(R, ONE)).overwrites == (R,)


def test_an_element_of_a_variable_is_part_of_it():
    address = core.Array(core.Lda(A), (ONE,))
    assert mod_ref_of(core.Ild(address)) == ModRef((ONE,), reads=(A,))
    assert mod_ref_of(core.Ist(address, ONE)) == ModRef((ONE, ONE), changes=(A,))


def test_what_an_address_is_of_is_not_known():
    address = core.Ld(P)
    assert mod_ref_of(core.Ild(address)) == ModRef((address,), effect=Effect.READS)
    assert mod_ref_of(core.Ist(address, ONE)).effect is Effect.WRITES


def test_an_address_that_is_taken_exposes_its_symbol():
    assert mod_ref_of(core.Lda(X)).exposes == (X,)


def test_naming_a_symbol_reads_nothing():
    assert mod_ref_of(core.Idname(X)) == ModRef()


def test_two_nodes_of_one_global_name_are_one_place():
    again = core.Global("g", "int32")
    assert place_of(G) is place_of(again)


def test_a_call_gives_its_register_a_value_and_may_do_anything():
    call = core.Call(core.Global("f", "(int32) -> int32"), (ONE,), R)
    assert mod_ref_of(call) == ModRef((ONE,), overwrites=(R,), effect=Effect.UNKNOWN)


def live_after_first(*stmts: core.Stmt) -> object:
    func = core.FuncEntry((), (X, A, P), (R,), core.Block(stmts))
    (liveness,) = solve([get_analysis("liveness")], func)
    return liveness.at(stmts[0])


def test_a_variable_is_dead_that_is_overwritten():
    assert X not in live_after_first(core.St(X, ONE), core.St(X, ONE), core.Retv(core.Ld(X)))


def test_a_global_variable_lives_when_the_function_ends():
    assert place_of(G) in live_after_first(core.St(G, ONE), core.Ret())


def test_a_variable_whose_address_is_passed_lives_at_a_load_by_address():
    store = core.St(X, ONE)
    stmts = (store, core.St(P, core.Lda(X)), core.Retv(core.Ild(core.Ld(P))))
    assert X in live_after_first(*stmts)


def test_what_is_at_an_address_changes_with_the_variable_that_it_may_be_of():
    value = core.Ild(core.Ld(P))
    stores = core.St(P, core.Lda(X)), core.Stp(R, value), core.St(X, ONE), core.St(A, core.Ld(A))
    func = core.FuncEntry((), (X, A, P), (R,), core.Block(stores))
    (available,) = solve([get_analysis("available_expressions")], func)
    assert value in available.at(stores[1])
    assert value not in available.at(stores[2])


def test_kind_that_says_nothing_may_change_what_it_names():
    with declared_temporarily():
        bumps = Domain("bumps")

        @node("bump", domain=bumps)
        class Bump(core.Stmt):
            target: core.Var
            by: core.Expr

        @node("look", domain=bumps, effect=Effect.READS)
        class Look(core.Stmt):
            target: core.Var

        x = core.Var("x", core.as_type("int32"))
        changed = mod_ref_of(Bump(x, core.Ld(x)))
        assert (changed.reads, changed.changes) == ((x,), (x,))
        assert Effect.UNKNOWN in changed.effect
        assert [*map(type, changed.evaluates)] == [core.Ld]
        assert mod_ref_of(Look(x)).changes == ()


def test_loop_passes_keep_what_follows_a_kind_that_says_nothing():
    with declared_temporarily():

        @node("bump", domain=Domain("bumps"))
        class Bump(tir.Stmt):
            target: tir.Var

        v, out = tir.Var("v"), tir.Var("out")
        hundred = tir.Store(out, 100, ())
        test = tir.IfThenElse(tir.EQ(v, 1), hundred, tir.Store(out, v + 1, ()))
        program = tir.Block((tir.Let(v, tir.const(1)), Bump(v), test))
        mod = relay.IRModule({"f": tir.LoweredFunc("f", (), program)})
        for name in ("IfSimplify", "BoundsCheckElimination", "CopyPropagation"):
            made = getattr(relay.transform, name)()(mod)["f"]
            assert made.body.stmts[-1].false_case is not None, name
