"""Sequences of tensors, and values that may be absent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from relayish.errors import EvaluationError, OutOfBoundsError
from relayish.numeric.arguments import get_scalar
from relayish.numeric.axes import normalise_axis
from relayish.onnx.kernels.joining import concatenate_along, cut
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import numbers_of

Sequence = list[Array]


@kernel("SequenceEmpty", since=(11,))
def empty_sequence(*, dtype: int | None = None) -> Sequence:  # noqa: ARG001 (of no element)
    """Return a sequence of no tensor."""
    return []


@kernel("SequenceConstruct", since=(11,))
def construct_sequence(*inputs: Array) -> Sequence:
    """Return a sequence of the tensors given."""
    return list(inputs)


@kernel("SequenceAt", since=(11,))
def sequence_at(sequence: Sequence, position: Array) -> Array:
    """Return the tensor at a position; negative ones count from behind."""
    return sequence[_position(sequence, position, len(sequence) - 1)]


@kernel("SequenceErase", since=(11,))
def erase_from_sequence(sequence: Sequence, position: Array | None = None) -> Sequence:
    """Return the sequence without the tensor at a position, the last if none is given."""
    last = np.array(-1) if position is None else position
    place = _position(sequence, last, len(sequence) - 1)
    return sequence[:place] + sequence[place + 1 :]


@kernel("SequenceInsert", since=(11,))
def insert_into_sequence(
    sequence: Sequence, tensor: Array, position: Array | None = None
) -> Sequence:
    """Return the sequence with a tensor before a position, or at the end if none is given."""
    behind = np.array(len(sequence)) if position is None else position
    place = _position(sequence, behind, len(sequence))
    return [*sequence[:place], tensor, *sequence[place:]]


def _position(sequence: Sequence, position: Array, most: int) -> int:
    place = int(get_scalar(position, "position in a sequence"))
    size = len(sequence)
    if not -size <= place <= most:
        raise OutOfBoundsError(
            f"position {place} in a sequence of {size} tensors; expected {-size} to {most}"
        )
    return place + size if place < 0 else place


@kernel("SequenceLength", since=(11,))
def sequence_length(sequence: Sequence) -> Array:
    """Return the number of tensors."""
    return np.array(len(sequence), np.int64)


@kernel("SplitToSequence", since=(11, 24))
def split_to_sequence(
    data: Array, split: Array | None = None, *, axis: int = 0, keepdims: int = 1
) -> Sequence:
    """Return parts of a tensor along an axis, of one size, or of the sizes in ``split``."""
    along = normalise_axis(axis, data.ndim)
    size = data.shape[along]
    if split is None:
        parts = cut(data, (1,) * size, along)
        return list(parts) if keepdims else [np.squeeze(part, axis=along) for part in parts]
    sizes = numbers_of(split, "split")
    if not split.ndim:
        (part,) = sizes
        if part <= 0:
            raise EvaluationError(f"split is {part}; expected a size of 1 or more")
        sizes = tuple(min(part, size - begin) for begin in range(0, size, part))
    return list(cut(data, sizes, along))


@kernel("ConcatFromSequence", since=(11,))
def concatenate_sequence(sequence: Sequence, *, axis: int, new_axis: int = 0) -> Array:
    """Return the tensors one behind another along an axis, which is a further one if asked for."""
    if not new_axis or not sequence:
        return concatenate_along(tuple(sequence), axis)
    along = normalise_axis(axis, sequence[0].ndim + 1)
    return concatenate_along(tuple(np.expand_dims(data, along) for data in sequence), along)


@kernel("SequenceMap", since=(17,))
def map_sequence(
    sequence: Sequence,
    *others: Array | Sequence,
    body: Callable[..., tuple[Array, ...]],
    num_outputs: int = 1,
) -> tuple[Sequence, ...]:
    """Return sequences of what ``body`` makes of each tensor, and of those beside it."""
    for other in others:
        if isinstance(other, list) and len(other) != len(sequence):
            raise EvaluationError(
                f"SequenceMap of sequences of {len(sequence)} and {len(other)} tensors; expected "
                "as many in each"
            )
    results: tuple[Sequence, ...] = tuple([] for _ in range(num_outputs))
    for place, tensor in enumerate(sequence):
        beside = [other[place] if isinstance(other, list) else other for other in others]
        for result, made in zip(results, body(tensor, *beside), strict=True):
            result.append(made)
    return results


@kernel("Optional", since=(15, 28))
def optional(
    value: Any = None,  # Any: a value of any type
    *,
    type: Any = None,  # noqa: A002, ARG001 (the attribute: a type, of no value)
) -> Any:
    """Return the value, which may be absent."""
    return value


@kernel("OptionalHasElement", since=(15, 18, 28))
def optional_has_element(value: Any = None) -> Array:  # Any: a value of any type
    """Return whether there is a value."""
    return np.array(value is not None)


@kernel("OptionalGetElement", since=(15, 18, 28))
def optional_get_element(value: Any) -> Any:  # Any: a value of any type
    """Return the value.

    Raises:
        EvaluationError: If there is none.
    """
    if value is None:
        raise EvaluationError("an optional value is absent; expected one, by OptionalHasElement")
    return value
