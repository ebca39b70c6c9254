"""Algebraic simplification of loops: arithmetic, casts, conditions, branches, blocks and loops.

Before::

    serial for (i, 0, 16)
    {
      serial for (j, 0, 1)
      {
        if ((((4 * i) + j) < 64)) {
          A[((((4 * i) + j) / 4) + (0 * j))] = (B[(i + j)] * 1.00000000f)
        }
      }
    }

After::

    serial for (i, 0, 16)
    {
      A[i] = B[i]
    }
"""

from __future__ import annotations

from typing import Final

from relayish.pass_infra import register_pass
from relayish.passes.loops.simplify.rules import SIMPLIFICATIONS
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.rewriting.walk import Simplification, apply_simplification

_ALL: Final = Simplification(SIMPLIFICATIONS, branches=True, loops=True, blocks=True)


@register_pass("Simplify", opt_level=1, idempotent=True)
def simplify(func: LoweredFunc) -> LoweredFunc:
    """Algebraic simplification: compute less, to the same bits.

    Integers are exact: sums wrap around, quotients round towards zero, and what is only so where
    nothing wraps around is done only where intervals prove that. Floats keep every bit, so
    ``x * 0.f`` stays, and ``x + 0.f``. An expression that may fault is still evaluated.

    Returns:
        ``func`` itself when there is nothing to simplify.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        CINN ``Simplify``, with ``SimplifyCast``, ``IfSimplify``, ``SimplifyBlocks`` and
        ``SimplifyForLoops``.
    """
    return apply_simplification(func, _ALL)
