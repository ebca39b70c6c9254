"""Loop simplification: drop loops that run once, or never.

Before::

    serial for (i, 3, 1)
    {
      serial for (j, 0, i)
      {
        A[i, j] = 1
      }
    }
    serial for (k, 0, 0)
    {
      A[k, k] = 2
    }

After::

    serial for (j, 0, 3)
    {
      A[3, j] = 1
    }
"""

from __future__ import annotations

from typing import Final

from relayish.pass_infra import register_pass
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.rewriting.walk import REPLACE_DROPPED, Simplification, apply_simplification

_SIMPLIFICATION: Final = Simplification(REPLACE_DROPPED, loops=True)


@register_pass("SimplifyForLoops", opt_level=1, idempotent=True)
def simplify_for_loops(func: LoweredFunc) -> LoweredFunc:
    """Loop simplification: drop loops that run once, never, or do nothing.

    The only value of a variable takes its place everywhere: in indices, in bounds of other loops
    and variables, in what schedule blocks read and write. A loop stays where that value reads
    memory,
    and where an index of a device runs it. Whether it runs once is known from intervals.

    Returns:
        ``func`` itself when there is nothing to do.

    Complexity:
        Linear in the number of distinct nodes, and the size of conditions; no recursion.

    Source:
        CINN ``SimplifyForLoops``.
    """
    return apply_simplification(func, _SIMPLIFICATION)
