"""Constructors, builders and passes take what scripts for TVM give them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from relayish import tvm
from relayish.tvm import relay
from tests.support.each import each

CALLS = Path(__file__).parent.parent / "cases" / "tvm_calls.txt"
X = relay.var("x", shape=(2, 3))


@each("call", [c for c in CALLS.read_text().splitlines() if not c.startswith("#")])
def test_call_is_taken_as_tvm_takes_it(call):
    assert eval(call, {"tvm": tvm, "relay": relay, "np": np, "x": X}) is not None
