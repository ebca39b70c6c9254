"""Type inference: find the type of every expression.

Before::

    def @main(%x: Tensor[(2, 3), float32]) {
      exp(%x)
    }

After::

    def @main(%x: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] {
      exp(%x) /* ty=Tensor[(2, 3), float32] */
    }
"""

from __future__ import annotations

from relayish.analysis.infer_type import infer_type, infer_type_local
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.pass_infra.base.type_inference import hand_on_types

InferTypeLocal = infer_type_local
"""Relay's name for :func:`infer_type_local`; it takes an expression and is no pass."""


@register_pass("InferType", opt_level=0, idempotent=True)
def infer_type_of_module(mod: IRModule, *, fresh: bool = False) -> IRModule:
    """Type inference: find the type of every expression.

    What :func:`relayish.analysis.infer_type` does, with a module; ``fresh`` looks at every
    function, also at those that carry types.
    """
    return infer_type(mod, fresh=True) if fresh else hand_on_types(mod, infer_type)
