"""Traces of programs over loops: what variables and memory hold at each statement, as it is run.

The interpreter compiles a function as it does for ``mode="plain"``, with a call of an observer
before and after each statement. What analyses say of a program point is compared with that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from relayish import tir
from relayish.dataflow.graph import FlowGraph, build_flow_graph
from relayish.errors import RelayishError
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import scope_roots
from relayish.tir.interpreter import program
from relayish.tir.interpreter.compiler import MAX_INDENT, MAX_LOOPS, Compiler
from relayish.tir.interpreter.memory import Memory


class Moment(NamedTuple):
    """What holds before or after one occurrence of a statement, once.

    Attributes:
        point: The program point of the occurrence in the flow graph, as ``Solution.after`` takes
            it; before it is ``graph.start(point)``.
        is_after: Whether the statement has run.
        values: What each variable in scope holds; ``None``: nothing yet.
        memories: The memory of each buffer; it changes as the program goes on.
    """

    point: int
    is_after: bool
    values: Mapping[tir.Var, Any]
    memories: Mapping[tir.Buffer, Memory]

    def written(self, buffer: tir.Buffer) -> list[bool] | None:
        """Return for each element of a buffer whether it holds anything; ``None``: no memory."""
        memory = self.memories[buffer]
        if memory.array is None:
            return None
        size = len(memory.array)
        return [True] * size if memory.mask is None else [bool(byte) for byte in memory.mask]


Observer = Callable[[Moment], None]


def trace(
    func: tir.LoweredFunc,
    given: Sequence[Any],
    observe: Observer,
    graph: FlowGraph | None = None,
) -> str | None:
    """Run ``func`` on copies of some arguments, and let ``observe`` see every statement.

    Args:
        func: A function that calls none but externs.
        given: What it is given.
        observe: Called with each moment, in order.
        graph: The flow graph of ``func``, whose points moments name.

    Returns:
        The kind of error it ends in; ``None`` if it runs to its end.
    """
    points = build_flow_graph(func) if graph is None else graph

    def compiler(functions: Mapping[str, Any]) -> Compiler:
        return _TracingCompiler(functions, points, observe)

    copies = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in given]
    with patch.object(program, "Compiler", compiler):
        try:
            tir.run(func, *copies, mode="plain")
        except RelayishError as error:
            return type(error).__name__
    return None


class _TracingCompiler(Compiler):
    """Compiles with calls of an observer around statements."""

    def __init__(self, functions: Mapping[str, Any], graph: FlowGraph, observe: Observer) -> None:
        super().__init__(functions)
        self.graph = graph
        self.observe = observe
        self.cursors = [0]  # up to which point occurrences are compiled, by statement around

    def _begin(self, node: Node) -> Any:
        unit = self.unit
        parent = unit.node
        if not isinstance(node, tir.Stmt) or parent is None or isinstance(parent, tir.Expr):
            return super()._begin(node)
        if node not in scope_roots(parent) or self.expansions:
            return super()._begin(node)
        if unit.loops >= MAX_LOOPS or unit.indent >= MAX_INDENT:
            return super()._begin(node)  # which begins it again, in a unit of its own
        return self._traced(node)

    def _traced(self, node: Node) -> Iterator[Any]:
        point = next(
            at for at in self.graph.occurrences(node) if self.graph.start(at) >= self.cursors[-1]
        )
        self._observe(point, is_after=False)
        self.cursors.append(self.graph.start(point))
        try:
            begun = super()._begin(node)
            made = begun if isinstance(begun, str) else (yield from begun)
        finally:
            self.cursors.pop()
            self.cursors[-1] = point + 1
        self._observe(point, is_after=True)
        return made

    def _observe(self, point: int, *, is_after: bool) -> None:
        """Add a line that calls the observer."""
        variables = list(self._bound)
        buffers = list(self.places)
        observe = self.observe

        def see(values: Sequence[Any], memories: Sequence[Memory]) -> None:
            held = dict(zip(variables, values, strict=True))
            observe(Moment(point, is_after, held, dict(zip(buffers, memories, strict=True))))

        values = ", ".join(map(self.peek_variable, variables))
        memories = ", ".join(map(self.memory, buffers))
        self.unit.line(f"{self.unit.capture(see)}([{values}], [{memories}])")
