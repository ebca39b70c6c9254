"""Constants: nodes, and equal ones."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from relayish import transform  # noqa: E402
from relayish.frontend.onnx import to_onnx  # noqa: E402
from relayish.ir.relay.expr import Constant  # noqa: E402
from relayish.ir.relay.traversal import EXPRESSIONS  # noqa: E402
from tests.passes.onnx.graphs import read  # noqa: E402

pytestmark = pytest.mark.references


def test_constant_nodes_become_initializers() -> None:
    text = """
        g (float[2] x) => (float[2] y) {
            a = Constant<value = float[2] {1, 2}>() b = Constant<value_float = 3.0>()
            c = Constant<value_floats = [1.0, 2.0]>() d = Constant<value_int = 4>()
            e = Constant<value_ints = [5, 6]>() f = Cast<to=1>(d) g = Cast<to=1>(e)
            y = Sum(x, a, b, c, f, g)
        }"""
    mod = transform.ConstantToInitializer()(read(text))
    model = to_onnx(mod)
    assert [node.op_type for node in model.graph.node] == ["Cast", "Cast", "Sum"]
    assert [each.name for each in model.graph.initializer] == ["a", "b", "c", "d", "e"]


def test_results_that_double_are_bounded_together() -> None:
    size, count = 1 << 12, 12
    nodes = " ".join([f"v{n + 1} = Concat<axis=0>(v{n}, v{n})" for n in range(count)])
    text = f"""
        g (float[N] x) => (float[M] y) {{
            s = Constant<value = int64[1] {{{size}}}>() v0 = ConstantOfShape(s) {nodes}
            y = Concat<axis=0>(x, v{count})
        }}"""
    folded = transform.SimplifyOnnx(size_limit=size)(read(text))
    constants = [n.data.size for n in EXPRESSIONS.pre_order(folded["main"]) if type(n) is Constant]
    assert size < sum(constants) < 64 * size < size << count


EQUAL = """
    g (float[2] x) => (float[2] y)
    <float[2] a = {1, 2}, float[2] b = {1, 2}, float[1,2] c = {1, 2}, double[2] d = {1, 2}> {
        e = Add(x, a) f = Mul(e, b) h = Sub(f, c) i = Cast<to=1>(d) y0 = Add(h, i)
        z = Constant<value_int = 0>() y = Reshape(y0, w) w = Constant<value_ints = [2]>()
    }"""


def names(mod: object) -> list[str]:
    return [each.name for each in to_onnx(mod).graph.initializer]


def test_equal_initializers_become_one() -> None:
    assert names(transform.MergeInitializers()(read(EQUAL))) == ["a", "c", "d"]


def test_equal_strings_become_one_initializer() -> None:
    text = """
        g (string[1] x) => (string[1] y)
            <string[1] a = {"k"}, string[1] b = {"k"}, string[1] c = {"kk"}> {
            u = StringConcat(x, a) v = StringConcat(u, b) y = StringConcat(v, c)
        }"""
    assert names(transform.MergeInitializers()(read(text, 20))) == ["a", "c"]


def test_each_graph_has_its_own() -> None:
    text = """
        g (float[2] x, bool p) => (float[2] y) <float[2] a = {1, 2}> {
            z = Add(x, a)
            y = If (p) <
                then_branch = t () => (float[2] r) <float[2] b = {1, 2}, float[2] c = {1, 2}> {
                    q = Add(z, b) r = Mul(q, c)
                },
                else_branch = e () => (float[2] s) { s = Neg(z) }
            >
        }"""
    mod = transform.MergeInitializers()(read(text))
    (branch, _) = to_onnx(mod).graph.node[1].attribute
    assert [each.name for each in branch.g.initializer] == ["b"]
