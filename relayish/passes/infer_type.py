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
from relayish.transform import ModulePass, register_pass

InferTypeLocal = infer_type_local
"""Relay's name for :func:`infer_type_local`; it takes an expression and is no pass."""


@register_pass(opt_level=0, idempotent=True)
class InferType(ModulePass, applies=infer_type):
    """Find the type of every expression.

    Pass form of :func:`relayish.analysis.infer_type.infer_type`; ``fresh`` looks at every
    function, also at those that carry types.
    """

    fresh: bool = False
