"""Calls, intrinsics, primitives and reductions as lines of Python."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, Final

import numpy as np

from relayish.errors import (
    EvaluationError,
    RelayishError,
    TypeConfusionError,
    UninitialisedReadError,
    UnsupportedError,
)
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.numeric.precision import cast_to
from relayish.tir.externs import Extern, find_extern
from relayish.tir.interpreter.access import in_tuple, layout_of
from relayish.tir.interpreter.compiler import (
    MAX_LOOPS,
    RULES,
    Compiler,
    each,
    require,
    require_index,
)
from relayish.tir.interpreter.expressions import compute
from relayish.tir.interpreter.foreign import ForeignFunction
from relayish.tir.interpreter.memory import Array, Memory
from relayish.tir.interpreter.numbers import hand_out
from relayish.tir.ir.expr import REDUCE_OPERATORS, Call, PrimitiveNode, Reduce
from relayish.tir.ir.flags import CallType, ReduceType
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.ir.intrinsic import BufferCreate, BuiltinIntrin, IntrinsicOp
from relayish.tir.ir.operation import Operation
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Tensor, Var
from relayish.tir.ir.type import Type
from relayish.tir.primitives import expand_primitive

Names = Generator[Node, str, str]

MOST_EXPANSIONS: Final = 1_000
"""How deep expansions of primitives nest."""


def _reduce(c: Compiler, node: Reduce) -> Names:
    made = yield node.init
    given = node.body.type
    is_truth = node.reduce_type in (ReduceType.ALL, ReduceType.ANY)
    require(
        node.init.type == given and given.is_numeric and given.is_bool == is_truth,
        lambda: (
            f"a reduction by {node.reduce_type.value} begins with {node.init.type} and goes "
            f"over {given}; both must be {'bool' if is_truth else 'numbers of one type'}"
        ),
    )
    if c.unit.loops + len(node.reduce_axis) < MAX_LOOPS and c.unit.indent < MAX_LOOPS:
        return (yield from _accumulate(c, node, made))
    with c.new_unit(["p"]) as unit:
        total = yield from _accumulate(c, node, "p")
        unit.line(f"return {total}")
    return c.unit.assign(c.call(unit, [made]))


def _accumulate(c: Compiler, node: Reduce, init: str) -> Names:
    total = c.unit.assign(init)
    kind = REDUCE_OPERATORS[node.reduce_type]
    heads = []
    for axis in node.reduce_axis:
        if axis.upper_bound is None:
            raise EvaluationError(
                f"axis {axis.name} of {one_line(node)} has no upper bound, so nobody knows where "
                f"the reduction ends; if a schedule block binds it, leave it out"
            )
        require_index(axis)
        low = "0" if axis.lower_bound is None else (yield axis.lower_bound)
        high = yield axis.upper_bound
        heads.append((axis, c.unit.name("v"), low, high))
    loops = [f"for {local} in range({low}, {high}):" for _, local, low, high in heads]
    names = [local for _, local, _, _ in heads]
    with c.nested(loops), c.bound_all(node.reduce_axis, names):
        value = yield node.body
        c.unit.node = node
        c.unit.line(f"{total} = {compute(c, kind, total, value, node.type)}")
    return total


def _call(c: Compiler, call: Call) -> Names:
    if call.call_type is CallType.CINN:
        return (yield from _call_function(c, call))
    extern = find_extern(call.name, call.call_type)
    if extern is None:
        raise unknown(call.name, call.call_type)
    args = yield from _arguments(c, call.read_args, is_written=False)
    given = [arg.type for arg in call.read_args]
    require_signature(extern, call, given)
    written = yield from _arguments(c, call.write_args, is_written=True)
    apply = c.unit.capture(applier(extern, given, call.dtype, call.value_index))
    return c.unit.assign(f"{apply}({', '.join([*args, *written])})")


def unknown(name: str, call_type: CallType) -> UnsupportedError:
    """Return the error for a function that nobody registered."""
    kind = "" if call_type is CallType.EXTERN else f", call_type=tir.{call_type}"
    return UnsupportedError(
        f"nothing is known of the {call_type.value} function {name!r}; call "
        f"tir.register_extern({name!r}, evaluate{kind})"
    )


def require_signature(extern: Extern, call: Call, given: Sequence[Type]) -> None:
    """Raise unless a call suits what was said of the function."""
    name = extern.name
    require(
        extern.arity in (None, len(given)) and extern.writes == len(call.write_args),
        lambda: (
            f"{name} reads {extern.arity} arguments and writes {extern.writes}; it is given "
            f"{len(given)} and {len(call.write_args)}"
        ),
    )
    found = extern.type_rule(given) if given else call.dtype
    shown = ", ".join(map(str, given))
    require(found is not None, lambda: f"{name} cannot be given ({shown})")
    if call.value_index < 0:
        require(
            found == call.dtype,
            lambda: f"{name} of ({shown}) gives {found}; the call is of type {call.dtype}",
        )


def applier(
    extern: Extern, given: Sequence[Type], made: Type, value_index: int
) -> Callable[..., Any]:
    """Return what computes a call: of values as the interpreter holds them, and arrays."""
    types = list(given)

    def apply(*args: Any) -> Any:
        values = [hand_out(arg, of) for arg, of in zip(args, types, strict=False)]
        try:
            found = extern.evaluate(*values, *args[len(types) :])
        except RelayishError:
            raise
        except Exception as error:
            raise EvaluationError(
                f"{extern.name} failed: {type(error).__name__}: {error}"
            ) from error
        if made.is_void:
            return None
        if value_index >= 0:
            found = _pick(extern.name, found, value_index)
        return _taken(extern.name, found, made)

    return apply


def _pick(name: str, found: Any, index: int) -> Any:
    if not isinstance(found, tuple) or index >= len(found):
        results = f"{len(found)} results" if isinstance(found, tuple) else "one result"
        raise EvaluationError(f"result {index} of {name} is asked for, which has {results}")
    return found[index]


def _taken(name: str, found: Any, made: Type) -> Any:
    if made.is_narrow and isinstance(found, (np.ndarray, np.generic)):
        # numpy computes some functions of these in 8 bits
        found = cast_to(np.asarray(found), made.numpy)[()]
    dtype = getattr(found, "dtype", None)
    shape = () if made.lanes == 1 else (made.lanes,)
    if dtype != made.numpy or np.shape(found) != shape:
        raise TypeConfusionError(
            f"{name} gives {found!r} of type {dtype}; it was said to give {made}"
        )
    if made.lanes > 1 or made.is_float:
        return found[()] if isinstance(found, np.ndarray) else found
    return int(found) if made.is_narrow else found.item()


def _arguments(
    c: Compiler, args: Sequence[Expr], *, is_written: bool
) -> Generator[Node, str, list[str]]:
    names = []
    for arg in args:
        if is_written or isinstance(arg, (Tensor, Buffer)):
            name = yield from _view(c, arg, is_written=is_written)
        else:
            name = yield arg
        names.append(name)
    return names


def _view(c: Compiler, arg: Expr, *, is_written: bool) -> Names:
    """Compile a tensor or buffer as an array that a function reads or fills."""
    buffer = arg.buffer if isinstance(arg, Tensor) else arg
    require(
        isinstance(buffer, Buffer),
        lambda: (
            f"{one_line(arg)} is no tensor with memory, nor a buffer; a function can"
            f"not {'write' if is_written else 'read'} it"
        ),
    )
    assert isinstance(buffer, Buffer)
    tensor = arg
    if not isinstance(tensor, Tensor):
        tensor = Tensor(buffer.name, buffer.shape, buffer.dtype, buffer)
    layout = yield from layout_of(c, tensor, buffer)
    make = c.unit.capture(fill_view if is_written else read_view)
    shape, strides = in_tuple(layout.shape), in_tuple(layout.strides)
    return c.unit.assign(f"{make}({c.memory(buffer)}, {shape}, {strides}, {layout.offset})")


def fill_view(memory: Memory, shape: Sequence[int], strides: Sequence[int], offset: int) -> Array:
    """Return a view of memory that a function fills."""
    array = memory.given
    if memory.mask is not None:
        _strided(np.frombuffer(memory.mask, np.uint8), shape, strides, offset)[...] = 1
    return _strided(array, shape, strides, offset)


def read_view(memory: Memory, shape: Sequence[int], strides: Sequence[int], offset: int) -> Array:
    """Return a view of memory that a function reads."""
    found = _strided(memory.given, shape, strides, offset)
    if memory.mask is not None:
        mask = _strided(np.frombuffer(memory.mask, np.uint8), shape, strides, offset)
        if not mask.all():
            raise UninitialisedReadError(
                f"{memory.name} is read by a function before all of it was stored"
            )
    found = found.view()
    found.flags.writeable = False
    return found


def _strided(array: Array, shape: Sequence[int], strides: Sequence[int], offset: int) -> Array:
    last = offset + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    if 0 not in shape and not (0 <= offset <= last < len(array)):
        raise EvaluationError(
            f"a view from element {offset} to {last} reaches beyond the {len(array)} elements of "
            f"its buffer"
        )
    steps = [step * array.itemsize for step in strides]
    return np.lib.stride_tricks.as_strided(array[offset:], shape, steps)


def _call_function(c: Compiler, call: Call) -> Names:
    callee = c.functions.get(call.name)
    if callee is None:
        raise UnsupportedError(
            f"no function {call.name!r} is known here; put it into the module that is run"
        )
    require(
        call.dtype.is_void and call.value_index < 0,
        lambda: f"function {call.name} gives no value, and one of type {call.dtype} is asked of it",
    )
    if isinstance(callee, ForeignFunction):
        return (yield from _call_foreign(c, call, callee))
    given = (*call.read_args, *call.write_args)
    params = callee.func.args
    require(
        len(given) == len(params),
        lambda: f"function {call.name} takes {len(params)} arguments and is given {len(given)}",
    )
    names = []
    for param, arg in zip(params, given, strict=True):
        if isinstance(param, Var):
            names.append((yield arg))
            require(
                arg.type == param.type,
                lambda: f"{param.name} of {call.name} is of type {param.type}; given {arg.type}",  # noqa: B023
            )
            continue
        buffer = arg.buffer if isinstance(arg, Tensor) else arg
        require(
            isinstance(buffer, Buffer),
            lambda: f"{param.name} of {call.name} is a buffer; given {one_line(arg)}",  # noqa: B023
        )
        assert isinstance(buffer, Buffer)
        names.append(c.memory(buffer))
    c.unit.node = call
    c.unit.yields = True
    c.unit.line(f"yield {c.unit.capture(callee.start)}(r, {', '.join(names)})")
    return "None"


def _call_foreign(c: Compiler, call: Call, callee: ForeignFunction) -> Names:
    """Compile a call of another language: of numbers and arrays, that gives what is written."""
    read = yield from _arguments(c, call.read_args, is_written=False)
    types = [arg.type for arg in call.read_args]
    written = yield from _arguments(c, call.write_args, is_written=True)
    apply = c.unit.capture(callee.applied_to(types))
    c.unit.node = call
    c.unit.line(f"{apply}({', '.join([*read, *written])})")
    return "None"


def _primitive(c: Compiler, node: PrimitiveNode) -> Names:
    if c.expansions >= MOST_EXPANSIONS:
        raise EvaluationError(
            f"the primitive {node.name!r} expands to primitives without end, {MOST_EXPANSIONS} deep"
        )
    c.expansions += 1
    try:
        return (yield expand_primitive(node))
    finally:
        c.expansions -= 1


def _builtin(c: Compiler, node: BuiltinIntrin) -> Names:
    call = Call(node.dtype, node.name, node.args, (), CallType.INTRINSIC)
    extern = find_builtin(node.name)
    if extern is None:
        raise unknown(node.name, CallType.INTRINSIC)
    args = yield from each(node.args)
    given = [arg.type for arg in node.args]
    require_signature(extern, call, given)
    apply = c.unit.capture(applier(extern, given, node.dtype, -1))
    return c.unit.assign(f"{apply}({', '.join(args)})")


def find_builtin(name: str) -> Extern | None:
    """Return the function that an intrinsic of the target computes, ``sqrt`` for ``sqrtf``."""
    found = find_extern(name, CallType.INTRINSIC)
    return found or find_extern(name) or find_extern(name.removesuffix("f"))


def _buffer_create(_c: Compiler, _node: BufferCreate) -> str:
    return "None"


def _refuse_intrinsic(_c: Compiler, node: IntrinsicOp) -> str:
    raise UnsupportedError(
        f"{one_line(node)} works on addresses and packed arguments, which only compiled code has"
    )


def _refuse_kind(_c: Compiler, node: Node) -> str:
    raise UnsupportedError(f"{one_line(node)} is no statement or expression that can be run")


RULES.register(Reduce, _reduce)
RULES.register(Call, _call)
RULES.register(PrimitiveNode, _primitive)
RULES.register(IntrinsicOp, _refuse_intrinsic)
RULES.register(BuiltinIntrin, _builtin)
RULES.register(BufferCreate, _buffer_create)
RULES.register(Operation, _refuse_kind)
RULES.register(LoweredFunc, _refuse_kind)
RULES.register(Module, _refuse_kind)
