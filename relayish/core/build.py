"""Compiled modules of core, as code of this machine, which code generation makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any, Protocol

from relayish._support import hooks
from relayish.core.interpreter.machine import Extern
from relayish.domain.handler import Handler
from relayish.ir.modules.module import AnyModule


class CompiledProgram(Protocol):
    """A module that was compiled: it is called as :class:`relayish.core.Interpreter` is."""

    @property
    def text(self) -> str:
        """The source that was compiled."""

    def __call__(self, *args: object) -> Any:  # Any: of what type the function says
        """Run ``main``; see :meth:`call`."""

    def __getitem__(self, name: str) -> Callable[..., Any]:
        """Return a function, or that of an entry point.

        Raises:
            UnknownNameError: If there is none of that name.
        """

    def call(self, name: str, *args: Any) -> Any:  # Any: as above
        """Run a function and return what it returns; see :meth:`relayish.core.Interpreter.call`.

        Raises:
            UnknownNameError: If there is none of that name.
            TypeConfusionError: If an argument is no value of its type.
            EvaluationError: If a check fails: what was found, and the node.
            EndlessRecursionError: If calls nest deeper than the stack has room for.
        """

    def read(self, name: str) -> Any:  # Any: as above
        """Return what a variable of the module holds."""


def build(
    mod: AnyModule,
    *,
    handlers: Sequence[Handler | type[Handler]] = (),
    externs: Mapping[str, Extern] | None = None,
    output: Callable[[str], object] = print,
    clock: Callable[[], float] = perf_counter,
    rt_dump: bool = True,
    rt_timing: bool = True,
    rt_validate: bool = True,
) -> CompiledProgram:
    """Return a module of core, compiled by the C compiler of this machine.

    It computes what :class:`relayish.core.Interpreter` does, bit for bit, and finds the same
    faults. What was compiled before is taken from a folder of the user's. Functions that are
    declared only are functions of Python, or of C's library of mathematics, where it has one of
    that name and type. One call runs at a time; meanwhile other threads of Python do.

    Args:
        mod: The module; functions of other languages that it calls are evaluated.
        handlers: What takes the place of the handlers of their domains for the task ``"c"``.
        externs: Functions of Python for those that are declared only, by name.
        output: What takes the lines that ``DumpVar`` and ``TmTaken`` show.
        clock: What tells seconds.
        rt_dump: Whether statements that show variables are compiled: AIR's option of that name.
        rt_timing: Whether those that take times are.
        rt_validate: Whether those that compare with what is expected are.

    Raises:
        CodegenError: If C cannot say it, there is no compiler, or it fails.
        VerificationError: If the module breaks a rule of core.

    Source:
        AIR ``b2c``.

    Example:
        >>> from relayish import core
        >>> scope = core.GlobalScope()
        >>> count = scope.variable("count", "int32")
        >>> with scope.function("next", {"step": "int32"}, "int32") as f:
        ...     f.store(count, count + f.step)
        ...     f.retv(core.as_expr(count))
        >>> counter = build(scope.module())
        >>> counter.call("next", 2), counter["next"](3), counter.read("count")
        (np.int32(2), np.int32(5), np.int32(5))
    """
    made: CompiledProgram = hooks.build_core(
        mod,
        handlers=handlers,
        externs=externs,
        output=output,
        clock=clock,
        rt_dump=rt_dump,
        rt_timing=rt_timing,
        rt_validate=rt_validate,
    )
    return made
