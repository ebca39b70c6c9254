"""Flattening of buffers: one index into memory instead of one for each dimension.

Before, on a buffer of shape (3, 4)::

    A[i, j] = 0

After::

    A[((i * 4) + j)] = 0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from relayish.ir.nodes.node import Node
from relayish.pass_infra import register_pass
from relayish.passes.loops.structure.invariance import literal_value
from relayish.passes.loops.structure.vector_arithmetic import binary
from relayish.tir.analysis import Context, interval_of
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Add, Cast, Expr, Mul, const, integer_range
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor
from relayish.tir.ir.traversal import NODES
from relayish.tir.ir.type import INT64, Type


@register_pass(
    "FlattenBuffer",
    opt_level=0,
    idempotent=True,
    preserves=("DefiniteInitialisation", "Dominators", "PostDominators", "ReachingDefinitions"),
)
def flatten_buffer(func: LoweredFunc) -> LoweredFunc:
    """Flattening of buffers: one index into memory instead of one for each dimension.

    Each tensor becomes one of a single dimension over the same buffer, under its name. Several
    tensors over one buffer still see what is stored through the others. Indices whose sums might
    not fit their type become ``int64``.

    Buffers stay what they are, and with them what callers pass and what schedule blocks say of
    regions. Tensors stay over buffers with strides, which have as many dimensions as the buffer
    says, and where they are used otherwise than by loads and stores. An index that is out of range
    in one dimension may be in range of the whole: programs without such errors do the same.

    Returns:
        ``func`` itself when there is nothing to flatten.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        TVM ``FlattenBuffer``.
    """
    order = NODES.post_order(func)
    flat = _flat_tensors(order)
    if not flat:
        return func
    images: dict[Node, Node] = {}
    get, table = images.get, NODES.rebuild
    for node in order:
        image = table[type(node)](node, get)
        if isinstance(image, (Load, Store)) and image.tensor in flat:
            index = _flat_index(cast("Tensor", image.tensor), image.indices)
            image = image.with_fields(tensor=flat[image.tensor], indices=(index,))
        if image is not node:
            images[node] = image
    return cast("LoweredFunc", get(func, func))


def _flat_tensors(order: Sequence[Node]) -> dict[Node, Tensor]:
    """Return the tensor of one dimension for each that has another number of them."""
    found: dict[Node, Tensor] = {}
    kept: set[str] = set()  # names of tensors that stay: all that are built of one do
    for node in order:
        if isinstance(node, Tensor) and not _is_kept(node) and len(node.shape) != 1:
            size = _product(node.shape)
            found[node] = Tensor(node.name, (size,), node.dtype, node.buffer, span=node.span)
    for node in order:
        for child in NODES.children(node):
            if child in found and not isinstance(node, (Load, Store)):
                kept.add(found[child].name)
    return {tensor: flat for tensor, flat in found.items() if flat.name not in kept}


def _is_kept(tensor: Tensor) -> bool:
    return not isinstance(tensor.buffer, Buffer) or bool(tensor.buffer.strides)


def _product(sizes: Sequence[Expr]) -> Expr:
    """Return the product of sizes, in a type that holds it."""
    ty = _type_for(sizes, sizes)
    found: Expr = const(1, ty)
    for size in sizes:
        found = binary(Mul, found, _as_type(size, ty))
    return found


def _flat_index(tensor: Tensor, indices: Sequence[Expr]) -> Expr:
    """Return where an element of a tensor is, counted from its first one, row by row."""
    ty = _type_for(indices, tensor.shape)
    found: Expr = const(0, ty)
    for index, size in zip(indices, tensor.shape, strict=True):
        found = binary(Mul, found, _as_type(size, ty))
        found = binary(Add, found, _as_type(index, ty))
    return found


def _type_for(indices: Sequence[Expr], sizes: Sequence[Expr]) -> Type:
    """Return the type of the widest index, wider if it does not hold the number of elements."""
    ty = const(0).type
    for index in indices:
        if index.type.bits > ty.bits:
            ty = index.type.scalar
    most = 1
    for size in sizes:
        value = literal_value(size)
        most *= max(interval_of(size, Context()).high if value is None else value, 0)
    return ty if most <= integer_range(ty)[1] else INT64


def _as_type(value: Expr, ty: Type) -> Expr:
    if value.type.scalar == ty:
        return value
    known = literal_value(value)
    return Cast(ty.with_lanes(value.type.lanes), value) if known is None else const(known, ty)
