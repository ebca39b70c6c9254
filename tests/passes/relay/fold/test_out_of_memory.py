"""What there is no memory to evaluate early is left to the program, whichever pass tries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from relayish import tir
from relayish.analysis import list_op_freqs
from relayish.domain import UNKNOWN, EvalCtx, Visitor
from relayish.domain.literal_folding import LiteralFolder
from relayish.op.declaration import properties
from relayish.op.declaration.op_table import OpTable
from relayish.text import parse
from relayish.tir.interpreter import EvaluateExpr
from relayish.transform import PassContext, parse_pipeline

Calls = list[object]


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Let every evaluation of an operator run out of memory; give a list of those."""
    calls: Calls = []
    get: Callable[..., Any] = OpTable.get

    def fail(*_values: object) -> object:
        calls.append(None)
        raise MemoryError("there is none left")

    def get_failing(table: OpTable[Any], op: Any, default: Any = None) -> Any:
        found = get(table, op, default)
        return fail if table is properties.evaluate and found is not None else found

    monkeypatch.setattr(OpTable, "get", get_failing)
    return calls


CONSTANTS = """#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) {
  %0 = multiply(multiply(%x, 2f), 3f);
  multiply(add(%0, add(1f, 2f)), 4f)
}
"""
BOXES = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 3, 4, 4), float32]) {
  vision.multibox_prior(%x, sizes=[0.5f, 0.25f], ratios=[1f, 2f])
}
"""
BYTES = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), uint8]) {
  qnn.tanh(%x, 0.1f, 3, 0.01f, 128)
}
"""
CASES = {
    "FoldConstant": CONSTANTS,
    "PartialEvaluate": CONSTANTS,
    "SparseConditionalConstantPropagation": CONSTANTS,
    "SimplifyExpr": CONSTANTS,
    "SimplifyDomains": CONSTANTS,
    "LowerVision": BOXES,
    "QnnCanonicalizeOps": BYTES,
}


@pytest.mark.parametrize(("name", "program"), CASES.items(), ids=CASES)
def test_pass_leaves_what_it_cannot_hold(name: str, program: str, full: Calls) -> None:
    mod = parse_pipeline("InferType")(parse(program))
    full.clear()
    with PassContext(opt_level=4):
        out = parse_pipeline(name)(mod)
    assert full, "nothing was evaluated"
    assert list_op_freqs(out) == list_op_freqs(mod)


@pytest.mark.references
@pytest.mark.parametrize("name", ["SimplifyOnnx", "InferShapesOnnx", "OptimizeOnnx"])
def test_pass_over_models_leaves_what_it_cannot_hold(name: str, full: Calls) -> None:
    pytest.importorskip("onnx")
    graphs = pytest.importorskip("tests.passes.onnx.graphs")
    mod = graphs.read(
        """g (float[2] x, float[N] z) => (float[2] y, float[M] w)
        <float[2] a = {2, 1}, float[2] b = {1, 2}> {
            c = Add(a, b) y = Mul(x, c) n = Shape(z) m = Concat<axis=0>(n, n)
            p = ReduceProd<keepdims=1>(m) q = Mul(p, p) w = ConstantOfShape(q)
        }"""
    )
    full.clear()
    out = parse_pipeline(name)(mod)
    assert full, "nothing was evaluated"
    assert "onnx::Add" in str(out)


def test_literals_stay_where_there_is_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_values: object) -> object:
        raise MemoryError("there is none left")

    expr = tir.Var("x") + 1
    assert EvalCtx({}).value_of(Visitor(EvalCtx({}), EvaluateExpr), expr) is UNKNOWN
    total = tir.Add(tir.IntImm(1), tir.IntImm(2))
    assert LiteralFolder().fold(total) is not total
    monkeypatch.setattr(Visitor, "visit", fail)
    assert LiteralFolder().fold(total) is total
    assert EvalCtx({}).value_of(Visitor(EvalCtx({}), EvaluateExpr), total) is UNKNOWN
