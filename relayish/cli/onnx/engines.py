"""What models are run with to compare them: onnxruntime, or the evaluation handlers."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from relayish.errors import EvaluationError

Run = Callable[[Mapping[str, Any]], list[Any]]
"""``run(inputs)``: the outputs of a model, in order. Any: arrays, lists of them, or ``None``."""

ONNXRUNTIME: Final = "onnxruntime, its optimiser off"
EVALUATION: Final = "relayish's evaluation"


@dataclass(frozen=True, slots=True)
class Engine:
    """What runs models.

    Attributes:
        name: As a person is told.
        load: Given the path of a model, returns what runs it.
    """

    name: str
    load: Callable[[str], Run]


def usual_engines(evaluate: Callable[[str], Run]) -> list[Engine]:
    """Return the engines there are, the one to prefer first: onnxruntime if it is installed.

    Args:
        evaluate: Given the path of a model, returns what runs it without onnxruntime.
    """
    found = [Engine(EVALUATION, evaluate)]
    try:
        importlib.import_module("onnxruntime")
    except ImportError:
        return found
    return [Engine(ONNXRUNTIME, run_in_onnxruntime), *found]


def run_in_onnxruntime(path: str) -> Run:
    """Return what runs a model in onnxruntime, whose own optimiser does nothing.

    Raises:
        EvaluationError: If it does not take the model; and ``run`` raises it, if it fails.
    """
    runtime: Any = importlib.import_module("onnxruntime")  # Any: a module without types
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4  # what is wrong is raised as well
    session = _call(runtime.InferenceSession, path, options, providers=["CPUExecutionProvider"])
    elements = {each.name: each.type for each in session.get_inputs()}

    def run(inputs: Mapping[str, Any]) -> list[Any]:  # Any: as of Run
        given = {name: _as_input(runtime, inputs[name], elements[name]) for name in elements}
        outputs: list[Any] = _call(session.run, None, given)  # Any: as of Run
        return outputs

    return run


def _as_input(runtime: Any, value: Any, element: str) -> Any:  # Any: a module; as of Run
    """Return a value as onnxruntime takes it; types that numpy has not go by their bytes."""
    number = _NOT_OF_NUMPY.get(element)
    if number is None or not isinstance(value, np.ndarray):
        return value
    return runtime.OrtValue.ortvalue_from_numpy_with_onnx_type(value.view(np.uint16), number)


_NOT_OF_NUMPY: Final = {"tensor(bfloat16)": 16}


def _call(function: Callable[..., Any], *args: object, **kwargs: object) -> Any:  # Any: of a module
    try:
        return function(*args, **kwargs)
    except Exception as error:  # its exceptions have no class in common but this
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise EvaluationError(f"onnxruntime: {lines[0]}") from error


def outputs_as_list(found: object) -> list[Any]:  # Any: as of Run
    """Return what an evaluation gave, as a list of outputs."""
    many = isinstance(found, Sequence) and not isinstance(found, (str, bytes))
    return list(found) if many and isinstance(found, tuple) else [found]
