"""Types of the results of one node, by the shape inference that its schema brings.

The schema takes messages of protobuf. Those of a node are built once for the attributes of a call,
those of a type once for its element type and shape, and what came out is kept for nodes that are
alike, so that passes may ask again and again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import PrimExpr, SizeVar, TensorType, Type
from relayish.onnx.calls import OWN, count_outputs
from relayish.onnx.contradictions import describe_contradiction
from relayish.onnx.distrust import (
    correct_pooling,
    correct_resizing,
    correct_types,
    types_without_asking,
)
from relayish.onnx.element_types import ELEMENT_TYPES, find_element_type
from relayish.onnx.identity import Identity
from relayish.onnx.operator_sets import attribute_kinds
from relayish.onnx.package import load_onnx
from relayish.onnx.protos.attributes import REFERENCE, attributes_to_protos
from relayish.onnx.protos.tensors import array_to_proto
from relayish.onnx.protos.types import Dimensions, type_of_proto, type_to_proto
from relayish.onnx.types import (
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    UnknownType,
    UnrankedTensorType,
)
from relayish.op.types.dimension import ANY

UNKNOWN: Final = UnknownType()

Types: TypeAlias = tuple[Type, ...]
Key: TypeAlias = tuple[object, ...]
Values: TypeAlias = Sequence[NDArray[Any] | None]  # Any: of whatever element type

_LARGEST_VALUE: Final = 256
_KEPT: Final = 1 << 14
"""How many results are kept; then all are forgotten, which costs little."""
FROM_FLOATS: Final = frozenset({"Resize", "Upsample", "Range", "OneHot", "Constant"})
"""Operators whose shapes follow from values that may be of floating point."""

_NODES: Final[dict[Key, bytes | None]] = {}
_RESULTS: Final[dict[Key, Types]] = {}
_TYPES: Final[dict[Key, bytes]] = {}


def infer_node(
    identity: Identity,
    schema: Any,  # Any: a schema of onnx
    attrs: Attrs | None,
    types: Sequence[Type | None],
    values: Values = (),
) -> Types:
    """Return the types of the results of a node without graphs.

    Args:
        identity: Which operator it is.
        schema: Its schema.
        attrs: The attributes of the call.
        types: Those of the inputs; ``None`` for one that is missing.
        values: Values of inputs, as far as they are known.

    Raises:
        TypeInferenceError: If the inputs contradict each other, or the operator.

    Complexity:
        Constant, but for the first call with such attributes, and for types seldom seen.
    """
    wanted = count_outputs(attrs)
    if not types and identity.name == "Constant" and attrs is not None:
        value = attrs.get("value")
        if isinstance(value, np.ndarray):  # which may be large, and is all there is to know
            return (_type_of_array(value),)
    node = _node_bytes(identity, attrs, tuple([ty is None for ty in types]))
    if node is None:
        return (UNKNOWN,) * wanted
    told = _told_values(identity, types, values)
    spelt = [(n, each.dtype, each.shape, each.tobytes()) for n, each in told.items()]
    key = (identity, node, *map(key_of_type, types), *spelt)
    found = _RESULTS.get(key)
    if found is None:
        found = _ask(identity, schema, node, wanted, types, told)
        found = correct_pooling(identity, attrs, types, found)
        found = correct_resizing(identity, attrs, types, values, found)
        if len(_RESULTS) >= _KEPT:
            _RESULTS.clear()
        _RESULTS[key] = found
    return found


def _ask(
    identity: Identity,
    schema: Any,  # Any: a schema of onnx
    node: bytes,
    wanted: int,
    types: Sequence[Type | None],
    told: dict[str, NDArray[Any]],  # Any: of whatever element type
) -> Types:
    unasked = types_without_asking(identity, types)
    if unasked is not None:
        return unasked
    known = {f"i{i}": _type_bytes(ty) for i, ty in enumerate(types) if _is_told(ty)}
    values = {n: array_to_proto(each, "").SerializeToString() for n, each in told.items()}
    type_proto, failures = _of_onnx()
    imports = {identity.domain: identity.since_version}
    try:
        found = schema._infer_node_outputs(node, known, values, {}, imports)  # noqa: SLF001
    except failures as error:
        if len(known) < sum(ty is not None for ty in types):
            return (UNKNOWN,) * wanted  # onnx refuses to go on without a type
        raise describe_contradiction(identity, schema, types, str(error)) from None
    symbols = _Symbols(types)
    results = tuple(
        [
            type_of_proto(type_proto.FromString(found[f"o{i}"]), symbols, str(identity))
            if f"o{i}" in found
            else UNKNOWN
            for i in range(wanted)
        ]
    )
    return correct_types(identity, types, results)


@cache
def _of_onnx() -> tuple[Any, tuple[type[Exception], ...]]:  # Any: the class TypeProto
    """Return the class of types, and what inference raises where inputs contradict each other."""
    inference, checker = load_onnx("onnx.shape_inference"), load_onnx("onnx.checker")
    return load_onnx().TypeProto, (inference.InferenceError, checker.ValidationError)


def _type_of_array(array: NDArray[Any]) -> TensorType:  # Any: of whatever element type
    return TensorType(array.shape, ELEMENT_TYPES[find_element_type(array.dtype)])


def _is_told(ty: Type | None) -> bool:
    return ty is not None and type(ty) is not UnknownType


def _node_bytes(identity: Identity, attrs: Attrs | None, missing: tuple[bool, ...]) -> bytes | None:
    """Return a node with these attributes; ``None`` where one of them is not known here."""
    key = (identity, missing, attrs)
    found = _NODES.get(key, b"")
    if found == b"":
        found = _make_node(identity, attrs, missing)
        if len(_NODES) >= _KEPT:
            _NODES.clear()
        _NODES[key] = found
    return found


def _make_node(identity: Identity, attrs: Attrs | None, missing: tuple[bool, ...]) -> bytes | None:
    proto = load_onnx().NodeProto()
    proto.op_type = identity.name
    proto.domain = identity.domain
    proto.input.extend(["" if gone else f"i{i}" for i, gone in enumerate(missing)])
    proto.output.extend([f"o{i}" for i in range(count_outputs(attrs))])
    told = {} if attrs is None else {n: v for n, v in attrs.items() if n not in OWN}
    if any(_is_reference(value) for value in told.values()):
        return None
    proto.attribute.extend(attributes_to_protos(told, attribute_kinds(identity), str(identity)))
    made: bytes = proto.SerializeToString(deterministic=True)
    return made


def _is_reference(value: object) -> bool:
    return isinstance(value, DictAttrs) and REFERENCE in value.keys()  # noqa: SIM118 - no mapping


def _told_values(
    identity: Identity, types: Sequence[Type | None], values: Values
) -> dict[str, NDArray[Any]]:  # Any: of whatever element type
    """Return the values that a shape may follow from."""
    told: dict[str, NDArray[Any]] = {}
    for index, value in enumerate(values):
        if value is None or index >= len(types) or types[index] is None:
            continue
        small = value.ndim <= 1 and value.size <= _LARGEST_VALUE
        if small and (value.dtype.kind in "iub" or identity.name in FROM_FLOATS):
            if identity.name == "Range" and value.size == 1:
                value = value.reshape(())  # noqa: PLW2901 - as runtimes take it, and onnx does not
            told[f"i{index}"] = value
    return told


def key_of_type(ty: Type | None) -> object:
    """Return what two types have in common that say the same."""
    if type(ty) is TensorType:
        return ty.dtype, ty.shape
    match ty:
        case UnrankedTensorType():
            return ty.dtype
        case SequenceType() | OptionalType():
            return type(ty), key_of_type(ty.element)
        case SparseTensorType():
            return type(ty), key_of_type(ty.dense)
        case MapType():
            return type(ty), ty.key_dtype, key_of_type(ty.value)
        case None | UnknownType():
            return ty is None
    return ty


def _type_bytes(ty: Type | None) -> bytes:
    assert ty is not None
    key = (key_of_type(ty),)
    found = _TYPES.get(key)
    if found is None:
        found = type_to_proto(_numbered(ty)).SerializeToString()
        if len(_TYPES) >= _KEPT:
            _TYPES.clear()
        _TYPES[key] = found
    return found


def _numbered(ty: Type) -> Type:
    """Return a type whose named dimensions have names of their own: two may be called alike."""
    match ty:
        case TensorType():
            if all(type(size) is int for size in ty.shape):
                return ty
            return TensorType([_numbered_size(size) for size in ty.shape], ty.dtype)
        case SequenceType() | OptionalType():
            return ty.with_fields(element=_numbered(ty.element))
        case SparseTensorType():
            return ty.with_fields(dense=_numbered(ty.dense))
        case MapType():
            return ty.with_fields(value=_numbered(ty.value))
    return ty


def _numbered_size(size: int | PrimExpr) -> int | PrimExpr:
    if isinstance(size, (int, AnyDim)):
        return size
    return SizeVar(_symbol(size), "int64")


def _symbol(size: PrimExpr) -> str:
    return f"{id(size):x}"


class _Symbols(Dimensions):
    """The named dimensions of the inputs of a node, by the names they were given for it."""

    def __init__(self, types: Sequence[Type | None]) -> None:
        super().__init__()
        self._sizes: dict[str, PrimExpr] = {}
        stack = [ty for ty in types if ty is not None]
        while stack:
            ty = stack.pop()
            if type(ty) is TensorType:
                named = [s for s in ty.shape if isinstance(s, PrimExpr)]
                self._sizes.update({_symbol(s): s for s in named if type(s) is not AnyDim})
            elif isinstance(ty, (SequenceType, OptionalType)):
                stack.append(ty.element)
            elif isinstance(ty, SparseTensorType):
                stack.append(ty.dense)
            elif isinstance(ty, MapType):
                stack.append(ty.value)

    def named(self, name: str) -> Any:  # Any: a size, which the base knows by variables only
        """Return the dimension of an input; ``Any`` if onnx made up one."""
        return self._sizes.get(name, ANY)
