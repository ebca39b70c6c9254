"""Evaluating programs as scripts for TVM do: the results of executors have ``numpy()``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from relayish import interpreter
from relayish._support.absent import names_of
from relayish.interpreter.value import map_leaves
from relayish.ir.relay.expr import Expr, Var
from relayish.ir.relay.module import IRModule
from relayish.nd import as_ndarray
from relayish.passes.fold.bind import bind_params_by_name

__all__ = ["Executor", "bind_params_by_name", "create_executor"]


class Executor:
    """Evaluates functions of a module, and gives arrays that have ``numpy()``.

    Made by :func:`create_executor`. What is no tensor (closures, references, values of
    constructors) is the interpreter's own, and what it holds are numpy's arrays.
    """

    def __init__(self, executor: interpreter.Interpreter | interpreter.GraphExecutor) -> None:
        self._executor = executor

    def evaluate(
        self, expr: Expr | str | None = None, binds: Mapping[Var, object] | None = None
    ) -> Any:  # Any: an array, a tuple, a function of these, as the program says
        """Return the value of ``expr``; for a function, by default ``main``, what may be called."""
        if binds is not None and isinstance(self._executor, interpreter.Interpreter):
            return _convert(self._executor.evaluate(expr, binds))
        return _convert(self._executor.evaluate(expr))


def create_executor(
    kind: str = "debug",
    mod: IRModule | None = None,
    device: object = None,
    target: object = "llvm",
    params: Mapping[str, object] | None = None,
) -> Executor:
    """Return what evaluates programs, as :func:`relayish.create_executor` does.

    Raises:
        EvaluationError: If there is no executor of that kind.

    Example:
        >>> from relayish.ir.relay.build import var
        >>> from relayish.ir.relay.expr import Function
        >>> x = var("x", shape=(2,))
        >>> create_executor().evaluate(Function([x], x + x))(np.ones(2, "float32")).numpy()
        array([2., 2.], dtype=float32)
    """
    return Executor(interpreter.create_executor(kind, mod, device, target, params))


def _convert(value: object) -> Any:  # Any: as above
    if callable(value) and not isinstance(value, np.generic):
        return _converting(value)
    return map_leaves(value, _convert_leaf)


def _convert_leaf(value: object) -> Any:  # Any: as above
    return as_ndarray(value) if isinstance(value, (np.ndarray, np.generic)) else value


def _converting(function: Callable[..., object]) -> Callable[..., Any]:  # Any: as above
    def call(*args: object, **named: object) -> Any:  # Any: as above
        return map_leaves(function(*args, **named), _convert_leaf)

    return call


__getattr__ = names_of(__name__)
