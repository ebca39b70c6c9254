"""Attributes of nodes: ``AttributeProto`` to values of Python and back; graphs go elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from relayish.errors import ModelError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.type import Type
from relayish.onnx.package import load_onnx
from relayish.onnx.protos.files import DataFiles
from relayish.onnx.protos.tensors import array_of_proto, array_to_proto, fill_tensor
from relayish.onnx.protos.types import Dimensions, type_of_proto, type_to_proto

REFERENCE: Final = "_ref"
"""In place of a value: the attribute of the surrounding function that it is, by name."""
KIND: Final = "_type"
"""Beside that: the number of the type of attribute."""
EMPTY: Final = "_empty"
"""Instead of an empty list, of which no schema says of what: the number of its type."""

FLOAT, INT, STRING, TENSOR, GRAPH, FLOATS, INTS, STRINGS, TENSORS, GRAPHS = range(1, 11)
SPARSE_TENSOR, SPARSE_TENSORS, TYPE, TYPES = 11, 12, 13, 14


def value_of_attribute(
    proto: Any,  # Any: an AttributeProto
    files: DataFiles | None,
    dimensions: Dimensions,
    where: str,
    declared: int | None,
) -> object:
    """Return the value of an attribute that is no graph.

    Args:
        proto: An ``AttributeProto``.
        files: The files beside the model.
        dimensions: The named dimensions of the model.
        where: What has the attribute, for errors.
        declared: The number of the type that the schema says, if it says one.

    Raises:
        ModelError: If it has no value, or one of a type that ONNX does not have.
    """
    place = f"attribute {proto.name!r} of {where}"
    if proto.ref_attr_name:
        return DictAttrs({REFERENCE: proto.ref_attr_name, KIND: proto.type})
    kind = kind_of_attribute(proto)
    if kind == FLOAT:
        return float(proto.f)
    if kind == INT:
        return int(proto.i)
    if kind == STRING:
        return _text(proto.s)
    if kind == TENSOR:
        return array_of_proto(proto.t, files, place)
    if kind == SPARSE_TENSOR:
        return sparse_of_proto(proto.sparse_tensor, files, place)
    if kind == TYPE:
        return type_of_proto(proto.tp, dimensions, place)
    items: tuple[object, ...] = ()
    if kind == FLOATS:
        items = tuple([float(each) for each in proto.floats])
    elif kind == INTS:
        items = tuple(proto.ints)
    elif kind == STRINGS:
        items = tuple([_text(each) for each in proto.strings])
    elif kind == TENSORS:
        items = tuple([array_of_proto(each, files, place) for each in proto.tensors])
    elif kind == SPARSE_TENSORS:
        items = tuple([sparse_of_proto(each, files, place) for each in proto.sparse_tensors])
    elif kind == TYPES:
        items = tuple([type_of_proto(each, dimensions, place) for each in proto.type_protos])
    elif kind == GRAPH:
        raise ModelError(f"{place} is a graph, which a default cannot be; expected a value")
    elif kind != GRAPHS:
        raise ModelError(
            f"{place} has no value of a type of ONNX, but {kind}; expected one of 1 to {TYPES}"
        )
    return items if items or kind == declared else DictAttrs({EMPTY: kind})


def kind_of_attribute(proto: Any) -> int:  # Any: an AttributeProto
    """Return the number of the type of an attribute; files may be older than the field for it."""
    if proto.type:
        return int(proto.type)
    for kind, name in _FIELDS.items():
        if len(getattr(proto, name)) if name in _REPEATED else proto.HasField(name):
            return kind
    return 0


_FIELDS: Final = {
    FLOAT: "f", INT: "i", STRING: "s", TENSOR: "t", GRAPH: "g", FLOATS: "floats", INTS: "ints",
    STRINGS: "strings", TENSORS: "tensors", GRAPHS: "graphs", SPARSE_TENSOR: "sparse_tensor",
    SPARSE_TENSORS: "sparse_tensors", TYPE: "tp", TYPES: "type_protos",
}  # fmt: skip


_REPEATED: Final = frozenset(
    {"floats", "ints", "strings", "tensors", "graphs", "sparse_tensors", "type_protos"}
)


def graphs_of_attribute(proto: Any) -> list[Any]:  # Any: an AttributeProto, GraphProtos
    """Return the graphs that an attribute holds."""
    kind = kind_of_attribute(proto)
    if kind == GRAPH and not proto.ref_attr_name:
        return [proto.g]
    return list(proto.graphs) if kind == GRAPHS else []


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")


def sparse_of_proto(proto: Any, files: DataFiles | None, where: str) -> DictAttrs:  # Any: a proto
    """Return a sparse tensor: its values, where they stand, and its shape."""
    return DictAttrs(
        {
            "values": array_of_proto(proto.values, files, where),
            "indices": array_of_proto(proto.indices, files, where),
            "dims": tuple(proto.dims),
            "name": proto.values.name,
        }
    )


def sparse_to_proto(value: DictAttrs) -> Any:  # Any: a SparseTensorProto
    """Return the proto of what :func:`sparse_of_proto` gave."""
    proto = load_onnx().SparseTensorProto()
    proto.values.CopyFrom(array_to_proto(_array(value["values"]), str(value.get("name", ""))))
    proto.indices.CopyFrom(array_to_proto(_array(value["indices"]), ""))
    dims = value["dims"]
    assert isinstance(dims, tuple)
    proto.dims.extend(dims)
    return proto


def _array(value: object) -> Any:  # Any: an array of whatever element type
    assert isinstance(value, (np.ndarray, np.generic))
    return np.asarray(value)


def attributes_to_protos(
    values: Mapping[str, object], declared: Mapping[str, int], where: str
) -> list[Any]:  # Any: AttributeProtos
    """Return the protos of attributes, in order.

    Args:
        values: The attributes by name, as :func:`value_of_attribute` gives them.
        declared: The numbers of the types that the schema says.
        where: What has the attributes, for errors.

    Raises:
        ModelError: If ONNX has no attributes of such values.
    """
    protos = [load_onnx().AttributeProto() for _ in values]
    for proto, (name, value) in zip(protos, values.items(), strict=True):
        fill_attribute(proto, name, value, declared.get(name), where)
    return protos


def fill_attribute(
    proto: Any, name: str, value: object, declared: int | None, where: str
) -> None:  # Any: an AttributeProto
    """Make of an empty ``proto`` an attribute; see :func:`attributes_to_protos`."""
    proto.name = name
    if isinstance(value, DictAttrs):
        _fill_special(proto, value)
        return
    items = value if isinstance(value, tuple) else None
    kind = _kind_of(value, declared)
    if kind is None:
        raise ModelError(
            f"attribute {name!r} of {where} is {value!r}, which no attribute of ONNX can be; "
            f"expected a number, a text, a tensor, a type, or a tuple of these"
        )
    proto.type = kind
    try:
        _fill_value(proto, kind, value, items)
    except (ValueError, OverflowError) as error:
        raise ModelError(f"attribute {name!r} of {where} cannot be written: {error}") from error


def _fill_value(
    proto: Any, kind: int, value: Any, items: tuple[Any, ...] | None
) -> None:  # Any: an AttributeProto, a value of its kind
    match kind:
        case 1:
            proto.f = value
        case 2:
            proto.i = int(value)
        case 3:
            proto.s = _bytes(value)
        case 4:
            fill_tensor(proto.t, _array(value), "")
        case 13:
            proto.tp.CopyFrom(type_to_proto(value))
        case _:
            assert items is not None
            _fill_list(proto, kind, items)


def _fill_special(proto: Any, value: DictAttrs) -> None:  # Any: an AttributeProto
    if REFERENCE in value.keys():  # noqa: SIM118 - attributes are no mapping
        proto.ref_attr_name = value[REFERENCE]
        proto.type = value[KIND]
    elif EMPTY in value.keys():  # noqa: SIM118 - as above
        proto.type = value[EMPTY]
    else:
        proto.type = SPARSE_TENSOR
        proto.sparse_tensor.CopyFrom(sparse_to_proto(value))


def _fill_list(proto: Any, kind: int, items: tuple[Any, ...]) -> None:  # Any: as _kind_of saw
    match kind:
        case 6:
            proto.floats.extend([float(each) for each in items])
        case 7:
            proto.ints.extend([int(each) for each in items])
        case 8:
            proto.strings.extend([_bytes(each) for each in items])
        case 9:
            proto.tensors.extend([array_to_proto(_array(each), "") for each in items])
        case 12:
            proto.sparse_tensors.extend([sparse_to_proto(each) for each in items])
        case _:
            proto.type_protos.extend([type_to_proto(each) for each in items])


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")


def _kind_of(value: object, declared: int | None) -> int | None:
    if isinstance(value, tuple):
        return _kind_of_list(value, declared)
    if isinstance(value, (bool, int)):
        return FLOAT if declared == FLOAT else INT
    if isinstance(value, float):
        return FLOAT
    if isinstance(value, (str, bytes)):
        return STRING
    if isinstance(value, (np.ndarray, np.generic)):
        return TENSOR
    return TYPE if isinstance(value, Type) else None


def _kind_of_list(items: tuple[object, ...], declared: int | None) -> int | None:
    if not items:
        return declared
    kinds = {_kind_of(each, None) for each in items}
    if kinds <= {INT, FLOAT} and (declared == FLOATS or FLOAT in kinds):
        return FLOATS
    if len(kinds) > 1:
        return None
    if all(isinstance(each, DictAttrs) for each in items):
        return SPARSE_TENSORS
    return _LISTS.get(kinds.pop() or 0)


_LISTS: Final = {FLOAT: FLOATS, INT: INTS, STRING: STRINGS, TENSOR: TENSORS, TYPE: TYPES}
