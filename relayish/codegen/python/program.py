"""Relay programs as Python source on numpy."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

import numpy as np

from relayish.codegen.python import (
    bindings,  # noqa: F401 - registers how kinds are written, as those below do
    branches,  # noqa: F401
    matches,  # noqa: F401
    operands,  # noqa: F401
    runtime,
)
from relayish.codegen.python.names import ProgramNames
from relayish.codegen.python.runtime import Make, Operator
from relayish.codegen.python.source import render
from relayish.codegen.python.writer import DefinitionWriter
from relayish.errors import EvaluationError
from relayish.interpreter.inputs import check_module
from relayish.interpreter.value import Evaluated, as_argument, map_leaves
from relayish.ir.relay.expr import Expr, Function, GlobalVar
from relayish.ir.relay.module import IRModule

DEEPEST: Final = 1_000_000
"""How deep functions of the source may call each other; their frames are not on the C stack."""


@dataclass(frozen=True)
class PythonProgram:
    """A program in Python.

    Attributes:
        text: The source: functions, the last of which, called ``entry``, is the program.
        entry: The name of the function to call; it takes what the program takes.
        given: What the source refers to and cannot say: large constants, constructors of
            algebraic data types, attributes that are not of Python.
        is_function: Whether the program is a function, and not the value ``entry`` returns.
    """

    text: str
    entry: str
    given: Mapping[str, object]
    is_function: bool

    def __str__(self) -> str:
        return self.text.removesuffix("\n")

    def load(self) -> dict[str, Any]:  # Any: values and functions of the source
        """Return what the source defines, by name, after running it."""
        namespace: dict[str, Any] = dict(self.given)
        exec(compile(self.text, "<relay program>", "exec"), namespace)  # noqa: S102 - our own
        return namespace

    def run(self) -> Evaluated:
        """Return the value of the program; a function takes values as those of an executor do."""
        entry = self.load()[self.entry]
        return _callable(entry) if self.is_function else _callable(entry)()


def to_python(
    program: Expr | IRModule, mod: IRModule | None = None, target: object = None
) -> PythonProgram:
    """Code generation: a Relay program as Python source on numpy.

    Return the source of ``program``, one operation a line: lets are assignments, ifs and matches
    are ifs, functions are functions, and names are kept. An operator is an expression of numpy
    where that has the same value, else a call of its evaluation.

    What is evaluated, how often and in which order is what :func:`~relayish.interpreter.evaluate`
    does: a node that several branches share is computed when the first of them needs it, by a
    function below ``@once``. Programs may nest as deep as they like: what stands deeper than
    Python can nest becomes a function of its own.

    Args:
        program: An expression, or a module, whose ``main`` is the program.
        mod: The module that defines what the expression refers to; what it does not refer to is
            left out.
        target: Taken as Relay takes it and left aside.

    Raises:
        EvaluationError: If a variable is not bound, a global not defined, ``program`` is no program
            or ``mod`` no module.
        UnknownKindError: If nobody said how a kind of expression is written, by
            :func:`~relayish.codegen.PYTHON_FORMS`.

    Complexity:
        Linear in distinct nodes, but for what :func:`~relayish.interpreter.evaluate` takes.

    Source:
        TVM ``relay.testing.py_converter.to_python``.

    Example:
        >>> import relayish as relay
        >>> mod = relay.parse('''
        ... #[version = "0.0.5"]
        ... def @main(%x: float32) {
        ...   let %y = exp(%x);
        ...   if (greater(%y, 1f)) { nn.relu(%y) } else { negative(%y) }
        ... }
        ... ''')
        >>> print(to_python(mod))
        import numpy as np
        from relayish.codegen.python.runtime import *
        <BLANKLINE>
        <BLANKLINE>
        def main(x):
            y = np.exp(x)
            greater = y > np.float32(1.0)
            if greater:
                return evaluate('nn.relu', y)
            return -y
    """
    del target
    given: object = program
    if not isinstance(given, (Expr, IRModule)):
        raise EvaluationError(
            f"what becomes Python is an expression or a module; found {given!r}; "
            f"read text with parse or parse_expr"
        )
    check_module(mod)
    if isinstance(program, IRModule):
        mod, program = program, program.get_global_var("main")
    names = ProgramNames(mod)
    is_function, root = True, program
    if isinstance(program, GlobalVar):
        entry = names.global_value(program)
        is_function, entry = not entry.endswith("()"), entry.removesuffix("()")
    else:
        is_function = type(root) is Function
        entry = names.fresh("main" if is_function else "program")
        names.pending.append((entry, root))
    definitions = []
    while names.pending:
        name, definition = names.pending.pop()
        writer = DefinitionWriter(names, definition)
        writer.write(name)
        definitions.append(writer.definitions)
    lines = list(_head(names))
    for written in reversed(definitions):
        for made in reversed(written):
            lines += ["", "", *render(made)]
    return PythonProgram("\n".join(lines) + "\n", entry, names.given, is_function)


def run_as_python(
    program: Expr | IRModule, mod: IRModule | None = None, target: object = None
) -> Evaluated:
    """Return the value of ``program``, evaluated as Python; see :func:`to_python`.

    Source:
        TVM ``relay.testing.py_converter.run_as_python``.

    Example:
        >>> import relayish as relay
        >>> run_as_python(relay.add(relay.const(1), relay.const(2)))
        np.int32(3)
    """
    return to_python(program, mod, target).run()


def _head(names: ProgramNames) -> Iterator[str]:
    yield "import numpy as np"
    yield f"from {runtime.__name__} import *"
    if names.given:
        yield ""
        yield f"# given: {', '.join(names.given)}"
    if names.constants:
        yield ""
        yield from (f"{name} = {text}" for name, text in names.constants.items())


def _callable(function: Callable[..., Evaluated]) -> Callable[..., Evaluated]:
    """Return ``function``, to be called from Python with whatever can be a value."""
    signature = inspect.signature(function)

    def call(*args: object, **named: object) -> Evaluated:
        try:
            given = signature.bind(*args, **named).arguments
        except TypeError as error:
            raise EvaluationError(
                f"{function.__name__}{signature} is called with other arguments: {error}"
            ) from error
        values = {name: _converted(name, arg) for name, arg in given.items()}
        with _deep(), np.errstate(all="ignore"):
            try:
                return function(**values)
            except RecursionError as error:
                raise EvaluationError(
                    f"functions call each other more than {DEEPEST:,} deep: the program seems to "
                    f"recurse without end"
                ) from error

    return call


def _converted(name: str, value: object) -> Evaluated:
    try:
        return map_leaves(value, _argument)
    except TypeError as error:
        raise EvaluationError(f"argument {name!r}: {error}") from error


def _argument(value: object) -> Evaluated:
    """Return a value in the form values have; functions of the source are values as they are."""
    return value if isinstance(value, (FunctionType, Operator, Make)) else as_argument(value)


@contextmanager
def _deep() -> Iterator[None]:
    """Let functions call each other as deep as programs do."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
