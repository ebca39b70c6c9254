"""Random calls of operators that have a rule: written as what computes the same, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from relayish.errors import PassError  # noqa: E402
from relayish.frontend.onnx import from_onnx, to_onnx  # noqa: E402
from relayish.frontend.onnx.session import OnnxSession  # noqa: E402
from relayish.ir.relay.expr import Call  # noqa: E402
from relayish.passes.onnx.raising.rule import RULES  # noqa: E402
from relayish.transform import InferType, RaiseToOnnx  # noqa: E402
from tests.support.operator_programs import NAMES, Maker  # noqa: E402
from tests.support.raised_calls import leaves  # noqa: E402
from tests.support.seeds import many, seeds  # noqa: E402

pytestmark = pytest.mark.references

OPSETS = (9, 11, 13, 15, 17, 18, 21, 23)
UNSAID = ("searchsorted",)
"""Operators of which nothing is said for arguments in no order."""
TOLERANCES = {"float16": 2e-2, "bfloat16": 1e-1}


class OneCall(Maker):
    """Makes a program of one call, of an operator that has a rule."""

    def names_to_try(self) -> list[str]:
        return [name for name in NAMES if RULES.get(name) is not None and name not in UNSAID]

    def call(self, op: Any, attrs: Any, args: Any) -> Call:  # Any: parts of a call
        return Call(op, args, attrs)


def is_tame(arrays: list[Any]) -> bool:  # Any: arrays
    """Return whether all are numbers; of others ONNX leaves much open."""
    kept = [each for each in arrays if each.dtype.kind not in "iub" and each.size]
    return all(bool(np.isfinite(each.astype("float64")).all()) for each in kept)


def check(seed: int) -> bool:
    """Compare a call with what it is written as; return whether it is."""
    made = OneCall(seed, 1)
    if not made.names:
        return False
    expr, value = made.nodes[-1]
    bound = {id(each): var for var, each in made.bindings}
    mod = InferType()(made.module(bound.get(id(expr), expr)))
    try:
        raised = RaiseToOnnx(opset=made.pick.choice(OPSETS))(mod)
    except PassError:
        return False
    model = to_onnx(raised)
    inputs = list(leaves(list(made.params.values())))
    expected = list(leaves(value))
    if not is_tame(list(leaves([held for _, _, held in made.pool]))):
        return False
    with np.errstate(all="ignore"):
        found = OnnxSession(from_onnx(model)).run(inputs)
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if one.dtype.kind in "iub" or not one.size:
            np.testing.assert_array_equal(one, other)
            continue
        near = TOLERANCES.get(one.dtype.name, 1e-4)
        pair = one.astype("float64"), other.astype("float64")
        np.testing.assert_allclose(*pair, rtol=near, atol=near)
    return True


def test_random_calls_compute_the_same_as_models_or_are_refused() -> None:
    compared = 0
    for seed in seeds(60, soak=5000):
        try:
            compared += check(seed)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error!r}") from error
    assert compared > many(60, soak=5000) // 4
