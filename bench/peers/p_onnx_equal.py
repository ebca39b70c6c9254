"""Are models equal? python p_onnx_equal.py MODEL RESULT... prints a list of verdicts as JSON.

Both run in onnxruntime, its optimiser off, on random inputs from seeds; dimensions without a size
get one with which the first model runs, those of one name the same. First of the list is what is
known of MODEL: sizes, what numbers were drawn from, which of its inputs change any of its outputs
when they alone change, and by how much outputs differ from input to input.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any  # models and sessions, which have no types to import

import numpy as np
import onnx
import onnxruntime

RUNS = 3
RTOL, ATOL = 1e-3, 1e-5
"""What results may differ by, in parts of the largest magnitude of an output, and at least."""
FLOOR = 1e-3
"""Outputs of a smaller magnitude are as good as zero when it is asked how much they differ."""
SIZES = (64, 224, 320, 512, 576, 640, 16, 2, 1)
"""What dimensions without a size are tried with; see :func:`sizes`."""
TRIED = 3
"""With so many sizes a model is run before those are taken that show most."""
SPREADS = (("normal", 1.0), ("normal", 0.1), ("normal", 10.0), ("uniform", 1.0), ("uniform", 255.0))
"""What numbers are drawn from: a network may give the same for all that is too large or small."""
KNOWN: dict[str, list[Any]] = {"sr": [16000, 8000], "bytes": [*range(257)], "n": [0, 1, 5]}
"""Values that inputs of these names take: sample rates, bytes with one for padding, counts."""

Arrays = dict[str, np.ndarray]


@dataclass
class Plan:
    """How inputs are drawn: sizes, a bound of indices, the distribution of other numbers."""

    sizes: dict[str, int]
    limit: int
    spread: tuple[str, float]


def main() -> None:
    path, *others = sys.argv[1:]
    session = open_session(path)
    plan, runs, changing, shown = best_plan(path, session)
    told = {"sizes": plan.sizes, "spread": plan.spread, "limit": plan.limit}
    print(json.dumps({**told, "inputs": changing, "shown": shown}), flush=True)
    wanted = [session.run(None, run) for run in runs]
    for other in others:
        print(json.dumps(verdict(other, session, runs, wanted)), flush=True)


def open_session(path: str) -> Any:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def best_plan(path: str, session: Any) -> tuple[Plan, list[Arrays], dict[str, bool], float]:
    """Return how to draw inputs, those drawn, which of them change an output, and by how much.

    The plan is that where most inputs change something, and outputs change most.
    """
    found: list[tuple[tuple[int, float], int, Any]] = []
    failure, tried = "", 0
    for named, limit in itertools.product(sizes(session), (256, 8, 2)):
        try:
            for spread in SPREADS:
                plan = Plan(named, limit, spread)
                runs = [inputs(session, plan, seed) for seed in range(RUNS)]
                results = [session.run(None, run) for run in runs]
                changing, shown = influences(session, runs), difference(results)
                score = sum(changing.values()), shown
                found.append((score, -len(found), (plan, runs, changing, shown)))
        except Exception as error:  # noqa: BLE001 - the runtime raises whatever it likes
            failure = str(error)
            continue
        tried += 1
        if tried == TRIED or not named or (all(changing.values()) and shown > 0.01):
            break
    if not found:
        raise SystemExit(f"{path} does not run: {failure}")
    return max(found)[2]


def difference(results: list[list[Any]]) -> float:
    """Return by how much outputs differ from run to run, in parts of their magnitude, at most."""
    most = 0.0
    for first, second in itertools.pairwise(results):
        for a, b in zip(first, second, strict=True):
            x, y = np.asarray(a, "float64"), np.asarray(b, "float64")
            if x.shape != y.shape:
                return 1.0
            if x.size and np.isfinite(x).all() and np.isfinite(y).all():
                most = max(most, float(np.abs(x - y).max() / (np.abs(x).max() + FLOOR)))
    return min(most, 1.0)


def dimensions(session: Any) -> dict[str, int]:
    """Return the dimensions without a size, by name, each with its axis."""
    axes: dict[str, int] = {}
    for each in session.get_inputs():
        for axis, size in enumerate(each.shape):
            name = dimension(each.name, axis, size)
            if name is not None:
                axes.setdefault(name, axis)
    return axes


def dimension(owner: str, axis: int, size: object) -> str | None:
    if isinstance(size, int) and size > 0:
        return None
    return size if isinstance(size, str) and size.isidentifier() else f"{owner}.{axis}"


def sizes(session: Any) -> Iterator[dict[str, int]]:
    """Yield sizes to try: axis 0 tends to be a batch, whose size any will do for."""
    free = dimensions(session)
    for batch, rest in itertools.product((2, 1), SIZES):
        yield {name: rest if axis else batch for name, axis in free.items()}


def inputs(session: Any, plan: Plan, seed: int) -> Arrays:
    rng = np.random.default_rng(seed)
    made = {}
    for each in session.get_inputs():
        shape = [
            size if (name := dimension(each.name, axis, size)) is None else plan.sizes[name]
            for axis, size in enumerate(each.shape)
        ]
        made[each.name] = draw(rng, each, shape, plan, seed)
    return made


def draw(rng: np.random.Generator, each: Any, shape: list[Any], plan: Plan, seed: int) -> Any:
    kind = each.type.removeprefix("tensor(").removesuffix(")")
    dtype = {"float": "float32", "double": "float64"}.get(kind, kind)
    if each.name in KNOWN:
        choice = KNOWN[each.name]
        if not shape:
            return np.array(choice[seed % len(choice)], dtype)
        return rng.choice(choice, shape).astype(dtype)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if "int" in dtype:
        return rng.integers(0, min(plan.limit, 127), shape).astype(dtype)
    kind, scale = plan.spread
    drawn = rng.standard_normal(shape) if kind == "normal" else rng.random(shape)
    return np.asarray(drawn * scale).astype(dtype)


def influences(session: Any, runs: list[Arrays]) -> dict[str, bool]:
    """Return which inputs change an output where they alone have other values."""
    changing = {}
    for name in runs[0]:
        changing[name] = False
        for run, other in itertools.permutations(runs, 2):
            try:
                mixed = session.run(None, {**run, name: other[name]})
            except Exception:  # noqa: BLE001 - this one may not fit the others: a sample rate
                continue
            if not same_bits(session.run(None, run), mixed):
                changing[name] = True
                break
    return changing


def same_bits(first: list[Any], second: list[Any]) -> bool:
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first, second, strict=True))


def verdict(path: str, original: Any, runs: list[Arrays], wanted: list[list[Any]]) -> Any:
    try:
        onnx.checker.check_model(path, full_check=False)
        session = open_session(path)
        problem = interface(original, session)
        if problem:
            return {"valid": False, "why": problem}
        worst = 0.0
        for run, expected in zip(runs, wanted, strict=True):
            given = {each.name: run[each.name] for each in session.get_inputs()}
            for output, a, b in zip(
                original.get_outputs(), expected, session.run(None, given), strict=True
            ):
                problem, off = compare(np.asarray(a), np.asarray(b))
                worst = max(worst, off)
                if problem:
                    return {"valid": False, "why": f"{output.name}: {problem}"}
    except Exception as error:  # noqa: BLE001 - whatever is wrong with it
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return {"valid": False, "why": lines[0][:200]}
    return {"valid": True, "worst": worst}


def interface(first: Any, second: Any) -> str | None:
    a = [each.name for each in first.get_inputs()]
    b = [each.name for each in second.get_inputs()]
    if a != b:
        return f"inputs {', '.join(b)} in place of {', '.join(a)}"
    a = [each.name for each in first.get_outputs()]
    b = [each.name for each in second.get_outputs()]
    return None if a == b else f"outputs {', '.join(b)} in place of {', '.join(a)}"


def compare(a: np.ndarray, b: np.ndarray) -> tuple[str | None, float]:
    """Return what is wrong with ``b`` where ``a`` is wanted, and how far off it is."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"{b.dtype}{b.shape} in place of {a.dtype}{a.shape}", np.inf
    if a.dtype.kind not in "fc":
        return (None, 0.0) if np.array_equal(a, b) else ("other values", np.inf)
    if not a.size:
        return None, 0.0
    is_finite = np.isfinite(a)
    if not np.array_equal(is_finite, np.isfinite(b)):
        return "finite where it should not be, or the other way round", np.inf
    x, y = a[is_finite].astype("float64"), b[is_finite].astype("float64")
    if not x.size:
        return None, 0.0
    off = float(np.abs(x - y).max())
    bound = ATOL + RTOL * float(np.abs(x).max())
    return (f"off by {off:.2g} where {bound:.2g} is allowed" if off > bound else None), off


if __name__ == "__main__":
    main()
