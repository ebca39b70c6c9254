"""Tensors become loops with schedule blocks, as CINN's do, and compute what they say."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.errors import LoweringError
from relayish.tir.interpreter import run
from relayish.tir.text import astext
from tests.support.text_cases import CASES, read_cases
from tests.support.tir_deep import LEVELS

LOWERED = read_cases(CASES / "loops" / "lowered.txt")


def text(func):
    return astext(func, details=False).rstrip()


def values(*shape, dtype="float32"):
    count = int(np.prod(shape))
    return (np.arange(count) % 7 - 2).reshape(shape).astype(dtype)


def matmul(rows=32, inner=32, columns=32, name="reduce_axis_k"):
    A, B = tir.placeholder("A", (rows, inner)), tir.placeholder("B", (inner, columns))
    k = tir.reduce_axis(name, inner)
    C = tir.compute((rows, columns), lambda i, j: tir.reduce_sum(A[i, k] * B[k, j], [k]), "C")
    return A, B, C


# Texts of CINN


def test_sum_with_a_constant_is_as_in_cinn():
    A = tir.placeholder("A", (32, 32))
    B = tir.compute((32, 32), lambda i, j: A[i, j] + 2.0, "B")
    assert text(tir.lower("add_const", [A, B])) == LOWERED["sum with a constant"][0]


def test_matrix_product_is_as_in_cinn():
    assert text(tir.lower("matmul", matmul())) == LOWERED["matrix product"][0]


def test_several_tensors_are_computed_one_after_the_other():
    A = tir.placeholder("A", (4,))
    B = tir.compute((4,), lambda i: A[i] * 2, "B")
    C = tir.compute((4,), lambda i: B[i] + 1, "C")
    assert text(tir.lower("f", [A, C])) == LOWERED["several tensors"][0]


def test_inline_tensors_are_computed_where_they_are_used():
    A = tir.placeholder("A", (8, 8, 8))
    B = tir.compute((8, 8, 8), lambda i, j, k: 1 + A[i, j, k], "B", inline=True)
    C = tir.compute((8, 8, 8), lambda i, j, k: 2 * B[j, i, k], "C")
    shown = text(tir.lower("f", [A, C]))
    assert "C[i0, i1, i2] = (2.00000000f * (1.00000000f + A[i1, i0, i2]))" in shown
    assert "ScheduleBlock(B)" not in shown


# What is in the function


def test_buffer_of_the_first_value_is_that_of_the_tensor():
    func = tir.lower("matmul", matmul())
    tensors = tir.collect_tensor_map(func)
    assert tensors["C__reduce_init"].buffer is tensors["C"].buffer


def test_axes_of_reductions_are_marked():
    func = tir.lower("matmul", matmul())
    blocks = tir.collect_ir_nodes(func, lambda node: isinstance(node, tir.ScheduleBlock))
    marked = {block.name: [v.is_reduce_axis for v in block.iter_vars] for block in blocks}
    assert marked == {"root": [], "C__reduce_init": [False, False], "C": [False, False, True]}


def test_variables_of_blocks_know_their_bounds():
    func = tir.lower("matmul", matmul(4, 5, 6))
    (block,) = tir.collect_ir_nodes(
        func, lambda node: isinstance(node, tir.ScheduleBlock) and node.name == "C"
    )
    assert [var.upper_bound.value for var in block.iter_vars] == [4, 6, 5]
    assert [var.lower_bound.value for var in block.iter_vars] == [0, 0, 0]


def test_arguments_are_scalars_then_buffers_each_once():
    n, m = tir.var("n"), tir.var("m")
    A = tir.placeholder("A", (n,))
    view = A.with_fields(name="A_view")
    B = tir.compute((n,), lambda i: A[i] + view[i], "B")
    func = tir.lower("f", [A, view, B], [n, m])
    assert func.args == (n, m, A.buffer, B.buffer)
    assert [io.value for io in func.args_io] == ["input", "input", "input", "output"]


def test_what_is_not_given_is_temporary():
    A, B, C = matmul(4, 4, 4)
    D = tir.compute((4, 4), lambda i, j: tir.maximum(C[i, j], 0), "D")
    assert tir.lower("f", [A, B, D]).temp_bufs == (C.buffer,)
    assert tir.lower("f", [A, B, C, D]).temp_bufs == ()


def test_tensors_of_a_function_say_nothing_of_operations():
    func = tir.lower("matmul", matmul())
    tensors = tir.collect_tensor_map(func).values()
    assert all(tensor.operation is None for tensor in tensors)


def test_loops_of_a_call_are_none():
    A = tir.placeholder("A", (16,))
    B, C = tir.call_lowered(
        "split", [A], [tir.ReturnType("float32", (8,), "B"), tir.ReturnType("float32", (8,), "C")]
    )
    D = tir.compute((8,), lambda i: B[i] + C[i], "D")
    func = tir.lower("f", [A, D])
    (call,) = tir.collect_ir_nodes(func, lambda node: isinstance(node, tir.Call))
    assert (call.name, call.call_type) == ("split", tir.CallType.CINN)
    assert [tensor.name for tensor in call.write_args] == ["B", "C"]
    assert func.temp_bufs == (B.buffer, C.buffer)


# Values


@pytest.mark.parametrize("mode", ["plain", "vectorised"])
def test_matrix_product_runs(mode):
    func = tir.lower("matmul", matmul(5, 6, 7))
    left, right, out = values(5, 6), values(6, 7), np.full((5, 7), 9, "float32")
    run(func, left, right, out, mode=mode)
    assert np.array_equal(out, left @ right)


@pytest.mark.parametrize(
    ("kind", "dtype", "expected"),
    [
        (tir.ReduceType.SUM, "int32", lambda a: a.sum(1)),
        (tir.ReduceType.MUL, "int64", lambda a: a.prod(1)),
        (tir.ReduceType.MAX, "float32", lambda a: a.max(1)),
        (tir.ReduceType.MIN, "int8", lambda a: a.min(1)),
        (tir.ReduceType.ALL, "bool", lambda a: a.all(1)),
        (tir.ReduceType.ANY, "bool", lambda a: a.any(1)),
    ],
)
def test_reduction_begins_with_what_changes_nothing(kind, dtype, expected):
    A = tir.placeholder("A", (3, 5), dtype)
    k = tir.reduce_axis("k", 5)
    B = tir.compute((3,), lambda i: tir.make_reduce(kind, A[i, k], [k]), "B")
    given, out = values(3, 5, dtype=dtype), np.zeros(3, dtype)
    run(tir.lower("f", [A, B]), given, out)
    assert np.array_equal(out, expected(given).astype(dtype))


@pytest.mark.parametrize(
    ("reduce", "expected"),
    [
        (tir.reduce_sub, lambda a: np.float32(100) - a.sum(1)),
        (tir.reduce_div, lambda a: np.float32(100) / a.prod(1)),
        (tir.reduce_max, lambda a: np.maximum(a.max(1), 100)),
        (tir.reduce_sum, lambda a: a.sum(1) + np.float32(100)),
    ],
)
def test_reduction_begins_with_what_it_is_given(reduce, expected):
    A = tir.placeholder("A", (3, 2))
    k = tir.reduce_axis("k", 2)
    B = tir.compute((3,), lambda i: reduce(A[i, k], [k], 100), "B")
    given, out = np.array([[1, 2], [4, 8], [16, 2]], "float32"), np.zeros(3, "float32")
    run(tir.lower("f", [A, B]), given, out)
    assert np.array_equal(out, expected(given))


def test_axis_that_begins_elsewhere_is_a_loop_from_there():
    A = tir.placeholder("A", (8,))
    k = tir.reduce_axis("k", 6, 2)
    B = tir.compute((1,), lambda i: tir.reduce_sum(A[k + i], [k]), "B")
    func = tir.lower("f", [A, B])
    assert "serial for (k, 2, 4)" in text(func)
    out = np.zeros(1, "float32")
    run(func, values(8), out)
    assert out[0] == values(8)[2:6].sum()


def test_bound_of_an_axis_may_depend_on_where_the_element_is():
    A = tir.placeholder("A", (5, 5))
    i = tir.var("row")
    k = tir.reduce_axis("k", i + 1)
    operation = tir.ComputeOp((i,), (5,), (tir.reduce_sum(A[i, k], [k]),), (k,), name="B")
    B = tir.Tensor("B", (5,), "float32", tir.Buffer("_B", (5,)), operation)
    out = np.zeros(5, "float32")
    run(tir.lower("f", [A, B]), values(5, 5), out)
    assert np.array_equal(out, np.tril(values(5, 5)).sum(1))


def test_reduction_of_a_reduction_runs():
    A = tir.placeholder("A", (3, 4, 5))
    k, m = tir.reduce_axis("k", 4), tir.reduce_axis("m", 5)
    inner = tir.compute((3, 4), lambda i, j: tir.reduce_max(A[i, j, m], [m]), "I", inline=True)
    B = tir.compute((3,), lambda i: tir.reduce_sum(inner[i, k], [k]), "B")
    out = np.zeros(3, "float32")
    run(tir.lower("f", [A, B]), values(3, 4, 5), out)
    assert np.array_equal(out, values(3, 4, 5).max(2).sum(1))


def test_inline_tensor_that_is_used_twice_binds_axes_of_its_own():
    A = tir.placeholder("A", (4, 4))
    k = tir.reduce_axis("k", 4)
    total = tir.compute((4,), lambda i: tir.reduce_sum(A[i, k], [k]), "T", inline=True)
    B = tir.compute((4,), lambda i: total[i] + total[3 - i], "B")
    out, given = np.zeros(4, "float32"), values(4, 4)
    run(tir.lower("f", [A, B]), given, out)
    assert np.array_equal(out, given.sum(1) + given.sum(1)[::-1])


def test_sizes_may_be_scalars():
    n = tir.var("n")
    A = tir.placeholder("A", (n,))
    B = tir.compute((n,), lambda i: A[i] * 3, "B")
    out = np.zeros(6, "float32")
    run(tir.lower("f", [A, B], [n]), 6, values(6), out)
    assert np.array_equal(out, values(6) * 3)


def test_tensor_without_dimensions_is_one_element():
    A = tir.placeholder("A", (5,))
    k = tir.reduce_axis("k", 5)
    B = tir.compute((), lambda: tir.reduce_sum(A[k], [k]), "B")
    out = np.zeros((), "float32")
    run(tir.lower("f", [A, B]), values(5), out)
    assert out == values(5).sum()


# Errors


def test_input_that_is_not_given_is_named():
    A, _, C = matmul()
    with pytest.raises(LoweringError, match="function 'f' needs _B, which nothing computes"):
        tir.lower("f", [A, C])


def test_scalar_that_is_not_given_is_named():
    n = tir.var("n")
    A = tir.placeholder("A", (n,))
    with pytest.raises(LoweringError, match=r"needs variable n, .*give it among the scalars"):
        tir.lower("f", [A, tir.compute((n,), lambda i: A[i], "B")])


def test_two_tensors_of_one_name_are_refused():
    A, B, C = matmul(4, 4, 4)
    D = tir.compute((4, 4), lambda i, j: C[i, j], "C")
    with pytest.raises(LoweringError, match="two tensors of function 'f' are called 'C'"):
        tir.lower("f", [A, B, D])


def test_function_that_computes_nothing_is_refused():
    with pytest.raises(LoweringError, match="function 'f' computes nothing"):
        tir.lower("f", [tir.placeholder("A", (4,))])


def test_inline_tensor_is_no_argument():
    A = tir.placeholder("A", (4,))
    B = tir.compute((4,), lambda i: A[i], "B", inline=True)
    C = tir.compute((4,), lambda i: B[i], "C")
    with pytest.raises(LoweringError, match="tensor B is inline, so it cannot be an argument"):
        tir.lower("f", [A, B, C])


def test_inline_tensor_of_another_operation_is_refused():
    B = tir.Tensor("B", (4,), operation=tir.BufferShareOp())
    C = tir.compute((4,), lambda i: B[i], "C")
    with pytest.raises(LoweringError, match="tensor B has neither a buffer nor an operation"):
        tir.lower("f", [C])


def test_operation_of_several_bodies_is_refused():
    i = tir.var("i")
    operation = tir.ComputeOp((i,), (4,), (tir.const(1.0), tir.const(2.0)))
    B = tir.Tensor("B", (4,), "float32", tir.Buffer("_B", (4,)), operation)
    with pytest.raises(LoweringError, match="tensor B has 2 bodies"):
        tir.lower("f", [B])


def test_wrong_number_of_indices_of_an_inline_tensor_is_refused():
    A = tir.placeholder("A", (4,))
    B = tir.compute((4,), lambda i: A[i], "B", inline=True)
    C = tir.compute((4,), lambda i: B[i, i], "C")
    with pytest.raises(LoweringError, match="tensor B has 1 dimensions, but 2 indices are given"):
        tir.lower("f", [A, C])


# Depth


@pytest.mark.deep
@pytest.mark.parametrize("inline", [False, True])
def test_long_chain_of_tensors_is_lowered(inline):
    count = LEVELS
    first = tensor = tir.placeholder("A", (2,))
    for level in range(count):
        before = tensor
        tensor = tir.compute((2,), lambda i, t=before: t[i] + 1, f"T{level}", inline=inline)
    last = tir.compute((2,), lambda i: tensor[i] * 2, "out")
    func = tir.lower("f", [first, last])
    out = np.zeros(2, "float32")
    run(func, np.zeros(2, "float32"), out)
    assert np.array_equal(out, np.full(2, 2 * count, "float32"))
