"""Biases added by plain additions."""

from __future__ import annotations

import pytest

from relayish.errors import PassError
from relayish.ir.relay.build import var
from relayish.op.builders.builder import op
from relayish.passes.relay.rewrite.canonicalize_ops import canonicalize_ops


def test_program_without_types_is_refused() -> None:
    x, bias = var("x", shape=(2, 3)), var("bias", shape=(3,))
    with pytest.raises(PassError, match="without a type; run InferType first"):
        canonicalize_ops(op.nn.bias_add(x, bias))
