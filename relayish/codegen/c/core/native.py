"""Compiled modules of core, called on numbers and numpy arrays as the interpreter is."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

from relayish.codegen.c.cache import compiled
from relayish.codegen.c.core.native_machine import NativeMachine
from relayish.codegen.c.core.program import RunTools
from relayish.codegen.c.core.source import CoreSource, write_program
from relayish.codegen.c.toolchain import Toolchain, find_toolchain
from relayish.core.interpreter.machine import Extern
from relayish.core.interpreter.run import Running
from relayish.domain.handler import Handler
from relayish.ir.modules.module import AnyModule


class CompiledProgram(Running):
    """A module of core that was compiled: called as :class:`relayish.core.Interpreter` is.

    Variables of the module keep what they hold between calls. One call runs at a time; another
    thread waits.

    Attributes:
        source: The program in C, and ``text`` its text.
    """

    def __init__(self, machine: NativeMachine, source: CoreSource) -> None:
        super().__init__(machine)
        self.source = source
        self.text = source.text

    def __getitem__(self, name: str) -> Callable[..., Any]:
        self.machine.function_named(name)
        return functools.partial(self.call, name)

    def __call__(self, *args: object) -> Any:  # Any: of what type the function says
        """Run ``main``; see :meth:`call`."""
        return self.call("main", *args)


def build(
    mod: AnyModule,
    *,
    handlers: Sequence[Handler | type[Handler]] = (),
    externs: Mapping[str, Extern] | None = None,
    output: Callable[[str], object] = print,
    clock: Callable[[], float] = perf_counter,
    toolchain: Toolchain | None = None,
    rt_dump: bool = True,
    rt_timing: bool = True,
    rt_validate: bool = True,
) -> CompiledProgram:
    """Return a module of core, compiled to run on this machine; see :func:`relayish.core.build`.

    Args:
        mod: The module.
        handlers: What takes the place of the handlers of their domains for the task ``"c"``.
        externs: As :class:`relayish.core.Interpreter` takes them.
        output: Likewise.
        clock: Likewise.
        toolchain: The compiler; by default the first that is found.
        rt_dump: As of :func:`relayish.codegen.c.core_to_c`.
        rt_timing: Likewise.
        rt_validate: Likewise.

    Raises:
        CodegenError: If C cannot say it, or there is no compiler, or it fails.
        VerificationError: If the module breaks a rule of core.
    """
    tools = RunTools(rt_dump, rt_timing, rt_validate)
    chosen = find_toolchain() if toolchain is None else toolchain
    source = write_program(mod, tools, handlers=handlers, hosted=True, externs=externs or ())
    library = ctypes.CDLL(str(compiled(source.text, chosen)))
    machine = NativeMachine(mod, source, library, externs=externs, output=output, clock=clock)
    return CompiledProgram(machine, source)
