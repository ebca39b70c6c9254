"""Compilation of the loop IR to units: the state that the rules of all kinds share.

A rule compiles nodes of one kind. It is a generator: it yields the nodes below, is sent the names
of their values, adds lines and returns the name of its own value. So rules read as if they
recursed, and use no Python stack.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import Any, Final, TypeAlias

import numpy as np

from relayish._support.division import divide, remainder
from relayish.errors import EvaluationError, LifetimeError, TypeConfusionError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node
from relayish.tir.interpreter import failures
from relayish.tir.interpreter.failures import Refusal
from relayish.tir.interpreter.numbers import divide_exactly, truncate
from relayish.tir.interpreter.unit import Unit, Watched
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Var

MAX_LOOPS: Final = 14
"""How many loops a unit nests; Python allows 20."""
MAX_INDENT: Final = 40
"""How many blocks of any kind; Python allows 100."""

Task: TypeAlias = Generator[Node, str, str]
Rule: TypeAlias = Callable[[Any, Any], "Task | str"]
"""``rule(compiler, node)``: a generator, or the name of the value; Any: nodes of one kind."""

RULES: Final[KindTable[Rule]] = KindTable("the interpreter of the loop IR", "relay.tir.PRIMITIVES")
"""How nodes of each kind are compiled; further operators are primitives, which expand."""

LIBRARY: Final[dict[str, object]] = {
    "divide": divide,
    "divide_exactly": divide_exactly,
    "remainder": remainder,
    "truncate": truncate,
    "refuse": failures.refuse,
    "outside": failures.outside,
    "beyond": failures.beyond,
    "unread": failures.unread,
    "unset": failures.unset,
    "fmod": np.fmod,
}
"""What lines of units may name."""


class Binding:
    """A scalar variable: its local name in the unit that binds it, and its slot of the frame.

    Attributes:
        slot: Where other units find it; ``None`` while none asks.
        is_assigned: Whether statements store to it; then it lives in the frame alone.
        may_be_unset: Whether it may be read before it has a value.
    """

    __slots__ = ("at", "indent", "is_assigned", "local", "may_be_unset", "slot", "unit")

    def __init__(self, unit: Unit, local: str, at: int) -> None:
        self.unit = unit
        self.local = local
        self.at = at
        self.indent = unit.indent
        self.slot: int | None = None
        self.is_assigned = False
        self.may_be_unset = False


class Place:
    """Where units find the memory of a buffer.

    Attributes:
        slot: Of the frame.
        moves: Whether it is allocated or freed while the function runs.
        is_given: Whether it is somebody else's, who is not to allocate or free it.
        is_tracked: Whether elements may hold nothing.
    """

    __slots__ = ("is_given", "is_tracked", "moves", "slot")

    def __init__(self, slot: int, *, moves: bool, is_given: bool, is_tracked: bool) -> None:
        self.slot = slot
        self.moves = moves
        self.is_given = is_given
        self.is_tracked = is_tracked


class Opened:
    """What a block declares: variables, and what they were before; memory that ends with it."""

    __slots__ = ("places", "unit", "variables")

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.variables: list[tuple[Var, Binding | None]] = []
        self.places: list[Place] = []


class Compiler:
    """Compiles one function, statement or expression.

    Attributes:
        functions: What calls may name.
        unit: The unit that lines are added to.
        places: The buffers that are known.
        slots: How many slots the frame has.
        stored: The variables that statements assign to.
        memo: The names of the expressions that were computed for this statement.
        candidates: The loops that may run in lockstep.
        expansions: How many expansions of primitives are under way.
        inlining: The operations of tensors that are being compiled where they are used.
        inlined: Units that compute elements of such tensors, and the version they are of.
        version: Of what variables are bound.
        layouts: Where the elements of tensors are, of those of constant layouts.
        opened: The blocks that enclose what is compiled.
    """

    def __init__(self, functions: Mapping[str, Any]) -> None:
        self.functions = functions
        self.unit = Unit()
        self.places: dict[Buffer, Place] = {}
        self.slots = 0
        self.stored: frozenset[Var] = frozenset()
        self.memo: dict[Node, str] = {}
        self.opened: list[Opened] = []
        self.layouts: dict[Node, object] = {}
        self.candidates: frozenset[Node] = frozenset()
        self.inlining: dict[Node, None] = {}
        self.inlined: dict[Node, tuple[int, Unit]] = {}
        self._versions = count(1)
        self.version = 0
        self.expansions = 0
        self._bound: dict[Var, Binding] = {}

    # -- the walk -------------------------------------------------------------------------------

    def compile(self, root: Node) -> str:
        """Compile ``root`` into the unit, and return the name of its value."""
        return self.run(self._root(root), root)

    def _root(self, root: Node) -> Task:
        return (yield root)

    def run(self, task: Task, node: Node) -> str:
        """Compile what ``task``, a rule for ``node``, yields, and return the name of its value."""
        waiting: list[tuple[Task, Node]] = []
        made: str | None = None
        while True:
            self.unit.node = node
            try:
                wanted = task.send(made)  # type: ignore[arg-type] # None begins it
            except StopIteration as stop:
                made = str(stop.value)
            except EvaluationError as error:
                made = self._refuse(node, error)
            else:
                made = self.memo.get(wanted)
                if made is not None:
                    continue
                begun = self._begin(wanted)
                if isinstance(begun, str):
                    made = begun
                else:
                    waiting.append((task, node))
                    task, node = begun, wanted
                continue
            if not waiting:
                return made
            if isinstance(node, Expr):
                self.memo[node] = made
            task, node = waiting.pop()

    def _begin(self, node: Node) -> Task | str:
        unit = self.unit
        if isinstance(node, Stmt) and (unit.loops >= MAX_LOOPS or unit.indent >= MAX_INDENT):
            return self._outlined(node)
        unit.node = node
        try:
            return RULES[type(node)](self, node)
        except EvaluationError as error:
            return self._refuse(node, error)

    def _refuse(self, node: Node, error: EvaluationError) -> str:
        """Add a line that raises what a rule found."""
        self.unit.node = node
        self.unit.line(f"refuse({self.unit.capture(Refusal(error))})")
        return "None"

    def _outlined(self, node: Node) -> Task:
        with self.new_unit() as unit:
            yield node
        self.unit.line(self.call(unit))
        return "None"

    # -- units ----------------------------------------------------------------------------------

    @contextmanager
    def new_unit(self, params: Sequence[str] = ()) -> Iterator[Unit]:
        """Add lines to a new unit, for a while."""
        before, memo = self.unit, self.memo
        self.unit, self.memo = Unit(tuple(params)), {}
        self.unit.node = before.node
        try:
            yield self.unit
        finally:
            self.unit, self.memo = before, memo

    def call(self, unit: Unit, args: Sequence[str] = ()) -> str:
        """Return the text of a call of a unit that is complete."""
        function = unit.finish(LIBRARY)
        text = f"{self.unit.capture(function, 'u')}({', '.join(('r', *args))})"
        if unit.yields:
            self.unit.yields = True
            return f"(yield {text})"
        self.unit.height = max(self.unit.height, unit.height + 1)
        return text

    @contextmanager
    def indented(self, head: str, *, loops: int = 0) -> Iterator[None]:
        """Add lines below ``head``; what they compute is not known outside."""
        unit = self.unit
        unit.line(head)
        first = len(unit.lines)
        outer = self.memo
        self.memo = dict(outer) if len(outer) < 64 else {}  # the rest is computed again
        unit.indent += 1
        unit.loops += loops
        try:
            yield
        finally:
            if all(unit.lines[at] is None for at in range(first, len(unit.lines))):
                unit.line("pass")
            unit.indent -= 1
            unit.loops -= loops
            self.memo = outer

    @contextmanager
    def nested(self, heads: Sequence[str]) -> Iterator[None]:
        """Add lines within loops, outermost first."""
        with ExitStack() as stack:
            for head in heads:
                stack.enter_context(self.indented(head, loops=1))
            yield

    # -- variables ------------------------------------------------------------------------------

    @contextmanager
    def bound(self, var: Var, local: str) -> Iterator[None]:
        """Bind a variable to a local name, which has its value from here on, for a while."""
        unit, first = self.unit, len(self.unit.lines)
        before = self.bind(var, Binding(unit, local, unit.reserve()))
        if before is not None:
            self.memo = {}  # what was computed of the other one
        try:
            yield
        finally:
            unit.watched.append(Watched(var, local, first, len(unit.lines)))
            self.unbind(var, before)

    @contextmanager
    def bound_all(self, variables: Sequence[Var], names: Sequence[str]) -> Iterator[None]:
        """Bind variables to local names for a while."""
        with ExitStack() as stack:
            for var, name in zip(variables, names, strict=True):
                stack.enter_context(self.bound(var, name))
            yield

    def bind(self, var: Var, binding: Binding) -> Binding | None:
        """Bind a variable, and return what it was before."""
        self.version = next(self._versions)
        before = self._bound.get(var)
        self._bound[var] = binding
        return before

    def unbind(self, var: Var, before: Binding | None) -> None:
        """Let a variable be what it was before."""
        self.version = next(self._versions)
        if before is None:
            del self._bound[var]
        else:
            self._bound[var] = before

    def new_slot(self) -> int:
        """Return a further slot of the frame."""
        self.slots += 1
        return self.slots - 1

    def slot(self, at: int) -> str:
        """Return the text for a slot of the frame."""
        return f"r[{self.unit.capture(at)}]"

    def binding_of(self, var: Var) -> Binding:
        """Return how a variable is bound.

        Raises:
            EvaluationError: If it is not.
        """
        found = self._bound.get(var)
        if found is None:
            raise EvaluationError(
                f"variable {var.name} has no value here; bind it by a loop, a block, Let or an "
                f"argument, or give its value"
            )
        return found

    def peek_variable(self, var: Var) -> str:
        """Return the text of what a variable holds, ``None`` if nothing yet."""
        found = self.binding_of(var)
        if found.is_assigned:
            assert found.slot is not None
            return self.slot(found.slot)
        return self.read_variable(var)

    def read_variable(self, var: Var) -> str:
        """Return the name of the value of a variable."""
        found = self.binding_of(var)
        unit = self.unit
        if found.is_assigned:
            assert found.slot is not None
            name = unit.assign(self.slot(found.slot))
            if found.may_be_unset:
                unit.line(f"if {name} is None: unset({unit.capture(var.name)})")
            return name
        if found.unit is unit:
            return found.local
        if found.slot is None:
            found.slot = self.new_slot()
            home, self.unit = self.unit, found.unit
            self.unit.fill(found.at, found.indent, f"{self.slot(found.slot)} = {found.local}")
            self.unit = home
        slot = found.slot
        return unit.at_start(found, lambda: self.slot(slot))

    # -- memory ---------------------------------------------------------------------------------

    def place_of(self, buffer: Buffer) -> Place:
        """Return where the memory of a buffer is found.

        Raises:
            LifetimeError: If it has none.
        """
        found = self.places.get(buffer)
        if found is None:
            raise LifetimeError(
                f"buffer {buffer.name} has no memory here; let it be an argument or a temporary "
                f"of the function, or a buffer of the module"
            )
        return found

    def memory(self, buffer: Buffer) -> str:
        """Return the name of the memory of a buffer, which may have none at the moment."""
        return self.memory_at(self.place_of(buffer))

    def memory_at(self, place: Place) -> str:
        """Return the name of the memory at a place."""
        return self.unit.at_start(place, lambda: self.slot(place.slot))

    def data(self, buffer: Buffer) -> tuple[str, str | None]:
        """Return the names of the elements of a buffer, and of its mask if it has one."""
        place, memory, unit = self.place_of(buffer), self.memory(buffer), self.unit
        if place.moves:
            data = unit.assign(f"{memory}.data")
            unit.line(f"if {data} is None: raise {memory}.missing()")
            return data, unit.assign(f"{memory}.mask")
        data = unit.at_start((place, "data"), lambda: f"{memory}.data")
        if not place.is_tracked:
            return data, None
        return data, unit.at_start((place, "mask"), lambda: f"{memory}.mask")


def each(exprs: Sequence[Expr]) -> Generator[Node, str, list[str]]:
    """Compile expressions, and return the names of their values."""
    names = []
    for expr in exprs:
        names.append((yield expr))  # noqa: PERF401 - a comprehension cannot yield
    return names


def require(found: bool, message: Callable[[], str]) -> None:
    """Raise unless types are as they should be."""
    if not found:
        raise TypeConfusionError(message())


def require_index(index: Expr) -> None:
    """Raise unless an expression can be an index, or the bound of a loop."""
    require(
        index.type.is_integer and not index.type.is_bool,
        lambda: f"{one_line(index)} is of type {index.type}; an index is an integer",
    )
