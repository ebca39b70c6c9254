"""Aliasing of operators: results that are an argument, a view of one, or written over one.

Passes that group operators, or let values share memory, ask for these properties.
"""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.language import RELAY
from relayish.op.declaration.properties import (
    fusion_barrier,
    in_place,
    mark,
    shape_from_values,
    view,
)
from relayish.op.declaration.registry import list_ops, relay_op

_VIEWS: Final = (
    "contrib_reverse_reshape",
    "expand_dims",
    "nn.batch_flatten",
    "reshape",
    "reshape_like",
    "squeeze",
    "vm.reshape_tensor",
)
_MARKS: Final = (
    "annotation.bitpack_end",
    "annotation.bitpack_start",
    "annotation.cast_hint",
    "annotation.checkpoint",
    "annotation.compiler_begin",
    "annotation.compiler_end",
    "annotation.stop_fusion",
    "annotation.with_funcid",
    "on_device",
)
_IN_PLACE: Final = {
    "nn.batch_norm": ((3, 1), (4, 2)),  # the running mean and variance
    "scatter_elements": ((0, 0),),
    "scatter_nd": ((0, 0),),
}

for _name in _VIEWS:
    view.set(relay_op(_name), value=True)
for _name in _MARKS:
    mark.set(relay_op(_name), value=True)
for _name, _pairs in _IN_PLACE.items():
    in_place.set(relay_op(_name), _pairs)
for _name in list_ops(RELAY.name):
    if _name.startswith("dyn."):
        shape_from_values.set(relay_op(_name), value=True)
fusion_barrier.set(relay_op("annotation.stop_fusion"), value=True)
