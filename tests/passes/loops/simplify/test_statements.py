"""What simplification makes of branches, loops, blocks and what they declare."""

from __future__ import annotations

from operator import attrgetter

import pytest

import relayish as relay
from relayish import tir
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import node
from relayish.ir.relay.module import IRModule
from relayish.passes.loops.simplify.rules import SIMPLIFICATIONS
from relayish.tir import Alloc, Block, For, ForType, Free, IfThenElse, Let, Load, Store, Var, const
from relayish.tir.analysis.facts.faults import FAULTS
from relayish.tir.ir.operators import as_expr
from relayish.transform import get_pass

i, j, n, m = (Var(name) for name in "ijnm")
x = Var("x", "float32")


def tensor(name: str, *shape: int, dtype: str = "int32") -> tir.Tensor:
    sizes = tuple(map(const, shape))
    return tir.Tensor(name, sizes, dtype, tir.Buffer("_" + name, sizes, dtype))


A, B, T = tensor("A", 16), tensor("B", 16), tensor("T", 16)


def put(value: int | tir.Expr, at: int | tir.Expr = 0) -> Store:
    return Store(A, as_expr(value), (as_expr(at),))


def loop(var: Var, low: int | tir.Expr, extent: int | tir.Expr, *body: tir.Stmt) -> For:
    return For(var, as_expr(low), as_expr(extent), Block(body))


def if_(condition: tir.Expr, *body: tir.Stmt, orelse: tuple[tir.Stmt, ...] | None = None):
    return IfThenElse(condition, Block(body), None if orelse is None else Block(orelse))


def simplified(*stmts: tir.Stmt, by: str = "Simplify") -> tir.LoweredFunc:
    func = tir.LoweredFunc("f", (A.buffer, B.buffer, n, m, x), Block(stmts), (T.buffer,))
    out = get_pass(by)(IRModule({"f": func}))["f"]
    assert get_pass(by)(IRModule({"f": out}))["f"] is out
    return out


def text(*stmts: tir.Stmt, by: str = "Simplify") -> str:
    """Return the body, one statement after the other, without indentation or braces of blocks."""
    lines = str(simplified(*stmts, by=by)).splitlines()[2:-1]
    return "\n".join(line[2:] for line in lines)


def same(*stmts: tir.Stmt, by: str = "Simplify") -> bool:
    func = tir.LoweredFunc("f", (A.buffer, B.buffer, n, m, x), Block(stmts), (T.buffer,))
    mod = IRModule({"f": func})
    return get_pass(by)(mod) is mod


class TestBranches:
    def test_branch_that_always_holds_is_its_arm(self):
        assert text(if_(const(True), put(1))) == "A[0] = 1"

    def test_branch_that_never_holds_is_the_other_arm(self):
        assert text(if_(const(False), put(1), orelse=(put(2),))) == "A[0] = 2"

    def test_branch_that_never_holds_without_another_arm_goes(self):
        assert text(put(3), if_(const(False), put(1))) == "A[0] = 3"

    @pytest.mark.parametrize("by", ["IfSimplify", "Simplify"])
    def test_branch_within_a_kept_arm_is_simplified(self, by):
        inner = if_(const(False), put(1), orelse=(put(2),))
        assert "if ((n < 3))" in text(if_(n < 3, inner), by=by)
        assert "A[0] = 1" not in text(if_(n < 3, inner), by=by)

    @pytest.mark.parametrize("by", ["IfSimplify", "Simplify"])
    def test_branch_within_a_chosen_arm_is_simplified(self, by):
        inner = if_(const(False), put(1), orelse=(put(2),))
        assert text(if_(const(True), inner), by=by) == "A[0] = 2"

    @pytest.mark.parametrize("by", ["IfSimplify", "Simplify"])
    def test_branch_within_the_other_arm_is_simplified(self, by):
        inner = if_(const(True), put(1))
        assert "true" not in text(if_(n < 3, put(5), orelse=(inner,)), by=by)

    def test_condition_of_an_enclosing_branch_is_known(self):
        inner = if_(n < 5, put(1), orelse=(put(2),))
        assert "A[0] = 2" not in text(if_(n < 3, inner))

    def test_condition_is_known_not_to_hold_in_the_other_arm(self):
        inner = if_(n >= 3, put(1), orelse=(put(2),))
        assert "A[0] = 2" not in text(if_(n < 3, put(0), orelse=(inner,)))

    def test_condition_is_forgotten_after_the_branch(self):
        out = text(if_(n < 3, put(1)), if_(n < 3, put(2), orelse=(put(4),)))
        assert out.count("if ((n < 3))") == 2

    def test_condition_on_an_assigned_variable_is_not_known_inside(self):
        v = Var("v")
        inner = if_(v < 3, put(1), orelse=(put(2),))
        out = text(Let(v, n), if_(v < 3, Store(v, const(7)), inner))
        assert out.count("if ((v < 3))") == 2

    def test_condition_on_memory_is_not_known_inside(self):
        inner = if_(A[0] < 3, put(1), orelse=(put(2),))
        assert text(if_(A[0] < 3, put(9), inner)).count("if ((A[0] < 3))") == 2

    def test_branch_with_empty_arms_goes(self):
        assert text(put(1), if_(n < 3, orelse=())) == "A[0] = 1"

    def test_branch_with_empty_arms_stays_if_its_condition_may_fault(self):
        assert same(if_(n / m < 3))

    def test_empty_other_arm_goes(self):
        assert "else" not in text(if_(n < 3, put(1), orelse=()))

    def test_branch_with_an_empty_arm_is_turned(self):
        assert text(if_(n < 3, orelse=(put(1),))).startswith("if ((n >= 3)) {")

    def test_branch_on_floats_is_turned_by_a_not(self):
        assert text(if_(x < 3.0, orelse=(put(1),))).startswith("if (!(x < 3.00000000f)) {")

    def test_condition_that_may_fault_is_still_asked(self):
        holds = (n / m < 3) | const(True)
        assert same(if_(holds, put(1)), by="IfSimplify")

    def test_branch_whose_condition_contradicts_what_is_known_goes(self):
        odd = if_(tir.EQ(i + i, const(5)), put(1), orelse=(if_(i >= 0, put(2)),))
        assert text(loop(i, 0, 6, odd), by="IfSimplify").splitlines()[2:-1] == ["  A[0] = 2"]

    def test_arm_that_contradicts_what_is_known_goes_if_its_condition_may_fault(self):
        asked = tir.And(tir.EQ(i + i, const(5)), tir.EQ(const(5) % n, const(0)))
        found = text(loop(i, 0, 6, if_(asked, put(1))), by="IfSimplify")
        assert "A[0]" not in found
        assert "5 % n" in found


class TestLoops:
    @pytest.mark.parametrize("by", ["SimplifyForLoops", "Simplify"])
    def test_loop_that_runs_once_is_its_body(self, by):
        assert text(loop(i, 3, 1, put(i, i)), by=by) == "A[3] = 3"

    @pytest.mark.parametrize("by", ["SimplifyForLoops", "Simplify"])
    def test_value_takes_its_place_in_bounds(self, by):
        out = text(loop(i, 3, 1, loop(j, i, i, put(j, i))), by=by)
        assert out.startswith("serial for (j, 3, 3)\n{\n  A[3] = j")

    def test_symbolic_value_takes_the_place_of_the_variable(self):
        assert text(loop(i, n, 1, put(i, 0))) == "A[0] = n"

    def test_value_takes_its_place_in_what_a_block_reads_and_writes(self):
        v = Var("v")
        part = tir.BufferRange(A, (Var("r", lower_bound=i, upper_bound=i + 1),))
        block = tir.ScheduleBlock((v,), (), (part,), "A", put(v, v))
        realize = tir.ScheduleBlockRealize((i,), block)
        out = simplified(loop(i, 3, 1, realize), by="SimplifyForLoops")
        held = out.body.stmts[0].schedule_block.write_buffers[0].ranges[0]
        assert str(held.lower_bound) == "3"

    def test_value_takes_its_place_in_the_bounds_of_an_axis(self):
        axis = Var("r", lower_bound=const(0), upper_bound=i, is_reduce_axis=True)
        value = tir.Reduce(tir.ReduceType.SUM, const(0), B[axis], (axis,))
        out = simplified(loop(i, 3, 1, put(value, i)), by="SimplifyForLoops")
        reduce = out.body.stmts[0].value
        assert str(reduce.reduce_axis[0].upper_bound) == "3"
        assert reduce.body.indices[0] is reduce.reduce_axis[0]

    @pytest.mark.parametrize("extent", [0, -2])
    @pytest.mark.parametrize("by", ["SimplifyForLoops", "Simplify"])
    def test_loop_that_never_runs_goes(self, extent, by):
        assert text(put(1), loop(i, 3, extent, put(i, i)), by=by) == "A[0] = 1"

    def test_loop_that_never_runs_stays_if_its_start_may_fault(self):
        assert same(loop(i, n / m, 0, put(1)))

    def test_loop_whose_extent_is_known_by_intervals_runs_once(self):
        assert "for (j" not in text(loop(i, 0, 4, loop(j, i, i / 4 + 1, put(j, j))))

    def test_loop_that_begins_with_what_memory_holds_stays(self):
        assert same(loop(i, A[0], 1, put(5), put(i, 1)))

    def test_loop_that_begins_with_an_assigned_variable_stays(self):
        v = Var("v")
        assert same(Let(v, n), loop(i, v, 1, Store(v, const(7)), put(i, 0)))

    def test_loop_whose_variable_another_one_binds_too_stays(self):
        assert same(loop(i, n, 1, put(i)), loop(i, m, 4, put(i)))

    def test_loop_that_a_device_runs_stays(self):
        bound = tir.BindInfo(ForType.GPU_THREAD, 0)
        whole = For(i, const(0), const(1), Block((put(n),)), ForType.GPU_THREAD, bind_info=bound)
        assert same(whole)

    def test_loop_that_does_nothing_goes(self):
        assert text(put(1), loop(i, 0, n)) == "A[0] = 1"

    def test_loop_that_does_nothing_stays_if_its_extent_may_fault(self):
        assert same(loop(i, 0, n / m))

    def test_loop_that_runs_once_in_two_places_stays(self):
        shared = Block((loop(i, n, 1, put(i)),))
        assert same(if_(n < 3, shared, orelse=(put(3), shared)), by="SimplifyForLoops")

    def test_interval_of_a_variable_ends_with_its_loop(self):
        out = text(loop(i, 0, 4, put(i % 4, i)), loop(j, 0, 8, put(j % 4, j)))
        assert "A[i] = i" in out
        assert "A[j] = (j % 4)" in out

    def test_variable_that_two_loops_bind_has_two_intervals(self):
        out = text(loop(i, 0, 4, put(i % 4, i)), loop(i, 0, 8, put(i % 4, i)))
        assert "A[i] = i" in out
        assert "A[i] = (i % 4)" in out

    def test_inner_loop_hides_the_interval_of_the_outer_one(self):
        out = text(loop(i, 0, 4, loop(i, 0, 8, put(i % 4, i)), put(i % 4, i)))
        assert "A[i] = (i % 4)" in out
        assert "A[i] = i" in out

    def test_condition_of_a_poly_for_is_known_in_its_body(self):
        whole = tir.PolyFor(i, const(0), i < 4, const(1), Block((if_(i < 5, put(i, i)),)))
        assert "if" not in text(whole)

    def test_condition_of_a_poly_for_is_still_asked(self):
        whole = tir.PolyFor(i, const(0), i < 4, const(1), Block((put(i, i),)))
        assert same(whole)


class TestBlocks:
    @pytest.mark.parametrize("by", ["SimplifyBlocks", "Simplify"])
    def test_block_in_a_block_is_merged(self, by):
        assert text(put(1), Block((Block((put(n, 1),)), put(3, 2))), by=by) == (
            "A[0] = 1\nA[1] = n\nA[2] = 3"
        )

    @pytest.mark.parametrize("by", ["SimplifyBlocks", "Simplify"])
    def test_empty_block_goes(self, by):
        assert text(Block(()), put(1), Block((Block(()),)), by=by) == "A[0] = 1"

    def test_empty_body_of_a_function_stays(self):
        assert same()

    def test_block_that_declares_is_merged_at_the_end(self):
        v = Var("v")
        assert text(put(1), Block((Let(v, n), put(v)))) == "A[0] = 1\nint32 v = n\nA[0] = v"

    def test_block_that_declares_stays_in_the_middle(self):
        v = Var("v")
        assert same(Block((Let(v, n), put(v))), put(1))

    def test_block_that_declares_what_was_declared_stays(self):
        v = Var("v")
        assert same(Let(v, n), put(v), Block((Let(v, m), put(v, 1))))

    def test_block_that_allocates_stays_in_the_middle(self):
        alloc = Alloc(T.buffer)
        assert same(Block((alloc, Store(T, const(1), (const(0),)))), put(n))

    def test_block_that_allocates_is_merged_at_the_end(self):
        alloc = Alloc(T.buffer)
        assert "{" not in text(put(n), Block((alloc, Free(T.buffer))))

    def test_allocation_with_a_body_does_not_keep_a_block(self):
        inside = Block((Store(T, n, (const(0),)),))
        assert not same(Block((Alloc(T.buffer, body=inside),)), put(n))

    def test_block_whose_last_block_declares_is_merged_at_the_end_only(self):
        v = Var("v")
        inner = Block((put(1), Block((Let(v, n), put(v)))))
        assert text(inner, put(2, 1)) == ("A[0] = 1\n{\n  int32 v = n\n  A[0] = v\n}\nA[1] = 2")

    def test_scope_of_a_loop_body_that_declares_stays(self):
        v = Var("v")
        out = text(loop(i, n, 1, Let(v, i), put(v)), put(m, 1))
        assert out == "{\n  int32 v = n\n  A[0] = v\n}\nA[1] = m"


class TestDeclarations:
    def test_value_of_a_variable_that_is_never_assigned_is_known(self):
        v = Var("v")
        assert "if" not in text(Let(v, n % 4), if_(v < 4, put(v)))

    def test_value_of_an_assigned_variable_is_not_known(self):
        v = Var("v")
        assert same(Let(v, const(1)), Store(v, n), if_(v < 4, put(v)))

    def test_address_of_a_variable_keeps_it_from_being_known(self):
        v = Var("v")
        call = tir.Call("void", "fill", (tir.GetAddr(v),))
        assert same(Let(v, const(1)), call, if_(v < 4, put(v)))

    def test_variable_that_is_stored_to_stays_a_variable(self):
        v = Var("v")
        assert same(Let(v, const(1)), Store(v, n), put(Load(v)))

    def test_variable_without_a_value_is_still_read(self):
        v = Var("v")
        assert same(Let(v), Store(v, n), put(v * 0))

    def test_extents_of_allocations_are_simplified(self):
        out = text(Alloc(T.buffer, (tir.const(8) * 2,)), Store(T, n, (const(0),)))
        assert out.startswith("alloc(_T, 16)")

    def test_variables_of_a_schedule_block_have_the_values_they_are_given(self):
        v = Var("v")
        block = tir.ScheduleBlock((v,), (), (), "A", Block((if_(v < 16, put(v, v)),)))
        out = text(loop(i, 0, 16, tir.ScheduleBlockRealize((i,), block)))
        assert "if" not in out
        assert "v = axis.bind(i)" in out


class TestCalls:
    def test_order_of_calls_that_may_do_anything_is_kept(self):
        f, g = tir.Call("int32", "f", ()), tir.Call("int32", "g", ())
        assert same(put(-f + g))

    def test_calls_that_may_do_anything_do_not_cancel(self):
        f = tir.Call("int32", "f", ())
        assert same(put(f - f))

    def test_calls_that_may_do_anything_are_not_repeated(self):
        f = tir.Call("int32", "f", ())
        value = tir.Broadcast(f, 4) * tir.Ramp(n, const(1), 4)
        at = (tir.Ramp(const(0), const(1), 4),)
        out = simplified(Store(A, value, at))
        assert str(out).count("f()") == 1


def test_statement_in_two_places_is_simplified_once_for_both():
    shared = Block((loop(i, 0, 4, put(i % 4, i)),))
    out = simplified(if_(n < 3, shared, orelse=(put(7), shared)))
    branch = out.body.stmts[0]
    assert branch.true_case.stmts[0] is branch.false_case.stmts[1]
    assert str(branch).count("A[i] = i") == 2


@pytest.mark.parametrize("by", ["IfSimplify", "Simplify", "SimplifyBlocks"])
def test_statement_in_exponentially_many_places_takes_linear_time(by):
    body: tir.Stmt = Block((put(n % 4),))
    for level in range(60):
        body = Block((if_(n < level, body, orelse=(body,)),))
    merged: tir.Stmt = Block((put(n % 4),))
    for _ in range(60):
        merged = Block((merged, merged))
    assert simplified(body, merged, by=by) is not None


def test_expression_that_doubles_itself_takes_linear_time():
    value: tir.Expr = n
    for _ in range(100):
        value = value + value
    assert text(put(value)) == "A[0] = 0"


def test_program_of_other_functions_is_left_alone():
    v = relay.var("v")
    mod = IRModule({"main": relay.Function((v,), v)})
    assert get_pass("Simplify")(mod) is mod


class TestExtensions:
    def test_rule_of_a_package_is_asked_after_those_of_the_family(self, declarations):
        @node("thrice", effect=Effect.NONE)
        class Thrice(tir.UnaryOpNode):
            """Three times its operand."""

        SIMPLIFICATIONS.register(Thrice, lambda thrice, _: thrice.v * 3)
        assert text(put(Thrice(n + n))) == "A[0] = (6 * n)"

    def test_expression_of_a_package_is_dropped_only_if_it_cannot_fault(self, declarations):
        @node("checked", effect=Effect.NONE)
        class Checked(tir.Expr):
            """Its operand, if that has some property."""

            v: tir.Expr

            derive_type = attrgetter("v.type")

        assert same(put(Checked(n) * 0))
        FAULTS.register(Checked, lambda *_: False)
        assert text(put(Checked(n) * 0)) == "A[0] = 0"


def test_reduction_that_becomes_two_has_axes_for_each():
    axis = Var("k", "int32", const(0), const(3), is_reduce_axis=True)
    total = tir.Reduce(tir.ReduceType.SUM, const(0), (n % 8) * axis, (axis,))
    within = if_(tir.And(n >= 0, n < 8), put(total, 0))
    func = tir.LoweredFunc("f", (A.buffer, n), Block((within, put(total, 1))))
    image = get_pass("Simplify")(IRModule({"f": func}))["f"]
    assert image is not func
    assert tir.verify(image) == ()


def test_loop_that_stays_where_nothing_runs_has_a_variable_of_its_own():
    shared = loop(i, 1, 8, put(i, (i % 16 + 16) % 16))
    never = loop(j, 0, 4, if_(j > 5, shared))
    func = tir.LoweredFunc("f", (A.buffer,), Block((shared, never)))
    image = get_pass("VarModSimplify")(IRModule({"f": func}))["f"]
    assert image is not func
    assert tir.verify(image) == ()
