"""Removal of schedule blocks: put the values of their variables where these are used.

Before::

    ScheduleBlock(B)
    {
      i0, i1 = axis.bind(((16 * i) + j), k)
      B[i0, i1] = A[i0, i1]
    }

After::

    B[((16 * i) + j), k] = A[((16 * i) + j), k]
"""

from __future__ import annotations

from collections.abc import Collection

from relayish.ir.nodes.node import Node
from relayish.pass_infra import register_pass
from relayish.passes.loops.structure.invariance import is_invariant, unstable_variables
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import Block, Let, ScheduleBlockRealize
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.substitution import substitute


@register_pass("RemoveScheduleBlock", opt_level=0, idempotent=True)
def remove_schedule_block(func: LoweredFunc) -> LoweredFunc:
    """Removal of schedule blocks: put the values of their variables where these are used.

    A value that reads memory, or may fail, is declared by a ``Let`` before the body instead, so
    that it is still evaluated once, and first. What blocks say beside (regions, attributes) is
    dropped with them.

    Returns:
        ``func`` itself when it has no schedule blocks.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        CINN ``RemoveScheduleBlock``.
    """
    return substitute(func, _images(func))


def _images(func: LoweredFunc) -> dict[Node, Node]:
    """Return what takes the place of each realize and of each variable that it binds."""
    statements = STATEMENTS.pre_order(func)
    realizes = [node for node in statements if isinstance(node, ScheduleBlockRealize)]
    unstable = unstable_variables(func) if realizes else frozenset()
    images: dict[Node, Node] = {}
    for realize in realizes:
        images[realize] = inline_realize(realize, images, unstable)
    return images


def inline_realize(
    realize: ScheduleBlockRealize, images: dict[Node, Node], unstable: Collection[Var]
) -> Stmt:
    """Return what a realize runs, and put into ``images`` what its variables are replaced with.

    Args:
        realize: A schedule block with the values of its variables.
        images: What :func:`~relayish.tir.substitution.substitute` is to replace.
        unstable: The scalar variables that are assigned to, or have no value.
    """
    block = realize.schedule_block
    lets: list[Stmt] = []
    for variable, value in zip(block.iter_vars, realize.iter_values, strict=True):
        if is_invariant(value, unstable):
            images[variable] = value
        else:
            lets.append(Let(variable, value))
    return Block((*lets, block.body)) if lets else block.body
