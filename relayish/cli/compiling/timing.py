"""Times of a network: compiled, by numpy, and by onnxruntime where that is installed."""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from relayish.cli.compiling.sources import NetworkFile
from relayish.cli.onnx.engines import Run
from relayish.errors import EvaluationError
from relayish.frontend.onnx.importer import from_onnx
from relayish.frontend.onnx.session import OnnxSession
from relayish.numeric.precision import is_native

_LEAST: Final = 5
"""So often it is run at least."""
_SECONDS: Final = 0.3
"""So long it is run at least."""


def time_runs(source: NetworkFile, compiled: Run, inputs: Mapping[str, Any]) -> dict[str, float]:
    """Return the seconds of the fastest of several runs on one thread, by what runs it.

    Onnxruntime is left out where a type of inputs or outputs is none of numpy's own.

    Args:
        source: The network.
        compiled: What runs the code.
        inputs: What it is run on. Any: arrays.
    """
    found = {"compiled": _fastest(lambda: compiled(inputs))}
    if not source.is_model:
        run = source.engines[-1].load(source.name)
        return found | {"numpy": _fastest(lambda: run(inputs))}
    session = OnnxSession(from_onnx(source.name))
    found["numpy"] = _fastest(lambda: session.run(inputs))
    values = [np.asarray(each) for each in (*inputs.values(), *compiled(inputs))]
    takes_all = all(is_native(each.dtype) for each in values)  # it is given arrays of numpy
    if takes_all and importlib.util.find_spec("onnxruntime") is not None:
        found["onnxruntime"] = _fastest(_runtime(source.name, inputs))
    return found


def _runtime(path: str, inputs: Mapping[str, Any]) -> Callable[[], object]:  # Any: arrays
    """Return what runs a model in onnxruntime, in this process, on one thread."""
    runtime = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # whatever it is that onnxruntime raises
        raise EvaluationError(f"onnxruntime does not load the model: {error}") from error
    return lambda: session.run(None, dict(inputs))


def _fastest(run: Callable[[], object]) -> float:
    run()
    least, begin, count = float("inf"), time.perf_counter(), 0
    while count < _LEAST or time.perf_counter() - begin < _SECONDS:
        start = time.perf_counter()
        run()
        least = min(least, time.perf_counter() - start)
        count += 1
    return least
