"""Products of the same batch with several batches of matrices are computed by one."""

from __future__ import annotations

import pytest

from relayish.analysis.infer_type import infer_type
from relayish.ir.relay.expr import Tuple
from relayish.op import nn
from relayish.passes.relay.combine_parallel.combine_parallel_batch_matmul import (
    combine_parallel_batch_matmul,
)
from relayish.transform import CombineParallelBatchMatmul
from tests.support.deep import let_body
from tests.support.depth import DEPTH
from tests.support.parallel import calls, combined, numbers, program, tensor

PASS = CombineParallelBatchMatmul(min_num_branches=2)
x = tensor("x", (2, 3, 4))
w1, w2 = tensor("w1", (2, 5, 4)), tensor("w2", (2, 7, 4))
one, two = nn.batch_matmul(x, w1), nn.batch_matmul(x, w2)


def test_bias_of_each_column_is_combined_as_well():
    body = Tuple([nn.relu(one + numbers(5)), nn.relu(two + numbers(7))])
    out = combined(PASS, body, x, w1, w2)
    assert len(calls(out, "add")) == len(calls(out, "nn.relu")) == 1
    assert [call.attrs.axis for call in calls(out, "concatenate")] == [1, -1]


def test_one_number_for_all_columns_follows_the_slices():
    body = Tuple([one + numbers(1), two + numbers(1)])
    assert len(calls(combined(PASS, body, x, w1, w2), "add")) == 2


@pytest.mark.deep
def test_many_levels_are_walked():
    pair = infer_type(program(Tuple([one, two]), x, w1, w2))["main"].body
    deep = let_body(min(DEPTH, 20_000), pair)
    assert combine_parallel_batch_matmul(deep, min_num_branches=2) is not deep
    assert combine_parallel_batch_matmul(deep) is deep
