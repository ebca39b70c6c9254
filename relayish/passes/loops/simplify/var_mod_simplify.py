"""Index simplification: quotients and remainders of sums, by intervals.

Before::

    serial for (i, 0, 16)
    {
      serial for (j, 0, 4)
      {
        A[(((i * 4) + j) / 4), (((i * 4) + j) % 4)] = 1
      }
    }

After::

    serial for (i, 0, 16)
    {
      serial for (j, 0, 4)
      {
        A[i, j] = 1
      }
    }
"""

from __future__ import annotations

from typing import Final

from relayish.pass_infra import register_pass
from relayish.passes.loops.simplify.division_rules import DIVISION_RULES
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.rewriting.walk import Simplification, apply_simplification

_SIMPLIFICATION: Final = Simplification(DIVISION_RULES)


@register_pass(
    "VarModSimplify",
    opt_level=1,
    idempotent=True,
    preserves=("DefiniteInitialisation", "Dominators", "PostDominators", "ReachingDefinitions"),
)
def simplify_divisions(func: LoweredFunc) -> LoweredFunc:
    """Index simplification: quotients and remainders of sums, by intervals.

    Quotients are rounded towards zero, so what is taken out of one has to be of the sign of the
    rest, and nothing may wrap around.

    Returns:
        ``func`` itself when there is nothing to do.

    Complexity:
        Linear in the number of distinct nodes, and the size of conditions; no recursion.

    Source:
        CINN ``VarModSimplify``.
    """
    return apply_simplification(func, _SIMPLIFICATION)
