"""Types: ``TypeProto`` to types of Relay and ONNX, and back."""

from __future__ import annotations

from typing import Any, Final

from relayish.errors import ModelError
from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import PrimOp, SizeVar, TensorType, Type
from relayish.onnx.element_types import ELEMENT_TYPES, element_type_number
from relayish.onnx.package import load_onnx
from relayish.onnx.types import (
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    UnknownType,
    UnrankedTensorType,
)
from relayish.op.types.dimension import ANY, show_dimension


class Dimensions:
    """The named dimensions of a model: one :class:`SizeVar` for each ``dim_param``."""

    def __init__(self) -> None:
        self._by_name: dict[str, SizeVar] = {}

    def named(self, name: str) -> SizeVar:
        """Return the dimension called ``name``."""
        found = self._by_name.get(name)
        if found is None:
            found = self._by_name[name] = SizeVar(name, "int64")
        return found


def type_of_proto(proto: Any, dimensions: Dimensions, where: str) -> Type:  # Any: a TypeProto
    """Return the type that ``proto`` says.

    Args:
        proto: A ``TypeProto``.
        dimensions: The named dimensions of the model, which may become more.
        where: What has the type, for errors.

    Raises:
        ModelError: If it names an element type that ONNX does not have.
    """
    case = proto.WhichOneof("value")
    if case == "tensor_type":
        return _tensor_type(proto.tensor_type, dimensions, where)
    if case == "sparse_tensor_type":
        return SparseTensorType(_tensor_type(proto.sparse_tensor_type, dimensions, where))
    if case == "sequence_type":
        return SequenceType(type_of_proto(proto.sequence_type.elem_type, dimensions, where))
    if case == "optional_type":
        return OptionalType(type_of_proto(proto.optional_type.elem_type, dimensions, where))
    if case == "map_type":
        key = _element_type(proto.map_type.key_type, where)
        return MapType(key, type_of_proto(proto.map_type.value_type, dimensions, where))
    return UnknownType()


def _tensor_type(proto: Any, dimensions: Dimensions, where: str) -> Type:  # Any: a proto
    if not proto.elem_type:
        return UnknownType()
    dtype = _element_type(proto.elem_type, where)
    if not proto.HasField("shape"):
        return UnrankedTensorType(dtype)
    sizes: list[int | AnyDim | SizeVar] = []
    for size in proto.shape.dim:
        case = size.WhichOneof("value")
        # exporters of other frameworks write -1 for what they do not know
        if case == "dim_value" and size.dim_value >= 0:
            sizes.append(size.dim_value)
        elif case == "dim_param" and size.dim_param:
            sizes.append(dimensions.named(size.dim_param))
        else:
            sizes.append(ANY)
    return TensorType(sizes, dtype)


def _element_type(number: int, where: str) -> str:
    name = ELEMENT_TYPES.get(number)
    if name is None:
        raise ModelError(
            f"{where} has elements of type {number}, which ONNX does not have; "
            f"expected 1 to {max(ELEMENT_TYPES)}"
        )
    return name


def type_to_proto(ty: Type) -> Any:  # Any: a TypeProto
    """Return the ``TypeProto`` that says ``ty``.

    Raises:
        ModelError: If ONNX has no such type.
    """
    proto = load_onnx().TypeProto()
    _fill(proto, ty)
    return proto


def _fill(proto: Any, ty: Type) -> None:  # Any: a TypeProto
    match ty:
        case TensorType():
            _fill_tensor(proto.tensor_type, ty)
        case UnrankedTensorType():
            proto.tensor_type.elem_type = element_type_number(ty.dtype)
        case SparseTensorType(dense=TensorType() as dense):
            _fill_tensor(proto.sparse_tensor_type, dense)
        case SparseTensorType(dense=UnrankedTensorType() as dense):
            proto.sparse_tensor_type.elem_type = element_type_number(dense.dtype)
        case SequenceType():
            proto.sequence_type.SetInParent()
            _fill(proto.sequence_type.elem_type, ty.element)
        case OptionalType():
            proto.optional_type.SetInParent()
            _fill(proto.optional_type.elem_type, ty.element)
        case MapType():
            proto.map_type.key_type = element_type_number(ty.key_dtype)
            _fill(proto.map_type.value_type, ty.value)
        case UnknownType():
            pass
        case _:
            raise ModelError(
                f"a value of type {ty} cannot be one of ONNX; expected a tensor, a sequence, an "
                f"optional value or a map"
            )


def _fill_tensor(proto: Any, ty: TensorType) -> None:  # Any: a proto
    proto.elem_type = element_type_number(ty.dtype)
    proto.shape.SetInParent()
    for size in ty.shape:
        dim = proto.shape.dim.add()
        if isinstance(size, int):
            dim.dim_value = size
        elif isinstance(size, SizeVar):
            dim.dim_param = size.name
        elif isinstance(size, PrimOp):
            told = show_dimension(size)
            if len(told) <= _LONGEST_NAME:  # of larger ones only the beginning is shown
                dim.dim_param = told


_LONGEST_NAME: Final = 100
