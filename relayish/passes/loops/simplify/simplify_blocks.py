"""Block merging: statements of blocks in blocks stand in the outer one.

Before::

    {
      A[0] = 1
      {
        {
        }
        {
          A[1] = 2
        }
      }
    }

After::

    {
      A[0] = 1
      A[1] = 2
    }
"""

from __future__ import annotations

from typing import Final

from relayish.pass_infra import register_pass
from relayish.rewriting.rules import RuleSet
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.rewriting.walk import Simplification, apply_simplification

_SIMPLIFICATION: Final = Simplification(RuleSet(), blocks=True, informed=False)


@register_pass("SimplifyBlocks", opt_level=1, idempotent=True)
def simplify_blocks(func: LoweredFunc) -> LoweredFunc:
    """Block merging: statements of blocks in blocks stand in the outer one, and empty blocks go.

    A block that declares a variable or allocates memory, which is there until it ends, is merged
    only at the end of the outer one.

    Returns:
        ``func`` itself when there is nothing to do.

    Complexity:
        Linear in the number of distinct nodes, and the size of conditions; no recursion.

    Source:
        CINN ``SimplifyBlocks``.
    """
    return apply_simplification(func, _SIMPLIFICATION)
