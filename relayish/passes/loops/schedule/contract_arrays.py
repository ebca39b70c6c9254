"""Array contraction: temporaries lose the dimensions that loops around all their uses go through.

Before::

    for (i, 0, 8)
    {
      for (j, 0, 4)
      {
        T[i, j] = A[i, j] * 2
      }
      for (j, 0, 4)
      {
        B[i, j] = T[i, 3 - j]
      }
    }

After::

    for (i, 0, 8)
    {
      for (j, 0, 4)
      {
        T[0, j] = A[i, j] * 2
      }
      for (j, 0, 4)
      {
        B[i, j] = T[0, 3 - j]
      }
    }
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.pass_infra import register_pass
from relayish.passes.loops.schedule.contraction import is_fixed, only_stores, statements
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr, const
from relayish.tir.ir.stmt import For
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor
from relayish.tir.substitution import substitute


@register_pass("ContractArrays", opt_level=0)
def contract_arrays(func: LoweredFunc) -> LoweredFunc:
    """Array contraction: let temporaries hold what one iteration of loops around them needs.

    Where a loop that is run once holds all uses of a temporary, and each of these is at the place
    that its variable tells, iterations have nothing to do with one another there, and use the same
    memory. What holds for it may hold for the next loop within.

    Returns:
        ``func`` itself when each temporary needs all its dimensions.

    Complexity:
        Linear in the size of the function, for each temporary.

    Source:
        Gao, Olsen, Sarkar and Thekkath, "Collective loop fusion for array contraction".
    """
    images: dict[Node, Node] = {}
    made: dict[Buffer, Buffer] = {}
    for buffer in func.temp_bufs:
        dimensions = _dimensions(func, buffer)
        if not dimensions:
            continue
        made[buffer] = buffer.with_fields(shape=_shrunk(buffer.shape, dimensions))
        images.update(_images(func, buffer, made[buffer], dimensions))
    if not made:
        return func
    temps = tuple([made.get(each, each) for each in func.temp_bufs])
    return func.with_fields(body=substitute(func.body, images), temp_bufs=temps)


def _shrunk(sizes: Sequence[Expr], dimensions: Mapping[int, object]) -> tuple[Expr, ...]:
    return tuple([const(1) if at in dimensions else size for at, size in enumerate(sizes)])


def _images(
    func: LoweredFunc, buffer: Buffer, small: Buffer, dimensions: Mapping[int, object]
) -> dict[Node, Node]:
    """Return what takes the place of the tensors and accesses of a buffer."""
    views: dict[Node, Tensor] = {}
    images: dict[Node, Node] = {}
    for each in PROGRAM.pre_order(func.body):
        if isinstance(each, (Load, Store)) and isinstance(each.tensor, Tensor):
            tensor = each.tensor
            if tensor.buffer is not buffer:
                continue
            if tensor not in views:
                shape = _shrunk(tensor.shape, dimensions)
                views[tensor] = tensor.with_fields(shape=shape, buffer=small)
            places = [
                const(0, place.type) if at in dimensions else place
                for at, place in enumerate(each.indices)
            ]
            images[each] = each.with_fields(tensor=views[tensor], indices=tuple(places))
    return images


def _dimensions(func: LoweredFunc, buffer: Buffer) -> dict[int, None]:
    """Return the dimensions that a buffer can do without."""
    if buffer.strides or buffer.elem_offset is not None:
        return {}
    accesses = _accesses(func.body, buffer)
    if not accesses:
        return {}
    found: dict[int, None] = {}
    stmt: Stmt = func.body
    while True:
        users = [each for each in statements(stmt) if _uses(each, buffer)]
        if len(users) != 1 or not isinstance(users[0], For) or not is_fixed(users[0]):
            return found
        loop = users[0]
        fitting = [
            at
            for at in range(len(buffer.shape))
            if at not in found and all(each.indices[at] is loop.loop_var for each in accesses)
        ]
        if not fitting:
            return found
        found[fitting[0]] = None
        stmt = loop.body


def _accesses(root: Stmt, buffer: Buffer) -> list[Load | Store]:
    """Return the accesses of a buffer; none where it is used otherwise, or in another shape."""
    found: list[Load | Store] = []
    if not only_stores(root):
        return []
    for each in PROGRAM.pre_order(root):
        if isinstance(each, (Load, Store)) and isinstance(each.tensor, Tensor):
            if each.tensor.buffer is not buffer:
                continue
            sizes = [constant(size) for size in each.tensor.shape]
            if None in sizes or sizes != [constant(size) for size in buffer.shape]:
                return []
            found.append(each)
    return found


def _uses(root: Stmt, buffer: Buffer) -> bool:
    return any(
        isinstance(each, Tensor) and each.buffer is buffer for each in PROGRAM.pre_order(root)
    )
