"""Blocks of space, moved into channels or batches and back: one split, permutation and join."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from relayish.numeric.precision import Array


class Rearrangement(NamedTuple):
    """How elements move: axes are split, put in another order and joined.

    Attributes:
        split: A shape, of more axes than that of what is rearranged.
        order: The axes of that in another order.
        shape: That of the result.
    """

    split: tuple[int, ...]
    order: tuple[int, ...]
    shape: tuple[int, ...]

    def moved(self) -> tuple[int, ...]:
        """Return the shape before axes are joined."""
        return tuple(self.split[axis] for axis in self.order)

    def apply(self, data: Array) -> Array:
        """Return ``data`` rearranged."""
        return data.reshape(self.split).transpose(self.order).reshape(self.shape)


def space_to_depth(shape: Sequence[int], block: int, *, blocks_first: bool) -> Rearrangement:
    """Return how blocks of an image become channels.

    Args:
        shape: (n, c, h, w), of which height and width are multiples of ``block``.
        block: The side of a block.
        blocks_first: Whether the places in a block, or the channels there were, count slower.
    """
    n, c, h, w = shape
    split = n, c, h // block, block, w // block, block
    order = (0, 3, 5, 1, 2, 4) if blocks_first else (0, 1, 3, 5, 2, 4)
    return Rearrangement(split, order, (n, c * block * block, h // block, w // block))


def depth_to_space(shape: Sequence[int], block: int, *, blocks_first: bool) -> Rearrangement:
    """Return how channels become blocks of an image; see :func:`space_to_depth`.

    Args:
        shape: (n, c, h, w), of which the channels are a multiple of ``block * block``.
        block: The side of a block.
        blocks_first: See there.
    """
    n, c, h, w = shape
    depth = c // (block * block)
    split = (n, block, block, depth, h, w) if blocks_first else (n, depth, block, block, h, w)
    order = (0, 3, 4, 1, 5, 2) if blocks_first else (0, 1, 4, 2, 5, 3)
    return Rearrangement(split, order, (n, depth, h * block, w * block))


def space_to_batch(shape: Sequence[int], blocks: Sequence[int]) -> Rearrangement:
    """Return how blocks of some axes move into the batch: element ``i`` into its ``i``-th part.

    Args:
        shape: (n, *sizes, ...), of which the sizes are multiples of the blocks.
        blocks: The sides of a block, for each of the sizes.
    """
    (batch, *rest), rank = shape, len(blocks)
    sizes = [part for n, side in zip(rest, blocks, strict=False) for part in (n // side, side)]
    split = batch, *sizes, *rest[rank:]
    insides, outsides = range(2, 2 * rank + 1, 2), range(1, 2 * rank, 2)
    order = *insides, 0, *outsides, *range(2 * rank + 1, len(split))
    return Rearrangement(split, order, (batch * prod(blocks), *sizes[::2], *rest[rank:]))


def batch_to_space(shape: Sequence[int], blocks: Sequence[int]) -> Rearrangement:
    """Return how parts of the batch become blocks of some axes; see :func:`space_to_batch`.

    Args:
        shape: (n, *sizes, ...), of which ``n`` is a multiple of the elements of a block.
        blocks: The sides of a block, for each of the sizes.
    """
    (total, *rest), rank = shape, len(blocks)
    batch = total // prod(blocks)
    split = *blocks, batch, *rest
    pairs = [axis for i in range(rank) for axis in (rank + 1 + i, i)]
    order = rank, *pairs, *range(2 * rank + 1, len(split))
    sizes = [n * side for n, side in zip(rest, blocks, strict=False)]
    return Rearrangement(split, order, (batch, *sizes, *rest[rank:]))
