"""Loops that do not run give tensors of the types that their graphs tell."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.frontend.onnx.importer import from_onnx
from relayish.frontend.onnx.session import OnnxSession

onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.references
helper, FLOAT, INT64, BOOL = onnx.helper, onnx.TensorProto.FLOAT, 7, 9


def info(name, element_type, shape):
    return helper.make_tensor_value_info(name, element_type, shape)


def run_loop(kinds):
    """Return what a loop of no iteration gives whose outputs beside the state are of ``kinds``."""
    names = [f"kept{place}" for place in range(len(kinds))]
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["going"], ["goes"]),
            helper.make_node("Identity", ["state"], ["next"]),
            *[helper.make_node("Identity", ["state"], [name]) for name in names],
        ],
        "body",
        [info("number", INT64, []), info("going", BOOL, []), info("state", INT64, [2, 3])],
        [info("goes", BOOL, []), info("next", INT64, [2, 3])]
        + [info(name, *kind) for name, kind in zip(names, kinds, strict=True)],
    )
    results = [f"result{place}" for place in range(len(kinds))]
    loop = helper.make_node("Loop", ["count", "", "x"], ["last", *results], body=body)
    graph = helper.make_graph(
        [loop],
        "loop",
        [info("count", INT64, []), info("x", INT64, [2, 3])],
        [helper.make_empty_tensor_value_info(name) for name in ["last", *results]],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8)
    x = np.arange(6).reshape(2, 3)
    last, *collected = OnnxSession(from_onnx(model)).run({"count": np.array(0), "x": x})
    assert last.tolist() == x.tolist()
    return collected


def test_what_no_iteration_collects_has_the_type_that_is_told():
    one, two, three = run_loop([(INT64, [2, 3]), (INT64, ["n", 3]), (INT64, None)])
    assert (one.dtype, one.shape) == (np.int64, (0, 2, 3))
    assert (two.dtype, two.shape) == (np.int64, (0, 0, 3))
    assert len(three) == 0
