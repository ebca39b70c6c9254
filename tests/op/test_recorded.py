"""Evaluations recorded of TVM, computed again."""

from __future__ import annotations

import base64
import gzip
import io
import json

import numpy as np

from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Op, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType
from relayish.text import parse
from tests.support.checking import evaluated, reference
from tests.support.shared_data import shared_path

# TVM counts the elements of these after cutting start, end and step down to whole numbers, as they
# are known only when the program runs: (9 - 2) / 1 of them, up to 13.3, for 2.5 up to 9.5 in steps
# of 1.8. Where they are constant it counts (9.5 - 2.5) / 1.8, rounded up, as is done here always:
# what an operator means does not depend on when its arguments are known.
COUNTED_WITHOUT_FRACTION = {84, 85, 86, 87, 88, 89, 90}

NAMES = """
add annotation.checkpoint arange argmax argmin broadcast_to cast cast_like clip collapse_sum_like
collapse_sum_to concatenate copy cumprod divide dyn.broadcast_to dyn.ones dyn.reshape
dyn.sparse_to_dense dyn.tile dyn.zeros equal exp expand_dims fixed_point_multiply full_like
gather_nd image.grid_sample matrix_set_diag max mean multiply negative nn.batch_flatten
nn.batch_norm nn.bias_add nn.conv1d_transpose nn.conv2d nn.conv2d_transpose nn.l2_normalize
nn.leaky_relu nn.log_softmax nn.matmul nn.max_pool1d nn.max_pool2d nn.space_to_depth not_equal
one_hot ones_like random.threefry_generate random.threefry_split reshape reshape_like reverse
scatter_elements shape_of sparse_to_dense sqrt squeeze strided_set strided_slice subtract sum take
tile transpose trilu unravel_index variance vision.yolo_reorg zeros_like
"""
RECORDED = NAMES.split()
"""The operators that the recorded programs call."""


def value(stored):
    if "t" in stored:
        return tuple(value(item) for item in stored["t"])
    return np.load(io.BytesIO(base64.b64decode(stored["a"])))


def passed(stored, param):
    """Return an argument in the type of its parameter, as TVM's executor passes it."""
    given = value(stored)
    if isinstance(param.type_annotation, TensorType):
        return given.astype(param.type_annotation.dtype)
    return given


def agrees(found, expected):
    if isinstance(expected, tuple):
        pairs = zip(found, expected, strict=True)
        return isinstance(found, tuple) and all(agrees(*pair) for pair in pairs)
    if (found.dtype, found.shape) != (expected.dtype, expected.shape):
        return False
    if expected.dtype.kind in "iub":
        return np.array_equal(found, expected)
    return np.allclose(found, expected, rtol=1e-4, atol=1e-5, equal_nan=True)


@reference("TVM", *RECORDED)
def test_recorded_evaluations_give_the_same_values():
    same, differing, called = 0, set(), set()
    with gzip.open(shared_path("corpus/evals.jsonl.gz"), "rt") as lines:
        for number, line in enumerate(lines):
            case = json.loads(line)
            mod = parse(case["mod"])
            func = mod[case["entry"]]
            called |= {node.name for node in EXPRESSIONS.pre_order(func) if isinstance(node, Op)}
            stored = dict(zip((p.name_hint for p in func.params), case["args"], strict=False))
            stored |= case["kwargs"]
            args = [passed(stored[p.name_hint], p) for p in func.params]
            if agrees(evaluate(func, mod, args), value(case["out"])):
                same += 1
            else:
                differing.add(number)
    assert differing == COUNTED_WITHOUT_FRACTION
    assert same > 200
    assert called == set(RECORDED)


def test_arange_stops_before_its_end_whatever_the_step():
    start, stop, step = (np.float64(n) for n in (2.5, 9.5, 1.8))
    x = Var("x")
    found = evaluated("arange", start, stop, step, start=x, stop=x, step=x, dtype="float64")
    assert np.allclose(found, [2.5, 4.3, 6.1, 7.9])
