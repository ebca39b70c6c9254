"""Elements that are stored and loaded: what is loaded, said by what stores it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar, cast

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.linear.linear_form import expr_of_form, linear_form
from relayish.tir.analysis.regions.regions import access_regions, sees_whole_buffer
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import ScheduleBlock
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.substitution import copy_with_fresh_variables

N = TypeVar("N", bound=Node)


def inverse_of(
    stored: Sequence[Expr], given: Sequence[Expr], variables: Sequence[Var]
) -> dict[Var, Expr] | None:
    """Return what variables are where indices made of them have given values.

    Returns:
        ``None`` unless each index is a variable of its own, plus or minus a number, and no variable
        is left.
    """
    found: dict[Var, Expr] = {}
    for index, value in zip(stored, given, strict=True):
        form = linear_form(index)
        if len(form.terms) != 1 or value.type != index.type:
            return None
        [(var, factor)] = form.terms.items()
        if not isinstance(var, Var) or var.type != index.type or abs(factor) != 1 or var in found:
            return None
        found[var] = expr_of_form(
            linear_form(value).shifted(-form.constant).times(factor), var.type
        )
    return found if found.keys() == set(variables) else None


def with_values(
    root: N,
    buffer: Buffer,
    values: Callable[[Sequence[Expr]], Mapping[Var, Expr] | None],
    body: Expr,
) -> N:
    """Return a program with ``body`` where elements of a buffer are loaded.

    Args:
        root: A statement or an expression.
        buffer: The buffer.
        values: Tells from the indices of a load what the variables of ``body`` are.
        body: What is computed.
    """
    found: dict[Node, Node] = {}
    get, table = found.get, PROGRAM.rebuild
    for node in PROGRAM.post_order(root):
        image = table[type(node)](node, get)
        if isinstance(image, Load) and is_of(image, buffer):
            known = values(image.indices)
            assert known is not None
            image = copy_with_fresh_variables(body, known)
        if image is not node:
            if isinstance(node, ScheduleBlock):
                image = with_regions(node, image)
            found[node] = image
    return cast("N", get(root, root))


def with_regions(block: ScheduleBlock, image: ScheduleBlock) -> ScheduleBlock:
    """Return what a block becomes with the parts of buffers that it accesses, if it said these."""
    if not (block.read_buffers or block.write_buffers):
        return image
    reads, writes = access_regions(image)
    return image.with_fields(read_buffers=reads, write_buffers=writes)


def is_of(load: Load, buffer: Buffer) -> bool:
    """Return whether a load is of a buffer."""
    return isinstance(load.tensor, Tensor) and load.tensor.buffer is buffer


def is_element(load: Load, store: Store) -> bool:
    """Return whether a load is of one element, which equal indices of a store write."""
    one, other = load.tensor, store.tensor
    if not (isinstance(one, Tensor) and isinstance(other, Tensor) and load.type.is_scalar):
        return False
    return one is other or (sees_whole_buffer(one) and sees_whole_buffer(other))
