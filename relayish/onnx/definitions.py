"""Definitions of operators of ONNX by others: the functions that their schemas have for calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from relayish.onnx.identity import Identity
from relayish.onnx.operator_sets import attribute_kinds
from relayish.onnx.package import load_onnx
from relayish.onnx.protos.attributes import attributes_to_protos, value_of_attribute
from relayish.onnx.protos.types import Dimensions


def is_defined(schema: Any) -> bool:  # Any: a schema of onnx
    """Return whether a schema defines its operator by others."""
    return bool(schema.has_function or schema.has_context_dependent_function)


def find_definition(schema: Any, node: Any, types: Sequence[Any]) -> Any:
    """Return the ``FunctionProto`` that an operator is defined by, which may depend on the call.

    Any: a schema of onnx, a NodeProto, TypeProtos, a FunctionProto.

    Args:
        schema: The schema of the operator.
        node: The call.
        types: The types of its inputs; empty ones of those that are missing.
    """
    if schema.has_function:
        return schema.function_body
    told = [each.SerializeToString() for each in types]
    body = load_onnx().FunctionProto()
    body.ParseFromString(schema.get_context_dependent_function(node.SerializeToString(), told))
    return body


def opsets_of(identity: Identity, body: Any) -> dict[str, int]:  # Any: a FunctionProto
    """Return the version of each operator set that the operators of a definition are of."""
    told = {each.domain: each.version for each in body.opset_import}
    if identity.domain:
        return {"": load_onnx("onnx.defs").onnx_opset_version(), **told}
    return {"": identity.since_version, **told}


def default_attributes(identity: Identity, schema: Any) -> dict[str, Any]:
    """Return the attributes that a schema has values for. Any: a schema, attributes."""
    return {
        name: value_of_attribute(
            declared.default_value, None, Dimensions(), str(identity), declared.default_value.type
        )
        for name, declared in schema.attributes.items()
        if declared.default_value.type
    }


def make_node(
    identity: Identity, inputs: Sequence[Any], num_outputs: int, attributes: Mapping[str, Any]
) -> Any:
    """Return the node of a call. Any: an input, ``None`` where it is missing; a NodeProto."""
    node = load_onnx().NodeProto(op_type=identity.name, domain=identity.domain)
    node.input.extend(["" if each is None else f"i{n}" for n, each in enumerate(inputs)])
    node.output.extend([f"o{n}" for n in range(num_outputs)])
    told = {name: value for name, value in attributes.items() if not callable(value)}
    node.attribute.extend(attributes_to_protos(told, attribute_kinds(identity), str(identity)))
    return node
