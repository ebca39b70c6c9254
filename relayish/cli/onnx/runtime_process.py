"""The other end of :class:`~relayish.cli.onnx.runtime.Runtime`: a process that runs onnxruntime.

It is started by the name of its file, and imports nothing of this package: so it is there soon.
Requests and answers are pickles: ``("load", path, level)`` is answered with the number of a
session, ``("run", number, inputs)`` with outputs, ``("forget",)`` ends all sessions. What is wrong
is answered with the reason.
"""

from __future__ import annotations

import importlib
import os
import pickle
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any, Final

_NOT_OF_NUMPY: Final = {"tensor(bfloat16)": 16}
"""Element types that numpy has not, by their numbers: their values go as bytes."""


class _Sessions:
    def __init__(self) -> None:
        # Any: a module without types; what fails here is an answer
        self._runtime: Any = importlib.import_module("onnxruntime")
        self._sessions: dict[int, Any] = {}  # Any: of that module
        self._loaded = 0

    def load(self, path: str, level: str) -> int:
        options = self._runtime.SessionOptions()
        options.graph_optimization_level = getattr(self._runtime.GraphOptimizationLevel, level)
        options.log_severity_level = 4  # what is wrong is raised as well
        providers = ["CPUExecutionProvider"]
        self._loaded += 1
        session = self._runtime.InferenceSession(path, options, providers=providers)
        self._sessions[self._loaded] = session
        return self._loaded

    def forget(self) -> None:
        self._sessions.clear()

    def run(self, number: int, inputs: Mapping[str, Any]) -> list[Any]:  # Any: arrays, lists, None
        session = self._sessions[number]
        elements = {each.name: each.type for each in session.get_inputs()}
        given = {name: self._as_input(inputs[name], elements[name]) for name in elements}
        outputs: list[Any] = session.run(None, given)
        return outputs

    def _as_input(self, value: Any, element: str) -> Any:  # Any: as above
        number = _NOT_OF_NUMPY.get(element)
        if number is None or not hasattr(value, "view"):
            return value
        return self._runtime.OrtValue.ortvalue_from_numpy_with_onnx_type(
            value.view("uint16"), number
        )


def _end_with(parent: int) -> None:
    """End the process once its parent has ended, whatever it is doing then."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def main() -> None:
    """Answer requests until there are no more."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints does not disturb them
    sessions: _Sessions | None = None
    while True:
        try:
            command, *arguments = pickle.load(sys.stdin.buffer)  # noqa: S301 - of our own process
        except EOFError:
            return
        try:
            sessions = sessions or _Sessions()
            answer = True, getattr(sessions, command)(*arguments)
        except Exception as error:  # noqa: BLE001 - its exceptions have no class in common but this
            lines = str(error).strip().splitlines() or [type(error).__name__]
            answer = False, lines[0]
        pickle.dump(answer, answers, protocol=5)
        answers.flush()


if __name__ == "__main__":
    main()
