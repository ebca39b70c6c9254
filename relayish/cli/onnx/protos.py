"""Texts of what protos hold: types, tensors, attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from relayish.onnx.element_types import ELEMENT_TYPES


def show_type(proto: Any) -> str:  # Any: a TypeProto, or None
    """Return a type in few characters: ``float32[1, 3, h, w]``; empty if nothing is known."""
    case = None if proto is None else proto.WhichOneof("value")
    if case == "tensor_type":
        name = ELEMENT_TYPES.get(proto.tensor_type.elem_type, "?")
        if not proto.tensor_type.HasField("shape"):
            return name
        dims = proto.tensor_type.shape.dim
        return f"{name}[{', '.join(_show_dim(each) for each in dims)}]"
    if case == "sequence_type":
        return f"sequence of {show_type(proto.sequence_type.elem_type) or '?'}"
    if case == "optional_type":
        return f"optional {show_type(proto.optional_type.elem_type) or '?'}"
    if case == "map_type":
        key = ELEMENT_TYPES.get(proto.map_type.key_type, "?")
        return f"map of {key} to {show_type(proto.map_type.value_type) or '?'}"
    return case.removesuffix("_type") if case else ""


def _show_dim(dim: Any) -> str:  # Any: a dimension of a TensorShapeProto
    if dim.WhichOneof("value") == "dim_value":
        return str(dim.dim_value) if dim.dim_value >= 0 else "?"
    return dim.dim_param or "?"


def show_tensor(tensor: Any) -> str:  # Any: a TensorProto
    """Return element type and shape of a tensor: ``float32[16, 3, 3, 3]``."""
    return f"{ELEMENT_TYPES.get(tensor.data_type, '?')}[{', '.join(map(str, tensor.dims))}]"


def attribute_texts(node: Any) -> Mapping[str, str]:  # Any: a NodeProto
    """Return the attributes of a node by name, as they are shown, graphs left out."""
    shown = {}
    for each in node.attribute:
        if each.ref_attr_name:
            shown[each.name] = f"@{each.ref_attr_name}"
        elif each.HasField("t"):
            shown[each.name] = show_tensor(each.t)
        elif not each.HasField("g") and not each.graphs:
            shown[each.name] = _plain_value(each)
    return shown


def _plain_value(attribute: Any) -> str:  # Any: an AttributeProto
    for name in ("i", "f", "s"):
        if attribute.HasField(name):
            return _show_value(getattr(attribute, name))
    values = [*attribute.ints, *attribute.floats, *attribute.strings]
    return f"[{', '.join(map(_show_value, values))}]"


def _show_value(value: object) -> str:
    if isinstance(value, bytes):
        return repr(value.decode("utf-8", "backslashreplace"))
    return f"{value:g}" if isinstance(value, float) else str(value)
