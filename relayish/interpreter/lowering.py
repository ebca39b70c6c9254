"""Lowering: the nodes of an expression, each demanded where it is evaluated, told to a writer.

What is evaluated when, in which scope, and once for which uses, is decided here and by the scopes;
a writer says what a value is (a place of a frame, a variable of Python), and what is written for
each kind. A task is one step of that, on an explicit stack, so nothing is too deep.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from relayish.interpreter.scopes import Activations
from relayish.ir.nodes.node import ATOMS, Node

Value = TypeVar("Value")

Action: TypeAlias = Callable[..., None]
"""``action(writer, node, tail, extra)``; ``tail``: the value of ``node`` is what is returned."""

Task: TypeAlias = tuple[Action, Any, bool, Any]
"""``(action, node, tail, extra)``; Any: the kind of node, and the data of the action."""


class Lowering(Generic[Value]):
    """Writes one expression.

    Attributes:
        scopes: Where each node is evaluated.
        shared: The nodes that several scopes need, each computed once by whoever comes first.
        values: Where the value is of each node that is written by now.
        bound: What variables stand for.
        tasks: What is still to be done, the next at the end.
    """

    def __init__(self, scopes: Activations) -> None:
        self.scopes = scopes
        self.shared = scopes.lifted
        self.values: dict[Node, Value] = {}
        self.bound: dict[Node, Value] = {}
        self.tasks: list[Any] = []  # Any: tasks, and what else a writer leaves there

    def then(self, action: Action, node: Any, tail: bool, extra: Any = None) -> None:
        """Let ``action`` be the next task, in front of all others. Any: as of a task."""
        self.tasks.append((action, node, tail, extra))

    def run(self) -> None:
        """Do all that is to be done."""
        tasks = self.tasks
        while tasks:
            action, node, tail, extra = tasks.pop()
            action(self, node, tail, extra)

    def demand(self, expr: Any, tail: bool, _extra: object = None) -> None:
        """Write what computes ``expr``, unless that is written already. Any: of any kind."""
        if type(expr) not in ATOMS:
            if expr in self.shared:
                self.share(expr, tail)
                return
            if expr not in self.values:
                self.enter(expr, tail)
                return
        if tail:
            self.leave_tail(expr, tail)

    def demand_all(self, exprs: Sequence[Any]) -> None:
        """Let what computes ``exprs`` be the next tasks, in order. Any: of any kind."""
        values, shared, tasks = self.values, self.shared, self.tasks
        for expr in exprs[::-1]:
            if type(expr) not in ATOMS and (expr not in values or expr in shared):
                tasks.append((Lowering.demand, expr, False, None))

    def after(
        self, operands: Sequence[Any], action: Action, node: Any, tail: bool, extra: Any = None
    ) -> None:
        """Let ``action`` follow what computes ``operands``. Any: as of a task."""
        self.tasks.append((action, node, tail, extra))
        self.demand_all(operands)

    @abstractmethod
    def enter(self, expr: Any, tail: bool) -> None:
        """Write what computes ``expr``, whose kind is no atom's. Any: of any kind."""

    @abstractmethod
    def share(self, expr: Any, tail: bool) -> None:
        """Write what has ``expr``, which several scopes need, computed once. Any: as above."""

    @abstractmethod
    def leave_tail(self, expr: Any, _tail: bool, _extra: object = None) -> None:
        """Write that ``expr``, which is computed by now, is what is returned. Any: as above."""

    def bind(self, values: Iterable[tuple[Node, Value]]) -> list[tuple[Node, Value | None]]:
        """Let variables stand for values; return them with what they stood for before."""
        bound, olds = self.bound, []
        for var, value in values:
            olds.append((var, bound.get(var)))
            bound[var] = value
        return olds

    def rebind(self, olds: Sequence[tuple[Node, Value | None]]) -> None:
        """Let variables stand again for what they stood for before."""
        for var, old in reversed(olds):
            self.unbind(var, old)

    def unbind(self, var: Node, old: Value | None) -> None:
        """Let ``var`` stand again for what it stood for before, if it stood for something."""
        if old is None:
            self.bound.pop(var, None)
        else:
            self.bound[var] = old
