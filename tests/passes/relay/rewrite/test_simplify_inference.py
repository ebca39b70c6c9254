"""Normalisation spelt out has the value that the operator has."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import PassError
from relayish.interpreter import evaluate
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Call, Constant, Function
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op.builders.builder import op
from relayish.passes.relay.rewrite.simplify_inference import simplify_inference
from relayish.text import parse
from relayish.transform import SimplifyInference
from tests.support.deep import doublings

HEADER = '#[version = "0.0.5"]\n'
NORMALISED = {
    "batch": ("nn.batch_norm(%x, %g, %b, %m, %v{}).0", (2, 4, 3)),
    "batch, last axis": ("nn.batch_norm(%x, %g, %b, %m, %v, axis=-1{}).0", (2, 3, 4)),
    "layer": ("nn.layer_norm(%x, %g, %b{})", (2, 3, 4)),
    "layer, inner axis": ("nn.layer_norm(%x, %g, %b, axis=1{})", (2, 4, 3)),
    "instance": ("nn.instance_norm(%x, %g, %b{})", (2, 4, 3, 2)),
    "instance, last axis": ("nn.instance_norm(%x, %g, %b, axis=-1{})", (2, 3, 2, 4)),
    "instance, nothing but channels": ("nn.instance_norm(%x, %g, %b{})", (2, 4)),
    "group": ("nn.group_norm(%x, %g, %b, num_groups=2{})", (2, 4, 3, 2)),
    "group, of unknown size": ("nn.group_norm(%x, %g, %b, num_groups=2{})", (2, 4, 3, 2)),
}
ATTRS = ("", ", center=False", ", scale=False", ", epsilon=0.1f")


def module(call: str, shape: tuple[int, ...], dtype: str, *, known: bool = True) -> IRModule:
    sizes = ", ".join(str(size) if known or at == 1 else "?" for at, size in enumerate(shape))
    vectors = ", ".join(f"%{name}: Tensor[(4), {dtype}]" for name in "gbmv")
    text = f"def @main(%x: Tensor[({sizes}), {dtype}], {vectors}) {{ {call} }}"
    return parse(HEADER + text)


def arguments(shape: tuple[int, ...], dtype: str) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    drawn = [rng.uniform(0.5, 2, size) for size in (shape, 4, 4, 4, 4)]
    return [np.asarray(value, dtype) for value in drawn]


def calls(func: Function) -> int:
    return sum(1 for node in EXPRESSIONS.post_order(func) if type(node) is Call)


@pytest.mark.parametrize("attrs", ATTRS)
@pytest.mark.parametrize("name", NORMALISED)
def test_normalisation_keeps_its_value(name: str, attrs: str) -> None:
    call, shape = NORMALISED[name]
    mod = module(call.format(attrs), shape, "float32", known="unknown" not in name)
    args = arguments(shape, "float32")
    image = SimplifyInference()(mod)
    used = {node.op.name for node in EXPRESSIONS.post_order(image["main"]) if hasattr(node, "op")}
    assert not any(name.endswith("_norm") for name in used)
    expected, found = (evaluate(m["main"], m, args) for m in (mod, image))
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("axis", ["[1]", "[1, 2]", "[-1]", "[]"])
def test_l2_normalize_keeps_its_value(axis: str) -> None:
    mod = module(f"nn.l2_normalize(%x, eps=0.001f, axis={axis})", (2, 4, 3), "float32")
    args = arguments((2, 4, 3), "float32")
    image = SimplifyInference()(mod)
    assert image is not mod
    expected, found = (evaluate(m["main"], m, args) for m in (mod, image))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_constants_are_of_the_element_type_of_the_data(dtype: str) -> None:
    call, shape = NORMALISED["batch"]
    image = SimplifyInference()(module(call.format(", epsilon=0.1"), shape, dtype))
    found = [n.data for n in EXPRESSIONS.post_order(image["main"]) if type(n) is Constant]
    assert {str(value.dtype) for value in found} == {dtype}
    assert np.asarray(0.1, dtype) in found


def test_statistics_of_training_are_left_alone() -> None:
    mod = module("(nn.batch_norm(%x, %g, %b, %m, %v).1, nn.dropout(%x).1)", (2, 4), "float32")
    assert SimplifyInference()(mod) is mod


def test_dropout_in_dropout_leaves_the_data() -> None:
    mod = infer_type(module("nn.dropout(nn.dropout(%x).0).0", (2, 4), "float32"))
    image = simplify_inference(mod["main"])
    assert image.body is mod["main"].params[0]


def test_shared_normalisation_is_spelt_out_once() -> None:
    x, gamma = var("x", shape=(2, 4)), var("g", shape=(4,))
    normed = op.nn.layer_norm(x, gamma, gamma)
    once = simplify_inference(infer_type(Function((x, gamma), normed)))
    image = simplify_inference(infer_type(Function((x, gamma), doublings(100, normed))))
    assert calls(image) == calls(once) + 100


def test_program_without_types_is_refused() -> None:
    x, gamma = var("x", shape=(2, 4)), var("g", shape=(4,))
    with pytest.raises(PassError, match="without a type; run InferType first"):
        simplify_inference(op.nn.layer_norm(x, gamma, gamma))
