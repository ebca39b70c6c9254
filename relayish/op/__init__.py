"""Operators: what they are called, what they take, and what is known about them.

Every operator is found here under its Relay name, as a function that builds a call of it:
``op.add(x, y)``, ``op.nn.softmax(x, axis=-1)``, ``op.concatenate((a, b), axis=0)``.
"""

from __future__ import annotations

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
    memory,
    nn,
    qnn,
    random,
    reduction,
    shape,
    signal,
    sorting,
    transform,
    vision,
    vm,
)
from relayish.op import growth as _growth  # after the operators it speaks of
from relayish.op import quantisation as _quantisation
from relayish.op.builders import builder, namespace
from relayish.op.call import call_op, make_attrs
from relayish.op.registry import get_op, is_registered, list_ops, register_op

get = get_op
"""Relay's name for :func:`get_op`."""

__all__ = [
    "annotation",
    "broadcast",
    "builder",
    "call_op",
    "comparison",
    "composite",
    "device",
    "dyn",
    "elementwise",
    "get",
    "get_op",
    "image",
    "indexing",
    "init",
    "is_registered",
    "list_ops",
    "make_attrs",
    "memory",
    "nn",
    "qnn",
    "random",
    "reduction",
    "register_op",
    "shape",
    "signal",
    "sorting",
    "transform",
    "vision",
    "vm",
]

__getattr__, __dir__ = namespace("")

del _growth, _quantisation
