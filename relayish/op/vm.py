"""The operators of Relay's virtual machine."""

from __future__ import annotations

from relayish.ir.attrs import Attrs, attrs
from relayish.op.builders import namespace
from relayish.op.fields import Dimension
from relayish.op.registry import register_op
from relayish.op.shape import ShapeOfAttrs

__getattr__, __dir__ = namespace("vm")


@attrs("relay.attrs.ReshapeTensorAttrs")
class ReshapeTensorAttrs(Attrs):
    """Attributes of ``vm.reshape_tensor``."""

    newshape: tuple[Dimension, ...]


register_op("vm.shape_of", arguments_=("tensor",), attrs=ShapeOfAttrs, marks_only=True)
register_op(
    "vm.reshape_tensor", arguments_=("data", "shape"), attrs=ReshapeTensorAttrs, marks_only=True
)
register_op(
    "vm.invoke_tvm_op",
    arguments_=("op", "ins", "outs"),
    has_state=True,
    marks_only=True,
)
