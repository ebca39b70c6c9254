"""Constant folding: compute what consists of literals.

Before::

    A[(2 * 3)] = (1.00000000f / 4.00000000f)

After::

    A[6] = 0.250000000f
"""

from __future__ import annotations

from typing import Final

from relayish.pass_infra import register_pass
from relayish.passes.loops.simplify.fold_rules import FOLD_RULES
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.rewriting.walk import Simplification, apply_simplification

_SIMPLIFICATION: Final = Simplification(FOLD_RULES, informed=False)


@register_pass(
    "FoldConstantTIR",
    opt_level=1,
    idempotent=True,
    preserves=("DefiniteInitialisation", "Dominators", "PostDominators", "ReachingDefinitions"),
)
def fold_constant_tir(func: LoweredFunc) -> LoweredFunc:
    """Constant folding: compute what consists of literals, to the bits that it has when it runs.

    What faults stays, and so does what is a NaN, whose bits no literal tells.

    Returns:
        ``func`` itself when there is nothing to do.

    Complexity:
        Linear in the number of distinct nodes, and the size of conditions; no recursion.

    Source:
        CINN ``Simplify``.
    """
    return apply_simplification(func, _SIMPLIFICATION)
