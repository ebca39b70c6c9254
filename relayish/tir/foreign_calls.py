"""Functions of loops as other languages call them: functions of values, which stay as they are.

Arguments that are written are what a function gives: they are no parameters, but memory that is
made for the call, filled with zeros. All others are parameters, in order.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from relayish.domain.evaluation import HandlerEvaluator
from relayish.domain.handler import Handler
from relayish.domain.tasks import register_filler, register_handler
from relayish.errors import EvaluationError, FieldError
from relayish.ir.fields.naming import name_of
from relayish.ir.kinds.callables import CALLABLES, Callee, CallSignature, ForeignCall, ValueType
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import operands
from relayish.tir.collect import collect_store_tensors
from relayish.tir.interpreter.compiler import RULES, Compiler
from relayish.tir.interpreter.eval_handler import EvaluateExpr
from relayish.tir.interpreter.expressions import Names
from relayish.tir.interpreter.program import Facts
from relayish.tir.interpreter.run import evaluate, prepare
from relayish.tir.ir.flags import ArgumentIO
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr, IntImm
from relayish.tir.ir.tensor import Buffer, Parameter, Var


def callee_of(func: LoweredFunc, name: str, mod: AnyModule) -> Callee:
    """Return a function of loops as a function of values.

    It gives the array of the argument that it writes, a tuple if there are several. Arrays of
    numbers are given as they are, scalars as numbers.
    """
    results = written_arguments(func)
    params = [arg for arg in func.args if arg not in results]
    told = _told_sizes(func, params)
    params = [arg for arg in params if arg not in told]
    touched = Facts(func.body).written  # by what it calls, perhaps: arguments stay as they are
    run_function = prepare(mod, name=func.name)

    def call(*values: Any) -> Any:  # Any: numpy scalars and arrays
        if len(values) != len(params):
            raise EvaluationError(
                f"function {name} takes {len(params)} values "
                f"({', '.join(map(name_of, params))}) and is given {len(values)}"
            )
        given = {
            arg: value.copy() if arg in touched and isinstance(value, np.ndarray) else value
            for arg, value in zip(params, values, strict=True)
        }
        for size, (arg, axis) in told.items():
            given[size] = np.shape(given[arg])[axis]
        sizes = {arg: value for arg, value in given.items() if isinstance(arg, Var)}
        for result in results:
            given[result] = _memory_for(result, sizes)
        run_function(*[_as_given(arg, given[arg]) for arg in func.args])
        found = [given[result] for result in results]
        return found[0] if len(found) == 1 else tuple(found)

    return call


def signature_of(func: LoweredFunc) -> CallSignature | None:
    """Return what a function of loops takes and gives, ``None`` where that is not told.

    It is not where the function takes addresses, or says of more or less arguments than it has
    how they are used, which the verifier refuses.
    """
    if func.args_io and len(func.args_io) != len(func.args):
        return None
    results = written_arguments(func)
    params = given_parameters(func)
    told = [_type_of(arg) for arg in (*params, *results)]
    types = [each for each in told if each is not None]
    if len(types) < len(told):
        return None
    return CallSignature(tuple(types[: len(params)]), tuple(types[len(params) :]))


def given_parameters(func: LoweredFunc) -> list[Parameter]:
    """Return the arguments of a function that other languages give it, in order.

    They do not give what it writes, which is made for the call, nor sizes that arrays tell.
    """
    results = written_arguments(func)
    params = [arg for arg in func.args if arg not in results]
    told = _told_sizes(func, params)
    return [arg for arg in params if arg not in told]


def written_arguments(func: LoweredFunc) -> tuple[Buffer, ...]:
    """Return the buffers among the arguments of a function that it writes, in order.

    ``args_io`` says which; where it is empty, they are those that the body stores to. So a function
    that others call says it: a pass may drop the last store to an argument.
    """
    if func.args_io:
        told = zip(func.args, func.args_io, strict=True)
        outputs = [arg for arg, io in told if io is ArgumentIO.OUTPUT]
        return tuple([arg for arg in outputs if isinstance(arg, Buffer)])
    written = {tensor.buffer for tensor in collect_store_tensors(func.body)}
    return tuple([arg for arg in func.args if isinstance(arg, Buffer) and arg in written])


SIZES_TOLD: Final = "SizesTold"
"""The attribute of a function whose scalars are sizes that arrays tell which it is given."""


def _told_sizes(
    func: LoweredFunc, params: Sequence[Parameter]
) -> dict[Parameter, tuple[Buffer, int]]:
    """Return the scalars that arrays tell, with the array and the axis that does."""
    if func.attrs is None or SIZES_TOLD not in func.attrs:
        return {}
    found: dict[Parameter, tuple[Buffer, int]] = {}
    for arg in params:
        if isinstance(arg, Buffer):
            for axis, size in enumerate(arg.shape):
                if isinstance(size, Var) and size in params:
                    found.setdefault(size, (arg, axis))
    return found


def _type_of(arg: Parameter) -> ValueType | None:
    if not isinstance(arg, (Var, Buffer)) or not arg.dtype.is_numeric or arg.dtype.is_vector:
        return None
    shape = tuple([_size(size) for size in arg.shape]) if isinstance(arg, Buffer) else ()
    return ValueType(shape, arg.dtype.numpy.name)


def _size(size: Expr) -> int | None:
    return size.value if isinstance(size, IntImm) else None


def _memory_for(buffer: Buffer, sizes: dict[Var, Any]) -> np.ndarray[Any, Any]:
    if buffer.strides or buffer.elem_offset is not None:
        raise FieldError(
            f"buffer {buffer.name} has strides or an offset, and is what a function gives to "
            f"another language; expected the rows of an array, one behind the other"
        )
    shape = [int(evaluate(size, sizes)) for size in buffer.shape]
    return np.zeros(shape, buffer.dtype.numpy)


def _as_given(arg: Parameter, value: Any) -> Any:  # Any: as above
    """Return a value as the interpreter takes it: of rank 0 as memory of one element."""
    if isinstance(arg, Buffer) and not isinstance(value, np.ndarray):
        return np.asarray(value).reshape([1] * len(arg.shape))
    return value


CALLABLES.register(LoweredFunc, ForeignCall(callee_of, signature_of))


def _compile_by_handler(kind: type[Node], handler: type[Handler], method: str) -> None:
    evaluator = HandlerEvaluator(handler, method)

    def compile_node(c: Compiler, node: Node) -> Names:
        names = []
        held = operands(node)
        for operand in held:
            names.append((yield operand))  # noqa: PERF401 - it waits for each

        def value(*values: object) -> object:
            return evaluator(node, held, values)

        return c.unit.assign(f"{c.unit.capture(value)}({', '.join(names)})")

    compile_node.__module__ = handler.__module__
    compile_node.__qualname__ = f"{handler.__qualname__}.{method}"
    if not inspect.isgeneratorfunction(evaluator.method):
        RULES.register(kind, compile_node, by=handler)


register_filler("evaluate", Expr, _compile_by_handler)
register_handler("evaluate", EvaluateExpr, is_view=True)
