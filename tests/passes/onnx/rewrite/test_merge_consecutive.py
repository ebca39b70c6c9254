"""Operators in a row that are one."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from relayish import transform  # noqa: E402
from tests.passes.onnx.graphs import read  # noqa: E402

pytestmark = pytest.mark.references


def test_other_attributes_of_a_module_stay() -> None:
    mod = read("g (float[n,m] x) => (float[n,m] y) { a = Transpose(x) y = Transpose(a) }")
    image = transform.MergeConsecutive()(mod)
    assert image.attrs is mod.attrs
    assert image["main"].attrs is mod["main"].attrs
