"""Branch simplification: run the arm that a known condition chooses.

Before::

    serial for (i, 0, 16)
    {
      if ((i < 16)) {
        if (false) {
          A[i] = 1
        } else {
          A[i] = 2
        }
      }
    }

After::

    serial for (i, 0, 16)
    {
      A[i] = 2
    }
"""

from __future__ import annotations

from typing import Final

from relayish.pass_infra import register_pass
from relayish.rewriting.rules import RuleSet
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.rewriting.walk import Simplification, apply_simplification

_SIMPLIFICATION: Final = Simplification(RuleSet(), branches=True)


@register_pass("IfSimplify", opt_level=1, idempotent=True)
def simplify_branches(func: LoweredFunc) -> LoweredFunc:
    """Branch simplification: run the arm that a known condition chooses.

    Conditions are known from intervals: of the variables of loops, and from the conditions of
    branches around them, which the opposite of one may contradict. Arms that are kept, and those
    that are chosen, are simplified as well; empty ones go. A condition that may fault is still
    asked.

    Returns:
        ``func`` itself when there is nothing to do.

    Complexity:
        Linear in the number of distinct nodes, and the size of conditions; no recursion.

    Source:
        CINN ``IfSimplify``.
    """
    return apply_simplification(func, _SIMPLIFICATION)
