"""Engines that run models to compare them: onnxruntime, or the evaluation handlers."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from relayish.cli.onnx.runtime import OPTIMISING, Runtime
from relayish.frontend.onnx.importer import from_onnx

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
        otherwise: The same, by engines that round otherwise and are right as well.
    """

    name: str
    load: Callable[[str], Run]
    otherwise: tuple[Callable[[str], Run], ...] = ()


def usual_engines(*, is_needed: bool = True, runtime: Runtime | None = None) -> list[Engine]:
    """Return the engines there are, the one to prefer first: onnxruntime if it is installed.

    Args:
        is_needed: Whether a model will be run for certain; then onnxruntime is started at once.
        runtime: Onnxruntime as it is started already; it forgets the models it has run.
    """
    found = [Engine(EVALUATION, _load_evaluation)]
    if importlib.util.find_spec("onnxruntime") is None:
        return found
    runtime = Runtime() if runtime is None else runtime
    runtime.forget()
    if is_needed:
        runtime.start()
    otherwise = tuple([partial(runtime.load, level=level) for level in OPTIMISING])
    return [Engine(ONNXRUNTIME, runtime.load, otherwise), *found]


def _load_evaluation(path: str) -> Run:
    # what evaluates is imported where nothing else runs the model
    run: Run = (
        importlib.import_module("relayish.frontend.onnx.session").OnnxSession(from_onnx(path)).run
    )
    return run
