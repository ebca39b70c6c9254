"""What operators say of tensors without elements, and of arguments of the wrong size."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.relay.type import Any, TensorType, TupleType
from relayish.op import get_op, make_attrs
from relayish.op.declaration.properties import rule
from relayish.op.tensor.creation import InitOpAttrs
from tests.support.checking import assert_same, evaluated, random_values


def none(*shape, dtype="float32"):
    return np.zeros(shape, dtype)


TRANSPOSED = {"strides": (3, 2), "output_padding": (2, 1)}
L2, NARROW = {"eps": 1.0, "axis": (1, 3)}, {"eps": float("nan"), "axis": ()}
SPARSE = (np.int32([0, 0]), np.int32([0, 1, 2]))
NO_VALUE = [
    ("image.resize2d", [none(1, 1, 0, 3)], {"size": (2, 2)}, "axis of size 0 has nothing"),
    ("nn.upsampling", [none(1, 1, 0, 3)], {"scale_h": 2.0, "scale_w": 2.0}, None),
    ("nn.mirror_pad", [none(0, 3)], {"pad_width": ((1, 1), (0, 0))}, "axis 0 of size 0"),
    ("image.grid_sample", [none(1, 1, 0, 3), none(1, 2, 2, 2)], {}, "nothing to sample"),
    ("image.dilation2d", [none(1, 1, 3, 3), none(1, 0, 2)], {}, "has no element to add"),
    ("nn.sparse_dense", [none(4, 8), none(2, 2, 0), *SPARSE], {}, "blocks of 2 by 0 elements"),
    ("nn.sparse_transpose", [none(2), SPARSE[0], np.int32([0, 2, 1])], {}, "do not ascend"),
    ("qnn.softmax", [none(2, 3, dtype="int8"), *[np.float32(0), np.int32(0)] * 2], {}, "positive"),
    ("nn.lrn", [none(2, 0, 3, 3)], {}, None),
    ("nn.conv2d_transpose", [none(2, 2, 0, 1), none(2, 1, 2, 1)], TRANSPOSED, None),
    ("nn.l2_normalize", [np.float32(3)], L2, "axis 1 is not one of 0 axes"),
    ("nn.l2_normalize", [none(2, 2, dtype="int8")], NARROW, None),
    ("collapse_sum_to", [none(2, 3), none(1)], {}, "shape must hold integers"),
    ("nn.layer_norm", [none(2, 0), none(0), none(0)], {}, None),
    ("vision.multibox_prior", [none(1, 3, 0, 4)], {}, None),
    ("nn.contrib_dense_pack", [none(3, 0), none(2, 0, 2)], {}, None),
]


@pytest.mark.parametrize(("name", "inputs", "options", "message"), NO_VALUE)
def test_nothing_gives_nothing_or_cannot_be_made_of(name, inputs, options, message):
    if message is not None:
        with pytest.raises(EvaluationError, match=message):
            evaluated(name, *inputs, **options)
        return
    found = evaluated(name, *inputs, **options)
    assert not np.any(found)


def test_sum_over_nothing_is_nothing():
    found = evaluated("nn.contrib_dense_pack", none(3, 0), none(2, 0, 2))
    assert_same(found, np.zeros((3, 4), np.float32))


BOXES = TensorType((2, 5, 6))


def test_sizes_that_are_known_late_are_checked_when_they_come():
    data, roi = random_values(1, 1, 2, 2), np.zeros(4, np.float32)
    with pytest.raises(EvaluationError, match="size must be a height and a width"):
        evaluated("dyn.image.resize2d", data, np.int64([2, 2, 2]), roi)
    with pytest.raises(EvaluationError, match="there are 3 values for 2 places"):
        evaluated(
            "sparse_to_dense", np.int32([[0], [1]]), none(3), np.float32(0), output_shape=(4,)
        )
    with pytest.raises(EvaluationError, match="has no category to draw"):
        evaluated("random.multinomial", np.zeros(10, np.uint64), none(2, 0), num_samples=3)


def test_attributes_of_collapse_sum_to_repeat_the_length_of_its_shape():
    found = rule.get(get_op("collapse_sum_to"))
    with pytest.raises(TypeInferenceError, match="0 numbers, the attribute shape has 1"):
        found(InitOpAttrs(shape=(6,)), BOXES, TensorType((0,), "int64"))


def test_index_map_says_the_shape():
    op = get_op("meta_schedule_layout_transform")

    class Split:
        def map_shape(self, shape):
            return (shape[0], shape[1] // 2, 2)

    found = rule.get(op)(make_attrs(op, {"index_map": Split()}), TensorType((3, 4), "int8"))
    assert (found.shape, found.dtype) == ((3, 2, 2), "int8")


def test_one_hot_whose_type_is_not_said_is_of_its_values():
    op = get_op("dyn.one_hot")
    number, attrs = TensorType((), "int8"), make_attrs(op, {"axis": -1, "depth": 0, "dtype": None})
    found = rule.get(op)(attrs, TensorType((2,), "int32"), number, number, TensorType((), "int64"))
    assert found.dtype == "int8"
    assert isinstance(found.shape[1], Any)
    assert not isinstance(found, TupleType)


def test_product_of_narrow_integers_wraps_around():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    lhs, rhs = np.full((2, 3), 5), np.full((4, 3), 3)
    narrow = (value.astype(ml_dtypes.int4) for value in (lhs, rhs))
    found = evaluated("nn.dense", *narrow)
    assert found.dtype == ml_dtypes.int4
    assert np.array_equal(found.astype(int), (lhs @ rhs.T).astype(ml_dtypes.int4).astype(int))
