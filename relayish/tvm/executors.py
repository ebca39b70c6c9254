"""Executors as scripts for TVM have them: their results have ``numpy()``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from relayish import interpreter
from relayish.interpreter.evaluate import CompilingExecutor
from relayish.interpreter.value import ConstructorValue
from relayish.ir.relay.expr import Expr, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.values.ndarray import NDArray, as_ndarray

__all__ = ["Executor", "create_executor"]


class Executor:
    """Evaluates functions of a module, and gives arrays that have ``numpy()``.

    Made by :func:`create_executor`. Closures and references are the interpreter's own, and what
    they hold are numpy's arrays.
    """

    def __init__(
        self, executor: interpreter.Interpreter | interpreter.GraphExecutor | CompilingExecutor
    ) -> None:
        self._executor = executor

    def evaluate(
        self, expr: Expr | str | None = None, binds: Mapping[Var, object] | None = None
    ) -> Any:  # Any: an array, a tuple, a function of these, as the program says
        """Return the value of ``expr``; for a function, by default ``main``, what may be called."""
        return _convert(self._executor.evaluate(expr, binds))


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
    return _rebuild(value, _with_numpy)


def _converting(function: Callable[..., object]) -> Callable[..., Any]:  # Any: as above
    def call(*args: object, **named: object) -> Any:  # Any: as above
        given = [_rebuild(arg, _plain) for arg in args]
        given_by_name = {name: _rebuild(arg, _plain) for name, arg in named.items()}
        return _rebuild(function(*given, **given_by_name), _with_numpy)

    return call


def _with_numpy(leaf: object) -> object:
    return as_ndarray(leaf) if isinstance(leaf, (np.ndarray, np.generic)) else leaf


def _plain(leaf: object) -> object:
    return np.asarray(leaf)[()] if isinstance(leaf, NDArray) else leaf


def _rebuild(root: object, convert: Callable[[object], object]) -> Any:  # Any: as above
    """Return ``root`` with ``convert`` applied to what tuples and constructors hold, at any depth.

    Complexity:
        Linear in the distinct tuples and values of constructors; no recursion.
    """
    if not isinstance(root, _NESTS):
        return convert(root)
    images: dict[int, object] = {}
    stack: list[object] = [root]
    while stack:
        nest = stack[-1]
        parts = nest.fields if isinstance(nest, ConstructorValue) else nest
        assert isinstance(parts, tuple)
        pending = [p for p in parts if isinstance(p, _NESTS) and id(p) not in images]
        if pending and id(nest) not in images:
            stack += pending
            continue
        stack.pop()
        made = tuple([images[id(p)] if isinstance(p, _NESTS) else convert(p) for p in parts])
        if isinstance(nest, ConstructorValue):
            images[id(nest)] = ConstructorValue(nest.tag, made, nest.constructor)
        else:
            images[id(nest)] = made
    return images[id(root)]


_NESTS: Final = (tuple, ConstructorValue)
