"""Onnxruntime in a process of its own: whatever a model does to it, this one goes on."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from relayish.errors import EvaluationError

LIMIT: Final = 1800.0
"""Seconds after which a model is taken to run for ever."""

PLAIN: Final = "ORT_DISABLE_ALL"
"""The level at which onnxruntime runs a model as it is written."""
OPTIMISING: Final = ("ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL")
"""Those at which it computes the same otherwise."""

_PROCESS: Final = Path(__file__).with_name("runtime_process.py")


class ProcessEndedError(EvaluationError):
    """A model ended the process that ran it."""


class TimeLimitError(ProcessEndedError):
    """A model did not end within the time it has."""


class Runtime:
    """Onnxruntime in a process, which is started for the first model, and anew once it ended.

    Args:
        limit: The seconds that loading a model may take, and running it once.
    """

    def __init__(self, limit: float = LIMIT) -> None:
        self._limit = limit
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process_id(self) -> int | None:
        """The number of the process; ``None`` while there is none."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the process, so that it is there once a model is read."""
        self._started()

    def forget(self) -> None:
        """Free what the process holds of all models; what runs them cannot be used any more."""
        if self._process is not None:
            self._ask("forget")

    def load(self, path: str, level: str = PLAIN) -> Any:  # Any: a Run
        """Return what runs a model.

        Args:
            path: The model.
            level: What onnxruntime may do to it: a ``GraphOptimizationLevel``.

        Raises:
            ProcessEndedError: If it ends the process.
            EvaluationError: If it is not taken; and what runs it raises both as well.
        """
        number = self._ask("load", path, level)
        loaded_by = self._process

        def run(inputs: Mapping[str, Any]) -> list[Any]:  # Any: arrays, lists of them, or None
            nonlocal number, loaded_by
            if loaded_by is not self._process:  # that one was ended by another model
                number = self._ask("load", path, level)
                loaded_by = self._process
            outputs: list[Any] = self._ask("run", number, inputs)
            return outputs

        return run

    def _ask(self, *request: object) -> Any:  # Any: whatever is answered
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(self._limit, process.kill)
        timer.start()
        try:
            pickle.dump(request, process.stdin, protocol=5)
            process.stdin.flush()
            is_done, answer = pickle.load(process.stdout)  # noqa: S301 - of our own process
        except (EOFError, OSError, pickle.UnpicklingError):
            self._process = None
            raise self._ended(process, timer) from None
        except BaseException:  # an interrupt: nobody waits for the answer any more
            self._process = None
            process.kill()
            raise
        finally:
            timer.cancel()
        if not is_done:
            raise EvaluationError(f"onnxruntime: {answer}")
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603 - our own
                [sys.executable, "-P", str(_PROCESS)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            weakref.finalize(self, _end, self._process)
        return self._process

    def _ended(self, process: subprocess.Popen[bytes], timer: threading.Timer) -> ProcessEndedError:
        _end(process)
        if timer.finished.is_set():
            return TimeLimitError(f"onnxruntime: no end within {self._limit:g} s")
        status = process.returncode
        reason = signal.Signals(-status).name if status < 0 else f"exit code {status}"
        return ProcessEndedError(f"onnxruntime: it ended with {reason}, and cannot run the model")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process that has nothing more to do."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            try:
                stream.close()
            except OSError:  # what it did not read any more
                continue
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
