"""Functions of models, inlined."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
inliner = pytest.importorskip("onnx.inliner")

from relayish import transform  # noqa: E402
from relayish.errors import PassError  # noqa: E402
from relayish.frontend.onnx import from_onnx, to_onnx  # noqa: E402
from relayish.passes.onnx.rewrite.engine import rewriter  # noqa: E402
from tests.passes.onnx.graphs import operators, random_feeds, read, run  # noqa: E402

pytestmark = pytest.mark.references


def inline(text: str) -> list[str]:
    mod = read(text)
    image = transform.InlineOnnxFunctions()(mod)
    assert transform.InlineOnnxFunctions()(image) is image
    onnx.checker.check_model(to_onnx(image))
    feeds = random_feeds(mod, 0)
    expected = from_onnx(inliner.inline_local_functions(to_onnx(mod)))
    for left, right in zip(run(expected, feeds), run(image, feeds), strict=True):
        np.testing.assert_array_equal(left, right)
    assert len(image.functions) == 1
    return operators(image)


CALLS = "agraph (float[2,3] x) => (float[2,3] y) { %s }\n"


def test_the_body_of_a_function_stands_where_it_was_called() -> None:
    text = (
        CALLS % "a = my.twice(x) y = my.twice(a)"
        + """
        <domain: "my", opset_import: ["": 17]> twice (a) => (c) { b = Neg(a) c = Add(a, b) }"""
    )
    assert inline(text) == ["Neg", "Add", "Neg", "Add"]


CHAIN = (
    CALLS % "y = my.outer(x)"
    + """
    <domain: "my", opset_import: ["": 17, "my": 1]> outer (a0) => (a%d) { %s }
    <domain: "my", opset_import: ["": 17]> inner (a) => (b) { b = Neg(a) }"""
)


def test_long_function_that_one_node_calls_is_inlined() -> None:
    count = 300
    nodes = " ".join([f"a{n + 1} = my.inner(a{n})" for n in range(count)])
    assert inline(CHAIN % (count, nodes)) == ["Neg"] * count


def test_functions_that_call_others_twice_are_refused_before_they_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rewriter, "_MOST_INLINED", 100)
    mod = read(CHAIN % (101, " ".join([f"a{n + 1} = my.inner(a{n})" for n in range(101)])))
    with pytest.raises(PassError, match=r"become more than 100 nodes where they are called, last"):
        transform.InlineOnnxFunctions()(mod)


def test_attributes_of_the_call_stand_for_references_to_them() -> None:
    text = (
        CALLS % "a = my.elu<k=2.0>(x) y = my.elu<k=3.0>(a)"
        + """
        <domain: "my", opset_import: ["": 17]> elu <k> (a) => (b) { b = Elu<alpha: float = @k>(a) }
        """
    )
    mod = transform.InlineOnnxFunctions()(read(text))
    alphas = [node.attribute[0].f for node in to_onnx(mod).graph.node]
    assert alphas == [2.0, 3.0]


def test_an_attribute_has_its_default_where_the_call_gives_none() -> None:
    text = (
        CALLS % "a = my.elu(x) y = my.elu<k=3.0>(a)"
        + """
        <domain: "my", opset_import: ["": 17]> elu <k: float = 0.5> (a) => (b) {
            b = Elu<alpha: float = @k>(a)
        }"""
    )
    mod = transform.InlineOnnxFunctions()(read(text))
    assert [node.attribute[0].f for node in to_onnx(mod).graph.node] == [0.5, 3.0]


def test_an_attribute_that_nobody_gives_is_left_out() -> None:
    text = (
        CALLS % "y = my.elu(x)"
        + """
        <domain: "my", opset_import: ["": 17]> elu <k> (a) => (b) { b = Elu<alpha: float = @k>(a) }
        """
    )
    mod = transform.InlineOnnxFunctions()(read(text))
    assert [len(node.attribute) for node in to_onnx(mod).graph.node] == [0]


def test_a_function_for_another_operator_set_stays() -> None:
    text = (
        CALLS % "y = my.soft(x)"
        + """
        <domain: "my", opset_import: ["": 11]> soft (a) => (b) { b = Softmax(a) }"""
    )
    mod = read(text)
    assert transform.InlineOnnxFunctions()(mod) is mod


def test_rules_leave_calls_alone_whose_attributes_are_not_known() -> None:
    text = (
        CALLS % "y = my.turn<p=[1,0]>(x)"
        + """
        <domain: "my", opset_import: ["": 17]> turn <p> (a) => (c) {
            b = Transpose<perm: ints = @p>(a) c = Transpose<perm: ints = @p>(b)
        }"""
    )
    mod = read(text)
    assert transform.SimplifyOnnx()(mod) is mod
    image = transform.SimplifyOnnx()(transform.InlineOnnxFunctions()(mod))
    assert operators(image) == ["Identity"]
