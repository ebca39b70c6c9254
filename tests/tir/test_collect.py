"""Collectors find what CINN's say they find, and substitutions replace it."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import DuplicateNameError, PassError
from relayish.ir.equality.structural_equal import structural_equal
from tests.support import tir_deep
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func

I, J, N = tir.Var("i"), tir.Var("j"), tir.Var("n")  # noqa: E741
A, B, C = [tir.placeholder(name, (16,)) for name in "ABC"]
COPY = tir.for_(I, 16, tir.store(B, A[I] + 1, I))


def is_a(kind):
    return lambda node: isinstance(node, kind)


# Collectors


def test_nodes_are_found_in_order_of_the_tree_and_once():
    root = tir.Block((COPY, tir.store(C, A[I] * B[J], J)))
    assert [v.name for v in tir.collect_ir_nodes(root, is_a(tir.Var))] == ["i", "j"]
    kinds = [type(node) for node in tir.collect_ir_nodes(COPY, is_a((tir.Stmt, tir.Add)))]
    assert kinds == [tir.For, tir.Block, tir.Store, tir.Add]


def test_one_node_is_enough_where_that_is_asked():
    asked = []

    def teller(node):
        asked.append(node)
        return isinstance(node, tir.For)

    assert tir.collect_ir_nodes(tir.Block((COPY, COPY)), teller, uniq_target=True) == (COPY,)
    assert len(asked) == 2


def test_nodes_below_a_node_stand_before_it_in_order():
    root = (A[I] + 1) * 2
    assert tir.collect_ir_nodes_in_order(root, is_a(tir.BinaryOpNode)) == (root.a, root)


def test_nodes_that_tensors_are_made_of_are_left_out_where_that_is_asked():
    tensor = tir.compute((N,), lambda i: A[i] * 2, "T")
    load = tensor[J]
    assert set(tir.collect_ir_nodes(load, is_a(tir.Var))) == {J, N, *tensor.axis}
    assert tir.collect_ir_nodes_without_tensor(load, is_a(tir.Var)) == (J,)
    assert tir.collect_ir_nodes_without_tensor(load, is_a(tir.Tensor)) == (tensor,)
    found = tir.collect_ir_nodes_without_tensor(load, is_a(tir.Var), uniq_target=True)
    assert found == (J,)


def test_loaded_and_stored_tensors_are_told_apart():
    assert tir.collect_load_tensors(COPY) == (A,)
    assert tir.collect_store_tensors(COPY) == (B,)


def test_referenced_tensors_are_loaded_or_stored():
    """As CINN's are not: it takes loads twice, and leaves out what is only written."""
    assert set(tir.collect_referenced_tensors(COPY)) == {A, B}
    assert tir.collect_referenced_tensors(tir.store(C, 0, 0)) == (C,)


def test_arguments_of_calls_are_read_and_written():
    call = tir.Call("void", "f", (A, B[I]), (C,), tir.CallType.CINN)
    assert set(tir.collect_load_tensors(call)) == {A, B}
    assert tir.collect_store_tensors(call) == (C,)


def test_tensors_among_arguments_of_coarse_operators_are_read():
    assert tir.collect_load_tensors(tir.primitive("p", [[A], [B[I]]])) == (A, B)


def test_tensors_in_indices_are_loaded():
    index = tir.placeholder("index", (16,), "int32")
    assert set(tir.collect_load_tensors(tir.store(B, A[index[I]], index[J]))) == {A, index}


def test_tensor_that_another_one_comes_from_is_not_accessed():
    computed = tir.compute((16,), lambda i: A[i], "T")
    assert tir.collect_referenced_tensors(tir.store(B, computed[I], I)) == (B, computed)


def test_teller_chooses_among_tensors():
    chosen = tir.collect_referenced_tensors(COPY, lambda tensor: tensor.name == "B")
    assert chosen == (B,)
    assert tir.collect_load_tensors(COPY, lambda tensor: tensor.name == "B") == ()


def test_tensors_are_mapped_by_name():
    assert tir.collect_tensor_map(COPY) == {"A": A, "B": B}


def test_equal_tensors_of_one_name_are_one_in_the_map():
    other = tir.Tensor("A", (16,), "float32", A.buffer)
    same = tir.Tensor("A", (16,), "float32", A.buffer)
    assert tir.collect_tensor_map(other[I] + same[I])["A"] in (other, same)


def test_two_tensors_of_one_name_are_an_error():
    other = tir.placeholder("A", (16,))
    with pytest.raises(DuplicateNameError, match="two tensors are called 'A'"):
        tir.collect_tensor_map(A[I] + other[I])


def test_buffers_are_found_in_order():
    assert tir.collect_buffers(COPY) == (B.buffer, A.buffer)


def test_undefined_variables_are_those_that_nothing_binds():
    loop = tir.for_(I, N, tir.store(B, A[I + J], I))
    assert tir.collect_undefined_vars(loop) == (N, B.buffer, A.buffer, J)


def test_variables_of_every_binder_are_defined():
    realize = tir.schedule_block("B", [(I, J)], tir.store(B, A[I], I))
    reduced = tir.reduce_sum(A[N], [N.with_fields(lower_bound=0, upper_bound=4)])
    poly = tir.PolyFor(I, 0, I < 4, 1, tir.Block((tir.store(B, 0, I),)))
    let = tir.Block((tir.Let(I, 1), tir.store(B, 0, I)))
    assert tir.collect_undefined_vars(realize)[:1] == (J,)
    assert N in tir.collect_undefined_vars(reduced)  # the axis is another object
    assert tir.collect_undefined_vars(poly) == (B.buffer,)
    assert tir.collect_undefined_vars(let) == (B.buffer,)


@each("seed", seeds(20))
def test_random_function_defines_all_its_variables(seed):
    assert tir.collect_undefined_vars(random_func(seed)) == ()


# Comparison


def test_programs_are_equal_up_to_their_variables():
    other = tir.for_("j", 16, lambda j: tir.store(B, A[j] + 1, j))
    assert tir.ir_equal(COPY, other)
    assert tir.ir_equal(A[I], A[J])
    assert not tir.ir_equal(A[I] + A[J], A[I] + A[I])


def test_numbers_behind_names_count_unless_it_is_said():
    def program(suffix):
        tensor = tir.placeholder("A" + suffix, (16,))
        block = tir.schedule_block("B" + suffix, [("v", 3)], lambda v: tir.store(tensor, 0, v))
        return tir.LoweredFunc("f" + suffix, (tensor.buffer,), tir.block(block))

    for suffix in ("_0", "_1_2", "_123"):
        assert not tir.ir_equal(program(""), program(suffix))
        assert tir.ir_equal(program(""), program(suffix), allow_name_suffix_diff=True)
    assert not tir.ir_equal(program(""), program("x"), allow_name_suffix_diff=True)
    assert not tir.ir_equal(program("_0x"), program("_0y"), allow_name_suffix_diff=True)


def test_what_is_printed_alike_is_not_equal():
    """As CINN's expressions are, which it compares by their texts."""
    quotients = tir.Div(I, J), tir.FracOp(I, J)
    assert tir.astext(quotients[0], details=False) == tir.astext(quotients[1], details=False)
    assert not tir.ir_equal(*quotients)
    assert quotients[0] != tir.Div(I, J)


# Copies and substitutions


def test_copy_binds_variables_of_its_own_and_is_equal():
    again = tir.ir_copy(COPY)
    assert again.loop_var is not I
    assert structural_equal(again, COPY)


def test_copy_of_an_expression_that_binds_nothing_is_itself():
    expr = A[I] + 1
    assert tir.ir_copy(expr) is expr


def test_copy_of_a_reduction_runs_over_an_axis_of_its_own():
    k = tir.reduce_axis("k", N)
    reduced = tir.reduce_sum(A[k], [k])
    again = tir.ir_copy(reduced)
    assert again.reduce_axis[0] is not k
    assert again.body.indices == again.reduce_axis
    assert structural_equal(again, reduced)


def test_nodes_that_are_equal_are_replaced():
    made = tir.ir_replace(A[I] + (A[I] + 1), A[I], tir.const(3.0))
    assert structural_equal(made, tir.const(3.0) + (tir.const(3.0) + 1))


def test_nothing_is_replaced_where_nothing_is_equal():
    root = A[I] + 1
    assert tir.ir_replace(root, A[J], tir.const(3.0)) is root
    assert tir.ir_replace(root, tir.const(1), tir.const(3)) is root  # a float stands there


def test_replacement_is_not_looked_into():
    made = tir.ir_replace(I + 1, I, I + 1)
    assert structural_equal(made, I + 1 + 1)


def test_variables_become_expressions():
    made = tir.replace_var_with_expr(COPY.body, {I: J * 2})
    assert structural_equal(made, tir.Block((tir.store(B, A[J * 2] + 1, J * 2),)))
    assert tir.replace_var_with_expr(COPY.body, {N: J}) is COPY.body


def test_bounds_of_axes_are_replaced_as_well():
    k = tir.reduce_axis("k", N)
    made = tir.replace_var_with_expr(tir.reduce_sum(A[k], [k]), {N: J * 2})
    assert structural_equal(made.reduce_axis[0].upper_bound, J * 2)
    assert made.body.indices == made.reduce_axis


def test_variables_from_outside_stay_what_they_are():
    k = tir.Var("k", "int32", tir.const(0), N)
    made = tir.replace_var_with_expr(A[k] + A[N], {N: J})
    assert made.a.indices == (k,)


def test_variables_are_replaced_at_once():
    made = tir.replace_var_with_expr(I * 16 + J, {I: J + 1, J: I})
    assert structural_equal(made, (J + 1) * 16 + I)


def test_variable_that_is_captured_is_renamed():
    made = tir.replace_var_with_expr(tir.for_(I, N, tir.store(B, A[I + J], I)), {J: I})
    assert made.loop_var is not I
    assert I in tir.collect_undefined_vars(made)


def test_bounds_of_a_captured_axis_name_another_captured_axis():
    outer = tir.reduce_axis("k", 4)
    inner = tir.reduce_axis("l", outer)
    root = tir.reduce_sum(outer + inner + N, [outer, inner])
    made = tir.replace_var_with_expr(root, {N: inner * outer})
    axes = made.reduce_axis
    assert axes[1].upper_bound is axes[0]
    assert tir.collect_undefined_vars(made) == (inner, outer)
    assert structural_equal(made.body.a, axes[0] + axes[1], map_free_vars=True)


def test_variable_that_is_bound_is_not_replaced():
    with pytest.raises(PassError, match=r"For .* binds it"):
        tir.replace_var_with_expr(COPY, {I: J})


def test_calls_become_what_is_made_of_them_inner_ones_first():
    root = tir.math.exp(tir.math.exp(A[I])) + tir.math.sqrt(B[I])
    made = tir.replace_call_with_expr(root, "exp", lambda call: call.read_args[0] + 1)
    assert structural_equal(made, A[I] + 1 + 1 + tir.math.sqrt(B[I]))


@pytest.mark.deep
@pytest.mark.parametrize("name", tir_deep.DEEP)
def test_deep_program_is_collected_copied_and_replaced(name):
    program = tir_deep.DEEP[name](DEPTH)
    assert len(tir.collect_store_tensors(program)) == 1
    assert structural_equal(tir.ir_copy(program), program)
    assert tir.collect_undefined_vars(program) == ()
    assert tir.ir_replace(program, tir.const(-7), tir.const(0)) is program
