"""Memory between calls, which is used again where nothing needs what it holds."""

from __future__ import annotations

from collections import defaultdict
from typing import Final, TypeAlias

from relayish.codegen.c.ordering.leaves import Leaf
from relayish.ir.scopes.name_supply import NameSupply
from relayish.op.types.dimension import product
from relayish.op.types.polynomial import normal_form
from relayish.passes.relay.to_loops.extents import Sizes
from relayish.tir.builders.tensor import placeholder
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Tensor
from relayish.tir.ir.type import as_type

Memory: TypeAlias = Tensor | Buffer
"""A part of memory, by itself or as a tensor."""

Value: TypeAlias = tuple[Tensor, ...]
"""The tensors of a value, as its type lays them out."""

_Key: TypeAlias = tuple[str, object]
"""The element type of memory, and how many elements there are."""


class Workspace:
    """The memory of one function for what lies between its calls.

    Attributes:
        buffers: All of it.
    """

    def __init__(self, names: NameSupply, sizes: Sizes) -> None:
        self.buffers: list[Buffer] = []
        self._names: Final = names
        self._sizes: Final = sizes
        self._leaves: dict[Tensor, Leaf] = {}
        self._keys: dict[Buffer, _Key] = {}
        self._free: defaultdict[_Key, list[Buffer]] = defaultdict(list)
        self._users: dict[Buffer, int] = {}

    def fresh(self, hint: str, leaf: Leaf) -> Tensor:
        """Return memory that is not taken from here: whoever calls the function gives it.

        Raises:
            UnlowerableError: If nobody knows how much that is.
        """
        made = placeholder(self._names.fresh_name(hint), self._shape(leaf), leaf.dtype)
        self._leaves[made] = leaf
        return made

    def view(self, hint: str, leaf: Leaf, buffer: Buffer) -> Tensor:
        """Return memory as another tensor."""
        name, dtype = self._names.fresh_name(hint), as_type(leaf.dtype)
        made = Tensor(name, tuple(self._shape(leaf)), dtype, buffer)
        self._leaves[made] = leaf
        return made

    def take(self, hint: str, leaf: Leaf) -> Tensor:
        """Return memory that nobody uses.

        Raises:
            UnlowerableError: If nobody knows how much that is.
        """
        count = product(leaf.shape)
        key = (leaf.dtype, normal_form(count) or count)
        free = self._free[key]
        if free:
            return self.view("again", leaf, free.pop())
        made = self.fresh(hint, leaf)
        buffer = buffer_of(made)
        self.buffers.append(buffer)
        self._keys[buffer] = key
        return made

    def leaf_of(self, tensor: Tensor) -> Leaf:
        """Return what a tensor that is from here holds."""
        return self._leaves[tensor]

    def leaves(self) -> tuple[Leaf, ...]:
        """Return what :attr:`buffers` hold."""
        known = {tensor.buffer: leaf for tensor, leaf in reversed(self._leaves.items())}
        return tuple([known[buffer] for buffer in self.buffers])

    def _shape(self, leaf: Leaf) -> list[Expr]:
        return [self._sizes.expr(size) for size in leaf.shape]

    def use(self, tensor: Tensor) -> None:
        """Note that one more needs what a tensor holds."""
        buffer = buffer_of(tensor)
        self._users[buffer] = self._users.get(buffer, 0) + 1

    def release(self, tensor: Tensor) -> None:
        """Note that one less does; of the last, the memory is free."""
        buffer = buffer_of(tensor)
        self._users[buffer] -= 1
        key = self._keys.get(buffer)
        if not self._users[buffer] and key is not None:
            self._free[key].append(buffer)


def buffer_of(tensor: Tensor) -> Buffer:
    """Return the memory of a tensor that has some."""
    assert isinstance(tensor.buffer, Buffer)
    return tensor.buffer
