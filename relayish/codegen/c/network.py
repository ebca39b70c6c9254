"""Networks as loops: what orders calls of functions of loops becomes one more such function.

Before::

    def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(4, 3), float32]) {
      @relu(@dense(%x, %w))
    }

After::

    function main (_x, _w, _between, _result)
    {
      dense(x, w, between)
      relu(between, result)
    }
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from relayish.errors import CodegenError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TupleType, Type
from relayish.ir.scopes.name_supply import NameSupply
from relayish.pass_infra import Sequential
from relayish.passes.relay.to_loops.functions import is_view
from relayish.tir.builders.lower import lower
from relayish.tir.builders.tensor import compute, placeholder
from relayish.tir.foreign_calls import written_arguments
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.expr import Call as LoopCall
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import CallType
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.ir.operators import Expr as Scalar
from relayish.tir.ir.operators import const
from relayish.tir.ir.stmt import Block
from relayish.tir.ir.tensor import Buffer, Tensor
from relayish.tir.ir.type import VOID


class Network(NamedTuple):
    """A function of Relay that orders calls, as a function of loops.

    Attributes:
        module: The function, first, and those that it calls.
        params: What it is given, in order.
        constants: The arrays that it is given behind these.
        workspace: Memory for what lies between calls, which it is given behind these.
        outputs: What it fills, which it is given last.
        result: The type of the result: a tensor, or a tuple, of which outputs are the leaves.
    """

    module: Module
    params: tuple[Buffer, ...]
    constants: tuple[np.ndarray[Any, Any], ...]
    workspace: tuple[Buffer, ...]
    outputs: tuple[Buffer, ...]
    result: Type


def order_calls(mod: IRModule, name: str = "main") -> Network:
    """Return a function that calls functions of loops as one of loops.

    Memory between calls is used again where nothing needs what it holds.

    Args:
        mod: What ``LowerToLoops`` made.
        name: The function of Relay.

    Raises:
        CodegenError: If it does anything but call functions of loops: what, and where.

    Complexity:
        Linear in the size of the function.
    """
    graph = Sequential(["ToGraphNormalForm", "InferType"], opt_level=0)(mod)
    func = graph[name]
    if not isinstance(func, Function):
        raise CodegenError(f"@{name} is {quote(func)}; expected a function of Relay")
    return _Ordering(graph, func, name).network()


class _Ordering:
    """Makes a function of loops of one of Relay."""

    def __init__(self, mod: IRModule, func: Function, name: str) -> None:
        self._mod = mod
        self._name = name
        self._body = func.body
        self._names = NameSupply(taken=[each.name_hint for each in mod.functions])
        self._values: dict[Node, tuple[Tensor, ...]] = {}
        self._constants: dict[Buffer, np.ndarray[Any, Any]] = {}
        self._workspace: list[Buffer] = []
        self._free: defaultdict[tuple[Any, Any], list[Buffer]] = defaultdict(list)
        self._users: dict[Buffer, int] = {}
        self._calls: list[Stmt] = []
        self._called: dict[LoweredFunc, None] = {}
        self._params = [self._parameter(param) for param in func.params]

    def network(self) -> Network:
        """Return the function of loops."""
        results = self._body.fields if isinstance(self._body, Tuple) else (self._body,)
        nodes = [each for each in EXPRESSIONS.post_order(self._body) if isinstance(each, Expr)]
        ends: defaultdict[int, list[Call]] = defaultdict(list)
        for child, at in _last_uses(nodes, results).items():
            if isinstance(child, Call):
                ends[at].append(child)
        for at, node in enumerate(nodes):
            self._values[node] = self._evaluate(node)
            for call in ends[at]:
                self._release(call)
        outputs = [self._output(tensor) for each in results for tensor in self._values[each]]
        args = (*self._params, *self._constants, *self._workspace, *outputs)
        main = LoweredFunc(self._name, args, Block(tuple(self._calls)))
        return Network(
            Module(self._name, functions=(main, *self._called)),
            tuple(self._params),
            tuple(self._constants.values()),
            tuple(self._workspace),
            tuple(outputs),
            _type_of(self._body),
        )

    def _parameter(self, param: Var) -> Buffer:
        ty = param.checked_type or param.type_annotation
        shape = getattr(ty, "shape", None)
        if shape is None:
            raise CodegenError(f"parameter {param.name_hint} is of type {ty}; expected a tensor")
        made = self._memory(param.name_hint, [int(size) for size in shape], ty.dtype)  # type: ignore[union-attr]
        self._values[param] = (made,)
        return _buffer_of(made)

    def _memory(self, hint: str, shape: Sequence[int], dtype: str) -> Tensor:
        return placeholder(self._names.fresh_name(hint), shape, dtype)

    def _evaluate(self, node: Expr) -> tuple[Tensor, ...]:
        """Return where a value stands; a call is noted that puts it there."""
        match node:
            case Var() if node in self._values:
                return self._values[node]
            case Constant():
                data = np.asarray(node.data, order="C")
                made = self._memory("constant", data.shape, str(data.dtype))
                self._constants[_buffer_of(made)] = data
                return (made,)
            case Tuple():
                return tuple([each for field in node.fields for each in self._values[field]])
            case TupleGetItem():
                ty = _type_of(node.tuple_value)
                assert isinstance(ty, TupleType)
                start = sum(map(_count_of, ty.fields[: node.index]))
                end = start + _count_of(ty.fields[node.index])
                return self._values[node.tuple_value][start:end]
            case GlobalVar():
                return ()
            case Call(op=GlobalVar()):
                return self._call(node)
        raise CodegenError(
            f"{quote(node)} is no call of a function of loops, and C is told to order these alone; "
            f"LowerToLoops(unlowerable='refuse') says why it was left"
        )

    def _call(self, call: Call) -> tuple[Tensor, ...]:
        callee = self._mod[call.op]
        if not isinstance(callee, LoweredFunc):
            raise CodegenError(f"{quote(call)} calls what is no function of loops")
        given = [each for arg in call.args for each in self._values[arg]]
        written = written_arguments(callee)
        shapes = [[constant(size) or 0 for size in each.shape] for each in written]
        if is_view(callee) and call is not self._body:
            source = given[0]
            view = Tensor(
                self._names.fresh_name("view"), _sizes(shapes[0]), source.dtype, source.buffer
            )
            self._use(view)
            return (view,)
        self._called[callee] = None
        made = tuple([self._take(shape, each) for shape, each in zip(shapes, written, strict=True)])
        self._calls.append(LoopCall(VOID, callee.name, tuple(given), made, CallType.CINN))
        return made

    # Memory that is used again

    def _take(self, shape: list[int], like: Buffer) -> Tensor:
        """Return memory that nothing needs any more, or new."""
        free = self._free[like.dtype, tuple(np.atleast_1d(np.prod(shape, dtype=np.int64)))]
        if free:
            buffer = free.pop()
            tensor = Tensor(self._names.fresh_name("again"), _sizes(shape), like.dtype, buffer)
        else:
            tensor = self._memory(like.name.removeprefix("_"), shape, str(like.dtype))
            self._workspace.append(_buffer_of(tensor))
        self._use(tensor)
        return tensor

    def _use(self, tensor: Tensor) -> None:
        buffer = _buffer_of(tensor)
        self._users[buffer] = self._users.get(buffer, 0) + 1

    def _release(self, call: Call) -> None:
        """Give back memory of a call's results that nothing looks at any more."""
        for tensor in self._values[call]:
            buffer = _buffer_of(tensor)
            if buffer not in self._users:
                continue
            self._users[buffer] -= 1
            if not self._users[buffer] and buffer in self._workspace:
                sizes = [constant(size) or 0 for size in buffer.shape]
                key = tuple(np.atleast_1d(np.prod(sizes, dtype=np.int64)))
                self._free[buffer.dtype, key].append(buffer)

    def _output(self, tensor: Tensor) -> Buffer:
        """Return the memory of a result, which is the caller's; what stands elsewhere is copied."""
        buffer = _buffer_of(tensor)
        if buffer in self._workspace:
            self._workspace.remove(buffer)
            return buffer
        sizes = [constant(size) or 0 for size in tensor.shape]
        source = placeholder("given", sizes, tensor.dtype)
        copied = compute(sizes, lambda *index: source[index], "copied")
        copy = lower(self._names.fresh_name(f"{self._name}_copy"), [source, copied])
        made = self._memory("result", sizes, str(tensor.dtype))
        self._called[copy] = None
        self._calls.append(LoopCall(VOID, copy.name, (tensor,), (made,), CallType.CINN))
        return _buffer_of(made)


def _last_uses(nodes: Sequence[Expr], results: Sequence[Expr]) -> dict[Node, int]:
    """Return by which node each is used last; what uses a tuple, or a field, uses what it holds."""
    last: dict[Node, int] = dict.fromkeys(results, len(nodes))
    for at, node in reversed([*enumerate(nodes)]):
        until = max(at, last.get(node, at)) if isinstance(node, (Tuple, TupleGetItem)) else at
        for child in EXPRESSIONS.children(node):
            last[child] = max(until, last.get(child, until))
    return last


def _type_of(expr: Expr) -> Type:
    assert expr.checked_type is not None
    return expr.checked_type


def _count_of(ty: Type) -> int:
    """Return how many tensors a value of a type consists of."""
    return sum(map(_count_of, ty.fields)) if isinstance(ty, TupleType) else 1


def _sizes(shape: Sequence[int]) -> tuple[Scalar, ...]:
    return tuple([const(size) for size in shape])


def _buffer_of(tensor: Tensor) -> Buffer:
    assert isinstance(tensor.buffer, Buffer)
    return tensor.buffer
