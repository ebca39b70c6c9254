"""Running functions, statements and expressions of the loop IR over numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from relayish.errors import EvaluationError, TypeConfusionError, UnknownNameError, suggest
from relayish.ir.fields.naming import name_of
from relayish.ir.modules.module import Module as IRModule
from relayish.tir.interpreter.failures import add_place
from relayish.tir.interpreter.foreign import ForeignFunction
from relayish.tir.interpreter.numbers import hand_out, take
from relayish.tir.interpreter.program import Function, State
from relayish.tir.interpreter.unit import Call, drive
from relayish.tir.ir.family import IrNode, Stmt
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Block
from relayish.tir.ir.tensor import Buffer, Parameter, Tensor, Var

Mode: TypeAlias = Literal["vectorised", "plain"]

MODES: Final = ("vectorised", "plain")


def run(
    program: LoweredFunc | Module | IRModule[Any] | Stmt,
    *args: object,
    mode: Mode = "vectorised",
    name: str | None = None,
) -> None:
    """Run a function, a function of a module, or a statement, on arrays that are changed in place.

    Args:
        program: What is run.
        args: What it is given, in order: a numpy array of the buffer's type and shape for each
            buffer, or its whole memory in one dimension; a number for each scalar. Or one list of
            these; or one mapping to these from variables, buffers, tensors or names. A statement
            is given a mapping, and of a module buffers may be given so as well.
        mode: ``"plain"`` runs one operation after the other; ``"vectorised"``, loops without
            dependences as operations on arrays, with the same results and errors.
        name: Which function of a module; nothing but a module takes it.

    Raises:
        UnknownNameError: If ``name`` is not that of a function that can be chosen.
        EvaluationError: If it cannot be run, or not to its end: what was found, the node, where it
            comes from, and the variables of the loops around it. Arrays stay as they were then.
    """
    _check_mode(mode)
    if name is not None and isinstance(program, (LoweredFunc, Stmt)):
        raise UnknownNameError(
            f"{_spell(program)} is run, and name={name!r} asks for a function of a module; run the "
            f"module, or leave name out"
        )
    if isinstance(program, Stmt):
        _run_with(program, None, args, mode)
        return
    if not isinstance(program, (LoweredFunc, Module, IRModule)):
        raise TypeConfusionError(
            f"{program!r} cannot be run; expected a LoweredFunc, a module of these or a statement"
        )
    prepare(program, name=name, mode=mode)(*args)


def prepare(
    program: LoweredFunc | Module | IRModule[Any],
    *,
    name: str | None = None,
    mode: Mode = "vectorised",
) -> Callable[..., None]:
    """Return what runs a function any number of times, which is compiled once.

    Args:
        program: A function, or a module of functions, as :func:`run` takes it.
        name: Which function of a module.
        mode: As :func:`run` takes it.
    """
    if isinstance(program, LoweredFunc):
        functions = link_functions([((program.name,), program, ())], mode)
        function = functions[program]
    else:
        functions = link_functions(functions_of(program), mode, foreign_functions(program))
        function = functions[_choose(list(functions), name)]

    def run_prepared(*args: object) -> None:
        state = State()
        given = arrange_arguments(function, args, state)
        execute(function, given, state)

    return run_prepared


def evaluate(
    expr: Expr, values: Mapping[Any, object] | None = None, *, mode: Mode = "vectorised"
) -> Any:  # Any: a numpy scalar, or an array of the lanes of a vector
    """Return the value of an expression, given those of what is free in it.

    Args:
        expr: An expression.
        values: Numbers for variables, arrays for buffers, or for tensors that look at them.
        mode: As :func:`run` takes it.

    Raises:
        EvaluationError: As :func:`run` does.

    Example:
        >>> from relayish.tir import Var
        >>> i = Var("i")
        >>> evaluate((i - 7) / 2, {i: 4})
        np.int32(-1)
    """
    _check_mode(mode)
    if not isinstance(expr, Expr):
        raise TypeConfusionError(f"{expr!r} cannot be evaluated; expected an expression")
    found = _run_with(Block(()), expr, (values or {},), mode)
    return hand_out(found, expr.type) if expr.type.is_numeric else found


def prepare_value(expr: Expr, variables: Sequence[Var]) -> Callable[..., Any]:
    """Return what evaluates an expression any number of times, given values of its variables.

    Args:
        expr: An expression of numbers.
        variables: What is free in it.
    """
    func = LoweredFunc("expression", tuple(variables), Block(()))
    function = Function(func, {}, (), expr, "plain")

    def evaluate_prepared(*values: object) -> Any:  # Any: as evaluate returns
        given = [_taken(arg, value) for arg, value in zip(variables, values, strict=True)]
        return hand_out(execute(function, given, State()), expr.type)

    return evaluate_prepared


def execute(function: Function, given: Sequence[Any], state: State) -> Any:
    """Run a function on what was arranged, and return the value of its expression."""
    stack: list[Call] = []
    try:
        with np.errstate(all="ignore"):
            return drive(function.call(state, given), stack)
    except EvaluationError as error:
        add_place(error, stack)
        raise
    except MemoryError as error:
        refused = EvaluationError(f"there is not enough memory: {error}")
        refused.__traceback__ = error.__traceback__
        add_place(refused, stack)
        raise refused from error
    finally:
        for loan in state.loans:
            loan.give_back()


def _spell(program: LoweredFunc | Stmt) -> str:
    return f"function {program.name}" if isinstance(program, LoweredFunc) else "a statement"


def _check_mode(mode: object) -> None:
    if mode not in MODES:
        raise EvaluationError(f"{mode!r} is no mode; expected 'vectorised' or 'plain'")


def _run_with(stmt: Stmt, value: Expr | None, args: tuple[object, ...], mode: str) -> Any:
    """Run a statement, or evaluate an expression, as the body of a function of what is given."""
    values = args[0] if len(args) == 1 else {}
    if not isinstance(values, Mapping) or len(args) > 1:
        raise TypeConfusionError(
            "a statement is given a mapping, from its variables, buffers and tensors to values"
        )
    given = {_parameter(key): value for key, value in values.items()}
    func = LoweredFunc("statement", tuple(given), stmt)
    function = Function(func, {}, (), value, mode)
    state = State()
    return execute(function, [_taken(arg, given[arg]) for arg in func.args], state)


def _parameter(key: object) -> Parameter:
    if isinstance(key, Tensor) and isinstance(key.buffer, Buffer):
        return key.buffer
    if isinstance(key, Parameter):
        return key
    raise TypeConfusionError(
        f"{key!r} is given a value; expected a variable, a buffer, or a tensor with a buffer"
    )


def _taken(arg: Parameter, value: object) -> Any:
    if isinstance(arg, Var):
        return take(value, arg.dtype, f"variable {arg.name}")
    return value


Listed: TypeAlias = "tuple[tuple[str, ...], LoweredFunc, tuple[Buffer, ...]]"


def functions_of(module: Module | IRModule[Any]) -> list[Listed]:
    """Return the functions of a module: the modules it is in, the function, the shared buffers."""
    if isinstance(module, IRModule):
        found = [func for _, func in module.functions.items() if isinstance(func, LoweredFunc)]
        return [((func.name,), func, ()) for func in found]
    listed: list[Listed] = []
    pending: list[tuple[Module, tuple[str, ...], tuple[Buffer, ...]]] = [(module, (), ())]
    while pending:
        inside, path, buffers = pending.pop()
        buffers = (*buffers, *inside.buffers)
        listed += [((*path, func.name), func, buffers) for func in inside.functions]
        pending += [(sub, (*path, sub.name), buffers) for sub in reversed(inside.submodules)]
    return listed


def foreign_functions(module: Module | IRModule[Any]) -> dict[str, ForeignFunction]:
    """Return what a module defines in other languages, as functions that loops may call."""
    if not isinstance(module, IRModule):
        return {}
    return {
        name: ForeignFunction(name, module)
        for key, definition in module.functions.items()
        if not isinstance(definition, LoweredFunc) and (name := module.name_of(key))
    }


def link_functions(
    listed: Sequence[Listed], mode: str, foreign: Mapping[str, ForeignFunction] | None = None
) -> dict[LoweredFunc, Function]:
    """Return the compiled form of functions, each of which may call the others by name.

    A function knows those of its own module, and of the modules around it; and ``foreign`` ones.
    """
    scopes: dict[tuple[str, ...], dict[str, Function | ForeignFunction]] = {(): dict(foreign or {})}
    made: dict[LoweredFunc, Function] = {}
    for path, func, buffers in sorted(listed, key=lambda entry: len(entry[0])):
        inside = path[:-1]
        if inside not in scopes:
            scopes[inside] = {}
        scope = scopes[inside]
        made[func] = scope[path[-1]] = Function(func, scope, buffers, None, mode)
    for inside, scope in sorted(scopes.items()):
        for end in range(len(inside) - 1, -1, -1):
            for name, function in scopes.get(inside[:end], {}).items():
                scope.setdefault(name, function)
    return made


def _choose(functions: list[LoweredFunc], name: str | None) -> LoweredFunc:
    names = [func.name for func in functions]
    if name is None and len(functions) == 1:
        return functions[0]
    if name is None:
        raise UnknownNameError(
            f"the module has {len(functions)} functions ({', '.join(names)}); say which one is run "
            f"by name="
        )
    found = [func for func in functions if func.name == name]
    if not found:
        raise UnknownNameError(f"the module has no function {name!r}{suggest(name, names)}")
    return found[0]


def arrange_arguments(function: Function, args: tuple[object, ...], state: State) -> list[Any]:
    """Return what is given for each argument of a function, in order."""
    params = function.func.args
    given: Sequence[object] = args
    if len(args) == 1 and isinstance(args[0], Mapping):
        given = _by_key(function, args[0], state)
    elif len(args) == 1 and isinstance(args[0], (list, tuple)):
        given = args[0]
    if len(given) != len(params):
        names = ", ".join(map(name_of, params))
        raise TypeConfusionError(
            f"function {function.func.name} takes {len(params)} arguments ({names}) and is given "
            f"{len(given)}"
        )
    return [_taken(param, value) for param, value in zip(params, given, strict=True)]


def _by_key(function: Function, given: Mapping[Any, object], state: State) -> list[object]:
    rest = dict(given)
    found: dict[IrNode, object] = {}
    for item in (*function.func.args, *function.shared):
        for key in (item, *_names(item), *[k for k in rest if _is_view(k, item)]):
            if key in rest:
                found[item] = rest.pop(key)
                break
    if rest:
        shown = ", ".join(key if isinstance(key, str) else repr(key) for key in rest)
        raise UnknownNameError(f"function {function.func.name} has no argument {shown}")
    state.shared = {b: found[b] for b in function.shared if b in found}
    missing = [name_of(arg) for arg in function.func.args if arg not in found]
    if missing:
        raise TypeConfusionError(f"function {function.func.name} is not given {', '.join(missing)}")
    return [found[arg] for arg in function.func.args]


def _names(item: Parameter) -> list[str]:
    """Return the names by which something may be given: of a buffer also that of its tensor."""
    name = name_of(item)
    return [name, name.removeprefix("_")] if isinstance(item, Buffer) else [name]


def _is_view(key: object, item: Parameter) -> bool:
    return isinstance(key, Tensor) and key.buffer is item
