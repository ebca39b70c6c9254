"""Runs programs over loops point by point along their flow graphs.

As ``graph_machine`` for Relay: what runs when, and where control goes, is told by the graph alone;
``observe(point, state)`` is called before each point. Numbers are computed as the library's
interpreter computes them. Programs have neither vectors nor strides, inline tensors nor calls.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from relayish import tir
from relayish._support.division import divide, remainder
from relayish.dataflow import Action, FlowGraph, build_flow_graph
from relayish.ir.nodes.node import Node
from relayish.tir.interpreter import numbers
from relayish.tir.ir.expr import REDUCE_OPERATORS
from relayish.tir.ir.operators import BinaryOpNode, integer_range

Observe = Callable[[int, "State"], None]

UNSET: Final = "unset"
"""What a variable or an element holds before anything is stored to it."""

WITHOUT = ("vector", "strided", "inline", "call")
"""The features of random programs that the machine does not know."""

_COMPARE: Final[dict[type[Node], Callable[[Any, Any], Any]]] = {
    tir.EQ: operator.eq,
    tir.NE: operator.ne,
    tir.LT: operator.lt,
    tir.LE: operator.le,
    tir.GT: operator.gt,
    tir.GE: operator.ge,
    tir.And: lambda a, b: bool(a) and bool(b),
    tir.Or: lambda a, b: bool(a) or bool(b),
    tir.Min: lambda a, b: min(b, a),
    tir.Max: lambda a, b: max(b, a),
}
_WRAP: Final[dict[type[Node], Callable[[Any, Any], Any]]] = {
    tir.Add: operator.add,
    tir.Sub: operator.sub,
    tir.Mul: operator.mul,
}


class State:
    """What variables and memory hold, and what has happened so far.

    Attributes:
        values: What variables hold.
        cells: The elements of buffers; ``None``: no memory.
        writers: For each variable, the point that wrote it last, for each buffer those of elements.
        reads: The variables and buffers that the last point read, each with its writers then.
        writes: Those that it wrote.
        evaluated: The expressions that it evaluated, each with its value.
    """

    def __init__(self) -> None:
        self.values: dict[tir.Var, Any] = {}
        self.cells: dict[tir.Buffer, list[Any] | None] = {}
        self.writers: dict[Node, Any] = {}
        self.counters: dict[Node, Any] = {}
        self.chosen: dict[Node, int | None] = {}
        self.results: dict[Node, Any] = {}
        self.reads: list[tuple[Node, frozenset[int]]] = []
        self.writes: list[Node] = []
        self.evaluated: list[tuple[Node, Any]] = []
        self.point = 0

    # variables and memory

    def set(self, var: tir.Var, value: Any) -> None:
        self.values[var] = value
        self.writers[var] = self.point
        self.writes.append(var)

    def allocate(self, buffer: tir.Buffer, held: list[Any] | None) -> None:
        self.cells[buffer] = held
        self.writers[buffer] = [self.point] * max(1, len(held or ()))
        self.writes.append(buffer)

    def place(self, tensor: tir.Tensor, indices: Sequence[Any]) -> int:
        """Return where an element is: row after row."""
        at = 0
        for size, index in zip(tensor.shape, indices, strict=True):
            extent = self.peek(size)
            if not 0 <= index < extent:
                raise IndexError(f"{index} of {tensor.name}")
            at = at * extent + index
        return at

    def memory(self, tensor: tir.Tensor) -> list[Any]:
        found = self.cells[tensor.buffer]
        if found is None:
            raise LookupError(f"{tensor.name} has no memory")
        return found

    # expressions

    def peek(self, expr: Node) -> Any:
        """Return the value of an expression, and note nothing."""
        reads, evaluated = self.reads, self.evaluated
        self.reads, self.evaluated = [], []
        try:
            return self.evaluate(expr)
        finally:
            self.reads, self.evaluated = reads, evaluated

    def evaluate(self, expr: Node) -> Any:
        value = self._evaluate(expr)
        self.evaluated.append((expr, value))
        return value

    def _evaluate(self, expr: Node) -> Any:
        match expr:
            case tir.IntImm() | tir.UIntImm() | tir.FloatImm():
                return numbers.literal(expr.value, expr.type)
            case (tir.Var() as var) | tir.Load(tensor=tir.Var() as var):
                value = self.values[var]
                if value is UNSET:
                    raise LookupError(f"{var.name} holds nothing")
                self.reads.append((var, frozenset((self.writers[var],))))
                return value
            case tir.Load():
                return self._load(expr)
            case tir.Reduce():
                return self.results[expr]
            case BinaryOpNode():
                a, b = self.evaluate(expr.a), self.evaluate(expr.b)
                return compute(type(expr), a, b, expr.a.type)
            case tir.Minus():
                value = self.evaluate(expr.v)
                return -value if expr.type.is_float else numbers.wrap(-value, expr.type)
            case tir.Not():
                return not self.evaluate(expr.v)
            case tir.Sum() | tir.Product():
                return self._nary(expr)
            case tir.Select():
                holds = self.evaluate(expr.condition)
                a, b = self.evaluate(expr.true_value), self.evaluate(expr.false_value)
                return a if holds else b
            case tir.Cast():
                return convert(self.evaluate(expr.v), expr.v.type, expr.type)
        raise AssertionError(f"no way to evaluate {expr}")

    def _load(self, load: tir.Load) -> Any:
        at = self.place(load.tensor, [self.evaluate(index) for index in load.indices])
        value = self.memory(load.tensor)[at]
        if value is UNSET:
            raise LookupError(f"{load} holds nothing")
        self.reads.append((load.tensor.buffer, frozenset((self.writers[load.tensor.buffer][at],))))
        return value

    def _nary(self, expr: tir.Sum | tir.Product) -> Any:
        kind = tir.Add if isinstance(expr, tir.Sum) else tir.Mul
        found, *rest = [self.evaluate(each) for each in expr.operands]
        for value in rest:
            found = compute(kind, found, value, expr.type)
        return found


def compute(kind: type[Node], a: Any, b: Any, ty: tir.Type) -> Any:
    """Return what an operator gives of two numbers of one type."""
    if kind in _COMPARE:
        return _COMPARE[kind](a, b)
    if kind in _WRAP:
        found = _WRAP[kind](a, b)
        return found if ty.is_float else numbers.wrap(found, ty)
    if ty.is_float:
        return np.fmod(a, b) if kind is tir.Mod else a / b
    if kind is tir.Mod:
        return remainder(a, b)
    quotient = divide if kind is tir.Div else numbers.divide_exactly
    return quotient(a, b, integer_range(ty)[1])


def convert(value: Any, source: tir.Type, target: tir.Type) -> Any:
    """Return what a number becomes of another type."""
    if source == target:
        return value
    if target.is_bool:
        return value != 0
    if source.is_float:
        cast = numbers.truncate(value, target) if target.is_integer else None
        return numbers.round_to(target)(value) if cast is None else cast
    if target.is_integer:
        return int(value) if source.is_bool else numbers.wrap(value, target)
    if source.bits < 64:
        return numbers.maker(target)(value)
    return numbers.round_to(target)(source.numpy.type(value))


class LoopMachine:
    """Runs a function."""

    def __init__(self, func: tir.LoweredFunc, observe: Observe | None = None) -> None:
        self.func = func
        self.graph: FlowGraph = build_flow_graph(func)
        self.observe = observe
        self.visited = 0

    def run(self, given: Sequence[Any]) -> list[Any]:
        """Return the elements of the buffers that it is given, as the function leaves them."""
        with np.errstate(all="ignore"):
            state = self._run(given)
        buffers = [arg for arg in self.func.args if isinstance(arg, tir.Buffer)]
        return [np.array(state.cells[arg], arg.dtype.numpy) for arg in buffers]

    def _run(self, given: Sequence[Any]) -> State:
        state, graph = State(), self.graph
        for arg, value in zip(self.func.args, given, strict=True):
            numbers_of = np.asarray(value, arg.dtype.numpy).ravel()
            held = [n if arg.dtype.is_float else n.item() for n in numbers_of]
            if isinstance(arg, tir.Var):
                state.set(arg, held[0])
            else:
                state.allocate(arg, held)
        for buffer in self.func.temp_bufs:
            state.allocate(buffer, self._unset(state, buffer))
        at = 0
        while True:
            state.point = at
            if self.observe is not None:
                self.observe(at, state)
            self.visited += 1
            state.reads, state.writes, state.evaluated = [], [], []
            node, action = graph.nodes[at], graph.actions[at]
            if action is Action.EXIT:
                return state
            self._step(node, action, state)
            following = graph.successors(at)
            if len(following) > 1:
                following = tuple([to for to in following if self._is_taken(at, to, state)])
            [at] = following

    def _is_taken(self, at: int, to: int, state: State) -> bool:
        branch = self.graph.edge(at, to).branch
        assert branch is not None
        return state.chosen[branch.node] == branch.case

    def _unset(self, state: State, buffer: tir.Buffer) -> list[Any]:
        size = 1
        for extent in buffer.shape:
            size *= state.peek(extent)
        return [UNSET] * size

    def _step(self, node: Node, action: Action, state: State) -> None:
        match action:
            case Action.EVALUATE | Action.YIELD:
                self._evaluate(node, state)
            case Action.ENTER:
                self._enter(node, state)
            case Action.LOOP:
                self._loop(node, state)
            case Action.BIND:
                self._bind(node, state)
            case Action.LEAVE if isinstance(node, tir.Alloc):
                state.allocate(node.destination, None)
            case Action.LEAVE if isinstance(node, tir.Reduce):
                self._combine(node, state)
                state.results[node] = state.counters[node][1]

    def _evaluate(self, node: Node, state: State) -> None:
        match node:
            case tir.Store(tensor=tir.Var() as var):
                state.set(var, state.evaluate(node.value))
            case tir.Store():
                at = state.place(node.tensor, [state.evaluate(index) for index in node.indices])
                value = state.evaluate(node.value)
                state.memory(node.tensor)[at] = value
                state.writers[node.tensor.buffer][at] = state.point
                state.writes.append(node.tensor.buffer)
            case tir.Let():
                state.set(node.symbol, UNSET if node.body is None else state.evaluate(node.body))
            case tir.Alloc():
                self._allocate(node, state)
            case tir.Free():
                state.allocate(node.destination, None)
            case _:
                value = state.evaluate(node)
                loop = self._loop_around(state, node)
                if isinstance(loop, tir.PolyFor) and node is loop.condition:
                    case = [e.branch.case for e in self._branches(state.point) if e.branch]
                    [body] = [each for each in case if each is not None]
                    state.chosen[loop] = body if value else None
                state.results[node] = value

    def _branches(self, at: int) -> Iterator[Any]:
        return (self.graph.edge(at, to) for to in self.graph.successors(at))

    def _loop_around(self, state: State, _node: Node) -> Node | None:
        edges = list(self._branches(state.point))
        return edges[0].branch.node if len(edges) > 1 else None

    def _allocate(self, alloc: tir.Alloc, state: State) -> None:
        for each in (*alloc.extents, *([alloc.condition] if alloc.condition is not None else [])):
            state.evaluate(each)  # extents are those of the buffer, and conditions hold
        state.allocate(alloc.destination, self._unset(state, alloc.destination))

    def _enter(self, node: Node, state: State) -> None:
        match node:
            case tir.IfThenElse():
                otherwise = None if node.false_case is None else 1
                state.chosen[node] = 0 if state.evaluate(node.condition) else otherwise
            case tir.For():
                first, extent = state.evaluate(node.min), state.evaluate(node.extent)
                state.counters[node] = iter(range(first, first + extent))
            case tir.PolyFor():
                state.counters[node] = [state.evaluate(node.init)]
            case tir.ScheduleBlockRealize():
                state.counters[node] = [state.evaluate(value) for value in node.iter_values]
            case tir.Alloc():
                self._allocate(node, state)
            case tir.Reduce():
                total = state.evaluate(node.init)
                ranges = [self._axis(axis, state) for axis in node.reduce_axis]
                state.counters[node] = [iter(list(product(*ranges))), total, None]

    def _axis(self, axis: tir.Var, state: State) -> range:
        low = 0 if axis.lower_bound is None else state.evaluate(axis.lower_bound)
        return range(low, state.evaluate(axis.upper_bound))

    def _loop(self, node: Node, state: State) -> None:
        match node:
            case tir.For():
                found = next(state.counters[node], None)
                state.chosen[node] = None if found is None else 0
                state.counters[node, "next"] = (found,)
            case tir.PolyFor():
                last = state.counters[node]
                if len(last) == 2:  # an iteration is over
                    step = state.results[node.inc]
                    last[:] = [numbers.wrap(last[0] + step, node.iterator.type)]
                state.counters[node, "next"] = (last[0],)
                last.append("ran")
            case tir.Reduce():
                self._combine(node, state)
                found = next(state.counters[node][0], None)
                state.chosen[node] = None if found is None else 0
                state.counters[node, "next"] = found
                state.counters[node][2] = found

    def _combine(self, node: tir.Reduce, state: State) -> None:
        """Add what an iteration has computed."""
        held = state.counters[node]
        if held[2] is None:
            return
        operation = REDUCE_OPERATORS[node.reduce_type]
        if node.body in state.results:
            value = state.results[node.body]
        else:
            value = state.evaluate(node.body)
        held[1], held[2] = compute(operation, held[1], value, node.type), None

    def _bind(self, node: Node, state: State) -> None:
        held = state.counters[node] if isinstance(node, tir.ScheduleBlockRealize) else None
        values = state.counters[node, "next"] if held is None else held
        variables = self.graph.binders[state.point]
        for var, value in zip(variables, values, strict=True):
            state.set(var, value)
