"""Operators: what they are called, what they take, and what is known about them.

Every operator is found here under its Relay name, as a function that builds a call of it:
``op.add(x, y)``, ``op.nn.softmax(x, axis=-1)``, ``op.concatenate((a, b), axis=0)``.
"""

from __future__ import annotations

from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Op
from relayish.op import (
    annotation,
    broadcast,
    comparison,
    composite,
    device,
    dyn,
    elementwise,
    image,
    indexing,
    init,
    joining,
    layout_conversion,
    memory,
    moments,
    nn,
    qnn,
    random,
    reduction,
    runtime,
    scatter,
    shape,
    signal,
    slicing,
    sorting,
    sparse,
    transform,
    vision,
    vm,
)
from relayish.op import infix as _infix  # what Python's operators find
from relayish.op import op as op
from relayish.op import output_counts as _output_counts
from relayish.op import result_aliasing as _result_aliasing
from relayish.op import result_memory as _result_memory
from relayish.op import result_size as _result_size  # after the operators it speaks of
from relayish.op import temporary as _temporary  # after all that is declared here
from relayish.op.builders import builder, namespace, operators
from relayish.op.call import call_op, make_attrs
from relayish.op.gradient import register_gradient  # declares those of all families
from relayish.op.mixed_precision import register_mixed_precision_conversion
from relayish.op.op import register, register_pattern, register_stateful
from relayish.op.registry import (
    MixedPrecision,
    OpPattern,
    get_op,
    is_registered,
    list_ops,
    register_op,
)
from relayish.op.rewriting import (
    register_alter_op_layout,
    register_convert_op_layout,
    register_infer_layout,
    register_legalize,
)

get = get_op
"""Relay's name for :func:`get_op`."""

__all__ = [
    "MixedPrecision",
    "Op",
    "OpPattern",
    "annotation",
    "broadcast",
    "builder",
    "call_op",
    "comparison",
    "composite",
    "const",
    "device",
    "dyn",
    "elementwise",
    "get",
    "get_op",
    "image",
    "indexing",
    "init",
    "is_registered",
    "joining",
    "layout_conversion",
    "list_ops",
    "make_attrs",
    "memory",
    "moments",
    "nn",
    "op",
    "operators",
    "qnn",
    "random",
    "reduction",
    "register",
    "register_alter_op_layout",
    "register_convert_op_layout",
    "register_gradient",
    "register_infer_layout",
    "register_legalize",
    "register_mixed_precision_conversion",
    "register_op",
    "register_pattern",
    "register_stateful",
    "runtime",
    "scatter",
    "shape",
    "signal",
    "slicing",
    "sorting",
    "sparse",
    "transform",
    "vision",
    "vm",
]

__getattr__, __dir__ = namespace("")

del _infix, _output_counts, _result_aliasing, _result_memory, _result_size, _temporary
