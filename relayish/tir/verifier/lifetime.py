"""Lifetimes of memory: allocated once, used while it lives, freed once, as far as that is certain.

The statements are walked in order, and what is known of each buffer that an ``Alloc`` or a ``Free``
names goes with them. Where ways of different states meet, behind branches and loops, nothing
is known and nothing is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import Enum
from typing import Final

from relayish.ir.kinds.one_line import one_line
from relayish.ir.kinds.one_line import one_line_at as at
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, evaluated, operands, scope_roots
from relayish.ir.verification.rules import Report
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.intrinsic import BufferCreate
from relayish.tir.ir.stmt import Alloc, Block, For, Free, IfThenElse, PolyFor
from relayish.tir.ir.tensor import Buffer, BufferRange, Tensor
from relayish.tir.verifier.nodes import ProgramNodes
from relayish.tir.verifier.violation import Rule


class _State(Enum):
    """What is known of the memory of a buffer."""

    NONE = "not allocated"
    LIVE = "allocated"
    FREED = "freed"
    UNKNOWN = "unknown"


def check_lifetimes(nodes: ProgramNodes, report: Report, *, given: Collection[Node]) -> None:
    """Report memory that is certain to be used, allocated or freed while it does not live.

    Args:
        nodes: A function, or a piece of a program.
        report: Takes down what is found.
        given: The buffers of modules around it, which nobody allocates.

    Complexity:
        Linear in distinct nodes where each statement stands in one place; one that stands in
        several is looked at once for each state of memory that it is met in. No recursion.
    """
    root = nodes.root
    allocs = [alloc.destination for alloc in nodes.of(Alloc)]
    frees = [free.destination for free in nodes.of(Free)]
    managed = {buffer for buffer in (*allocs, *frees) if isinstance(buffer, Buffer)}
    if not managed:
        return
    arguments = set(root.args) if isinstance(root, LoweredFunc) else set()
    kept = {buffer for buffer in managed if buffer in arguments or buffer in given}
    named: list[Alloc | Free] = [*nodes.of(Alloc), *nodes.of(Free)]
    for node in named:
        if node.destination in kept:
            report(
                Rule.LIFETIME,
                node,
                f"{one_line(node)} names {one_line(node.destination)}, which is given, not "
                f"allocated; only temporary buffers are allocated and freed",
            )
    managed -= kept
    states: dict[Node, _State] = dict.fromkeys(
        managed, _State.LIVE
    )  # temporaries live, unless an Alloc names them
    states.update({b: _State.NONE for b in allocs if isinstance(b, Buffer) and b in managed})
    if managed:
        _Walk(states, _touching(nodes.order, managed), report).run(root)


def _touching(order: Sequence[Node], managed: Collection[Node]) -> set[Node]:
    """Return the nodes that have to do with a buffer of ``managed``, or hold such nodes."""
    found: set[Node] = set(managed)
    for node in order:
        if not found.isdisjoint(PROGRAM.children(node)):
            found.add(node)
    return found


_Step = Callable[[], None]


class _Walk:
    """A walk of the statements in the order in which they run."""

    def __init__(self, states: dict[Node, _State], touching: set[Node], report: Report) -> None:
        self._states = states
        self._touching = touching
        self._report = report
        self._keys = {
            (buffer, state): hash((number, place))
            for number, buffer in enumerate(states)
            for place, state in enumerate(_State)
        }
        self._key = 0  # that of all states together
        self._seen: set[tuple[Node, int]] = set()
        self._ended_by: dict[Node, Node] = {}
        self._blocks: list[list[Node]] = [[]]
        self._changes: list[dict[Node, _State]] = [{}]
        self._stack: list[Node | _Step] = []

    def run(self, root: Node) -> None:
        """Walk ``root``, and report."""
        stack = self._stack
        stack.append(root)
        while stack:
            each = stack.pop()
            if not isinstance(each, Node):
                each()
                continue
            if each not in self._touching or (each, self._key) in self._seen:
                continue
            self._seen.add((each, self._key))
            _STEPS.get(type(each), _Walk._enter)(self, each)

    def _enter(self, node: Node) -> None:
        """Look at what a node accesses, then go on to what it evaluates."""
        if isinstance(node, BufferCreate | BufferRange):
            return
        inside = evaluated(node)
        for child in inside:
            buffer = child.buffer if isinstance(child, Tensor) else child
            if buffer is not None and buffer in self._states:
                self._use(node, buffer)
        self._stack += [child for child in reversed(inside) if type(child) is not Tensor]

    def _use(self, node: Node, buffer: Node) -> None:
        state = self._states[buffer]
        if state is _State.NONE:
            advice = "allocate it before, in this block or one around"
            self._refuse(node, f"uses {one_line(buffer)}, which is not allocated there; {advice}")
        elif state is _State.FREED:
            freed = at(self._ended_by[buffer])
            self._refuse(node, f"uses {one_line(buffer)} after {freed}; free it later")

    def _block(self, node: Node) -> None:
        """Run statements; what they allocate is freed at the end."""
        self._blocks.append([])
        self._stack.append(self._leave_block)
        self._stack += reversed(scope_roots(node))

    def _leave_block(self) -> None:
        for buffer in self._blocks.pop():
            self._set(buffer, _State.NONE)

    def _alloc(self, node: Node) -> None:
        assert isinstance(node, Alloc)
        buffer = node.destination
        if buffer not in self._states:
            self._enter(node)
            return
        if self._states[buffer] is _State.LIVE:
            self._refuse(
                node,
                f"allocates {one_line(buffer)}, which is allocated already; free it before, or "
                f"allocate it once",
            )
        self._set(buffer, _State.LIVE if node.condition is None else _State.UNKNOWN)
        if node.body is None:
            self._blocks[-1].append(buffer)
            return
        self._stack.append(lambda: self._set(buffer, _State.NONE))
        self._stack.append(node.body)

    def _free(self, node: Node) -> None:
        assert isinstance(node, Free)
        buffer = node.destination
        state = self._states.get(buffer)
        if state is None:
            return
        shown = one_line(buffer)
        if state is _State.NONE:
            self._refuse(node, f"frees {shown}, which is not allocated there; drop it")
        elif state is _State.FREED:
            self._refuse(node, f"frees {shown} after {at(self._ended_by[buffer])}; drop one")
        self._ended_by[buffer] = node
        self._set(buffer, _State.FREED)

    def _loop(self, node: Node) -> None:
        """Run the body once: what it changed is not known afterwards, it may not have run."""
        self._ways([*operands(node), *scope_roots(node)], [])

    def _branch(self, node: Node) -> None:
        """Run one arm or the other."""
        assert isinstance(node, IfThenElse)
        cases = [] if node.false_case is None else [node.false_case]
        self._ways([node.true_case], cases)

    def _ways(self, one: Sequence[Node], other: Sequence[Node]) -> None:
        """Run one of two ways; where they leave different states, nothing is known."""
        stack = self._stack

        def begin() -> None:
            self._changes.append({})

        def turn() -> None:
            ends = self._undo()
            begin()
            stack.append(lambda: self._join(ends))
            stack.extend(reversed(other))

        begin()
        stack.append(turn)
        stack.extend(reversed(one))

    def _join(self, ends: dict[Node, _State]) -> None:
        others = self._undo()
        for buffer in {**ends, **others}:
            before = self._states[buffer]
            one, other = ends.get(buffer, before), others.get(buffer, before)
            self._set(buffer, one if one is other else _State.UNKNOWN)

    def _undo(self) -> dict[Node, _State]:
        """Go back to the states before a way, and return those behind it that are others."""
        ends: dict[Node, _State] = {}
        for buffer, before in self._changes.pop().items():
            state = self._states[buffer]
            if state is not before:
                ends[buffer] = state
                self._put(buffer, before)
        return ends

    def _set(self, buffer: Node, state: _State) -> None:
        """Note the state of a buffer, and which it had before."""
        self._changes[-1].setdefault(buffer, self._states[buffer])
        self._put(buffer, state)

    def _put(self, buffer: Node, state: _State) -> None:
        keys = self._keys
        self._key ^= keys[buffer, self._states[buffer]] ^ keys[buffer, state]
        self._states[buffer] = state

    def _refuse(self, node: Node, found: str) -> None:
        self._report(Rule.LIFETIME, node, f"{one_line(node)} {found}")


_STEPS: Final[dict[type[Node], Callable[[_Walk, Node], None]]] = {
    Block: _Walk._block,  # noqa: SLF001 - this table is part of the class above
    Alloc: _Walk._alloc,  # noqa: SLF001
    Free: _Walk._free,  # noqa: SLF001
    For: _Walk._loop,  # noqa: SLF001
    PolyFor: _Walk._loop,  # noqa: SLF001
    IfThenElse: _Walk._branch,  # noqa: SLF001
}
