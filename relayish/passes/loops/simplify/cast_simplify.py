"""Cast simplification: drop casts that change nothing, and take one for two.

Before::

    A[i] = int16(int64((B[i] + int32((int8_t)3))))

After::

    A[i] = int16((B[i] + 3))
"""

from __future__ import annotations

from typing import Final

from relayish.pass_infra import register_pass
from relayish.passes.loops.simplify.cast_rules import CAST_RULES
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.rewriting.walk import Simplification, apply_simplification

_SIMPLIFICATION: Final = Simplification(CAST_RULES)


@register_pass(
    "CastSimplify",
    opt_level=1,
    idempotent=True,
    preserves=(
        "DefiniteInitialisation",
        "Dominators",
        "Liveness",
        "PostDominators",
        "ReachingDefinitions",
    ),
)
def simplify_casts(func: LoweredFunc) -> LoweredFunc:
    """Cast simplification: drop casts that change nothing, and take one for two.

    Only where no bit is lost that the result has: integers by their low bits, floats by what their
    types, or the intervals of integers, say. A cast that may fault stays.

    Returns:
        ``func`` itself when there is nothing to do.

    Complexity:
        Linear in the number of distinct nodes, and the size of conditions; no recursion.

    Source:
        CINN ``CastSimplify``.
    """
    return apply_simplification(func, _SIMPLIFICATION)
