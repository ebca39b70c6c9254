"""Static single assignment of names: each variable is bound once, and has a name of its own.

Before, with one variable in both loops::

    serial for (i, 0, 4)
    {
      A[i] = 1
    }
    serial for (i, 0, 4)
    {
      A[i] = 2
    }

After, with two::

    serial for (i, 0, 4)
    {
      A[i] = 1
    }
    serial for (i_0, 0, 4)
    {
      A[i_0] = 2
    }
"""

from __future__ import annotations

from typing import cast

from relayish.ir.nodes.node import Node
from relayish.pass_infra import register_pass
from relayish.passes.loops.structure.unique_names import UniqueNames
from relayish.tir.bind_once import bind_once
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.tensor import Buffer, Tensor, Var
from relayish.tir.ir.traversal import NODES
from relayish.tir.substitution import LOOPS


@register_pass("ConvertSSA", opt_level=0, idempotent=True)
def convert_ssa(func: LoweredFunc) -> LoweredFunc:
    """Static single assignment of names: each variable is bound once, and has a name of its own.

    Where several loops, blocks or declarations bind one and the same variable, all but the first
    get new ones. Variables and buffers whose name another one has, or a tensor, are renamed with
    all their uses, in order of the program.

    Returns:
        ``func`` itself when its variables are bound once and their names are unique.

    Complexity:
        Linear in the number of distinct nodes, for those with a variable that is bound repeatedly
        in each scope of one that they occur in; no recursion.

    Source:
        TVM ``ConvertSSA``.
    """
    return _name_uniquely(bind_once(func))


def _name_uniquely(func: LoweredFunc) -> LoweredFunc:
    order = NODES.post_order(func)
    tensors = {node.name for node in order if isinstance(node, Tensor)}
    named = [node for node in LOOPS.pre_order(func) if isinstance(node, (Var, Buffer))]
    names = UniqueNames(tensors)
    images: dict[Node, Node] = {}
    renamed = {node: name for node in named if (name := names.take(node.name)) != node.name}
    if not renamed:
        return func
    get, table = images.get, NODES.rebuild
    for node in order:
        image = table[type(node)](node, get)
        if node in renamed:
            image = image.with_fields(name=renamed[node])
        if image is not node:
            images[node] = image
    return cast("LoweredFunc", get(func, func))
