"""Node tests of ONNX, attributes, sizes, constants at their bounds: lowered, they stay equal."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import AttributeProto, helper, numpy_helper  # noqa: E402
from onnx.backend.test.runner import _normalize_tensor  # noqa: E402

from relayish.errors import RelayishError  # noqa: E402
from relayish.frontend.onnx import from_onnx  # noqa: E402
from relayish.frontend.onnx.session import OnnxSession  # noqa: E402
from relayish.passes.onnx.lowering.rule import RULES  # noqa: E402
from relayish.text import astext  # noqa: E402
from relayish.transform import LowerOnnx  # noqa: E402
from tests.passes.onnx.graphs import read  # noqa: E402
from tests.support.onnx_maker import info_of  # noqa: E402
from tests.support.onnx_models import MAKES_SUITE, suite_cases  # noqa: E402
from tests.support.random_onnx import is_close  # noqa: E402
from tests.support.seeds import SOAK, many  # noqa: E402

pytestmark = pytest.mark.references

INTEGERS = (0, 1, -1, 2, -2, 3, 5, 7, -9, 100)
FLOATS = (0.0, 1.0, -1.0, 0.5, 1e-9, 100.0)
RANDOM = ("Bernoulli", "RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike",
          "Multinomial", "Dropout")  # fmt: skip
MOST_ELEMENTS = 3000


def templates() -> list[Any]:  # Any: cases of the suite, which is not typed
    """Return the cases of one lowered operator, on tensors that are not large."""
    return [
        case
        for case in suite_cases()
        if case.kind == "node"
        and len(case.model.graph.node) == 1
        and (case.model.graph.node[0].domain, case.model.graph.node[0].op_type) in RULES
        and case.model.graph.node[0].op_type not in RANDOM
        and all(isinstance(_normalize_tensor(each), np.ndarray) for each in case.data_sets[0][0])
        and sum(np.size(_normalize_tensor(each)) for each in case.data_sets[0][0]) < MOST_ELEMENTS
    ]


def at_bounds(case: Any, draw: random.Random) -> tuple[Any, list[np.ndarray]]:
    """Return the model of a case with one or two things changed, and inputs for it."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    [node] = model.graph.node
    values = {
        each.name: np.asarray(_normalize_tensor(array))
        for each, array in zip(model.graph.input, case.data_sets[0][0], strict=True)
    }
    held: set[str] = set()
    for _ in range(draw.choice((1, 1, 2))):
        draw.choice((change_attribute, change_value, change_sizes, leave_out))(node, values, draw)
    for name, array in values.items():
        if array.dtype.kind in "iub" and array.size < 20 and draw.random() < 0.7:
            held.add(name)  # what says axes, sizes or places tends to be known
    if len(held) == len(values) and values:
        held.discard(next(iter(values)))
    del model.graph.input[:], model.graph.initializer[:]
    for name, array in values.items():
        if name in held:
            model.graph.initializer.append(numpy_helper.from_array(array, name))
        elif name in node.input:
            info = info_of(name, array)
            for size in info.type.tensor_type.shape.dim:
                if size.dim_value and draw.random() < 0.15:
                    size.dim_param = f"{name}{draw.randrange(1000)}"
            model.graph.input.append(info)
    return model, [values[each.name] for each in model.graph.input]


def schema_of(node: Any) -> Any:
    """Return the newest schema of the operator of a node."""
    return onnx.defs.get_schema(node.op_type, node.domain)


def change_attribute(node: Any, _: dict[str, Any], draw: random.Random) -> None:
    """Give an attribute of its operator another value, or none."""
    schema = schema_of(node)
    names = [name for name, each in schema.attributes.items() if each.type.name in CHANGES]
    if not names:
        return
    name = draw.choice(names)
    kept = [each for each in node.attribute if each.name != name]
    old = next((each for each in node.attribute if each.name == name), None)
    value = CHANGES[schema.attributes[name].type.name](old, draw)
    value = value % 2 if name in FLAGS else value
    del node.attribute[:]
    node.attribute.extend(kept)
    if draw.random() < 0.9:
        kind = getattr(AttributeProto, schema.attributes[name].type.name)
        node.attribute.append(helper.make_attribute(name, value, attr_type=kind))


def _some_of(old: Any, draw: random.Random, numbers: tuple[Any, ...]) -> list[Any]:
    found = [] if old is None else list(helper.get_attribute_value(old))
    if found and draw.random() < 0.7:
        found[draw.randrange(len(found))] = draw.choice(numbers)
        return found
    return [draw.choice(numbers) for _ in range(draw.choice((0, 1, 2, 4)))]


CHANGES = {
    "INT": lambda _, draw: draw.choice(INTEGERS),
    "FLOAT": lambda _, draw: draw.choice(FLOATS),
    "INTS": lambda old, draw: _some_of(old, draw, INTEGERS),
    "FLOATS": lambda old, draw: _some_of(old, draw, FLOATS),
}
FLAGS = ("ceil_mode", "is_causal")
"""Attributes that are yes or no; runtimes differ in what they make of other numbers."""


def change_value(_: Any, values: dict[str, Any], draw: random.Random) -> None:
    """Put another number into an input that is small."""
    small = [
        name for name, each in values.items() if 0 < each.size < 20 and each.dtype.kind in "iuf"
    ]
    if not small:
        return
    name = draw.choice(small)
    array = values[name].copy()
    numbers = FLOATS if array.dtype.kind == "f" else INTEGERS
    with np.errstate(all="ignore"):
        array.reshape(-1)[draw.randrange(array.size)] = np.asarray(draw.choice(numbers)).astype(
            array.dtype
        )
    values[name] = array[..., :0] if array.ndim and draw.random() < 0.1 else array


def change_sizes(_: Any, values: dict[str, Any], draw: random.Random) -> None:
    """Cut an axis of an input, or of all inputs that are as long, to no element or one."""
    name = draw.choice([*values]) if values else ""
    if not values or not values[name].ndim:
        return
    axis = draw.randrange(values[name].ndim)
    length, size = values[name].shape[axis], draw.choice((0, 1))
    for other, array in values.items():
        if other == name or draw.random() < 0.5:
            for place in range(array.ndim):
                if array.shape[place] == length and (other != name or place == axis):
                    array = array.take(range(min(size, length)), place)  # noqa: PLW2901 - it is cut
            values[other] = array


def leave_out(node: Any, values: dict[str, Any], draw: random.Random) -> None:
    """Give an optional input no value."""
    schema = schema_of(node)
    places = [
        place
        for place, name in enumerate(node.input)
        if name and schema.inputs[min(place, len(schema.inputs) - 1)].option.name == "Optional"
    ]
    if places:
        place = draw.choice(places)
        if list(node.input).count(node.input[place]) == 1:
            values.pop(node.input[place], None)
        node.input[place] = ""


def runs(seeds: range) -> Iterator[tuple[str, Any, list[np.ndarray], list[np.ndarray]]]:
    """Yield valid models at bounds with their inputs, and what they compute."""
    cases = templates()
    for seed in seeds:
        draw = random.Random(f"bounds {seed}")
        case = draw.choice(cases)
        model, inputs = at_bounds(case, draw)
        try:
            expected = OnnxSession(from_onnx(model)).run(inputs)
            del model.graph.output[:]
            names = [name for name in model.graph.node[0].output if name]
            model.graph.output.extend(
                info_of(name, each, sizes=False) for name, each in zip(names, expected, strict=True)
            )
            onnx.checker.check_model(model, full_check=True)
        except (RelayishError, onnx.checker.ValidationError, onnx.shape_inference.InferenceError):
            continue
        yield f"{case.name}, {seed}", model, inputs, expected


@MAKES_SUITE
def test_bounds_are_lowered_to_the_same() -> None:
    tried = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for name, model, inputs, expected in runs(range(SOAK, SOAK + many(120))):
            lowered = LowerOnnx()(from_onnx(model))
            found = OnnxSession(lowered).run(inputs)
            for one, other in zip(expected, found, strict=True):
                if model.graph.node[0].op_type == "QuantizeLinear":
                    most = np.abs(one.astype("int64") - other.astype("int64")).max(initial=0)
                    assert most <= 1, name  # qnn.quantize rounds halves away from zero
                    continue
                assert is_close(one, other), f"{name}: {other} in place of {one}"
            tried += 1
    assert tried > many(60)


@pytest.mark.parametrize("node", ["ReduceMax(x, k)", "ReduceMin(x, k)", "ReduceLogSumExp(x, k)"])
@pytest.mark.parametrize("declared", ["n,m", "n,2", "0,2"])
@pytest.mark.parametrize("axes", ["0", "1", "0,-1"])
def test_what_reduces_nothing_gives_the_lowest_or_highest_number(
    node: str, declared: str, axes: str
) -> None:
    constant = f"k = Constant<value_ints=[{axes}]>()"
    model = read(f"g (float[{declared}] x) => (y) {{ {constant} y = {node} }}", 20)
    lowered = LowerOnnx()(model)
    assert "onnx::Reduce" not in astext(lowered)
    for size in (0, 3):
        x = np.arange(2 * size, dtype="float32").reshape(size, 2)
        if declared[0] == "0" and size:
            continue
        [one], [other] = OnnxSession(model).run([x]), OnnxSession(lowered).run([x])
        np.testing.assert_allclose(other, one, rtol=1e-6)


def test_sums_of_exponentials_of_infinite_numbers_are_lowered_to_the_same() -> None:
    node = "y = ReduceLogSumExp<axes=[1],keepdims=0>(x)"
    model = read(f"g (float[3,2] x) => (float[3] y) {{ {node} }}", 13)
    x = np.array([[-np.inf, -np.inf], [np.inf, 0], [1, 2]], np.float32)
    [one], [other] = OnnxSession(model).run([x]), OnnxSession(LowerOnnx()(model)).run([x])
    np.testing.assert_allclose(other, one, rtol=1e-6)
    assert one[:2].tolist() == [-np.inf, np.inf]


@pytest.mark.parametrize("name", ["ReduceL2", "ReduceLogSum", "ReduceLogSumExp"])
def test_roots_and_logarithms_of_integers_are_lowered_as_they_are_evaluated(name: str) -> None:
    x = np.array([[3, 4], [2304, 7]])  # no float holds the exponential of the third
    for call in (f"{name}(x, k)", f"{name} <noop_with_empty_axes = 1> (x)"):
        mod = read(
            f"g (int64[2, 2] x) => (int64[n, m] y) <int64[1] k = {{1}}> {{ y = {call} }}", 18
        )
        lowered = LowerOnnx()(mod)
        assert "onnx::" not in astext(lowered)
        [one], [other] = OnnxSession(mod).run([x]), OnnxSession(lowered).run([x])
        assert np.array_equal(one, other), call


def test_grids_of_one_point_are_lowered_as_they_are_evaluated() -> None:
    mod = read("g (float[2, 2, 3] m) => (float[2, 1, 3, 2] y) "
               "<int64[4] size = {2, 1, 1, 3}> { y = AffineGrid <align_corners = 1> (m, size) }",
               opset=20)  # fmt: skip
    maps = np.random.default_rng(0).normal(size=(2, 2, 3)).astype("float32")
    lowered = LowerOnnx()(mod)
    assert "onnx::" not in astext(lowered)
    [expected], [found] = (OnnxSession(each).run([maps]) for each in (mod, lowered))
    assert is_close(expected, found)
