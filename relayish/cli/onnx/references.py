"""References: what a model gives for inputs that show something."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from relayish.cli.onnx.engines import Engine, Run
from relayish.cli.onnx.given import DataSet
from relayish.cli.onnx.inputs import SPREADS, Input, Sampling, Values, draw_inputs, plans
from relayish.cli.onnx.magnitudes import (
    differences,
    is_floating,
    magnitude,
    widen,
)
from relayish.cli.onnx.runtime import ProcessEndedError, TimeLimitError
from relayish.cli.onnx.sizes import Sizes
from relayish.errors import EvaluationError, RelayishError

SHOWS: Final = 1e-2
"""What differs by so much from input to input, in parts of its magnitude, shows enough."""


TELLS: Final = 1e-3
"""What differs by so much still tells something: numbers are tried, but no other sizes."""


MOST_SIZES: Final = 3
"""With so many sizes a model is run in search of those that show enough."""


MOST_ENDS: Final = 3
"""A model that has ended its process so often is run no more."""


MOST_ASKED: Final = 64
"""Of so many inputs it is found out what each does alone: a model is run once for each at least."""


Tell = Callable[[str], None]
"""Told what is being done."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What a model gives for random inputs.

    Attributes:
        engine: What it was run with.
        outputs: The names of its outputs.
        plan: How the inputs were drawn, or where they are from.
        inputs: What was drawn.
        results: The outputs for each.
        idle: The inputs that changed no output when they alone changed.
        varies: By how much outputs differ from input to input, in parts of their magnitude.
        untried: The inputs of which nothing is known: other values were not to be had.
        also: The sizes of the last inputs, where these are others than those of the plan.
    """

    engine: Engine
    outputs: tuple[str, ...]
    plan: Sampling
    inputs: tuple[Values, ...]
    results: tuple[list[Any], ...]  # Any: as of Run
    idle: tuple[str, ...]
    varies: float
    untried: tuple[str, ...] = ()
    also: tuple[Sizes, ...] = ()

    def with_further(self, other: Reference) -> Reference:
        """Return the same with inputs of other sizes beside it."""
        return replace(
            self,
            inputs=(*self.inputs, *other.inputs),
            results=(*self.results, *other.results),
            also=(*self.also, *[other.plan.sizes] * len(other.inputs)),
        )

    @property
    def drawn(self) -> str:
        """How the inputs were drawn, all of them."""
        others = [", ".join([f"{n}={size}" for n, size in each.items()]) for each in self.also]
        return "; ".join([str(self.plan), *others])


@dataclass(frozen=True, slots=True)
class Wanted:
    """What inputs are to be.

    Attributes:
        known: Sizes that dimensions are to have, by name.
        lengths: Gives the sizes that stand in the model; ``None`` leaves it at the usual ones.
        data: Values, where none are to be drawn.
    """

    known: Sizes = field(default_factory=dict)
    lengths: Callable[[], Sequence[int]] | None = tuple
    data: Sequence[DataSet] = ()


@dataclass
class _Candidate:
    plan: Sampling
    inputs: tuple[Values, ...]
    results: tuple[list[Any], ...]  # Any: as of Run
    idle: tuple[str, ...] = ()
    varies: float = 0.0
    untried: tuple[str, ...] = ()
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
    wanted: Wanted = Wanted(),
    tell: Tell = lambda _doing: None,
) -> Reference:
    """Return what a model gives for random inputs that show something.

    Sizes and numbers are tried until the model runs and every input changes an output, of many the
    first ``MOST_ASKED``; where none does all, those that show most are taken.

    Args:
        engines: What to run it with: the first that can.
        path: The model.
        inputs: What to give it.
        outputs: What its outputs are called.
        runs: How many inputs to draw.
        seed: Of the first of these; the next have the next ones.
        wanted: What they are to be.
        tell: Told what is being done.

    Raises:
        EvaluationError: If it runs with none.
    """
    failures: list[str] = []
    for engine in engines:
        tell(f"running the model in {engine.name}")
        run = None
        try:
            run = engine.load(path)
            if wanted.data:
                best, runs = _of_data(run, inputs, wanted.data), len(wanted.data)
            else:
                best = _best(run, inputs, max(runs, 2), seed, wanted)
        except EvaluationError as error:
            failures.append(f"{engine.name}: {str(error).replace(path, 'the model')}")
            if run is not None:  # which tried further sizes in vain
                wanted = replace(wanted, lengths=None)
            continue
        return Reference(
            engine,
            tuple(outputs),
            best.plan,
            best.inputs[:runs],
            best.results[:runs],
            best.idle,
            best.varies,
            best.untried,
        )
    advice = (
        "give others with --input-data"
        if wanted.data
        else "give sizes with --test-input-shape, or inputs with --input-data"
    )
    raise EvaluationError(
        f"the model does not run, so nothing can be compared with it ({'; '.join(failures)}); "
        f"{advice}, or write --verify 0"
    )


def _of_data(run: Run, inputs: Sequence[Input], data: Sequence[DataSet]) -> _Candidate:
    """Return what the model gives for values from files, and which of them matter.

    Of a single set the elements of one input after the other are turned around to see that.
    """
    sizes: dict[str, int] = {}
    for each in reversed(data):
        sizes |= each.sizes
    plan = Sampling(sizes, sources=tuple([each.source for each in data]))
    drawn = tuple([each.values for each in data])
    results = tuple([run_once(run, each) for each in drawn])
    names = [each.name for each in inputs]
    if len(drawn) > 1:
        return _tried(run, plan, names, drawn, results)
    turned = {name: _turn_around(value) for name, value in drawn[0].items()}
    changed = [name for name in names if not _is_same(turned[name], drawn[0][name])][:MOST_ASKED]
    idle = [
        name
        for name in changed
        if _gives(run, {**drawn[0], name: turned[name]}, results[0], where_it_fails=False)
    ]
    varies = 0.0 if changed and len(idle) == len(changed) else 1.0
    known = {*changed}
    untried = [name for name in names if name not in known]
    return _Candidate(plan, drawn, results, tuple(idle), varies, tuple(untried))


def _turn_around(value: Any) -> Any:  # Any: an array, or a list of them
    if isinstance(value, list):
        return [_turn_around(each) for each in value]
    return value.reshape(-1)[::-1].reshape(value.shape)


def _best(run: Run, inputs: Sequence[Input], runs: int, seed: int, wanted: Wanted) -> _Candidate:
    """Return the inputs that show most, and what the model gives for them."""
    try:
        return _best_of(run, inputs, plans(inputs, wanted.known), runs, seed)
    except ProcessEndedError:
        raise
    except EvaluationError as error:
        likely = error  # of sizes that are likelier than those that follow
    if wanted.lengths is None:
        raise likely
    further = list(plans(inputs, wanted.known, wanted.lengths))
    try:
        if further:
            return _best_of(run, inputs, further, runs, seed)
    except ProcessEndedError:
        raise
    except EvaluationError:
        raise likely from None
    raise likely


def _best_of(
    run: Run, inputs: Sequence[Input], tried: Iterable[tuple[Sizes, int]], runs: int, seed: int
) -> _Candidate:
    found: list[_Candidate] = []
    failure: EvaluationError | None = None
    sizes_tried: list[Sizes] = []
    ends = 0
    for sizes, bound in tried:
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
            ends += isinstance(error, ProcessEndedError)
            if ends == MOST_ENDS or isinstance(error, TimeLimitError):
                break
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
    run: Run, inputs: Sequence[Input], sizes: Sizes, bound: int, runs: int, seed: int
) -> Iterator[_Candidate]:
    """Yield what the model gives for inputs of these sizes, of one distribution after the other."""
    is_drawn = any(not each.element.removeprefix("u").startswith("int") for each in inputs)
    for spread in SPREADS if is_drawn else SPREADS[:1]:
        plan = Sampling(sizes, bound, spread)
        drawn: tuple[Values, ...] = ()
        results: tuple[list[Any], ...] = ()  # Any: as of Run
        for number in range(runs):  # most sizes fail at once
            drawn += (draw_inputs(inputs, plan, seed + number),)
            results += (run_once(run, drawn[-1]),)
        yield _tried(run, plan, [each.name for each in inputs], drawn, results)


def _tried(
    run: Run,
    plan: Sampling,
    names: Sequence[str],
    drawn: tuple[Values, ...],
    results: tuple[list[Any], ...],  # Any: as of Run
) -> _Candidate:
    """Return what the model gives for some values, and which inputs matter, as far as is asked."""
    asked, untried = names[:MOST_ASKED], tuple(names[MOST_ASKED:])
    idle = tuple([name for name in asked if _is_idle(run, name, drawn, results)])
    return _Candidate(plan, drawn, results, idle, _variation(results), untried)


def run_once(run: Run, inputs: Values) -> list[Any]:  # Any: as of Run
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
        mixed = {**drawn[place], name: drawn[other][name]}
        if not _gives(run, mixed, results[place], where_it_fails=True):
            return False
    return True


def _gives(
    run: Run, inputs: Values, outputs: list[Any], *, where_it_fails: bool
) -> bool:  # Any: as of Run
    """Return whether a model gives these outputs; its inputs may not go with each other."""
    try:
        return _is_same(outputs, run_once(run, inputs))
    except EvaluationError:
        return where_it_fails


def _is_same(first: object, second: object) -> bool:
    """Return whether outputs are the same, bit for bit but for signs of zeros."""
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return len(first) == len(second) and all(map(_is_same, first, second))
    if first is None or second is None:
        return first is second
    a, b = np.asarray(first), np.asarray(second)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if not is_floating(a):
        return bool(np.array_equal(a, b))
    return bool(np.array_equal(widen(a), widen(b), equal_nan=True))


def _variation(results: Sequence[list[Any]]) -> float:  # Any: as of Run
    """Return by how much the output that differs most does so from input to input, at most 1."""
    most = 0.0
    for first, second in itertools.pairwise(results):
        for a, b in zip(first, second, strict=True):
            most = max(most, _variation_of(a, b))
    return most


def _variation_of(first: object, second: object) -> float:
    a, b = np.asarray(first), np.asarray(second)
    if not is_floating(a) or not is_floating(b):
        return 0.0 if _is_same(first, second) else 1.0
    if a.shape != b.shape:
        return 1.0
    x, y = widen(a), widen(b)
    found = differences(x, y, magnitude(x))
    if not found.largest:
        return 0.0 if _is_same(first, second) else 1.0
    return min(1.0, found.largest)
