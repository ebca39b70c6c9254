"""Node tests of ONNX, lowered to Relay's operators: what is lowered computes the same."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx.backend.test.runner import Runner, _normalize_tensor  # noqa: E402

import relayish as relay  # noqa: E402
from relayish.domain import Visitor  # noqa: E402
from relayish.frontend.onnx import from_onnx  # noqa: E402
from relayish.passes.onnx.lowering.handler import LowerOnnxOperators  # noqa: E402
from relayish.passes.onnx.lowering.rule import RULES  # noqa: E402
from relayish.passes.relay.lowering.context import LowerCtx  # noqa: E402
from relayish.passes.relay.lowering.relay import LowerRelay  # noqa: E402
from tests.support.onnx_models import MAKES_SUITE, atol_of, every, suite_cases  # noqa: E402

pytestmark = pytest.mark.references

MOST_ELEMENTS = 200
"""An input with more elements than this, or the first one, is known only when the node runs."""

NOT_TENSORS = ("test_identity_sequence", "test_identity_opt", "test_optional")

LEFT = {
    "Resize": "axes, coordinates and scales that Relay has not",
    "Cast": "strings",
    "CastLike": "strings",
    "Dropout": "training without a seed",
    "Range": "bounds that run",
    "ConstantOfShape": "shape that runs",
    "Pow": "types of exponents",
    "LpPool": "last windows over the end",
    "SpaceToDepth": "another order",
    "Equal": "strings",
    "Scan": "LowerOnnxLoops writes it",
    "TfIdfVectorizer": "strings",
}
"""By operator: why some nodes of it are not lowered."""


class _Known:
    def __init__(self, types: dict[Any, Any], values: dict[Any, Any]) -> None:
        self.types, self.values = types, values

    def type_of(self, expr: Any) -> Any:
        return self.types.get(expr)

    def value_of(self, expr: Any) -> Any:
        return self.values.get(expr)

    def giver_of(self, expr: Any) -> Any:
        return expr


def _cases() -> list[Any]:
    return [
        case
        for case in suite_cases()
        if case.kind == "node"
        and "_expanded" not in case.name
        and not case.name.startswith(NOT_TENSORS)
        and len(case.model.graph.node) == 1
        and not case.model.graph.node[0].domain
        and ("", case.model.graph.node[0].op_type) in RULES
    ]


def _lower_and_compare(case: Any) -> str:
    """Return ``""`` where the lowered node computes what is expected, else why it is left."""
    given, expected = case.data_sets[0]
    inputs = [np.asarray(_normalize_tensor(each)) for each in given]
    wanted = [_normalize_tensor(each) for each in expected]
    function: Any = from_onnx(case.model)["main"]
    types, values = {}, {}
    for place, (param, value) in enumerate(zip(function.params, inputs, strict=False)):
        dtype = "string" if value.dtype.kind in "OU" else value.dtype.name
        types[param] = relay.TensorType(value.shape, dtype)
        if place and value.size < MOST_ELEMENTS:
            values[param] = value
    ctx = LowerCtx()
    visitor = Visitor(ctx, LowerOnnxOperators("onnx", _Known(types, values)), LowerRelay())
    lowered = visitor.visit(function)
    if ctx.left:
        return ctx.left[0].reason
    found = relay.create_executor("debug").evaluate(lowered)(*inputs)
    results = [np.asarray(each) for each in (found if isinstance(found, tuple) else (found,))]
    Runner.assert_similar_outputs(wanted, results, case.rtol, atol_of(case))
    return ""


@MAKES_SUITE
def test_what_is_lowered_computes_what_onnx_says() -> None:
    cases = _cases()
    assert len(cases) > 950
    cases = cases[:: every(2)]
    left: Counter[str] = Counter()
    lowered = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for case in cases:
            try:
                reason = _lower_and_compare(case)
            except Exception as error:
                raise AssertionError(f"{case.name}: {error}") from error
            if reason:
                left[case.model.graph.node[0].op_type] += 1
            else:
                lowered += 1
    assert set(left) <= set(LEFT)
    assert lowered > 0.85 * len(cases)
