"""Nodes of old versions of operators, converted and run before and after."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

import relayish as relay
from relayish.frontend import from_onnx, to_onnx
from relayish.frontend.onnx.session import OnnxSession
from relayish.ir.relay.module import IRModule

NEWEST = onnx.defs.onnx_opset_version()


def node_model(
    operator: str,
    inputs: dict[str, Any],  # Any: arrays of any type
    opset: int,
    *,
    constants: dict[str, Any] | None = None,  # Any: as above
    outputs: tuple[str, ...] = ("y",),
    is_typed: bool = True,
    is_run: bool = True,
    **attributes: Any,  # Any: whatever onnx takes
) -> Any:  # Any: a model, which onnx does not type
    """Return a model of one node, whose outputs have the types that they have when it is run.

    Args:
        operator: The operator.
        inputs: Values for the inputs, whose types are those of the model.
        opset: The version of the operator set.
        constants: Inputs behind these that are initializers.
        outputs: The names of the results, all of which are of the model.
        is_typed: Whether it can be told how many dimensions the first operand has; if
            not, ``inputs`` gets one more, of its sizes.
        is_run: Whether it can be run; if not, its outputs have no types.
        attributes: The attributes of the node.
    """
    helper = onnx.helper
    names = [*inputs, *(constants or {})]
    nodes = []
    if not is_typed:
        nodes = [helper.make_node("Reshape", [names[0], "sizes"], ["open"])]
        inputs["sizes"] = np.array(inputs[names[0]].shape)
        names[0] = "open"
    nodes.append(helper.make_node(operator, names, list(outputs), "the node", **attributes))
    infos = [_info(name, value) for name, value in inputs.items()]
    if not is_typed:
        infos[-1].type.tensor_type.shape.dim[0].dim_param = "rank"
    tensors = [
        onnx.numpy_helper.from_array(np.asarray(value), name)
        for name, value in (constants or {}).items()
    ]
    untyped = [onnx.ValueInfoProto(name=name) for name in outputs]
    model = helper.make_model(
        helper.make_graph(nodes, "g", infos, untyped, tensors),
        opset_imports=[helper.make_opsetid("", opset)],
        ir_version=8,
    )
    if not is_run:
        return model
    for held, found in zip(model.graph.output, run(model, inputs), strict=True):
        held.CopyFrom(_info(held.name, found))
        if not is_typed:
            for place, dim in enumerate(held.type.tensor_type.shape.dim):
                dim.dim_param = f"{held.name}{place}"
    return model


def _info(name: str, value: Any) -> Any:  # Any: an array; a ValueInfoProto
    element = onnx.helper.np_dtype_to_tensor_dtype(value.dtype)
    return onnx.helper.make_tensor_value_info(name, element, value.shape)


def convert(mod: IRModule, version: int) -> IRModule:
    """Return a module converted; that it is idempotent is asserted."""
    image = relay.transform.ConvertOpset(version=version)(mod)
    assert relay.transform.ConvertOpset(version=version)(image) is image
    return image


def convert_model(model: Any, version: int) -> Any:  # Any: models, which onnx does not type
    """Return a model converted, which is valid."""
    result = to_onnx(convert(from_onnx(model), version))
    onnx.checker.check_model(result, full_check=True)
    assert [each.version for each in result.opset_import if not each.domain] == [version]
    return result


def run(model: Any, inputs: dict[str, Any]) -> list[Any]:  # Any: as above; arrays
    return OnnxSession(from_onnx(model)).run(inputs)


def assert_same_values(before: Any, after: Any, inputs: dict[str, Any]) -> None:  # Any: as above
    assert_all_close(run(before, inputs), run(after, inputs))


def assert_all_close(before: list[Any], after: list[Any]) -> None:  # Any: arrays
    for one, other in zip(before, after, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def operators(model: Any) -> list[str]:  # Any: as above
    return [node.op_type for node in model.graph.node]
