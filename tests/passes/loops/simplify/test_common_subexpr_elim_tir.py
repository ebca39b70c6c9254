"""What is declared once because it is computed twice, and what must not be."""

from __future__ import annotations

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.tir import Block, For, IfThenElse, Let, Store, Var, const
from relayish.transform import get_pass

i, j, n, m = (Var(name) for name in "ijnm")
x = Var("x", "float32")


def tensor(name: str, *shape: int, buffer: tir.Buffer | None = None) -> tir.Tensor:
    sizes = tuple(map(const, shape))
    held = tir.Buffer("_" + name, sizes, "int32") if buffer is None else buffer
    return tir.Tensor(name, sizes, "int32", held)


A, B, C = tensor("A", 16), tensor("B", 16), tensor("C", 16)
VIEW = tensor("V", 4, 4, buffer=A.buffer)


def put(value: tir.Expr, at: tir.Expr | int = 0, to: tir.Tensor = C) -> Store:
    return Store(to, value, (at if isinstance(at, tir.Expr) else const(at),))


def loop(*body: tir.Stmt) -> For:
    return For(i, const(0), const(4), Block(body))


def function(*stmts: tir.Stmt) -> IRModule:
    args = (A.buffer, B.buffer, C.buffer, n, m, x)
    return IRModule({"f": tir.LoweredFunc("f", args, Block(stmts))})


def text(*stmts: tir.Stmt) -> str:
    out = get_pass("CommonSubexprElimTIR")(function(*stmts))
    assert get_pass("CommonSubexprElimTIR")(out) is out
    return "\n".join(line[2:] for line in str(out["f"]).splitlines()[2:-1])


def same(*stmts: tir.Stmt) -> bool:
    mod = function(*stmts)
    return get_pass("CommonSubexprElimTIR")(mod) is mod


def test_index_and_product_are_computed_once():
    out = text(put(A[n * 4] * m, n * 4), put(A[n * 4] * m, 1))
    assert out == ("int32 cse = (n * 4)\nint32 cse_0 = (A[cse] * m)\nC[cse] = cse_0\nC[1] = cse_0")


def test_part_that_occurs_only_in_what_is_declared_is_not_declared():
    assert text(put((n + 1) * m), put((n + 1) * m, 1)) == (
        "int32 cse = ((n + 1) * m)\nC[0] = cse\nC[1] = cse"
    )


def test_program_without_repetition_is_left_alone():
    assert same(put(n + 1), put(n + 2, 1), put(n, 2), put(const(3), 3))


def test_expression_of_one_statement_is_computed_once():
    assert text(put((n + 1) * (n + 1))) == "int32 cse = (n + 1)\nC[0] = (cse * cse)"


def test_load_is_not_reused_after_a_store_to_the_buffer():
    assert same(put(A[0]), put(n, 0, A), put(A[0], 1))


def test_load_is_not_reused_after_a_store_through_another_view():
    stored = Store(VIEW, n, (const(0), const(1)))
    assert same(put(A[0]), stored, put(A[0], 1))


def test_load_is_reused_after_a_store_to_another_buffer():
    assert text(put(A[0]), put(n, 0, B), put(A[0], 1)) == (
        "int32 cse = A[0]\nC[0] = cse\nB[0] = n\nC[1] = cse"
    )


def test_statement_reads_before_it_writes():
    assert text(put(A[0] * A[0], 0, A)) == "int32 cse = A[0]\nA[0] = (cse * cse)"


def test_load_is_not_reused_after_a_call_that_may_do_anything():
    assert same(put(A[0]), tir.Call("void", "launch", ()), put(A[0], 1))


def test_load_is_not_reused_after_a_call_that_writes_the_buffer():
    assert same(put(A[0]), tir.Call("void", "fill", (), (A.buffer,)), put(A[0], 1))


def test_load_is_not_reused_in_a_loop_that_writes_later():
    assert same(put(A[0]), loop(put(A[0], i), put(i, 0, A)))


def test_load_is_reused_in_a_loop_that_writes_elsewhere():
    assert text(put(A[0]), loop(put(A[0], i))).count("A[0]") == 1


def test_load_is_not_reused_after_a_branch_that_may_write():
    assert same(put(A[0]), IfThenElse(n < 3, Block((put(n, 0, A),))), put(A[0], 1))


def test_load_is_not_reused_after_memory_was_freed():
    alloc = tir.Alloc(A.buffer)
    assert same(put(A[0]), tir.Free(A.buffer), alloc, put(A[0], 1))


def test_assigned_variable_is_read_anew():
    v = Var("v")
    assert same(Let(v, n), put(v * m), Store(v, m), put(v * m, 1))


def test_variable_of_a_loop_has_another_value_in_each():
    assert same(loop(put(i * m, i)), loop(put(i * m, i, B)))


def test_variable_that_is_bound_again_within_is_another():
    inner = For(i, const(0), const(2), Block((put(i * m, i),)))
    assert same(loop(put(i * m, i, B), inner))


def test_nothing_leaves_a_branch():
    branch = IfThenElse(n < 3, Block((put(A[n]),)), Block((put(A[n], 1),)))
    assert same(branch, put(A[n], 2))


def test_nothing_leaves_a_loop():
    assert same(loop(put(m / n, i)), put(m / n, 0, B))


def test_what_a_branch_asks_is_known_in_its_arms():
    out = text(IfThenElse(n * 4 < 3, Block((put(n * 4),)), Block((put(n * 4, 1),))))
    assert out.startswith("int32 cse = (n * 4)\nif ((cse < 3)) {")
    assert out.count("n * 4") == 1


def test_bounds_of_loops_stay():
    assert same(
        For(i, n * 4, n * 4, Block((put(i, i),))), For(j, n * 4, n * 4, Block((put(j, j),)))
    )


def test_values_of_variables_of_schedule_blocks_stay():
    v = Var("v")
    block = tir.ScheduleBlock((v,), (), (), "C", put(v, v))
    assert same(loop(put(i * 2, 0, B), tir.ScheduleBlockRealize((i * 2,), block)))


def test_bodies_of_reductions_stay():
    axis = Var("r", lower_bound=const(0), upper_bound=const(4), is_reduce_axis=True)
    value = tir.Reduce(tir.ReduceType.SUM, const(0), A[axis] * A[axis], (axis,))
    assert same(put(value))


def test_calls_of_functions_without_effect_are_made_once():
    held = tir.Tensor("F", (const(4),), "float32", tir.Buffer("_F", (const(4),), "float32"))
    out = text(*[Store(held, tir.math.exp(x), (const(at),)) for at in range(2)])
    assert out.count("exp(x)") == 1


def test_calls_that_may_do_anything_are_all_made():
    f = tir.Call("int32", "f", ())
    assert same(put(f + f), put(f, 1))


def test_vectors_stay_but_not_what_they_are_made_of():
    first, again = (tir.Ramp(n * 4, const(1), 4) for _ in range(2))
    out = text(Store(C, tir.Load(A, (first,)), (again,)))
    assert out == "int32 cse = (n * 4)\nC[Ramp(cse,1,4)] = A[Ramp(cse,1,4)]"


def test_expression_that_doubles_itself_is_declared_step_by_step():
    value: tir.Expr = n
    for _ in range(60):
        value = value * value
    assert text(put(value)).count("int32 cse") == 59


def test_statement_in_several_places_stays():
    shared = put(A[0])
    assert same(Block((shared,)), Block((shared,)), Block((shared, shared)))


def test_declaration_stands_where_its_variables_are_known():
    v = Var("v")
    out = text(Let(v, n), put(v * m), put(v * m, 1))
    assert out == "int32 v = n\nint32 cse = (v * m)\nC[0] = cse\nC[1] = cse"
