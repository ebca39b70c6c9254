"""What quantised operators refuse, infer and wait for."""

from __future__ import annotations

import pytest

from relayish.errors import TypeInferenceError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.type import Any, IncompleteType, TensorType, TupleType
from relayish.op import get_op, make_attrs
from relayish.op.declaration import properties
from tests.support.checking import inferred

I8, U8, F32 = (TensorType((2, 4), dtype) for dtype in ("int8", "uint8", "float32"))
SCALE, ZERO = TensorType((), "float32"), TensorType((), "int32")
PAIR = [SCALE, ZERO]
OUT = {"out_dtype": "int8"}
PRODUCT = [ZERO, ZERO, SCALE, SCALE]


@pytest.mark.parametrize(
    ("name", "attributes", "types"),
    [
        ("qnn.quantize", OUT, [I8, *PAIR]),
        ("qnn.quantize", {"out_dtype": "float32"}, [F32, *PAIR]),
        ("qnn.quantize", OUT, [F32, ZERO, ZERO]),
        ("qnn.quantize", OUT, [F32, SCALE, SCALE]),
        ("qnn.quantize", OUT, [F32, TensorType((3,), "float32"), ZERO]),
        ("qnn.quantize", OUT, [F32, TensorType((2, 4), "float32"), ZERO]),
        ("qnn.quantize", {**OUT, "axis": 2}, [F32, TensorType((4,), "float32"), ZERO]),
        ("qnn.dequantize", {"out_dtype": "float32"}, [F32, *PAIR]),
        ("qnn.dequantize", {"out_dtype": "int32"}, [I8, *PAIR]),
        ("qnn.requantize", OUT, [F32, *PAIR, *PAIR]),
        ("qnn.requantize", {"out_dtype": "int64"}, [I8, *PAIR, *PAIR]),
        ("qnn.requantize", {**OUT, "axis": 5}, [I8, *PAIR, *PAIR]),
        ("qnn.requantize", {**OUT, "rounding": "DOWN"}, [I8, *PAIR, *PAIR]),
        ("qnn.requantize", OUT, [I8, *PAIR, TensorType((4,), "float32"), ZERO]),
        ("qnn.add", {}, [I8, U8, *PAIR * 3]),
        ("qnn.add", {}, [F32, F32, *PAIR * 3]),
        ("qnn.mul", {}, [I8, TensorType((3, 4), "int8"), *PAIR * 3]),
        ("qnn.subtract", {}, [I8, I8, *PAIR * 2, ZERO, ZERO]),
        ("qnn.concatenate", {"axis": 0}, [I8, I8, I8, *PAIR]),
        (
            "qnn.concatenate",
            {"axis": 0},
            [TupleType((I8, I8)), TupleType((SCALE,)), TupleType((ZERO, ZERO)), *PAIR],
        ),
        (
            "qnn.concatenate",
            {"axis": 0},
            [TupleType((I8,)), TupleType((I8,)), TupleType((ZERO,)), *PAIR],
        ),
        ("qnn.avg_pool2d", {"pool_size": (1, 1)}, [I8, *PAIR, *PAIR]),
        ("qnn.abs", {}, [F32, *PAIR, *PAIR]),
        ("qnn.softmax", {}, [U8, *PAIR, *PAIR]),
        ("qnn.softmax", {"axis": 2}, [I8, *PAIR, *PAIR]),
        ("qnn.leaky_relu", {}, [I8, *PAIR, SCALE, SCALE]),
        ("qnn.dense", {"units": 2}, [I8, TensorType((3, 4), "int8"), *PRODUCT]),
        ("qnn.dense", {"units": 2}, [I8, I8, SCALE, ZERO, SCALE, SCALE]),
        ("qnn.dense", {"units": 2}, [F32, I8, *PRODUCT]),
        ("qnn.dense", {"units": 2, "out_dtype": "float32"}, [I8, I8, *PRODUCT]),
        ("qnn.dense", {"units": 2}, [I8, I8, ZERO, TensorType((3,), "int32"), SCALE, SCALE]),
        ("qnn.batch_matmul", {}, [I8, I8, *PRODUCT]),
        (
            "qnn.contrib_dense_pack",
            {"units": 2, "weight_layout": "NC"},
            [I8, TensorType((3, 5), "int8"), *PRODUCT],
        ),
        (
            "qnn.contrib_dense_pack",
            {"units": 2, "weight_layout": "NC"},
            [TensorType((), "int8"), I8, *PRODUCT],
        ),
        ("qnn.conv2d", {}, [I8, I8, *PRODUCT]),
        (
            "qnn.conv2d",
            {},
            [
                TensorType((1, 2, 4, 4), "int8"),
                TensorType((3, 2, 1, 1), "int8"),
                *PRODUCT[:3],
                TensorType((2,), "float32"),
            ],
        ),
        ("qnn.simulated_quantize", {}, [I8, ZERO, *PAIR]),
        ("qnn.simulated_dequantize", OUT, [F32, SCALE, *PAIR]),
        ("relay.op.annotation.simulated_quantize", {"kind": 1}, [SCALE, SCALE, SCALE, SCALE]),
        ("relay.op.annotation.simulated_quantize", {"kind": 1}, [F32, ZERO, SCALE, SCALE]),
    ],
)
def test_ill_typed_calls_are_refused(name, attributes, types):
    attrs = make_attrs(get_op(name), attributes)
    with pytest.raises(TypeInferenceError):
        inferred(name, attrs, *types)
    with pytest.raises(TypeInferenceError):
        inferred(name, attrs, *[TupleType((TupleType(()),))] * len(types))


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
