"""What roles tell of kinds of other languages: names, effects, definitions, uses and liveness."""

from __future__ import annotations

import pytest

from relayish.analysis import check_well_formed, has_effect, well_formed
from relayish.analysis.effects import Effect, analyse_effects
from relayish.errors import PassError, WellFormedError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.roles import Access, Runs
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.expr import RefRead, RefWrite, Var
from relayish.ir.scopes.def_use import definitions, kills, places, uses
from relayish.ir.scopes.renaming import rename_bound, substitute_variables
from relayish.ir.scopes.scoping import Scope, binders, free_variables, operands, parts, scopes
from tests.support import loop_languages as ir
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.loop_languages import DECLARED

_kinds = known_in_tests(DECLARED)


a, b, c, i, n, p, q = (ir.Sym(name) for name in "abcinpq")
zero, one = ir.IntConst(0), ir.IntConst(1)
j, k = ir.LoopVar("j"), ir.LoopVar("k")
A, B = ir.Tensor("A"), ir.Tensor("B")


def ld(sym):
    return ir.Ld(sym)


def block(*statements):
    return ir.Block(statements)


def do_loop(iv, end, *body):
    return ir.DoLoop(iv, zero, ir.Add(ld(iv), ld(end)), ir.Add(ld(iv), one), block(*body))


def schedule_block(values, variables, body, reads=(), writes=()):
    return ir.ScheduleBlockRealize(values, ir.ScheduleBlock(variables, reads, writes, "B", body))


# Liveness, by roles alone


def live_before(node: Node, after: frozenset[Node], at: dict[Node, frozenset[Node]]):
    """Return what is live before ``node`` if ``after`` is behind it; note the latter in ``at``."""
    at[node] = at.get(node, frozenset()) | after
    runs = {how: [scope for scope in scopes(node) if scope.runs is how] for how in Runs}
    live = after
    for scope in reversed(runs[Runs.ONCE]):
        live = live_into(scope, live, at)
    if runs[Runs.ONE_OF]:
        otherwise = live if len(runs[Runs.ONE_OF]) == 1 else frozenset()  # an ``if`` without else
        live = otherwise.union(*[live_into(scope, live, at) for scope in runs[Runs.ONE_OF]])
    before: frozenset[Node] | None = None
    while runs[Runs.REPEATEDLY] and live != before:
        before = live
        live = live.union(*[live_into(scope, live, at) for scope in runs[Runs.REPEATEDLY]])
    for scope in runs[Runs.DEFERRED]:
        live |= live_into(scope, frozenset(), at)
    live = live.difference(kills(node)).union(uses(node))
    for operand in reversed(operands(node)):
        if type(operand) not in ATOMS:
            live = live_before(operand, live, at)
    return live


def live_into(scope: Scope, after: frozenset[Node], at: dict[Node, frozenset[Node]]):
    """Return what is live before ``scope``, of what is known around it."""
    for root in reversed(scope.roots):
        after = live_before(root, after, at) if type(root) not in ATOMS else after | {root}
    return after.difference(scope.binders)


def live(root, *after):
    return set(live_before(root, frozenset(after), {}))


class TestLiveness:
    def test_a_store_kills_and_its_value_is_used(self):
        assert live(ir.St(a, ld(b)), a, c) == {b, c}

    def test_statements_are_taken_backwards(self):
        program = block(ir.St(a, ld(b)), ir.St(b, ld(a)), ir.St(c, ld(b)))
        at: dict[Node, frozenset[Node]] = {}
        assert live_before(program, frozenset({c}), at) == {b}
        assert [set(at[s]) for s in program.statements] == [{a}, {b}, {c}]

    def test_branches_are_united(self):
        program = ir.If(ld(p), block(ir.St(a, ld(b))), block(ir.St(a, ld(c))))
        assert live(program, a) == {p, b, c}

    def test_what_both_branches_kill_is_dead_before(self):
        program = ir.If(ld(p), block(ir.St(a, zero)), block(ir.St(a, one)))
        assert live(program, a, n) == {p, n}

    def test_what_one_branch_kills_is_live_without_the_other(self):
        assert live(ir.If(ld(p), block(ir.St(a, zero))), a) == {p, a}

    def test_what_one_branch_kills_is_live_by_the_other(self):
        program = ir.If(ld(p), block(ir.St(a, zero)), block(ir.St(b, zero)))
        assert live(program, a, b) == {p, a, b}

    def test_induction_variable_is_set_before_the_loop(self):
        assert live(do_loop(i, n, ir.St(a, ld(i))), a, i) == {a, n}

    def test_a_loop_takes_a_second_round_to_find_what_comes_from_the_one_before(self):
        loop = do_loop(i, n, ir.St(a, ld(b)), ir.St(b, ld(c)), ir.St(c, ld(q)))
        at: dict[Node, frozenset[Node]] = {}
        assert live_before(loop, frozenset({a}), at) == {a, b, c, q, n}
        first, second, third = loop.body.statements
        assert set(at[third]) == {a, b, c, q, n, i}
        assert set(at[second]) == {a, b, q, n, i}
        assert set(at[first]) == {a, c, q, n, i}

    def test_what_is_set_anew_in_each_round_is_not_live_before_the_loop(self):
        loop = do_loop(i, n, ir.St(a, ld(i)), ir.St(b, ld(a)))
        assert live(loop, b) == {n, b}

    def test_nested_loops_and_branches(self):
        inner = do_loop(p, c, ir.St(a, ir.Add(ld(a), ld(p))))
        choice = ir.If(ld(q), block(ir.St(b, ld(a))))
        program = block(ir.St(a, zero), do_loop(i, n, inner, choice), ir.St(c, ld(b)))
        assert live(program, c) == {n, c, q, b}

    def test_a_call_uses_its_arguments_and_sets_what_it_returns_into(self):
        assert live(ir.Call("f", (ld(a), ld(b)), c), c) == {a, b}
        assert live(ir.Call("f", (ld(a),)), c) == {a, c}

    def test_a_store_through_an_address_kills_nothing_and_uses_the_address(self):
        assert live(ir.Ist(ld(p), ld(q)), a) == {p, q, a}

    def test_a_declared_variable_is_dead_before(self):
        program = block(ir.Declare(a, ld(b)), ir.St(c, ld(a)))
        assert live(program, c) == {b}

    def test_a_deferred_body_uses_at_any_time_what_is_from_outside(self):
        assert live(ir.FuncEntry((a,), block(ir.St(c, ir.Add(ld(a), ld(b)))))) == {b}

    def test_elements_of_a_tensor_do_not_kill_it(self):
        body = ir.Store(A, ir.Load(B, (j,)), (j,))
        assert live(ir.For(j, k, n_of(), body), A) == {A, B, k}

    def test_a_schedule_block_binds_what_its_values_are_given_to(self):
        body = ir.Store(A, ir.Load(B, (k,)), (k,))
        program = ir.For(j, zero_of(), n_of(), schedule_block((j,), (k,), body))
        assert live(program, A) == {A, B}


def n_of():
    return ir.Load(B, ())


def zero_of():
    return ir.Load(B, ())


class TestNames:
    def test_all_symbols_of_air_are_free_but_formals_and_declared_ones(self):
        body = block(ir.Declare(c, ld(a)), ir.St(b, ld(c)))
        assert free_variables(ir.FuncEntry((a,), body)) == (b,)

    def test_loop_variables_are_bound_in_the_body(self):
        loop = ir.For(j, k, k, ir.Store(A, j, (j,)))
        assert free_variables(loop) == (k, A)
        assert binders(loop) == (j,)
        assert scopes(loop) == (Scope((loop.body,), Runs.REPEATEDLY, (j,)),)
        assert operands(loop) == (k, k)

    def test_iteration_variables_are_bound_by_the_part(self):
        body = ir.Store(A, k, (k,))
        reads = (ir.BufferRange(B, (k,)),)
        realize = schedule_block((j,), (k,), body, reads)
        assert free_variables(realize) == (j, A)
        assert operands(realize) == (j, *reads)
        assert parts(realize) == (realize.schedule_block,)
        assert scopes(realize) == (Scope((body,), Runs.ONCE, (k,)),)

    def test_names_of_buffers_in_ranges_are_no_uses(self):
        assert free_variables(ir.BufferRange(B, (k,))) == (k,)

    def test_an_empty_block_is_a_scope(self):
        assert scopes(block()) == (Scope((), Runs.ONCE, (), is_block=True),)


class TestWellFormed:
    def test_loop_variable_outside_of_the_loop_is_refused(self):
        loop = ir.For(j, k, k, ir.Store(A, j, (j,)))
        with pytest.raises(WellFormedError, match=r"%j is used by a Load .* outside .* a For"):
            check_well_formed(ir.Stmts((loop, ir.Load(A, (j,)))))

    def test_loop_variable_in_its_own_bounds_is_refused(self):
        assert not well_formed(ir.For(j, j, k, ir.Store(A, j, (j,))))

    def test_variable_bound_by_two_loops_is_refused(self):
        inner = ir.For(j, k, k, ir.Store(A, j, (j,)))
        with pytest.raises(
            WellFormedError, match=r"%j is bound twice: by a For \(.*\) and by a For"
        ):
            check_well_formed(ir.For(j, k, k, inner))

    def test_iteration_variable_is_known_in_ranges_and_not_in_values(self):
        body = ir.Store(A, k, (k,))
        assert well_formed(schedule_block((j,), (k,), body, (ir.BufferRange(A, (k,)),)))
        assert not well_formed(schedule_block((k,), (k,), body))

    def test_declared_symbol_is_known_in_the_statements_of_the_block(self):
        assert well_formed(block(ir.Declare(a, zero), ir.St(b, ld(a)), block(ir.St(a, ld(b)))))

    def test_declared_symbol_is_not_known_behind_the_block(self):
        program = block(block(ir.Declare(a, zero), ir.St(b, ld(a))), ir.St(b, ld(a)))
        with pytest.raises(WellFormedError, match=r"%a is used .*outside the scope of its binder"):
            check_well_formed(program)

    def test_symbol_declared_twice_is_refused(self):
        assert not well_formed(block(ir.Declare(a, zero), ir.Declare(a, one)))

    @pytest.mark.deep
    def test_a_nest_of_loops_of_any_depth_is_looked_at(self):
        program: Node = ir.Store(A, ir.LoopVar("x"), ())
        for _ in range(DEPTH):
            v = ir.LoopVar("v")
            program = ir.For(v, v if _ == DEPTH - 1 else k, k, program)
        assert not well_formed(program)


class TestEffects:
    def test_loads_read_and_stores_write(self):
        program = ir.For(j, k, k, ir.Store(A, ir.Load(B, (j,)), (j,)))
        assert analyse_effects(program).of(program) == Effect.READS | Effect.WRITES

    def test_a_loop_over_nothing_but_values_has_none(self):
        assert not has_effect(ir.For(j, k, k, j))

    def test_a_branch_has_those_of_its_branches(self):
        program = ir.If(one, block(ir.St(a, one)))
        assert analyse_effects(program).of(program) == Effect.WRITES

    def test_a_schedule_block_has_those_of_its_body(self):
        program = schedule_block((j,), (k,), ir.Store(A, k, (k,)))
        assert analyse_effects(program).of(program) == Effect.WRITES

    def test_a_call_may_do_anything(self):
        program = block(ir.Call("f", ()))
        assert analyse_effects(program).of(program) == Effect.UNKNOWN

    def test_a_function_does_what_its_body_does_when_it_is_called(self):
        function = ir.FuncEntry((a,), block(ir.St(a, one)))
        effects = analyse_effects(function)
        assert effects.of(function) == Effect.NONE
        assert effects.of_call(function) == Effect.WRITES


class TestDefinitionsAndUses:
    def test_store_defines_its_symbol_and_uses_nothing_itself(self):
        store = ir.St(a, ld(b))
        assert (definitions(store), uses(store), uses(store.value)) == ((a,), (), (b,))

    def test_do_loop_defines_its_induction_variable(self):
        assert definitions(do_loop(i, n)) == (i,)

    def test_store_of_an_element_defines_without_killing(self):
        store = ir.Store(A, j, (k,))
        assert (definitions(store), kills(store), uses(store)) == ((A,), (), (j, k))

    def test_for_defines_its_variable_and_uses_its_bounds(self):
        loop = ir.For(j, k, n_of(), ir.Store(A, j, (j,)))
        assert (definitions(loop), uses(loop)) == ((j,), (k,))

    def test_parts_use_for_the_node_they_are_of(self):
        assert uses(schedule_block((j,), (k,), ir.Store(A, k, (k,)))) == (j,)

    def test_what_an_address_leads_to_is_written_and_not_defined(self):
        store = ir.Ist(p, q)
        assert (definitions(store), uses(store)) == ((), (p, q))
        assert places(store, Access.WRITE) == (p,)

    def test_relays_references_are_used(self):
        r, x = Var("r"), Var("x")
        assert uses(RefWrite(r, x)) == (r, x)
        assert uses(RefRead(r)) == (r,)
        assert definitions(RefWrite(r, x)) == ()


class TestRenaming:
    def test_a_copy_binds_variables_of_its_own(self):
        loop = ir.For(j, k, k, schedule_block((j,), (ir.LoopVar("v"),), ir.Store(A, j, (j,))))
        image = rename_bound(loop)
        assert structural_equal(image, loop, map_free_vars=True)
        assert image.loop_var is not j
        assert image.body.iter_values == (image.loop_var,)
        assert image.body.schedule_block.iter_vars != loop.body.schedule_block.iter_vars
        assert (image.min, image.body.schedule_block.body.tensor) == (k, A)
        assert well_formed(ir.Stmts((loop, image)))

    def test_substitution_renames_what_would_capture(self):
        loop = ir.For(j, k, k, ir.Store(A, k, (j,)))
        image = substitute_variables(loop, {k: j})
        assert (image.min, image.extent, image.body.value) == (j, j, j)
        assert image.loop_var is not j
        assert image.body.indices == (image.loop_var,)

    def test_substitution_leaves_what_does_not_occur(self):
        loop = ir.For(j, zero_of(), n_of(), ir.Store(A, j, (j,)))
        assert substitute_variables(loop, {k: j}) is loop

    def test_bound_variable_is_not_replaced(self):
        loop = ir.For(j, k, k, ir.Store(A, j, (j,)))
        with pytest.raises(PassError, match=r"%j cannot be replaced: a For \(.*\) binds it"):
            substitute_variables(loop, {j: k})

    @pytest.mark.deep
    def test_a_deep_nest_is_renamed_in_one_walk(self):
        program: Node = ir.Store(A, k, ())
        for _ in range(DEPTH):
            program = ir.For(ir.LoopVar("v"), k, k, program)
        image = rename_bound(program)
        assert well_formed(ir.Stmts((program, image)))
