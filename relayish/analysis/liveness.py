"""Liveness: which values are needed after each let, and which variables may share memory.

The analysis is of programs in A-normal form: operands are variables, constants and names. A value
is needed as long as a variable that may hold on to it is; see :mod:`relayish.analysis.aliasing`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Final, TypeAlias

from relayish.analysis.aliasing import (
    PLAIN,
    Aliases,
    find_inner_blocks,
    is_closure,
    is_foreign,
    is_new,
)
from relayish.analysis.function_attributes import is_primitive
from relayish.errors import PassError
from relayish.ir.node import ATOMS, VARIABLES, Node
from relayish.ir.one_line import describe
from relayish.ir.relay.expr import Function, Let
from relayish.ir.scoping import operands

_ALWAYS: Final = 1 << 62
"""Stands for the last use of what is needed in all of a block, as it may run again."""

_Step: TypeAlias = "Generator[_Step, None, None]"


class _Block:
    """A chain of lets and what it ends in, by position: the lets from 0 on, then the end.

    A value is needed from where it is bound, or from the beginning, to where it is used ``last``.
    """

    __slots__ = ("around", "bound", "last", "place")

    def __init__(self, around: _Block | None, place: int) -> None:
        self.around = around
        self.place = place  # in the block around
        self.bound: dict[Node, int] = {}
        self.last: dict[Node, int] = {}


def analyse_liveness(func: Function) -> Liveness:
    """Return which variables of ``func``, in A-normal form, are needed after each let.

    Raises:
        PassError: If an operand is no atom.

    Complexity:
        Linear in distinct nodes, but that what functions, branches and arms need of the blocks
        around them is counted for each of these; no recursion.

    Source:
        RAF ``LivenessAnalysis``.

    Example:
        >>> from relayish.ir.relay.expr import Call, Var
        >>> from relayish.op.registry import get_op
        >>> x, a, b = Var("x"), Var("a"), Var("b")
        >>> exp = get_op("exp")
        >>> body = Let(a, Call(exp, (x,)), Let(b, Call(exp, (a,)), b))
        >>> found = analyse_liveness(Function((x,), body))
        >>> found.is_needed_after(a, a), found.is_needed_after(a, b), found.is_needed_after(x, a)
        (True, False, False)
    """
    return Liveness(func)


class Liveness:
    """What is needed when; made by :func:`analyse_liveness`."""

    def __init__(self, func: Function) -> None:
        self._func = func
        self._aliases = Aliases(func)
        self._blocks: dict[Node, _Block] = {}  # by the variables they bind
        self._held: dict[Node, list[Node]] = {}
        self._run(self._walk(func.body, _Block(None, 0)))

    def is_needed_after(self, var: Node, let_var: Node) -> bool:
        """Return whether the value of ``var`` may be used after ``let_var`` was bound.

        Complexity:
            Constant for each block around the let.
        """
        return var in self._aliases.escaped or any(
            block.last.get(var, -1) > place for block, place in self._iterate_around(let_var)
        )

    def needed_after(self, let_var: Node) -> frozenset[Node]:
        """Return the variables whose values may be used after ``let_var`` was bound."""
        found = set(self._aliases.escaped)
        for block, place in self._iterate_around(let_var):
            bound = block.bound
            found |= {v for v, last in block.last.items() if last > place >= bound.get(v, -1)}
        return frozenset(found)

    def _iterate_around(self, let_var: Node) -> Iterator[tuple[_Block, int]]:
        """Yield the blocks around a let, the innermost first, each with the place in it."""
        block = self._blocks[let_var]
        place = block.bound[let_var]
        yield block, place
        while block.around is not None:
            block, place = block.around, block.place
            yield block, place

    def may_overwrite(self, let_var: Node, shared: Node) -> bool:
        """Return whether the value of ``let_var`` may be written where ``shared`` is.

        It may not if what is there is needed later, is constant, or belongs to whoever calls the
        function, unless that is the outermost one, whose parameters are given away.
        """
        owner_of = self._aliases.owner
        owner = owner_of(let_var)
        if owner is None or let_var not in self._blocks:
            return False  # in a kernel, or nowhere
        names, places = self._aliases.origins(shared)
        for name in names:
            given = self._aliases.is_given(name) and owner is not self._func
            if given or owner_of(name) is not owner or self.is_needed_after(name, let_var):
                return False
        return all(is_new(place) or type(place) in VARIABLES for place in places)

    # What is needed after each let: blocks are walked backwards

    def _run(self, step: _Step) -> None:
        """Walk a block, and those it waits for, on a stack of our own."""
        stack = [step]
        while stack:
            inner = next(stack[-1], None)
            if inner is None:
                stack.pop()
            else:
                stack.append(inner)

    def _walk(self, expr: Node, block: _Block) -> _Step:
        """Find out where in a block each value is used last."""
        lets: list[Let] = []
        while type(expr) is Let:
            self._blocks[expr.var] = block
            block.bound[expr.var] = len(lets)
            lets.append(expr)
            expr = expr.body
        captured = self._aliases.captured
        values = [*[let.value for let in lets], expr]
        for place in range(len(lets), -1, -1):
            value = values[place]
            shared = lets[place].var.may_share if place < len(lets) else None
            if shared is not None:
                self._use(shared, block, place)
            for operand in () if type(value) is Function else _operands(value):
                if type(operand) in VARIABLES:
                    self._use(operand, block, place)
                elif operand in captured:
                    yield from self._enclose(operand, block, place)
            if value in captured:
                yield from self._enclose(value, block, place)
            elif not PLAIN[type(value)]:
                yield from self._enter(value, block, place)

    def _enter(self, node: Node, block: _Block, place: int) -> _Step:
        """Note what is used in the blocks that ``node`` evaluates at a place."""
        parts = [(part, _Block(block, place)) for part in find_inner_blocks(node)]
        for part, inner in parts:
            yield self._walk(part, inner)
        if is_foreign(node):
            self._keep_throughout(node, [inner for _, inner in parts])
        last = block.last
        for _, inner in parts:
            for var in inner.last:
                if var not in inner.bound:
                    last.setdefault(var, place)

    def _enclose(self, func: Node, block: _Block, place: int) -> _Step:
        """Note that a function is made at a place, of what it captures."""
        if not is_primitive(func):
            for root in find_inner_blocks(func):
                yield self._walk(root, _Block(None, 0))
        for var in self._aliases.captured[func]:
            self._use(var, block, place)

    def _keep_throughout(self, node: Node, inner: list[_Block]) -> None:
        """Note that blocks, which run in any order and again, need all that ``node`` is given."""
        used: set[Node] = set()
        for operand in operands(node):
            self._aliases.hold(operand, used)
        for block in inner:
            used.update([var for var in block.last if var not in block.bound])
        for block in inner:
            block.last.update(dict.fromkeys([v for v in used if v not in block.bound], _ALWAYS))

    def _use(self, var: Node, block: _Block, place: int) -> None:
        """Note that ``var``, and with it all that it may hold on to, is used at a place."""
        last = block.last
        if var in last:
            return
        held_by = self._held
        seen: set[Node] = set()
        stack: list[Node] = [var]
        while stack:
            node = stack.pop()
            if node in seen or node in last:
                continue
            seen.add(node)
            if type(node) in VARIABLES:
                last[node] = place
            held = held_by.get(node)
            if held is None:
                held = held_by[node] = self._aliases.find_held(node)
            stack += held


def _operands(expr: Node) -> tuple[Node, ...]:
    """Return what ``expr`` itself takes, checked to be atoms."""
    if type(expr) in ATOMS:
        return (expr,)
    if type(expr) is Let:
        return ()
    taken = operands(expr)
    for operand in taken:
        if type(operand) not in ATOMS and not is_closure(operand):
            raise PassError(
                f"{describe(operand)} is an operand of {describe(expr)}; liveness is known of "
                f"programs in A-normal form, where operands are bound by lets; run ToANormalForm "
                f"before"
            )
    return taken
