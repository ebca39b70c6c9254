"""Tensors of strings in programs of ONNX."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx")

import relayish as relay
from relayish.onnx import find_operator, make_call

pytestmark = pytest.mark.references


def _concat(*texts):
    parts = [relay.Constant(np.array(each, object)) for each in texts]
    return make_call(find_operator("StringConcat", 20), parts)


def test_kernels_take_constants_and_give_arrays_of_strings():
    found = relay.evaluate(_concat(["a", "b"], ["1", "2\0"]))
    assert found.dtype == object
    assert found.tolist() == ["a1", "b2\0"]


def test_calls_on_constants_are_folded():
    mod = relay.IRModule({"main": relay.Function([], _concat(["a"], ["b"]))})
    body = relay.transform.FoldConstant()(mod)["main"].body
    assert type(body) is relay.Constant
    assert body.data.tolist() == ["ab"]
