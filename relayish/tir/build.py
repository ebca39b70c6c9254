"""Compiled loops: functions of the loop IR as code of this machine, which code generation makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, overload

from relayish._support import hooks
from relayish.ir.modules.module import Module as IRModule
from relayish.tir.ir.function import LoweredFunc, Module


class CompiledFunction(Protocol):
    """A function that was compiled: it is called with what :func:`relayish.tir.run` takes."""

    @property
    def func(self) -> LoweredFunc:
        """The function of the loop IR."""

    @property
    def text(self) -> str:
        """The source that was compiled."""

    def __call__(self, *args: object) -> None:
        """Run it on arrays, which are changed in place, and numbers.

        Raises:
            TypeConfusionError: If it is given something else, or arrays that overlap and one of
                which is stored to.
            EvaluationError: If a check fails: what was found, and the node; arrays stay as they
                were then.
        """


class CompiledModule(Protocol):
    """A module that was compiled: ``module["name"]`` is a function of it."""

    @property
    def functions(self) -> Mapping[str, CompiledFunction]:
        """The functions, by name; those of submodules as ``sub.name``."""

    @property
    def text(self) -> str:
        """The source that was compiled."""

    def __getitem__(self, name: str) -> CompiledFunction:
        """Return a function.

        Raises:
            UnknownNameError: If there is none of that name.
        """


@overload
def build(program: LoweredFunc, *, exact: bool = True, target: str = "c") -> CompiledFunction: ...
@overload
def build(
    program: Module | IRModule[Any], *, exact: bool = True, target: str = "c"
) -> CompiledModule: ...
def build(
    program: LoweredFunc | Module | IRModule[Any], *, exact: bool = True, target: str = "c"
) -> CompiledFunction | CompiledModule:
    """Return a function, or a module of functions, compiled by the C compiler of this machine.

    It computes what :func:`relayish.tir.run` does, bit for bit but for functions of C's library of
    mathematics, and finds the same faults. What was compiled before is taken from a folder of the
    user's. While a function runs, other threads of Python do.

    Args:
        program: A function, or a module of functions that may call one another.
        exact: Whether sums of floats are added in order, and each product is rounded; without, the
            compiler of C may add in another order, and round products with their sum.
        target: ``"c"``: a processor, this one; ``"cuda"``: a device of Nvidia's, on which loops run
            that are bound.

    Raises:
        CodegenError: If C cannot say it, there is no compiler, or no device, or it fails.
        OptionError: If there is no such target.
        VerificationError: If the program breaks a rule of the loop IR.

    Source:
        CINN ``Compiler::Build``, TVM ``tvm.build``.

    Example:
        >>> import numpy as np
        >>> from relayish import tir
        >>> A = tir.placeholder("A", (4,), "int32")
        >>> B = tir.compute((4,), lambda i: A[i] * 2, "B")
        >>> double = build(tir.lower("double", [A, B]))
        >>> given, found = np.arange(4, dtype="int32"), np.zeros(4, "int32")
        >>> double(given, found)
        >>> found.tolist()
        [0, 2, 4, 6]
    """
    made: CompiledFunction | CompiledModule = hooks.build_loops(program, exact=exact, target=target)
    return made
