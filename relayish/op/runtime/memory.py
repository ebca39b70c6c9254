"""The operators of explicit allocation; none is ever evaluated early."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.errors import TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Constant
from relayish.ir.relay.type import GlobalTypeVar, TensorType, TupleType, Type, TypeCall
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.ir.values.dtype import DType
from relayish.numeric.precision import is_whole
from relayish.op.builders.builder import namespace
from relayish.op.declaration.registry import register_op
from relayish.op.declaration.relation import TypeReporter
from relayish.op.types.dimension import show_type
from relayish.op.types.fields import Dimension
from relayish.op.types.type_rules import sizes, tensor
from relayish.op.values.evaluation import Parameters

__getattr__, __dir__ = namespace("memory")


@attrs("relay.attrs.AllocStorageAttrs")
class AllocStorageAttrs(Attrs):
    """Attributes of ``memory.alloc_storage``."""

    dtype: DType = "float32"
    virtual_device: VirtualDevice  # type: ignore[misc]  # required, given by name


@attrs("relay.attrs.AllocTensorAttrs")
class AllocTensorAttrs(Attrs):
    """Attributes of ``memory.alloc_tensor``."""

    dtype: DType = "float32"
    const_shape: Constant | None  # type: ignore[misc]  # required, given by name
    assert_shape: tuple[Dimension, ...] | None  # type: ignore[misc]  # required, given by name


STORAGE: Final = TypeCall(GlobalTypeVar("Storage"), ())
"""The type of a piece of memory, which Relay's prelude defines without constructors."""


def _alloc_storage_type(_: AllocStorageAttrs, size: Type, shape: Type, alignment: Type) -> Type:
    for ty, what in ((size, "size"), (shape, "shape"), (alignment, "alignment")):
        tensor(ty, what)
    return STORAGE


def _alloc_tensor_type(
    attrs: AllocTensorAttrs, storage: Type, offset: Type, shape: Type
) -> TensorType:
    if not structural_equal(storage, STORAGE):
        raise TypeInferenceError(f"storage must be a Storage; found {show_type(storage)}")
    tensor(offset, "offset")
    if not tensor(shape, "shape").shape:  # a scalar is allocated
        return TensorType((), attrs.dtype)
    if attrs.const_shape is None:
        if attrs.assert_shape is None:
            raise TypeInferenceError("one of const_shape and assert_shape must be given")
        return TensorType(sizes(attrs.assert_shape, "assert_shape"), attrs.dtype)
    shown = attrs.const_shape.data
    if not isinstance(shown, np.ndarray) or shown.ndim != 1 or not is_whole(shown.dtype):
        raise TypeInferenceError(f"const_shape must be a vector of integers; found {shown!r}")
    return TensorType(sizes([int(size) for size in shown.tolist()], "const_shape"), attrs.dtype)


def _kill_relation(_: Parameters, _to_free: tuple[Type, ...], _reporter: TypeReporter) -> TupleType:
    """Return the empty tuple: of a tensor, or of the storage itself, or of what nobody knows."""
    return TupleType(())


def _kill(_: Parameters, _to_free: object) -> tuple[()]:
    """Do nothing: memory that nobody refers to is freed anyway."""
    return ()


register_op(
    "memory.alloc_storage",
    description="""
    Allocate memory.
    size () int64, in bytes; alignment () int64, in bytes; shape (k,) of integers -> storage
    """,
    rule=_alloc_storage_type,
    non_computational=True,
)
register_op(
    "memory.alloc_tensor",
    description="""
    Make a tensor out of allocated memory.
    storage from memory.alloc_storage; offset () int64, in bytes; shape (k,) of integers ->
        (...)
    """,
    rule=_alloc_tensor_type,
    non_computational=True,
)
register_op(
    "memory.kill",
    arguments=("to_free",),
    description="""
    Say that a value is no longer needed.
    to_free (...) -> the empty tuple
    """,
    relation=_kill_relation,
    evaluate=_kill,
    stateful=True,
    non_computational=True,
)
