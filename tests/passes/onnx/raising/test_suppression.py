"""Suppression of boxes, on boxes that overlap each other more and less, and as much as is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

import relayish as relay  # noqa: E402
from relayish.errors import PassError  # noqa: E402
from relayish.frontend.onnx import from_onnx, to_onnx  # noqa: E402
from relayish.frontend.onnx.session import OnnxSession  # noqa: E402
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Var  # noqa: E402
from relayish.op import get_op, make_attrs  # noqa: E402
from relayish.transform import InferType, RaiseToOnnx  # noqa: E402
from tests.support.raised_calls import leaves  # noqa: E402
from tests.support.seeds import seeds  # noqa: E402

pytestmark = pytest.mark.references


def drawn(seed: int, classes: int, *, last: bool) -> list[Any]:  # Any: arrays
    """Return boxes with sides of whole numbers, and scores of which some are the same."""
    rng = np.random.default_rng(seed)
    boxes = rng.integers(0, 5, (2, 9, 4)).astype("float32")
    scores = rng.integers(0, 8, (2, 9, classes) if last else (2, classes, 9)) / np.float32(8)
    return [boxes, scores.astype("float32")]


def compare(call: Call, params: list[Var], values: list[Any]) -> None:  # Any: as above
    """Assert that a call computes the same as what it is written as, here and by onnxruntime."""
    mod = InferType()(relay.IRModule.from_expr(Function(params, call)))
    expected = list(leaves(relay.create_executor("debug", mod).evaluate()(*values)))
    model = to_onnx(RaiseToOnnx()(mod))
    onnx.checker.check_model(model, full_check=True)
    inputs = dict(zip([each.name_hint for each in params], values, strict=True))
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    for found in (OnnxSession(from_onnx(model)).run(inputs), session.run(None, inputs)):
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


def all_class(limits: list[Expr], output_format: str) -> tuple[Call, list[Var]]:
    boxes, scores = relay.var("boxes", shape=(2, 9, 4)), relay.var("scores", shape=(2, 3, 9))
    op = get_op("vision.all_class_non_max_suppression")
    attrs = make_attrs(op, {"output_format": output_format})
    return Call(op, [boxes, scores, *limits], attrs), [boxes, scores]


@pytest.mark.parametrize("output_format", ["onnx", "tensorflow"])
@pytest.mark.parametrize("overlap", [0.5, 0.25, 1.0])
def test_boxes_of_all_classes_that_stand_are_the_same(overlap: float, output_format: str) -> None:
    limits: list[Expr] = [Constant(np.array([each])) for each in (4, np.float32(overlap))]
    limits.append(Constant(np.array(0.25, "float32")))
    call, params = all_class(limits, output_format)
    for seed in seeds(3):
        compare(call, params, drawn(seed, 3, last=False))


def test_a_threshold_that_is_a_value_is_the_one_that_relay_has() -> None:
    overlap = relay.var("overlap", shape=())
    limits: list[Expr] = [Constant(np.array([9])), overlap, Constant(np.array(-1, "float32"))]
    call, params = all_class(limits, "onnx")
    for seed, value in enumerate((0.5, 1 / 3, 0.2)):
        values = [*drawn(seed, 3, last=False), np.array(value, "float32")]
        compare(call, [*params, overlap], values)


def test_a_threshold_at_which_all_fall_is_refused() -> None:
    limits: list[Expr] = [Constant(np.array([each], "float32")) for each in (0, -1)]
    call, params = all_class([Constant(np.array([9])), *limits], "onnx")
    mod = InferType()(relay.IRModule.from_expr(Function(params, call)))
    with pytest.raises(PassError, match="thresholds from 0 to 1"):
        RaiseToOnnx()(mod)


@pytest.mark.parametrize("rows", [4, 30])
def test_the_best_boxes_of_any_class_are_the_same(rows: int) -> None:
    boxes, scores = relay.var("boxes", shape=(2, 9, 4)), relay.var("scores", shape=(2, 9, 4))
    op = get_op("vision.regular_non_max_suppression")
    told = {
        "max_detections_per_class": 3, "max_detections": rows, "num_classes": 3,
        "iou_threshold": 0.5, "score_threshold": 0.25,
    }  # fmt: skip
    call = Call(op, [boxes, scores], make_attrs(op, told))
    for seed in seeds(3):
        compare(call, [boxes, scores], drawn(seed, 4, last=True))


RETURNS = {
    "places": {"return_indices": True},
    "boxes": {"return_indices": False},
    "boxes in front": {"return_indices": False, "invalid_to_bottom": True},
    "the best places": {"return_indices": True, "top_k": 5},
}


@pytest.mark.parametrize("limit", [-1, 0, 3])
@pytest.mark.parametrize("returned", RETURNS)
def test_boxes_without_labels_that_stand_are_the_same(returned: str, limit: int) -> None:
    op = get_op("vision.non_max_suppression")
    data, valid = relay.var("data", shape=(2, 9, 5)), relay.var("valid", shape=(2,), dtype="int32")
    indices = relay.var("indices", shape=(2, 9), dtype="int32")
    limits = [Constant(np.array(limit, "int32")), Constant(np.array(0.5, "float32"))]
    told = {"coord_start": 1, "score_index": 0, "id_index": -1, **RETURNS[returned]}
    call = Call(op, [data, valid, indices, *limits], make_attrs(op, told))
    for seed in seeds(3):
        rng = np.random.default_rng(seed)
        boxes, scores = drawn(seed, 1, last=True)
        rows = np.concatenate((scores - np.float32(0.25), boxes), axis=2)
        origins = rng.permutation(18).reshape(2, 9).astype("int32")
        compare(call, [data, valid, indices], [rows, np.array([9, seed % 10], "int32"), origins])
