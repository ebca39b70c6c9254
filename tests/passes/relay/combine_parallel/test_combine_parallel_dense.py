"""Products of the same data with several matrices are computed by one."""

from __future__ import annotations

import pytest

from relayish import op
from relayish.analysis.infer_type import infer_type
from relayish.ir.relay.expr import Tuple
from relayish.op import nn
from relayish.passes.relay.combine_parallel.combine_parallel_dense import combine_parallel_dense
from relayish.transform import CombineParallelDense
from tests.support.deep import let_body
from tests.support.depth import DEPTH
from tests.support.parallel import calls, combined, numbers, program, tensor, unchanged

BATCH = CombineParallelDense(min_num_branches=2)
FLAT = CombineParallelDense(min_num_branches=2, to_batch=False)
BOTH = pytest.mark.parametrize("pass_", [BATCH, FLAT], ids=["batch", "flat"])
x = tensor("x", (3, 4))
w1, w2, wide = tensor("w1", (5, 4)), tensor("w2", (5, 4)), tensor("w3", (7, 4))
one, two, three = (nn.dense(x, w) for w in (w1, w2, wide))


@BOTH
@pytest.mark.parametrize(
    "follow",
    [
        lambda e: e + numbers(5),
        lambda e: e * numbers(1),
        lambda e: e * numbers(),
        lambda e: numbers(5) - e,
        lambda e: e + numbers(1, 5),
        lambda e: nn.relu(op.clip(e, -1.0, 1.0)),
        lambda e: op.cast(e, "float64"),
    ],
)
def test_what_follows_is_combined(pass_, follow):
    out = combined(pass_, Tuple([follow(one), follow(two)]), x, w1, w2, count=int(pass_ is FLAT))
    for name in ("add", "multiply", "subtract", "nn.relu", "clip", "cast"):
        assert len(calls(out, name)) <= 1


@BOTH
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (lambda e: e + numbers(5), lambda e: e + numbers(1, 5)),
        (lambda e: e + numbers(2, 3, 5), lambda e: e + numbers(3, 3, 5)),
        (lambda e: op.expand_dims(e, 0), lambda e: op.expand_dims(e, 0)),
        (lambda e: nn.bias_add(e, numbers(3), 0), lambda e: nn.bias_add(e, numbers(3), 0)),
        (lambda e: op.repeat(e, 2, 0), lambda e: op.repeat(e, 2, 0)),
        (lambda e: op.tile(e, (1, 2)), lambda e: op.tile(e, (1, 2))),
    ],
    ids=["other ranks", "other sizes", "axis in front", "bias of rows", "repeat", "tile"],
)
def test_what_does_not_fit_follows_the_parts(pass_, first, second):
    out = combined(pass_, Tuple([first(one), second(two)]), x, w1, w2, count=int(pass_ is FLAT))
    name = "split" if pass_ is BATCH else "strided_slice"
    root = calls(out, "nn.batch_matmul" if pass_ is BATCH else "nn.dense")[0]
    assert all(call.args[0] is root for call in calls(out, name))


def test_addends_of_more_axes_than_the_product_are_combined():
    body = Tuple([nn.relu(e + numbers(2, 1, n)) * numbers(n) for e, n in ((one, 5), (three, 7))])
    out = combined(FLAT, body, x, w1, wide)
    assert [len(calls(out, name)) for name in ("add", "nn.relu", "multiply")] == [1, 1, 1]
    ends = [call.attrs.end for call in calls(out, "strided_slice")]
    assert ends == [(-1, -1, 5), (-1, -1, 7)]


def test_addends_of_more_axes_follow_the_parts_of_a_batch():
    body = Tuple([one + numbers(2, 1, 5), two + numbers(2, 1, 5)])
    assert len(calls(combined(BATCH, body, x, w1, w2, count=0), "add")) == 2


@pytest.mark.parametrize("axis", [1, -1])
def test_biases_of_columns_are_concatenated(axis):
    body = Tuple([nn.bias_add(e, numbers(n), axis) for e, n in ((one, 5), (three, 7))])
    out = combined(FLAT, body, x, w1, wide)
    (bias,) = calls(out, "nn.bias_add")
    assert bias.args[0] is calls(out, "nn.dense")[0]


def test_biases_of_columns_follow_the_parts_of_a_batch():
    body = Tuple([nn.bias_add(one, numbers(5)), nn.bias_add(two, numbers(5))])
    assert len(calls(combined(BATCH, body, x, w1, w2, count=0), "nn.bias_add")) == 2


def test_one_number_is_repeated_for_each_row():
    body = Tuple([one * numbers(1) + numbers(), three * numbers(1) + numbers()])
    out = combined(FLAT, body, x, w1, wide)
    assert [call.attrs.repeats for call in calls(out, "repeat")] == [5, 7, 5, 7]


def test_a_row_of_one_that_grows_is_not_combined():
    thin = tensor("w", (1, 4)), tensor("v", (1, 4))
    body = Tuple([nn.dense(x, w) + numbers(6) for w in thin])
    assert len(calls(combined(FLAT, body, x, *thin), "add")) == 2


def test_data_of_higher_rank_is_combined_along_its_last_axis():
    data = tensor("x", (2, 3, 4))
    body = Tuple([nn.dense(data, w1) + numbers(5), nn.dense(data, wide) + numbers(7)])
    out = combined(FLAT, body, data, w1, wide)
    assert len(calls(out, "add")) == 1
    unchanged(BATCH, Tuple([nn.dense(data, w1), nn.dense(data, w2)]), data, w1, w2)


@pytest.mark.deep
@BOTH
def test_many_levels_are_walked(pass_):
    pair = infer_type(program(Tuple([one, two]), x, w1, w2))["main"].body
    deep = let_body(min(DEPTH, 20_000), pair)
    assert combine_parallel_dense(deep, min_num_branches=2, to_batch=pass_.to_batch) is not deep
    assert combine_parallel_dense(deep, min_num_branches=3, to_batch=pass_.to_batch) is deep
