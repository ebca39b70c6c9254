"""Noise of a model: how much its outputs change when it rounds otherwise.

Numbers that are rounded to few steps on the way, as quantised ones are, jump where what they are
computed of changes in its last bit. So a model is run as a runtime optimises it, and on inputs that
differ by a unit in the last place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import Any, Final

import numpy as np

from relayish.cli.onnx.equality import Tolerance, magnitudes, run_again
from relayish.cli.onnx.inputs import Values
from relayish.cli.onnx.magnitudes import Noise, differences, is_floating, widen
from relayish.cli.onnx.references import Reference
from relayish.errors import EvaluationError

NUDGES: Final = 4
"""So often inputs are changed by a unit in the last place."""


def measure_noise(reference: Reference, path: str, tolerance: Tolerance) -> dict[str, Noise]:
    """Return by how much the model itself changes outputs, by output.

    Args:
        reference: What the model gives.
        path: The model.
        tolerance: What is allowed anyway, which tells how exactly the model computes.
    """
    noise = dict.fromkeys(reference.outputs, Noise())
    scales = magnitudes(reference)
    for results in _otherwise(reference, path, tolerance):
        for wanted, found in zip(reference.results, results, strict=True):
            for name, a, b, scale in zip(reference.outputs, wanted, found, scales, strict=True):
                noise[name] = _larger(noise[name], _difference(a, b, scale))
    return noise


def _otherwise(
    reference: Reference, path: str, tolerance: Tolerance
) -> Iterator[tuple[list[Any], ...]]:  # Any: as of Run
    """Yield what the model gives when it rounds otherwise, for each of the inputs."""
    for variant in _variants(reference, tolerance):
        try:
            yield run_again(variant, path)
        except EvaluationError:
            continue  # as what an optimiser makes of a model; that measures nothing


def _variants(reference: Reference, tolerance: Tolerance) -> Iterator[Reference]:
    """Yield the engines that round otherwise, and inputs that do."""
    for load in reference.engine.otherwise:
        yield replace(reference, engine=replace(reference.engine, load=load))
    unit = 2.0**-10 if tolerance.widths else 2.0**-23  # of the numbers on the way
    for seed in range(NUDGES):
        generator = np.random.default_rng(seed)
        nudged = [_nudge(each, unit, generator) for each in reference.inputs]
        yield replace(reference, inputs=tuple(nudged))


def _nudge(inputs: Values, unit: float, generator: np.random.Generator) -> Values:
    return {name: _nudge_value(value, unit, generator) for name, value in inputs.items()}


def _nudge_value(value: Any, unit: float, generator: np.random.Generator) -> Any:  # Any: as Values
    """Return floats each of which may be a unit in the last place larger or smaller."""
    if isinstance(value, list):
        return [_nudge_value(each, unit, generator) for each in value]
    if not is_floating(value):
        return value
    steps = generator.integers(-1, 2, value.shape) * unit
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(widen(value) * (1 + steps)).astype(value.dtype)


def _difference(first: object, second: object, scale: float) -> Noise:
    """Return by how much outputs differ; not at all what cannot be compared."""
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        pairs = zip(first, second, strict=False)
        return reduce(_larger, [_difference(a, b, scale) for a, b in pairs], Noise())
    if first is None or second is None:
        return Noise()
    a, b = np.asarray(first), np.asarray(second)
    if a.shape != b.shape or a.dtype != b.dtype:
        return Noise()
    if not is_floating(a):
        return Noise(share=float(np.mean(a != b)) if a.size else 0.0)
    return differences(widen(a), widen(b), scale)


def _larger(first: Noise, second: Noise) -> Noise:
    return Noise(
        max(first.largest, second.largest),
        max(first.mean, second.mean),
        max(first.share, second.share),
    )
