"""Facts that one pass leaves for the next."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")

from relayish import transform
from relayish.frontend.onnx import from_onnx
from relayish.ir.relay.expr import Constant, Let
from relayish.onnx.propagation import propagate
from relayish.passes.onnx.default_pipeline import onnx_pipeline
from relayish.passes.onnx.rewrite.engine import facts
from tests.passes.onnx.graphs import operators, read
from tests.support.onnx_models import models_of_others

pytestmark = pytest.mark.references

EXAMPLE = Path(__file__).parents[5] / "examples" / "small_network.onnx"
GRAPHS = {
    "shapes by name": """g (float[n,4] x, float[n,4] z) => (float[?,?] y) <int64[2] s = {-1, 4}>
        { a = Add(x, z) b = Reshape(a, s) c = Shape(b) d = Reshape(z, c) y = Mul(b, d) }""",
    "shapes that folding tells": """g (float[2,6] x) => (float[?,?] y) <int64[1] k = {3}>
        { s = Shape(x) h = Slice(s, z, o) n = Concat<axis=0>(h, k, m) r = Reshape(x, n)
          t = Transpose<perm=[0,2,1]>(r) u = Relu(t) y = Transpose<perm=[0,2,1]>(u) }""".replace(
        "<int64[1] k = {3}>",
        "<int64[1] k = {3}, int64[1] z = {0}, int64[1] o = {1}, int64[1] m = {-1}>",
    ),
    "unknown until a branch is inlined": """g (float[2,3] x) => (float[?,?] y)
        <bool k = {1}, int64[2] s = {3, 2}>
        { a = If(k) <then_branch = t () => (float[?,?] o) { o = Reshape(x, s) },
                     else_branch = e () => (float[?,?] o) { o = Identity(x) }>
          b = Neg(a) c = Shape(b) d = Reshape(x, c) y = Add(b, d) }""",
}


def count_walks(monkeypatch) -> list[object]:
    walks: list[object] = []
    real = facts.propagate

    def propagate(func, *args, **named):
        walks.append(func)
        return real(func, *args, **named)

    monkeypatch.setattr(facts, "propagate", propagate)
    return walks


def test_all_passes_together_look_for_types_once(monkeypatch):
    walks = count_walks(monkeypatch)
    onnx_pipeline(3)(from_onnx(EXAMPLE))
    assert len(walks) == 1


def test_pass_that_rewrites_nothing_leaves_facts_for_the_next(monkeypatch):
    walks = count_walks(monkeypatch)
    mod = read("g (float[2,3] x) => (float[2,3] y) { a = Relu(x) y = Neg(a) }")
    for _ in range(3):
        assert transform.SimplifyOnnx()(mod) is mod
    assert len(walks) == 1


def test_what_is_known_is_told_without_a_search(monkeypatch):
    searches = []
    monkeypatch.setattr(facts, "post_order", lambda *search: searches.append(search) or ())
    mod = read("g (float[2,3] x) => (float[2,3] y) { a = Relu(x) y = Neg(a) }")
    assert transform.SimplifyOnnx()(mod) is mod
    assert searches == []


def test_facts_go_with_the_function_that_they_are_of():
    mod = read("g (float[2,3] x) => (float[2,3] y) { a = Relu(x) y = Neg(a) }")
    assert transform.SimplifyOnnx()(mod) is mod
    held = weakref.ref(mod["main"])
    assert held() in facts._KEPT
    del mod
    gc.collect()
    assert held() is None


def check(mod) -> int:
    """Compare what is kept of ``main`` with what is found anew; return of how many variables."""
    main = mod["main"]
    kept, anew = facts._KEPT.get(main), propagate(main, mod)
    if kept is None:
        return 0
    compared, tail = 0, main.body
    while type(tail) is Let:
        before, found = kept.known(tail.var), anew.known(tail.var)
        if before is not None:
            compared += 1
            assert before.type is found.type or str(before.type) == str(found.type)
            if found.value is not None and before.value is not None:
                np.testing.assert_array_equal(before.value, found.value)
            if type(tail.value) is Constant or not str(found.type).endswith("float32]"):
                assert (found.value is None) == (before.value is None)
        tail = tail.body
    return compared


@pytest.mark.parametrize("text", GRAPHS.values(), ids=list(GRAPHS))
def test_facts_left_by_a_pass_are_those_of_what_it_returns(text):
    mod = read(text)
    for name in ("SimplifyOnnx", "PushTranspose", "OptimizeOnnx"):
        mod = transform.Sequential([name])(mod)
        check(mod)


def test_shape_that_became_known_is_used_by_the_passes_behind():
    mod = transform.SimplifyOnnx()(read(GRAPHS["unknown until a branch is inlined"]))
    assert operators(mod) == ["Reshape", "Neg", "Reshape", "Add"]  # no Shape


MODELS = [path for path in models_of_others() if path.name.startswith(("gpt2", "rapidocr"))]


@pytest.mark.parametrize("path", [EXAMPLE, *MODELS], ids=lambda path: path.name.partition(".")[0])
def test_facts_left_of_a_model_are_those_of_what_passes_return(path):
    mod = from_onnx(path, freeze_params=True)
    compared = 0
    for name in ("SimplifyOnnx", "EliminateCommonSubexprOnnx", "PushTranspose", "OptimizeOnnx"):
        mod = transform.Sequential([name])(mod)
        compared += check(mod)
    assert compared
