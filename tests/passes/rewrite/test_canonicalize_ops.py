"""Biases added by plain additions."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import PassError
from relayish.interpreter import evaluate
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.op.builders.builder import op
from relayish.passes.rewrite.canonicalize_ops import canonicalize_ops
from relayish.transform import CanonicalizeOps


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_bias_is_added_along_its_axis(axis: int) -> None:
    shape = (2, 3, 4)
    x, bias = var("x", shape=shape), var("bias", shape=(shape[axis],))
    mod = IRModule.from_expr(Function((x, bias), op.nn.bias_add(x, bias, axis=axis)))
    image = CanonicalizeOps()(mod)
    assert image["main"].body.op.name == "add"
    args = [np.arange(24, dtype="float32").reshape(shape), np.arange(shape[axis], dtype="float32")]
    expected, found = (evaluate(m["main"], m, args) for m in (mod, image))
    np.testing.assert_array_equal(found, expected)


def test_program_without_types_is_refused() -> None:
    x, bias = var("x", shape=(2, 3)), var("bias", shape=(3,))
    with pytest.raises(PassError, match="without a type; run InferType first"):
        canonicalize_ops(op.nn.bias_add(x, bias))
