"""Clipped sums become activations of ONNX."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from relayish.frontend import to_onnx  # noqa: E402
from relayish.transform import get_pass  # noqa: E402
from tests.passes.onnx.graphs import read  # noqa: E402

pytestmark = pytest.mark.references


def test_nodes_that_are_made_have_names_of_their_own() -> None:
    text = """
        m (float[2, 3] x) => (float[2, 3] y)
        <float THREE = {3}, float ZERO = {0}, float SIX = {6}> {
            [add] a = Add(x, THREE) [clip] b = Clip(a, ZERO, SIX) [mul] c = Mul(x, b)
            [div] y = Div(c, SIX)
        }"""
    mod = get_pass("FuseHardSwish")(read(text, 11))
    names = [node.name for node in to_onnx(mod).graph.node]
    assert names[-1] == "div"
    assert len(set(names)) == len(names) == 2
