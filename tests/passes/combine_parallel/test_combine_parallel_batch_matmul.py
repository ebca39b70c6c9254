"""Products of the same batch with several batches of matrices are computed by one."""

from __future__ import annotations

import pytest

from relayish import op
from relayish.analysis.infer_type import infer_type
from relayish.ir.relay.expr import Tuple
from relayish.op import nn
from relayish.passes.combine_parallel.combine_parallel_batch_matmul import (
    combine_parallel_batch_matmul,
)
from relayish.transform import CombineParallelBatchMatmul
from tests.support.deep import let_body
from tests.support.depth import DEPTH
from tests.support.parallel import calls, combined, numbers, program, tensor, unchanged

PASS = CombineParallelBatchMatmul(min_num_branches=2)
x = tensor("x", (2, 3, 4))
w1, w2 = tensor("w1", (2, 5, 4)), tensor("w2", (2, 7, 4))
one, two = nn.batch_matmul(x, w1), nn.batch_matmul(x, w2)


def test_matrices_are_concatenated_and_results_cut_out():
    out = combined(PASS, Tuple([one, two]), x, w1, w2)
    slices = calls(out, "strided_slice")
    assert [(call.attrs.begin, call.attrs.end) for call in slices] == [
        ((0, 0, 0), (-1, -1, 5)),
        ((0, 0, 5), (-1, -1, 7)),
    ]


def test_three_are_needed_unless_fewer_are_said_to_be_enough():
    unchanged(CombineParallelBatchMatmul(), Tuple([one, two]), x, w1, w2)
    body = Tuple([one, two, nn.batch_matmul(x, w1)])
    combined(CombineParallelBatchMatmul(), body, x, w1, w2)


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_either_side_may_be_transposed(transpose_a, transpose_b):
    attrs = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    inner = 3 if transpose_a else 4
    shapes = [(2, n, inner) if transpose_b else (2, inner, n) for n in (5, 6)]
    v1, v2 = tensor("v1", shapes[0]), tensor("v2", shapes[1])
    body = Tuple([nn.batch_matmul(x, v1, **attrs), nn.batch_matmul(x, v2, **attrs)])
    combined(PASS, body, x, v1, v2)


def test_other_attributes_and_batches_are_other_groups():
    square = tensor("v", (2, 4, 4))
    plain = nn.batch_matmul(x, square, transpose_b=False)
    unchanged(PASS, Tuple([plain, nn.batch_matmul(x, square)]), x, square)
    data, thin, whole = tensor("x", (2, 3, 4)), tensor("v", (1, 5, 4)), tensor("w", (2, 5, 4))
    body = Tuple([nn.batch_matmul(data, thin), nn.batch_matmul(data, whole)])
    unchanged(PASS, body, data, thin, whole)


def test_a_batch_of_one_is_broadcast_as_before():
    thin = tensor("v", (1, 5, 4)), tensor("w", (1, 2, 4))
    combined(PASS, Tuple([nn.batch_matmul(x, v) for v in thin]), x, *thin)


def test_bias_of_each_column_is_combined_as_well():
    body = Tuple([nn.relu(one + numbers(5)), nn.relu(two + numbers(7))])
    out = combined(PASS, body, x, w1, w2)
    assert len(calls(out, "add")) == len(calls(out, "nn.relu")) == 1
    assert [call.attrs.axis for call in calls(out, "concatenate")] == [1, -1]


def test_one_number_for_all_columns_follows_the_slices():
    body = Tuple([one + numbers(1), two + numbers(1)])
    assert len(calls(combined(PASS, body, x, w1, w2), "add")) == 2


def test_a_matrix_that_depends_on_the_other_result_is_not_waited_for():
    unchanged(PASS, Tuple([one, nn.batch_matmul(x, w2 * op.mean(one))]), x, w1, w2)


@pytest.mark.deep
def test_many_levels_are_walked():
    pair = infer_type(program(Tuple([one, two]), x, w1, w2))["main"].body
    deep = let_body(min(DEPTH, 20_000), pair)
    assert combine_parallel_batch_matmul(deep, min_num_branches=2) is not deep
    assert combine_parallel_batch_matmul(deep) is deep
