"""Each step that rewrites a call: the values stay, in every later version."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from relayish.errors import PassError  # noqa: E402 - onnx may be missing
from relayish.frontend.onnx.session import OnnxSession  # noqa: E402
from relayish.passes.onnx.opset.adapters import ADAPTERS  # noqa: E402
from relayish.transform import ConvertOpset  # noqa: E402
from tests.passes.onnx.graphs import read  # noqa: E402
from tests.passes.onnx.opset.programs import (  # noqa: E402
    NEWEST,
    assert_all_close,
    convert_model,
    node_model,
    operators,
    run,
)
from tests.support.each import each  # noqa: E402

pytestmark = pytest.mark.references

RNG = np.random.default_rng(5)


def draw(*shape: int, dtype: str = "float32") -> Any:  # Any: an array of any type
    return (RNG.standard_normal(shape) * 3).astype(dtype)


X = draw(2, 3, 4, 5)
CHANNELS = {"s": draw(3), "b": draw(3), "m": draw(3), "v": np.abs(draw(3)) + 1}
REDUCTIONS = [name for name, version in ADAPTERS if name.startswith("Reduce") and version < 28]
UNARY = [
    "Abs", "Ceil", "Elu", "Exp", "Floor", "HardSigmoid", "LeakyRelu", "Neg", "Reciprocal", "Relu",
    "Selu", "Sigmoid", "Tanh",
]  # fmt: skip
CASES: list[tuple[str, dict[str, Any], int, dict[str, Any]]] = [  # Any: arrays, arguments
    *[(name, {"x": X}, 1, {"consumed_inputs": [0]}) for name in UNARY],
    *[(name, {"x": np.abs(X) + 1}, 1, {"consumed_inputs": [0]}) for name in ("Log", "Sqrt")],
    *[(name, {"x": X, "z": X + 1}, 1, {"consumed_inputs": [0, 0]}) for name in ("Max", "Sum")],
    *[(name, {"x": X, "z": X + 1}, 1, {"consumed_inputs": [0, 0]}) for name in ("Min", "Mean")],
    *[
        (name, {"x": X, "z": draw(3, 4)}, opset, {"axis": 1, "broadcast": 1})
        for name in ("Add", "Sub", "Mul", "Div")
        for opset in (1, 6)
    ],
    ("Add", {"x": X, "z": draw(4, 5)}, 6, {"broadcast": 1}),
    ("Add", {"x": X, "z": draw(3, 4)}, 6, {"axis": -3, "broadcast": 1}),
    ("Add", {"x": X, "z": X}, 6, {}),
    ("Add", {"x": X}, 6, {"axis": 1, "broadcast": 1, "constants": {"z": draw(3)}}),
    ("Pow", {"x": np.abs(X), "z": draw(3)}, 1, {"axis": 1, "broadcast": 1}),
    *[
        (name, {"x": X, "z": draw(3)}, 1, {"axis": 1, "broadcast": 1})
        for name in ("Greater", "Less")
    ],
    ("Equal", {"x": X > 0, "z": draw(3) > 0}, 1, {"axis": 1, "broadcast": 1}),
    *[
        (name, {"x": X > 0, "z": draw(3) > 0}, 1, {"axis": 1, "broadcast": 1})
        for name in ("And", "Or", "Xor")
    ],
    ("PRelu", {"x": X, "slope": draw(3)}, 6, {}),
    ("PRelu", {"x": X, "slope": draw(1)}, 6, {}),
    ("PRelu", {"x": X}, 1, {"constants": {"slope": draw(3)}, "consumed_inputs": [0, 0]}),
    ("PRelu", {"x": draw(2, 3), "slope": draw(3)}, 6, {}),
    ("Gemm", {"a": draw(2, 3), "b": draw(3, 4), "c": draw(4)}, 6, {"broadcast": 1}),
    ("Squeeze", {"x": draw(1, 3, 1, 2)}, 11, {"axes": [0, -2]}),
    ("Squeeze", {"x": draw(1, 3, 1, 2)}, 1, {}),
    ("Unsqueeze", {"x": X}, 1, {"axes": [0, 5]}),
    *[(name, {"x": np.abs(X)}, 1, {"axes": [1, 2], "keepdims": 0}) for name in REDUCTIONS],
    *[(name, {"x": np.abs(X)}, 11, {"axes": [-1]}) for name in REDUCTIONS],
    *[(name, {"x": np.abs(X)}, 11, {}) for name in REDUCTIONS],
    ("Split", {"x": X}, 1, {"axis": 3, "split": [1, 4], "outputs": ("y", "z")}),
    ("Split", {"x": X}, 1,
     {"axis": 3, "constants": {"p": np.float32([1, 4])}, "outputs": ("y", "z")}),
    ("Split", {"x": X}, 11, {"axis": 2, "outputs": ("y", "z")}),
    ("Split", {"x": X}, 13, {"axis": 2, "outputs": ("y", "z")}),
    ("Split", {"x": X}, 13, {"constants": {"p": np.array([1, 1])}, "outputs": ("y", "z")}),
    ("Clip", {"x": X}, 6, {"min": -1.0, "max": 0.5}),
    ("Clip", {"x": X}, 1, {"max": 0.5, "consumed_inputs": [0]}),
    ("Clip", {"x": draw(3, dtype="float64")}, 6, {"min": -1.0}),
    ("Clip", {"x": X}, 6, {}),
    ("Pad", {"x": X}, 1, {"paddings": [0, 0, 1, 2, 0, 0, 3, 4], "value": 0.5}),
    ("Pad", {"x": X}, 2, {"pads": [0, 0, 1, 2, 0, 0, 1, 0], "mode": "reflect"}),
    ("Pad", {"x": draw(3, dtype="float16")}, 2, {"pads": [1, 2], "value": 1.5}),
    ("Slice", {"x": X}, 1, {"axes": [1, 3], "starts": [1, -2], "ends": [3, 2**31 - 1]}),
    ("Slice", {"x": X}, 1, {"starts": [1, 0], "ends": [2, -1]}),
    ("TopK", {"x": X}, 1, {"k": 2, "axis": 3, "outputs": ("y", "i")}),
    ("Reshape", {"x": X}, 1, {"shape": [0, -1], "consumed_inputs": [0]}),
    ("Dropout", {"x": X}, 7, {"ratio": 0.25}),
    ("Dropout", {"x": X}, 6, {"ratio": 0.25, "is_test": 1}),
    ("Dropout", {"x": X}, 10, {}),
    ("Dropout", {"x": X}, 1, {"is_test": 1, "consumed_inputs": [0]}),
    ("DFT", {"x": draw(2, 8, 1)}, 17, {"onesided": 1}),
    ("DFT", {"x": draw(2, 4, 8, 1)}, 17, {"axis": 2}),
    ("Tile", {"x": X}, 1, {"constants": {"t": np.float32([3]), "a": np.float32([2])}}),
    *[
        (name, {"x": X}, opset, {"axis": axis})
        for name in ("Softmax", "LogSoftmax", "Hardmax")
        for opset, axis in ((1, 1), (11, -1), (11, 3), (11, 2), (11, -3))
    ],
    ("Softmax", {"x": X}, 11, {}),
    ("Softmax", {"x": X[0, 0]}, 1, {}),
    ("Softmax", {"x": X}, 11, {"axis": 1, "is_typed": False}),
    ("BatchNormalization", {"x": X}, 1,
     {"constants": CHANNELS, "is_test": 1, "consumed_inputs": [0, 0, 0, 1, 1]}),
    ("BatchNormalization", {"x": X}, 6, {"constants": CHANNELS, "is_test": 1}),
    ("BatchNormalization", {"x": X}, 7, {"constants": CHANNELS, "spatial": 1}),
    ("BatchNormalization", {"x": X}, 9, {"constants": CHANNELS}),
    ("InstanceNormalization", {"x": X, "s": draw(3), "b": draw(3)}, 1,
     {"consumed_inputs": [0, 0, 0]}),
    ("GroupNormalization", {"x": draw(2, 6, 3), "s": draw(3), "b": draw(3)}, 18, {"num_groups": 3}),
    ("GroupNormalization", {"x": draw(2, 4, 3, dtype="float64")}, 18,
     {"num_groups": 2,
      "constants": {"s": draw(2, dtype="float64"), "b": draw(2, dtype="float64")}}),
    ("Upsample", {"x": X}, 1, {"height_scale": 2.0, "width_scale": 3.0, "mode": "nearest"}),
    ("Upsample", {"x": X}, 1, {"height_scale": 2.0, "width_scale": 1.5, "mode": "bilinear"}),
    ("Upsample", {"x": X}, 7, {"scales": [1.0, 1.0, 2.0, 1.7]}),
    ("Upsample", {"x": X}, 9, {"constants": {"k": np.float32([1, 1, 2, 2])}, "mode": "linear"}),
    ("Upsample", {"x": X, "k": np.float32([1, 1, 2, 2])}, 9, {"mode": "nearest"}),
    *[
        ("Resize", {"x": X}, 10, {"constants": {"k": np.float32(scales)}})
        for scales in ([1, 1, 0.6, 1.7], [1, 1, 0.6, 0.3], [1, 1, 2.5, 1], [1, 1, 1, 1])
    ],
    ("Resize", {"x": X}, 10, {"constants": {"k": np.float32([1, 1, 0.6, 1.7])}, "mode": "linear"}),
    ("Scatter", {"x": draw(3, 3)}, 9,
     {"constants": {"i": np.array([[1, 0, 2]]), "u": draw(1, 3)}, "axis": 0}),
    ("Concat", {"x": X, "z": X}, 1, {}),
    ("Cast", {"x": X}, 1, {"to": "INT32"}),
    ("LpPool", {"x": X}, 1, {"kernel_shape": [2, 2], "p": 3.0}),
    ("GlobalLpPool", {"x": X}, 1, {"p": 1.0}),
    ("GlobalLpPool", {"x": X}, 1, {}),
    ("RoiAlign", {"x": draw(1, 2, 6, 6)}, 10,
     {"constants": {"r": np.float32([[0, 0, 4, 3]]), "i": np.array([0])}, "output_height": 2,
      "output_width": 3, "sampling_ratio": 2}),
    ("GridSample", {"x": draw(1, 2, 4, 4), "g": draw(1, 3, 3, 2) / 5}, 16, {"mode": "bicubic"}),
    ("GridSample", {"x": draw(1, 2, 4, 4), "g": draw(1, 3, 3, 2) / 5}, 16, {}),
    ("Erf", {"x": X}, 9, {}),
    *[(name, {"x": np.abs(X)}, 18, {}) for name in ("ReduceLogSum", "ReduceLogSumExp")],
    *[
        (name, {"x": draw(4, 1, 3), "w": draw(1, gates * 2, 3), "r": draw(1, gates * 2, 2)}, opset,
         {"hidden_size": 2, "outputs": ("y", "h"), **more})
        for name, gates, opset, more in (
            ("RNN", 1, 1, {"output_sequence": 1}),
            ("LSTM", 4, 1, {"output_sequence": 1}),
            ("GRU", 3, 1, {}),
            ("GRU", 3, 3, {"output_sequence": 1}),
            ("GRU", 3, 7, {"linear_before_reset": 1}),
            ("LSTM", 4, 7, {}),
        )
    ],
]  # fmt: skip


VERSIONS = {6, 7, 10, 11, 13, 18, 21, NEWEST}
"""What each case is converted to, beside its own version, where that is not later."""


NAMED = {f"{place}: {case[0]} of {case[2]}": case for place, case in enumerate(CASES)}


@functools.cache
def made(name: str) -> tuple[Any, list[Any]]:  # Any: a model, which onnx does not type; arrays
    """Return the model of a case, and what it computes."""
    operator, inputs, opset, arguments = NAMED[name]
    model = node_model(operator, inputs, opset, **arguments)
    if operator != "GroupNormalization":  # whose first version is not valid any more
        onnx.checker.check_model(model)
    return model, run(model, inputs)


@pytest.mark.parametrize("version", sorted(VERSIONS | {case[2] for case in CASES}))
@each("name", NAMED)
def test_values_stay_in_every_later_version(version: int, name: str) -> None:
    operator, inputs, opset, _ = NAMED[name]
    first = 21 if operator == "GroupNormalization" else opset
    if version >= first and version in VERSIONS | {opset}:
        model, expected = made(name)
        found = run(convert_model(model, version), inputs)
        assert_all_close(expected, found)


def test_every_adapter_is_tried() -> None:
    def passed(name: str, since: int) -> bool:
        return any(case[0] == name and case[2] < since for case in CASES)

    renamed = {("Resize", 11)}
    assert {step for step in ADAPTERS if not passed(*step)} - renamed == set()


@pytest.mark.parametrize(
    ("operator", "inputs", "opset", "arguments", "why"),
    [
        ("Dropout", {"x": X}, 6, {}, "is_test=0 and 1 results"),
        ("BatchNormalization", {"x": X}, 7, {"constants": CHANNELS, "spatial": 0}, "spatial=0"),
        ("BatchNormalization", {"x": X}, 9,
         {"constants": CHANNELS, "outputs": ("y", "a", "c")}, "it has 3 results, so it learns"),
        ("Dropout", {"x": X}, 7, {"outputs": ("y", "mask")}, "its mask is used"),
        ("Erf", {"x": X.astype(np.int32)}, 9, {}, "its input is of int32"),
        ("LpPool", {"x": X}, 1, {"kernel_shape": [2, 2], "p": 2.5}, "its power is 2.5"),
        ("LpPool", {"x": X}, 1, {}, "how large its kernel is"),
        ("Pad", {"x": X}, 1, {}, "by how much it pads"),
        ("Reshape", {"x": X}, 1, {}, "which shape is meant"),
        ("Add", {"x": X, "z": draw(3)}, 6, {"axis": 1, "broadcast": 1, "is_typed": False},
         "input 0 is of unknown rank, which what"),
        ("Add", {"x": X, "z": draw(3, 4)}, 6, {"axis": 3, "broadcast": 1}, "does not fit into"),
        ("Tile", {"x": X, "t": np.float32([3]), "a": np.float32([2])}, 1, {},
         "input 1 is no constant"),
        ("Resize", {"x": X, "k": np.float32([1, 1, 2, 2])}, 10, {}, "its scales are no constant"),
        ("Split", {"x": X, "p": np.float32([1, 1])}, 1, {"outputs": ("y", "z")},
         "input 1 is no constant"),
    ],
)  # fmt: skip
def test_what_has_no_equivalent_is_refused(
    operator: str,
    inputs: dict[str, Any],  # Any: arrays
    opset: int,
    arguments: dict[str, Any],  # Any: whatever node_model takes
    why: str,
) -> None:
    model = node_model(operator, inputs, opset, is_run=False, **arguments)
    with pytest.raises(PassError) as caught:
        convert_model(model, NEWEST)
    assert f"cannot convert {operator} of version " in str(caught.value)
    assert "at node 'the node' that gives 'y" in str(caught.value)
    assert why in str(caught.value)


def test_softmax_over_the_last_axis_stays_one_node() -> None:
    for axis, expected in (
        (-1, ["Softmax"]),
        (3, ["Softmax"]),
        (1, ["Flatten", "Softmax", "Reshape"]),
    ):
        model = node_model("Softmax", {"x": X}, 11, axis=axis)
        assert operators(convert_model(model, 13)) == expected


def test_an_open_shape_is_computed() -> None:
    model = node_model("Softmax", {"x": X}, 11, axis=1, is_typed=False)
    expected = ["Reshape", "Flatten", "Softmax", "Shape", "Reshape"]
    assert sorted(operators(convert_model(model, 13))) == sorted(expected)


def test_operands_that_are_constants_are_aligned_at_once() -> None:
    model = node_model("Add", {"x": X}, 6, constants={"z": draw(3)}, axis=1, broadcast=1)
    assert operators(convert_model(model, 7)) == ["Add"]


@pytest.mark.parametrize("name", ["Softmax", "LogSoftmax", "Hardmax"])
@pytest.mark.parametrize("shape", [(2, 3, 0), (0, 3, 2), (2, 0, 3)])
def test_matrices_without_elements_are_shaped_as_the_input_was(
    name: str, shape: tuple[int, ...]
) -> None:
    text = f"g (float[a,b,c] x) => (float[a,b,c] y) {{ y = {name}<axis=1>(x) }}"
    converted = ConvertOpset(version=21)(read(text, 11))
    [found] = OnnxSession(converted).run([np.zeros(shape, np.float32)])
    assert found.shape == shape
