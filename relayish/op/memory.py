"""The operators of explicit allocation; none is ever evaluated early."""

from __future__ import annotations

from relayish.ir.attrs import Attrs, attrs
from relayish.ir.dtype import DType
from relayish.ir.expr import Constant
from relayish.op.builders import namespace
from relayish.op.device import VirtualDevice
from relayish.op.fields import Dimension
from relayish.op.registry import register_op

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
    const_shape: Constant  # type: ignore[misc]  # required, given by name
    assert_shape: tuple[Dimension, ...]  # type: ignore[misc]  # required, given by name


register_op(
    "memory.alloc_storage",
    arguments_=("size", "shape", "alignment"),
    attrs=AllocStorageAttrs,
    marks_only=True,
)
register_op(
    "memory.alloc_tensor",
    arguments_=("storage", "offset", "shape"),
    attrs=AllocTensorAttrs,
    marks_only=True,
)
register_op("memory.kill", arguments_=("to_free",), has_state=True, marks_only=True)
