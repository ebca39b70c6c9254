"""Running one operator of ONNX by its reference implementation."""

from __future__ import annotations

import numpy as np
import pytest


def run_onnx(kind, *inputs, opset=19, **attributes):
    """Return the first result of an operator; an input that is ``None`` is left out."""
    onnx = pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator  # noqa: PLC0415 - only where onnx is there

    names = [f"x{n}" if value is not None else "" for n, value in enumerate(inputs)]
    given = {n: np.asarray(v) for n, v in zip(names, inputs, strict=True) if n}
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node(kind, names, ["y"], **attributes)],
        "one",
        [
            onnx.helper.make_tensor_value_info(
                name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape
            )
            for name, value in given.items()
        ],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)],
    )
    opsets = [onnx.helper.make_opsetid("", opset)]
    model = onnx.helper.make_model(graph, opset_imports=opsets)
    return ReferenceEvaluator(model).run(None, given)[0]
