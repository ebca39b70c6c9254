"""Operators: what they are called, what they take, and what is known about them.

Every operator is found here under its Relay name, as a function that builds a call of it:
``op.add(x, y)``, ``op.nn.softmax(x, axis=-1)``, ``op.concatenate((a, b), axis=0)``.
"""

from __future__ import annotations

import sys
from typing import Final

from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Op
from relayish.op import contrib, dyn, image, nn, qnn, random, runtime, tensor, vision
from relayish.op.builders import infix as _infix  # what Python's operators find
from relayish.op.builders import temporary as _temporary  # after all that is declared here
from relayish.op.builders.builder import builder, namespace, operators
from relayish.op.builders.call import call_op, make_attrs, make_node
from relayish.op.builders.gradient import register_gradient
from relayish.op.declaration import properties, registry
from relayish.op.declaration.attribute_keys import register_op_attr
from relayish.op.declaration.fake_quantization import (
    register_fake_quantization_to_integer,
    register_optional_fake_quantization_to_integer,
)
from relayish.op.declaration.mixed_precision import register_mixed_precision_conversion
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import get_op, is_registered, list_ops, register_op
from relayish.op.declaration.relay_names import register, register_pattern, register_stateful
from relayish.op.declaration.rewriting import (
    register_alter_op_layout,
    register_convert_op_layout,
    register_infer_layout,
    register_legalize,
)
from relayish.op.runtime import annotation, memory, vm
from relayish.op.types import told_in_parts as _told_in_parts  # what Op finds
from relayish.op.types.affine_type import TensorAffineType, TupleAffineType

get = get_op
"""Relay's name for :func:`get_op`."""
list_op_names = list_ops
"""Relay's name for :func:`list_ops`."""
op: Final = sys.modules[__name__]
"""Relay has the functions on operators in ``relay.op.op``; they are all here."""
algorithm: Final = op
reduce: Final = op
transform: Final = op
"""Relay has operators in these modules; they are all here."""

__all__ = [
    "MixedPrecision",
    "Op",
    "OpPattern",
    "TensorAffineType",
    "TupleAffineType",
    "annotation",
    "builder",
    "call_op",
    "const",
    "contrib",
    "dyn",
    "get",
    "get_op",
    "image",
    "is_registered",
    "list_op_names",
    "list_ops",
    "make_attrs",
    "make_node",
    "memory",
    "nn",
    "op",
    "operators",
    "properties",
    "qnn",
    "random",
    "register",
    "register_alter_op_layout",
    "register_convert_op_layout",
    "register_fake_quantization_to_integer",
    "register_gradient",
    "register_infer_layout",
    "register_legalize",
    "register_mixed_precision_conversion",
    "register_op",
    "register_op_attr",
    "register_optional_fake_quantization_to_integer",
    "register_pattern",
    "register_stateful",
    "registry",
    "runtime",
    "tensor",
    "vision",
    "vm",
]

__getattr__, __dir__ = namespace("")

del _infix, _temporary, _told_in_parts
