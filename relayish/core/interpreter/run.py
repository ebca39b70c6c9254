"""Running modules of core."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

import numpy as np

from relayish.core.interpreter import evaluate as _evaluate  # noqa: F401 - registers its handler
from relayish.core.interpreter.machine import Extern, Machine
from relayish.core.ir.definition import FuncEntry
from relayish.domain.handler import Handler
from relayish.domain.tasks import assemble
from relayish.errors import TypeConfusionError
from relayish.ir.modules.module import AnyModule


class Running:
    """Functions of a module that can be called, by whatever runs them.

    Args:
        machine: What variables and memory hold.
        visitor: What evaluates nodes; ``None`` where the machine needs none.

    Attributes:
        machine: The same.
    """

    def __init__(self, machine: Machine, visitor: Any = None) -> None:  # Any: a visitor
        self.machine = machine
        self.visitor = visitor

    def call(self, name: str, *args: Any) -> Any:  # Any: of what type the function says
        """Run a function and return what it returns.

        Args:
            name: Its name, or that of an entry point.
            args: A number for each scalar; for an address ``None``, a number, or a numpy array,
                which is changed in place.

        Returns:
            A numpy scalar of a number, an integer of an address, an array, a dictionary of a
            structure, ``None`` of nothing.

        Raises:
            UnknownNameError: If there is no such function.
            TypeConfusionError: If an argument is no value of its type.
            EvaluationError: If it does not come to its end: what was found, with a note that says
                in which node.

        Complexity:
            Constant time for each node that is evaluated; calls nest to a million levels of nodes.
        """
        machine = self.machine
        name = machine.function_named(name)
        function = machine.definitions[name]
        params = function.type.params
        if len(args) != len(params):
            raise TypeConfusionError(
                f"function {name} takes {len(params)} arguments and is given {len(args)}"
            )
        names = [each.name for each in function.formals] if isinstance(function, FuncEntry) else ()
        given = [
            machine.take_in(arg, held, names[at] if at < len(names) else f"argument {at}")
            for at, (arg, held) in enumerate(zip(args, params, strict=True))
        ]
        lent = [] if machine.keeps_addresses else zip(args, given, strict=True)
        try:
            with np.errstate(all="ignore"):
                found = machine.call(self.visitor, name, given, function.type)
        finally:
            for arg, address in lent:
                if isinstance(arg, np.ndarray) and isinstance(address, int):
                    machine.memory.give_back(address)
        return machine.hand_out(found, function.type.result)

    def read(self, name: str) -> Any:  # Any: as what calls return
        """Return what a variable of the module holds."""
        machine = self.machine
        held = machine.definitions[name].type if name in machine.globals else None
        if held is None:
            raise TypeConfusionError(f"{name!r} is no variable of the module")
        return machine.show(machine.globals[name], 0, held)


class Interpreter(Running):
    """Runs functions of a module, the variables of which keep what they hold between the runs.

    Args:
        mod: The module; what it defines of other languages is left alone.
        handlers: What evaluates nodes in place of the handlers that domains registered for the
            task ``"evaluate"``.
        externs: What runs for functions that are declared only, by name: functions of Python,
            which are given numbers, and addresses as integers.
        output: What takes the lines that ``DumpVar`` and ``TmTaken`` show.
        clock: What tells seconds.

    Attributes:
        machine: What variables and memory hold.

    Example:
        >>> from relayish import core
        >>> scope = core.GlobalScope()
        >>> count = scope.variable("count", "int32")
        >>> with scope.function("next", result="int32") as f:
        ...     f.store(count, count + 1)
        ...     f.retv(core.as_expr(count))
        >>> counter = Interpreter(scope.module())
        >>> counter.call("next"), counter.call("next"), counter.read("count")
        (np.int32(1), np.int32(2), np.int32(2))
    """

    def __init__(
        self,
        mod: AnyModule,
        *handlers: Handler | type[Handler],
        externs: Mapping[str, Extern] | None = None,
        output: Callable[[str], object] = print,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        machine = Machine(mod, externs, output, clock)
        super().__init__(machine, assemble("evaluate", machine, *handlers, occurrences=False))
        machine.initialise(self.visitor)


def run(
    mod: AnyModule, *args: object, name: str = "main", **options: Any
) -> Any:  # Any: as of Interpreter
    """Run a function of a module and return what it returns.

    Args:
        mod: The module.
        args: What it is given, as :meth:`Interpreter.call` takes it.
        name: Which function.
        options: As :class:`Interpreter` takes them.

    Raises:
        EvaluationError: As :meth:`Interpreter.call` does.
    """
    return Interpreter(mod, **options).call(name, *args)
