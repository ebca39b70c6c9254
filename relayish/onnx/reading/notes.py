"""Notes of graphs and functions, beside what they compute: attributes of functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.span import Span
from relayish.ir.relay.type import Type
from relayish.onnx import info
from relayish.onnx.package import load_onnx
from relayish.onnx.protos.types import Dimensions, type_of_proto, type_to_proto
from relayish.onnx.reading.type_reader import TypeReader
from relayish.onnx.value_types import merge_types


def read_graph_notes(graph: Any, types: TypeReader) -> dict[str, object]:  # Any: a GraphProto
    """Return what a graph says of itself, its values and its tensors."""
    attrs: dict[str, object] = {info.NAME: graph.name}
    if graph.doc_string:
        attrs[info.DOC_STRING] = graph.doc_string
    if graph.metadata_props:
        attrs[info.METADATA] = read_properties(graph)
    attrs[info.OUTPUT_TYPES] = tuple([types.type_of(each) for each in graph.output])
    attrs.update(_read_values(graph, (*graph.input, *graph.output), types))
    if graph.quantization_annotation:
        attrs[info.QUANTIZATION] = tuple(
            [
                (
                    each.tensor_name,
                    tuple([(p.key, p.value) for p in each.quant_parameter_tensor_names]),
                )
                for each in graph.quantization_annotation
            ]
        )
    if graph.sparse_initializer:
        attrs[info.SPARSE] = tuple([each.values.name for each in graph.sparse_initializer])
    return attrs


def read_function_notes(proto: Any, types: TypeReader) -> dict[str, object]:  # Any: a FunctionProto
    """Return what a function of a model says of itself and its values."""
    attrs: dict[str, object] = {}
    if proto.doc_string:
        attrs[info.DOC_STRING] = proto.doc_string
    if proto.metadata_props:
        attrs[info.METADATA] = read_properties(proto)
    attrs.update(_read_values(proto, (), types))
    return attrs


def _read_values(
    proto: Any,
    others: Iterable[Any],
    types: TypeReader,
) -> dict[str, object]:  # Any: a GraphProto or FunctionProto, ValueInfoProtos
    attrs: dict[str, object] = {}
    if proto.value_info:
        attrs[info.VALUE_INFO] = DictAttrs({v.name: types.type_of(v) for v in proto.value_info})
    values: dict[str, object] = {}
    for each in (*others, *proto.value_info):
        details = _read_value(each, types.read(each).whole)
        if details is not None:
            values[each.name] = details
    if values:
        attrs[info.VALUES] = DictAttrs(values)
    return attrs


def _read_value(value: Any, whole: str | None) -> DictAttrs | None:  # Any: a ValueInfoProto
    details: dict[str, object] = {}
    if value.doc_string:
        details["doc_string"] = value.doc_string
    if value.metadata_props:
        details["metadata"] = read_properties(value)
    if whole is not None and value.HasField("type"):
        details["type"] = whole
    return DictAttrs(details) if details else None


def span_of_name(name: str, place: int = 0) -> Span | None:
    """Return the span of what a model calls ``name``; it is of no width, as no text is."""
    return Span(name, place + 1, place + 1, 1, 1) if name else None


def read_node_notes(node: Any) -> DictAttrs | None:  # Any: a NodeProto
    """Return what a node says of itself, ``None`` if it says nothing."""
    details: dict[str, object] = {}
    if node.doc_string:
        details["doc_string"] = node.doc_string
    if node.metadata_props:
        details["metadata"] = read_properties(node)
    if node.domain == "ai.onnx":
        details["domain"] = node.domain
    if node.overload:
        details["overload"] = node.overload
    texts = {each.name: each.doc_string for each in node.attribute if each.doc_string}
    if texts:
        details["attributes"] = DictAttrs(texts)
    devices: Any = getattr(node, "device_configurations", None)  # Any: newer versions have them
    if devices:
        details["devices"] = tuple([each.SerializeToString().hex() for each in devices])
    return DictAttrs(details) if details else None


def write_node_notes(node: Any, details: object) -> None:  # Any: a NodeProto
    """Write what :func:`read_node_notes` returned."""
    if not isinstance(details, DictAttrs):
        return
    if details.get("doc_string"):
        node.doc_string = str(details["doc_string"])
    write_properties(node, details.get("metadata"))
    if details.get("domain") and not node.domain:
        node.domain = str(details["domain"])
    if details.get("overload"):
        node.overload = str(details["overload"])
    texts = details.get("attributes")
    if isinstance(texts, DictAttrs):
        for each in node.attribute:
            if each.name in texts:
                each.doc_string = str(texts[each.name])
    devices = details.get("devices")
    if isinstance(devices, tuple) and hasattr(node, "device_configurations"):
        for device in devices:
            node.device_configurations.add().MergeFromString(bytes.fromhex(device))


def write_graph_notes(graph: Any, attrs: DictAttrs) -> None:  # Any: a GraphProto
    """Write what a graph says of itself and its tensors."""
    graph.name = str(attrs.get(info.NAME, "main"))
    write_function_notes(graph, attrs)
    annotations: Any = attrs.get(info.QUANTIZATION, ())  # Any: attributes are of any class
    for name, parameters in annotations:
        annotation = graph.quantization_annotation.add(tensor_name=name)
        for key, value in parameters:
            annotation.quant_parameter_tensor_names.add(key=key, value=value)


def write_function_notes(proto: Any, attrs: DictAttrs) -> None:  # Any: a proto
    """Write documentation and metadata."""
    if attrs.get(info.DOC_STRING):
        proto.doc_string = str(attrs[info.DOC_STRING])
    write_properties(proto, attrs.get(info.METADATA))


def write_value(
    values: Any, name: str, ty: Type | None, attrs: DictAttrs
) -> None:  # Any: ValueInfoProtos
    """Write what is known of a value: its type, if it has one, and what was said of it."""
    proto = values.add(name=name)
    if ty is not None:
        proto.type.CopyFrom(type_to_proto(ty))
    told = attrs.get(info.VALUES)
    details = told.get(name) if isinstance(told, DictAttrs) else None
    if not isinstance(details, DictAttrs):
        return
    if details.get("doc_string"):
        proto.doc_string = str(details["doc_string"])
    write_properties(proto, details.get("metadata"))
    exact = details.get("type")
    if isinstance(exact, str) and (ty is not None or not exact):
        _restore_type(proto, bytes.fromhex(exact))


def write_value_info(
    proto: Any, attrs: DictAttrs, inferred: Mapping[str, Type]
) -> None:  # Any: a GraphProto or FunctionProto
    """Write the types of values by name: those inferred, and those the model was read with."""
    told = attrs.get(info.VALUE_INFO)
    types = dict(inferred)
    if isinstance(told, DictAttrs):
        given = {name for node in proto.node for name in node.output}
        for part in ("initializer", "input", "output"):
            parts = getattr(proto, part, ())
            given.update(each if isinstance(each, str) else each.name for each in parts)
        for name, ty in told.items():
            if name in given:
                merged = merge_types(ty, types.pop(name, None))
                write_value(proto.value_info, name, merged, attrs)
    for name, found in types.items():
        write_value(proto.value_info, name, found, attrs)


def _restore_type(proto: Any, exact: bytes) -> None:  # Any: a ValueInfoProto
    """Write a type as it was, unless the value has another one by now."""
    kept = load_onnx().TypeProto()
    kept.ParseFromString(exact)
    if type_to_proto(type_of_proto(kept, Dimensions(), f"value {proto.name!r}")) == proto.type:
        proto.type.CopyFrom(kept)


def read_properties(proto: Any) -> DictAttrs:  # Any: whatever has metadata_props
    """Return the metadata of a part of a model."""
    return DictAttrs({each.key: each.value for each in proto.metadata_props})


def write_properties(proto: Any, properties: object) -> None:  # Any: as above
    """Write the metadata of a part of a model."""
    if isinstance(properties, DictAttrs):
        for key, value in properties.items():
            proto.metadata_props.add(key=key, value=str(value))
