"""Attributes of nodes: ``AttributeProto`` to values of Python and back; graphs go elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from relayish.errors import ModelError
from relayish.ir.attrs import DictAttrs
from relayish.ir.relay.type import Type
from relayish.onnx.package import load_onnx
from relayish.onnx.protos.tensors import array_of_proto, array_to_proto
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
    folder: Path | None,
    dimensions: Dimensions,
    where: str,
    declared: int | None,
) -> object:
    """Return the value of an attribute that is no graph.

    Args:
        proto: An ``AttributeProto``.
        folder: Where the model lies.
        dimensions: The named dimensions of the model.
        where: What has the attribute, for errors.
        declared: The number of the type that the schema says, if it says one.

    Raises:
        ModelError: If it has no value, or one of a type that ONNX does not have.
    """
    place = f"attribute {proto.name!r} of {where}"
    if proto.ref_attr_name:
        return DictAttrs({REFERENCE: proto.ref_attr_name, KIND: proto.type})
    kind = proto.type or _guess_kind(proto)
    if kind == FLOAT:
        return float(proto.f)
    if kind == INT:
        return int(proto.i)
    if kind == STRING:
        return _text(proto.s)
    if kind == TENSOR:
        return array_of_proto(proto.t, folder, place)
    if kind == SPARSE_TENSOR:
        return sparse_of_proto(proto.sparse_tensor, folder, place)
    if kind == TYPE:
        return type_of_proto(proto.tp, dimensions, place)
    items: tuple[object, ...]
    if kind == FLOATS:
        items = tuple([float(each) for each in proto.floats])
    elif kind == INTS:
        items = tuple(proto.ints)
    elif kind == STRINGS:
        items = tuple([_text(each) for each in proto.strings])
    elif kind == TENSORS:
        items = tuple([array_of_proto(each, folder, place) for each in proto.tensors])
    elif kind == SPARSE_TENSORS:
        items = tuple([sparse_of_proto(each, folder, place) for each in proto.sparse_tensors])
    elif kind == TYPES:
        items = tuple([type_of_proto(each, dimensions, place) for each in proto.type_protos])
    else:
        raise ModelError(f"{place} is of type {kind}, which ONNX does not have")
    return items if items or kind == declared else DictAttrs({EMPTY: kind})


def _guess_kind(proto: Any) -> int:  # Any: an AttributeProto of a file older than the field
    for kind, name in _FIELDS.items():
        if len(getattr(proto, name)) if kind in _LISTS.values() else proto.HasField(name):
            return kind
    return 0


_FIELDS: Final = {
    FLOAT: "f", INT: "i", STRING: "s", TENSOR: "t", GRAPH: "g", FLOATS: "floats", INTS: "ints",
    STRINGS: "strings", TENSORS: "tensors", GRAPHS: "graphs",
}  # fmt: skip


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")


def sparse_of_proto(proto: Any, folder: Path | None, where: str) -> DictAttrs:  # Any: a proto
    """Return a sparse tensor: its values, where they stand, and its shape."""
    return DictAttrs(
        {
            "values": array_of_proto(proto.values, folder, where),
            "indices": array_of_proto(proto.indices, folder, where),
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
    return [_to_proto(name, value, declared.get(name), where) for name, value in values.items()]


def _to_proto(name: str, value: object, declared: int | None, where: str) -> Any:  # Any: a proto
    proto = load_onnx().AttributeProto()
    proto.name = name
    if isinstance(value, DictAttrs):
        _fill_special(proto, value)
        return proto
    items = value if isinstance(value, tuple) else None
    kind = _kind_of(value, declared)
    if kind is None:
        raise ModelError(
            f"attribute {name!r} of {where} is {value!r}, which no attribute of ONNX can be; "
            f"expected a number, a text, a tensor, a type, or a tuple of these"
        )
    proto.type = kind
    match kind:
        case 1:
            proto.f = value
        case 2:
            proto.i = int(value)  # type: ignore[call-overload]  # which _kind_of has seen
        case 3:
            proto.s = _bytes(value)
        case 4:
            proto.t.CopyFrom(array_to_proto(_array(value), ""))
        case 13:
            assert isinstance(value, Type)
            proto.tp.CopyFrom(type_to_proto(value))
        case _:
            assert items is not None
            _fill_list(proto, kind, items)
    return proto


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
