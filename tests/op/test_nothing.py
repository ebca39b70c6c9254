"""What operators say of tensors without elements, and of arguments of the wrong size."""

from __future__ import annotations

import pytest

from relayish.errors import TypeInferenceError
from relayish.ir.relay.type import Any, TensorType, TupleType
from relayish.op import get_op, make_attrs
from relayish.op.declaration.properties import rule
from relayish.op.tensor.creation import InitOpAttrs

BOXES = TensorType((2, 5, 6))


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
