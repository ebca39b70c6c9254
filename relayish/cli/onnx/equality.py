"""Whether two models compute the same, as far as random inputs show it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from relayish.cli.onnx.engines import Engine, Run
from relayish.cli.onnx.inputs import SPREADS, Input, Plan, Values, draw_inputs, plans
from relayish.errors import EvaluationError, RelayishError

TOLERANCE: Final = 1e-4
"""By how much an output may differ, in parts of its largest magnitude for all inputs drawn."""
SMALLEST: Final = 1e-2
"""The magnitude of an output whose elements are all smaller."""
SHOWS: Final = 1e-2
"""What differs by so much from input to input, in parts of its magnitude, shows enough."""
TELLS: Final = 1e-3
"""What differs by so much still tells something: numbers are tried, but no other sizes."""
MOST_SIZES: Final = 3
"""With so many sizes a model is run in search of those that show enough."""

Tell = Callable[[str], None]
"""Told what is being done."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What a model gives for random inputs.

    Attributes:
        engine: What it was run with.
        outputs: The names of its outputs.
        plan: How the inputs were drawn.
        inputs: What was drawn.
        results: The outputs for each.
        idle: The inputs that changed no output when they alone changed.
        varies: By how much outputs differ from input to input, in parts of their magnitude.
    """

    engine: Engine
    outputs: tuple[str, ...]
    plan: Plan
    inputs: tuple[Values, ...]
    results: tuple[list[Any], ...]  # Any: as of Run
    idle: tuple[str, ...]
    varies: float


@dataclass(slots=True)
class Comparison:
    """What comparing a model with a reference gave.

    Attributes:
        fault: What differs, or why the model does not run; ``None`` if nothing does.
        largest: The largest difference of a number, in parts of the magnitude of its output.
        output: The output where it is.
        tolerance: By how much that may differ.
    """

    fault: str | None = None
    largest: float = 0.0
    output: str = ""
    tolerance: float = TOLERANCE


@dataclass
class _Candidate:
    plan: Plan
    inputs: tuple[Values, ...]
    results: tuple[list[Any], ...]  # Any: as of Run
    idle: tuple[str, ...] = ()
    varies: float = 0.0
    order: int = field(default=0)

    def rank(self) -> tuple[int, float, int]:
        return -len(self.idle), self.varies, -self.order

    def is_good(self) -> bool:
        return not self.idle and self.varies >= SHOWS

    def is_fair(self) -> bool:
        return not self.idle and self.varies >= TELLS


def find_reference(
    engines: Sequence[Engine],
    path: str,
    inputs: Sequence[Input],
    outputs: Sequence[str],
    *,
    runs: int,
    seed: int,
    tell: Tell = lambda _doing: None,
) -> Reference:
    """Return what a model gives for random inputs that show something.

    Sizes and numbers are tried until the model runs and every input changes an output; where none
    does all, those that show most are taken.

    Args:
        engines: What to run it with: the first that can.
        path: The model.
        inputs: What to give it.
        outputs: What its outputs are called.
        runs: How many inputs to draw.
        seed: Of the first of these; the next have the next ones.
        tell: Told what is being done.

    Raises:
        EvaluationError: If it runs with none.
    """
    failures: list[str] = []
    for engine in engines:
        tell(f"running the model in {engine.name}")
        try:
            run = engine.load(path)
            best = _best(run, inputs, max(runs, 2), seed)
        except EvaluationError as error:
            failures.append(f"{engine.name}: {error}")
            continue
        return Reference(
            engine,
            tuple(outputs),
            best.plan,
            best.inputs[:runs],
            best.results[:runs],
            best.idle,
            best.varies,
        )
    raise EvaluationError(
        f"the model does not run, so nothing can be compared with it ({'; '.join(failures)}); give "
        f"sizes with --input-shape, or write --verify 0"
    )


def _best(run: Run, inputs: Sequence[Input], runs: int, seed: int) -> _Candidate:
    """Return the inputs that show most, and what the model gives for them."""
    found: list[_Candidate] = []
    failure: EvaluationError | None = None
    sizes_tried: list[Mapping[str, int]] = []
    for sizes, bound in plans(inputs):
        if sizes not in sizes_tried and len(sizes_tried) == MOST_SIZES:
            break
        try:
            for each in _of_sizes(run, inputs, sizes, bound, runs, seed):
                each.order = len(found)
                found.append(each)
                if each.is_good():
                    return each
        except EvaluationError as error:
            failure = error
            continue
        if any(each.is_fair() for each in found):
            break
        if sizes not in sizes_tried:
            sizes_tried.append(sizes)
    if not found:
        assert failure is not None, "some plan was tried"
        raise failure
    return max(found, key=_Candidate.rank)


def _of_sizes(
    run: Run, inputs: Sequence[Input], sizes: Mapping[str, int], bound: int, runs: int, seed: int
) -> Iterator[_Candidate]:
    """Yield what the model gives for inputs of these sizes, of one distribution after the other."""
    is_drawn = any(not each.element.removeprefix("u").startswith("int") for each in inputs)
    for spread in SPREADS if is_drawn else SPREADS[:1]:
        plan = Plan(sizes, bound, spread)
        drawn = tuple([draw_inputs(inputs, plan, seed + number) for number in range(runs)])
        results = tuple([_run(run, each) for each in drawn])
        idle = tuple([each.name for each in inputs if _is_idle(run, each.name, drawn, results)])
        yield _Candidate(plan, drawn, results, idle, _variation(results))


def _run(run: Run, inputs: Values) -> list[Any]:  # Any: as of Run
    """Run a model; whatever an operator raises is an error of the evaluation."""
    try:
        return run(inputs)
    except RelayishError as error:
        if isinstance(error, EvaluationError):
            raise
        raise EvaluationError(str(error)) from error


def _is_idle(
    run: Run, name: str, drawn: Sequence[Values], results: Sequence[list[Any]]
) -> bool:  # Any: as of Run
    """Return whether an input changes no output where it alone has another of its values."""
    for place, other in itertools.permutations(range(len(drawn)), 2):
        try:
            mixed = _run(run, {**drawn[place], name: drawn[other][name]})
        except EvaluationError:
            continue  # this value does not go with the others
        if not _is_same(results[place], mixed):
            return False
    return True


def _is_same(first: object, second: object) -> bool:
    """Return whether outputs are the same, bit for bit but for signs of zeros."""
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return len(first) == len(second) and all(map(_is_same, first, second))
    if first is None or second is None:
        return first is second
    a, b = np.asarray(first), np.asarray(second)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if not _is_floating(a):
        return bool(np.array_equal(a, b))
    return bool(np.array_equal(_widen(a), _widen(b), equal_nan=True))


def _variation(results: Sequence[list[Any]]) -> float:  # Any: as of Run
    """Return by how much the output that differs most does so from input to input, at most 1."""
    most = 0.0
    for first, second in itertools.pairwise(results):
        for a, b in zip(first, second, strict=True):
            most = max(most, _variation_of(a, b))
    return most


def _variation_of(first: object, second: object) -> float:
    a, b = np.asarray(first), np.asarray(second)
    if not _is_floating(a) or not _is_floating(b):
        return 0.0 if _is_same(first, second) else 1.0
    if a.shape != b.shape:
        return 1.0
    x, y = _widen(a), _widen(b)
    with np.errstate(invalid="ignore", over="ignore"):
        difference = np.abs(x - y)
    difference = difference[np.isfinite(difference)]
    if not difference.size:
        return 0.0 if _is_same(first, second) else 1.0
    return min(1.0, float(difference.max()) / magnitude(x))


def magnitude(array: Any) -> float:  # Any: an array of floating-point numbers
    """Return the largest finite magnitude of an element, and at least ``SMALLEST``."""
    finite = np.abs(array[np.isfinite(array)])
    return max(float(finite.max()) if finite.size else 0.0, SMALLEST)


def compare_model(
    reference: Reference, path: str, tolerance: float, widths: Mapping[str, int] | None = None
) -> Comparison:
    """Return what running a model with the inputs of a reference gives beside its results.

    Args:
        reference: What the model gives that it is compared with.
        path: The model.
        tolerance: By how much an output may differ, in parts of its magnitude, where no numbers of
            fewer than 32 bits are on the way to it.
        widths: The bytes of the narrowest floats on the way to outputs, of those that have such.
    """
    widths = widths or {}
    told = Comparison(tolerance=tolerance)
    scales = [max(map(_largest, each)) for each in zip(*reference.results, strict=True)]
    try:
        run = reference.engine.load(path)
        for number, (inputs, wanted) in enumerate(
            zip(reference.inputs, reference.results, strict=True), 1
        ):
            found = _run(run, inputs)
            if len(found) != len(wanted):
                told.fault = f"there are {len(found)} outputs in place of {len(wanted)}"
                return told
            for name, a, b, scale in zip(reference.outputs, wanted, found, scales, strict=True):
                fault = _compare(a, b, name, _Scale(scale, tolerance, widths.get(name, 4)), told)
                if fault is not None:
                    told.fault = f"output {name!r} of input {number} {fault}"
                    return told
    except EvaluationError as error:
        told.fault = f"the model does not run: {error}"
    return told


@dataclass(frozen=True, slots=True)
class _Scale:
    """What differences of an output are measured by."""

    magnitude: float
    tolerance: float
    width: int


def _largest(output: object) -> float:
    """Return the largest magnitude in an output, and at least ``SMALLEST``."""
    if isinstance(output, (list, tuple)):
        return max([SMALLEST, *map(_largest, output)])
    array = np.asarray(output)
    return magnitude(_widen(array)) if output is not None and _is_floating(array) else SMALLEST


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
        return f"is {_show(b)} in place of {_show(a)}"
    if a.dtype.kind in "OUSbiu" or not _is_floating(a):
        return None if np.array_equal(a, b) else f"differs in {int(np.sum(a != b))} elements"
    x, y = _widen(a), _widen(b)
    is_finite = np.isfinite(x)
    if not np.array_equal(is_finite, np.isfinite(y)) or not np.array_equal(
        x[~is_finite], y[~is_finite], equal_nan=True
    ):
        return "is not a number, or infinite, at other places"
    if not x[is_finite].size:
        return None
    off = float(np.abs(x[is_finite] - y[is_finite]).max()) / scale.magnitude
    allowed = allowed_difference(a, scale.tolerance, scale.width)
    if off > told.largest or not told.output:
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


def allowed_difference(array: Any, tolerance: float, narrowest: int = 4) -> float:
    """Return the tolerance for an array: that of its element type, if that is wider.

    Args:
        array: Any: an array of any type.
        tolerance: That for floats of 32 bits and more.
        narrowest: The bytes of the narrowest floats that it was computed of.
    """
    width = array.dtype.itemsize // (2 if array.dtype.kind == "c" else 1)
    width = min(width, narrowest)
    return max(tolerance, {1: 0.25, 2: 1e-2}.get(width, 0.0))


def _is_floating(array: Any) -> bool:  # Any: as above
    return array.dtype.kind in "fc" or "float" in array.dtype.name


def _widen(array: Any) -> Any:  # Any: as above
    return array if array.dtype.kind == "c" else array.astype(np.float64)


def _show(array: Any) -> str:  # Any: as above
    return f"{array.dtype.name}{list(array.shape)}"
