"""Control flow: branches, loops and scans, whose graphs are functions of arrays.

A graph that is the body of a loop may say, in an attribute ``output_types``, of which element type
and shape each of its outputs is: pairs of a numpy type and a tuple of sizes, ``None`` where one is
not known. Where no iteration runs, what the loop would have collected has that type; 0 is the size
of dimensions that are not known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.arguments import get_scalar
from relayish.numeric.axes import normalise_axis
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import DType

Values = tuple[Any, ...]  # Any: tensors, sequences, optional values
Graph = Callable[..., Values]
OutputType = tuple[DType, tuple[int | None, ...] | None]


@kernel("If", since=(1, 11, 13, 16, 19, 21, 23, 24, 25))
def branch(condition: Array, *, then_branch: Graph, else_branch: Graph) -> Values:
    """Return what one of two graphs without inputs gives."""
    return then_branch() if get_scalar(condition, "cond of If") else else_branch()


@kernel("Loop", since=(1, 11, 13, 16, 19, 21, 23, 24, 25))
def loop(
    trip_count: Array | None = None,
    condition: Array | None = None,
    *initial: Any,  # Any: tensors, sequences, optional values
    body: Graph,
    num_outputs: int = 0,
) -> Values:
    """Return what is left of values that ``body`` takes and gives, and what it gave beside them.

    ``body`` takes the iteration's number, the condition, and the values; it gives the condition,
    the values, and what is collected.
    """
    limit = None if trip_count is None else int(get_scalar(trip_count, "trip count of Loop"))
    going = condition is None or bool(get_scalar(condition, "cond of Loop"))
    values = tuple(initial)
    kept = len(values)
    collected: list[list[Array]] = []
    iteration = 0
    while going and (limit is None or iteration < limit):
        found = body(np.array(iteration, np.int64), np.array(going), *values)
        _check_outputs("Loop", found, 1 + kept)
        going = condition is None or bool(get_scalar(found[0], "condition of the body of Loop"))
        values = tuple(found[1 : 1 + kept])
        _collect(collected, found[1 + kept :])
        iteration += 1
    if not iteration:
        missing = max(num_outputs - kept, 0)
        return values + _empty_outputs(body, 1 + kept, missing, (0,) * missing)
    return values + tuple(_stack(items, 0) for items in collected)


@kernel("Scan", since=(9, 11, 16, 19, 21, 23, 24, 25))
def scan(
    *inputs: Array,
    body: Graph,
    num_scan_inputs: int,
    scan_input_axes: tuple[int, ...] | None = None,
    scan_input_directions: tuple[int, ...] | None = None,
    scan_output_axes: tuple[int, ...] | None = None,
    scan_output_directions: tuple[int, ...] | None = None,
    num_outputs: int = 0,
) -> Values:
    """Return what is left of the first inputs, and what ``body`` gives for slices of the others."""
    kept = _states_of(inputs, num_scan_inputs)
    states, scanned = inputs[:kept], inputs[kept:]
    axes = _fill(scan_input_axes, len(scanned), "scan_input_axes")
    directions = _fill(scan_input_directions, len(scanned), "scan_input_directions")
    rows = [
        _rows(data, normalise_axis(axis, data.ndim), direction)
        for data, axis, direction in zip(scanned, axes, directions, strict=True)
    ]
    states, collected, count = _scan(body, states, rows)
    missing = len(collected) if count else max(num_outputs - kept, 0)
    output_axes = _fill(scan_output_axes, missing, "scan_output_axes")
    if not count:
        return states + _empty_outputs(body, kept, missing, output_axes)
    backwards = _fill(scan_output_directions, missing, "scan_output_directions")
    return states + tuple(
        _stack(items[::-1] if reverse else items, axis)
        for items, axis, reverse in zip(collected, output_axes, backwards, strict=True)
    )


@kernel("Scan", since=(8,))
def scan_batch(
    lengths: Array | None = None,
    *inputs: Array,
    body: Graph,
    num_scan_inputs: int,
    directions: tuple[int, ...] | None = None,
    num_outputs: int = 0,
) -> Values:
    """Return what :func:`scan` does for each element of a batch, which may be of any length.

    The batch is the first axis of each input, and what is scanned the second; what is collected is
    filled up with zeros.
    """
    kept = _states_of(inputs, num_scan_inputs)
    scanned = inputs[kept:]
    for data in scanned:
        if data.ndim < 2 or data.shape[:2] != scanned[0].shape[:2]:
            raise EvaluationError(
                f"Scan goes over inputs of shapes {scanned[0].shape} and {data.shape}; expected a "
                "batch of one size, of sequences of one length"
            )
    batch, steps = scanned[0].shape[:2]
    for data in (*inputs, *([] if lengths is None else [lengths])):
        if not data.ndim or data.shape[0] != batch:
            raise EvaluationError(
                f"Scan has inputs of shapes {scanned[0].shape} and {data.shape}; expected a batch "
                "of one size as first axis"
            )
    reverse = _fill(directions, len(scanned), "directions")
    results: list[Values] = []
    for element in range(batch):
        length = steps if lengths is None else int(lengths[element])
        if not 0 <= length <= steps:
            raise EvaluationError(f"a sequence of {length} steps; expected 0 to {steps}")
        rows = [
            _rows(data[element, :length], 0, direction)
            for data, direction in zip(scanned, reverse, strict=True)
        ]
        states = tuple(np.asarray(data[element], data.dtype) for data in inputs[:kept])
        states, collected, _ = _scan(body, states, rows)
        results.append(states + tuple(_filled(_stack(items, 0), steps) for items in collected))
    width = max(map(len, results), default=kept)
    stacked = tuple(
        _stack([_place_of(results, row, place, steps) for row in range(batch)], 0)
        if batch
        else inputs[place]
        for place in range(width)
    )
    missing = max(num_outputs - width, 0)
    empty = _empty_outputs(body, width, missing, (0,) * missing)
    return stacked + tuple(np.zeros((batch, steps, *one.shape[1:]), one.dtype) for one in empty)


def _place_of(results: list[Values], row: int, place: int, steps: int) -> Array:
    """Return an output of one element of a batch: zeros where its sequence has no step."""
    if place < len(results[row]):
        found: Array = results[row][place]
        return found
    like = next(values[place] for values in results if place < len(values))
    return np.zeros((steps, *like.shape[1:]), like.dtype)


def _filled(data: Array, steps: int) -> Array:
    """Return ``data`` with zeros behind, so that there are as many rows as ``steps``."""
    rest = np.zeros((steps - len(data), *data.shape[1:]), data.dtype)
    return np.concatenate([data, rest]) if len(rest) else data


def _states_of(inputs: tuple[Array, ...], num_scan_inputs: int) -> int:
    if not 1 <= num_scan_inputs <= len(inputs):
        raise EvaluationError(
            f"num_scan_inputs is {num_scan_inputs}; expected 1 to {len(inputs)}, the inputs of Scan"
        )
    return len(inputs) - num_scan_inputs


def _rows(data: Array, axis: int, reverse: int) -> Array:
    """Return a view whose first axis is scanned from its first row on."""
    rows = np.moveaxis(data, axis, 0)
    return rows[::-1] if reverse else rows


def _scan(
    body: Graph, states: Values, rows: Sequence[Array]
) -> tuple[Values, list[list[Array]], int]:
    count = len(rows[0])
    if any(len(data) != count for data in rows):
        raise EvaluationError(
            f"Scan goes over {', '.join(str(len(data)) for data in rows)} rows; expected as many "
            "of each input"
        )
    kept = len(states)
    collected: list[list[Array]] = []
    for step in range(count):
        found = body(*states, *(np.asarray(data[step], data.dtype) for data in rows))
        _check_outputs("Scan", found, kept)
        states = tuple(found[:kept])
        _collect(collected, found[kept:])
    return states, collected, count


def _check_outputs(name: str, found: Values, least: int) -> None:
    if len(found) < least:
        raise EvaluationError(
            f"the body of {name} gives {len(found)} values; expected {least} or more"
        )


def _collect(collected: list[list[Array]], found: Values) -> None:
    if not collected:
        collected.extend([] for _ in found)
    for items, value in zip(collected, found, strict=True):
        items.append(value)


def _stack(items: list[Array], axis: int) -> Array:
    """Return tensors of one shape one beside another, along a further axis."""
    shapes = {item.shape for item in items}
    if len(shapes) > 1:
        raise EvaluationError(
            f"iterations give tensors of shapes {', '.join(map(str, sorted(shapes)))}; expected "
            "one shape, to be collected"
        )
    return np.stack(items, axis=normalise_axis(axis, items[0].ndim + 1))


def _empty_outputs(body: Graph, first: int, count: int, axes: Sequence[int]) -> tuple[Array, ...]:
    """Return what is collected of no iteration, of the types that ``body`` may tell."""
    types: Sequence[OutputType] = getattr(body, "output_types", ())
    # fewer are told, or more, by a graph that has been changed: which is which is not known
    told = list(types[first:]) if len(types) == first + count else []
    told += [(np.dtype(np.float32), ())] * (count - len(told))
    empty = []
    for (dtype, shape), axis in zip(told, axes, strict=True):
        sizes = [size or 0 for size in shape or ()]
        sizes.insert(normalise_axis(axis, len(sizes) + 1), 0)
        empty.append(np.zeros(sizes, dtype))
    return tuple(empty)


def _fill(given: tuple[int, ...] | None, count: int, what: str) -> tuple[int, ...]:
    if given is None:
        return (0,) * count
    if len(given) != count:
        raise EvaluationError(f"{what} has {len(given)} entries; expected {count}")
    return given
