"""What quantised operators refuse, infer and wait for."""

from __future__ import annotations

from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.type import Any, IncompleteType, TensorType
from relayish.op import get_op, make_attrs
from relayish.op.declaration import properties
from tests.support.checking import inferred

I8, F32 = (TensorType((2, 4), dtype) for dtype in ("int8", "float32"))
SCALE, ZERO = TensorType((), "float32"), TensorType((), "int32")
OUT = {"out_dtype": "int8"}
PRODUCT = [ZERO, ZERO, SCALE, SCALE]


def test_types_of_what_says_how_to_simulate_are_inferred():
    seen = []

    class Reporter:
        def assign(self, unknown, found):
            seen.append((unknown, found))

    name = "relay.op.annotation.simulated_quantize"
    unknown = [IncompleteType() for _ in range(3)]
    relate = properties.relation.get(get_op(name))
    attrs = make_attrs(get_op(name), {"kind": 1})
    assert relate(attrs, (F32, *unknown), Reporter()) is F32
    assert [one for one, _ in seen] == unknown
    assert all(structural_equal(found, SCALE) for _, found in seen)
    assert relate(attrs, (IncompleteType(), *unknown), Reporter()) is None


def test_products_wait_for_what_is_not_known():
    for name in ("qnn.conv2d", "qnn.dense", "qnn.batch_matmul"):
        relate = properties.relation.get(get_op(name))
        attributes = {"units": 2} if name == "qnn.dense" else {}
        attrs = make_attrs(get_op(name), attributes)
        assert relate(attrs, (I8, IncompleteType(), *PRODUCT), None) is None


def test_single_elements_may_stand_for_scalars_and_unknown_lengths_for_any():
    attrs = make_attrs(get_op("qnn.quantize"), OUT)
    single, many = TensorType((1,), "float32"), TensorType((Any(),), "int32")
    assert inferred("qnn.quantize", attrs, F32, single, many).shape == (2, 4)
    far = make_attrs(get_op("qnn.quantize"), {**OUT, "axis": 7})
    assert inferred("qnn.quantize", far, F32, single, ZERO).dtype == "int8"
