"""Whether two models compute the same, as far as random inputs show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from relayish.cli.onnx.magnitudes import (
    SMALLEST,
    Noise,
    allowed_difference,
    differences,
    is_floating,
    magnitude,
    show_array,
    widen,
)
from relayish.cli.onnx.references import Reference, run_once
from relayish.errors import EvaluationError

TOLERANCE: Final = 1e-4
"""By how much an output may differ, in parts of its largest magnitude for all inputs drawn."""

TIMES: Final = 2.0
"""Outputs may differ by so many times what the model itself changes them by."""
MOST: Final = 0.1
"""By more than this, on the average of all elements, they may not differ."""
MOST_JUMPS: Final = 0.1
"""Of integers, more than this part may not differ."""


@dataclass(slots=True)
class Comparison:
    """What comparing a model with a reference gave.

    Attributes:
        fault: What differs, or why the model does not run; ``None`` if nothing does.
        largest: The largest difference of a number, in parts of the magnitude of its output.
        output: The output where it is.
        tolerance: By how much that may differ.
        is_rounding: Whether nothing is known to differ but numbers, by more than that.
    """

    fault: str | None = None
    largest: float = 0.0
    output: str = ""
    tolerance: float = TOLERANCE
    is_rounding: bool = False


@dataclass(frozen=True, slots=True)
class Tolerance:
    """By how much outputs may differ, in parts of their magnitude.

    Attributes:
        usual: Where no numbers of fewer than 32 bits are on the way to an output.
        widths: The bytes of the narrowest floats on the way to outputs, of those that have such.
        noise: What the model itself changes outputs by; they may differ by ``TIMES`` as much.
    """

    usual: float = TOLERANCE
    widths: Mapping[str, int] = field(default_factory=dict)
    noise: Mapping[str, Noise] = field(default_factory=dict)


def compare_model(reference: Reference, path: str, tolerance: Tolerance) -> Comparison:
    """Return what running a model with the inputs of a reference gives beside its results.

    Args:
        reference: What the model gives that it is compared with.
        path: The model.
        tolerance: By how much outputs may differ.
    """
    try:
        return compare_results(reference, run_again(reference, path), tolerance)
    except EvaluationError as error:
        fault = f"the model does not run: {str(error).replace(path, 'the result')}"
        return Comparison(fault=fault, tolerance=tolerance.usual)


def run_again(reference: Reference, path: str) -> tuple[list[Any], ...]:  # Any: as of Run
    """Return what a model gives for the inputs of a reference.

    Raises:
        EvaluationError: If it does not run.
    """
    run = reference.engine.load(path)
    return tuple([run_once(run, each) for each in reference.inputs])


def compare_results(
    reference: Reference,
    results: Sequence[list[Any]],  # Any: as of Run
    tolerance: Tolerance,
) -> Comparison:
    """Return how results differ from those of a reference."""
    told = Comparison(tolerance=tolerance.usual)
    scales = magnitudes(reference)
    for number, (wanted, found) in enumerate(zip(reference.results, results, strict=True), 1):
        if len(found) != len(wanted):
            told.fault = f"there are {len(found)} outputs in place of {len(wanted)}"
            return told
        for name, a, b, scale in zip(reference.outputs, wanted, found, scales, strict=True):
            fault = _compare(a, b, name, _Scale(scale, tolerance), told)
            if fault is not None:
                told.fault = f"output {name!r} of input {number} {fault}"
                return told
    return told


def magnitudes(reference: Reference) -> list[float]:
    """Return the largest magnitude of each output, and at least ``SMALLEST``."""
    return [max(map(_largest, each)) for each in zip(*reference.results, strict=True)]


@dataclass(frozen=True, slots=True)
class _Scale:
    """What differences of an output are measured by."""

    magnitude: float
    tolerance: Tolerance

    def noise(self, name: str) -> Noise:
        return self.tolerance.noise.get(name, Noise())

    def usual(self, name: str, array: Any) -> float:  # Any: an array of floats
        return allowed_difference(array, self.tolerance.usual, self.tolerance.widths.get(name, 4))


def _largest(output: object) -> float:
    """Return the largest magnitude in an output, and at least ``SMALLEST``."""
    if isinstance(output, (list, tuple)):
        return max([SMALLEST, *map(_largest, output)])
    array = np.asarray(output)
    return magnitude(widen(array)) if output is not None and is_floating(array) else SMALLEST


def _compare(
    wanted: object, found: object, name: str, scale: _Scale, told: Comparison
) -> str | None:
    """Return how an output differs, if it does; note the largest difference."""
    if isinstance(wanted, (list, tuple)) or isinstance(found, (list, tuple)):
        return _compare_lists(wanted, found, name, scale, told)
    if wanted is None or found is None:
        return None if wanted is found else f"is {found!r} in place of {wanted!r}"
    a, b = np.asarray(wanted), np.asarray(found)
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"is {show_array(b)} in place of {show_array(a)}"
    if not is_floating(a):
        count = int(np.sum(a != b))
        told.is_rounding = count > 0
        if count <= MOST_JUMPS * a.size and count <= TIMES * scale.noise(name).share * a.size:
            return None
        return f"differs in {count} elements"
    x, y = widen(a), widen(b)
    is_finite = np.isfinite(x)
    if not np.array_equal(is_finite, np.isfinite(y)) or not np.array_equal(
        x[~is_finite], y[~is_finite], equal_nan=True
    ):
        return "is not a number, or infinite, at other places"
    if not x[is_finite].size:
        return None
    found = differences(x, y, scale.magnitude)
    off, usual = found.largest, scale.usual(name, a)
    noise = scale.noise(name)
    allowed = max(usual, TIMES * noise.largest)
    if off <= allowed and found.mean > max(usual, min(TIMES * noise.mean, MOST)):
        off, allowed = found.mean, max(usual, min(TIMES * noise.mean, MOST))
    if off > allowed:
        told.is_rounding = True
    if off > allowed or off > told.largest or not told.output:
        told.largest, told.output, told.tolerance = off, name, allowed
    if off <= allowed:
        return None
    return f"differs by {off:.2g} of its magnitude; {allowed:.2g} is allowed"


def _compare_lists(
    wanted: object, found: object, name: str, scale: _Scale, told: Comparison
) -> str | None:
    if not isinstance(wanted, (list, tuple)) or not isinstance(found, (list, tuple)):
        return f"is {'a sequence' if isinstance(found, (list, tuple)) else 'no sequence'}"
    if len(wanted) != len(found):
        return f"has {len(found)} elements in place of {len(wanted)}"
    faults = (_compare(a, b, name, scale, told) for a, b in zip(wanted, found, strict=True))
    return next((fault for fault in faults if fault is not None), None)
