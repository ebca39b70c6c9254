"""Global common-subexpression elimination: use what was computed on every path.

Before::

    if (c)
    {
      A[0] = (x * y)
    } else {
      A[1] = (x * y)
    }
    A[2] = (x * y)

After::

    int32 cse
    if (c)
    {
      cse = (x * y)
      A[0] = cse
    } else {
      cse = (x * y)
      A[1] = cse
    }
    A[2] = cse
"""

from __future__ import annotations

from relayish._support.collector import pause_collection
from relayish._support.stable import until_stable
from relayish.pass_infra import register_pass
from relayish.passes.loops.cleanup.redundant import Web, find_webs
from relayish.passes.loops.cleanup.reuse import reuse
from relayish.tir.analysis.regions.declared_regions import sort_regions
from relayish.tir.ir.function import LoweredFunc


@register_pass("GlobalCommonSubexprElimTIR", opt_level=3, idempotent=True)
def eliminate_global_common_subexpr(func: LoweredFunc) -> LoweredFunc:
    """Global common-subexpression elimination: use what was computed on every path.

    Where each path to a statement has computed one of its expressions, and nothing that it depends
    on was assigned or stored since, the places that computed it put it into a variable, and the
    statement uses that. So it does for arms of branches, and for what was computed before a loop,
    what ``CommonSubexprElimTIR`` does for statements one after the other. Nothing is evaluated that
    was not, or more often.

    Left alone are bounds of loops, values of variables of schedule blocks, which stay affine,
    reductions, vectors, statements that stand in several places, and what would be passed on in
    a variable between iterations that may run at the same time.

    Returns:
        ``func`` itself where nothing is computed again.

    Complexity:
        Linear in the number of statements and distinct nodes, times a logarithm; once more where
        what was computed again held what is too; no recursion.

    Source:
        Available expressions; Aho et al., *Compilers*, 9.5.
    """
    with pause_collection():
        return until_stable(_eliminate, func)


def _eliminate(func: LoweredFunc) -> LoweredFunc:
    webs: list[Web] = find_webs(func)
    return sort_regions(reuse(func, webs)) if webs else func
