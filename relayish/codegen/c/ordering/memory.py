"""Memory between calls, which is used again where nothing needs what it holds."""

from __future__ import annotations

from collections import defaultdict
from math import prod
from typing import Final

from relayish.codegen.c.ordering.leaves import Leaf
from relayish.ir.scopes.name_supply import NameSupply
from relayish.tir.builders.tensor import placeholder
from relayish.tir.ir.operators import const
from relayish.tir.ir.tensor import Buffer, Tensor
from relayish.tir.ir.type import as_type


class Workspace:
    """The memory of one function for what lies between its calls.

    Attributes:
        buffers: All of it.
    """

    def __init__(self, names: NameSupply) -> None:
        self.buffers: list[Buffer] = []
        self._names: Final = names
        self._sizes: dict[Buffer, tuple[str, int]] = {}
        self._free: defaultdict[tuple[str, int], list[Buffer]] = defaultdict(list)
        self._users: dict[Buffer, int] = {}

    def fresh(self, hint: str, leaf: Leaf) -> Tensor:
        """Return memory that is not taken from here: whoever calls the function gives it."""
        return placeholder(self._names.fresh_name(hint), leaf.shape, leaf.dtype)

    def take(self, hint: str, leaf: Leaf) -> Tensor:
        """Return memory that nobody uses."""
        key = (leaf.dtype, prod(leaf.shape))
        free = self._free[key]
        if free:
            return view_of(self._names.fresh_name("again"), leaf, free.pop())
        made = self.fresh(hint, leaf)
        buffer = buffer_of(made)
        self.buffers.append(buffer)
        self._sizes[buffer] = key
        return made

    def use(self, tensor: Tensor) -> None:
        """Note that one more needs what a tensor holds."""
        buffer = buffer_of(tensor)
        self._users[buffer] = self._users.get(buffer, 0) + 1

    def release(self, tensor: Tensor) -> None:
        """Note that one less does; of the last, the memory is free."""
        buffer = buffer_of(tensor)
        self._users[buffer] -= 1
        key = self._sizes.get(buffer)
        if not self._users[buffer] and key is not None:
            self._free[key].append(buffer)


def view_of(name: str, leaf: Leaf, buffer: Buffer) -> Tensor:
    """Return memory as a tensor."""
    sizes = tuple([const(size) for size in leaf.shape])
    return Tensor(name, sizes, as_type(leaf.dtype), buffer)


def buffer_of(tensor: Tensor) -> Buffer:
    """Return the memory of a tensor that has some."""
    assert isinstance(tensor.buffer, Buffer)
    return tensor.buffer
