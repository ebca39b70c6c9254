"""Which values are still needed after each let, and which variables may share memory.

The analysis is of programs in A-normal form: operands are variables, constants and names. A value
is needed as long as a variable that may hold on to it is: another name for it, a tuple or data made
of it, a view of it, a closure over it, a reference to it, or the result of a call that may return
it. Results of operators other than views and marks are new memory. Of kinds that other packages
declare it is taken that their value may hold on to whatever they are given; unless they are pure,
that anything else may do so from then on.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Final, TypeAlias

from relayish.analysis.marks import is_marked, is_primitive
from relayish.errors import PassError
from relayish.ir.effect import Effect
from relayish.ir.held import scope_fields
from relayish.ir.node import ATOMS, VARIABLES, Node
from relayish.ir.relay.adt import Constructor, Match
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.roles import Role, Runs
from relayish.ir.scoping import has_scopes, operands, scope_roots, scopes
from relayish.ir.traversal import ByKind
from relayish.op import registry

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
        self._value: dict[Node, Node] = {}  # what a variable is bound to, or taken out of
        self._owner: dict[Node, Node] = {}
        self._captured: dict[Node, tuple[Node, ...]] = {}
        self._blocks: dict[Node, _Block] = {}  # by the variables they bind
        self._escaped: set[Node] = set()
        self._home: dict[Node, Node] = {}  # the block a variable is bound in
        self._given_out: dict[Node, list[Node]] = {}
        self._held: dict[Node, list[Node]] = {}
        self._held_by_op: dict[Op, slice] = {}
        self._place_variables()
        self._run(self._walk(func.body, _Block(None, 0)))

    def is_needed_after(self, var: Node, let_var: Node) -> bool:
        """Return whether the value of ``var`` may be used after ``let_var`` was bound.

        Complexity:
            Constant for each block around the let.
        """
        return var in self._escaped or any(
            block.last.get(var, -1) > place for block, place in self._around(let_var)
        )

    def needed_after(self, let_var: Node) -> frozenset[Node]:
        """Return the variables whose values may be used after ``let_var`` was bound."""
        found = set(self._escaped)
        for block, place in self._around(let_var):
            bound = block.bound
            found |= {v for v, last in block.last.items() if last > place >= bound.get(v, -1)}
        return frozenset(found)

    def _around(self, let_var: Node) -> Iterator[tuple[_Block, int]]:
        """Yield the blocks around a let, the innermost first, each with the place in it."""
        block = self._blocks[let_var]
        place = block.bound[let_var]
        yield block, place
        while block.around is not None:
            block, place = block.around, block.place
            yield block, place

    def _origins(self, var: Node) -> tuple[list[Node], tuple[Node, ...]]:
        """Return the variables on the ways to where a value comes from, and these places."""
        names: list[Node] = []
        found: dict[Node, None] = {}
        seen: set[Node] = set()
        stack: list[Node] = [var]
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            held = self._held_by(node)
            if type(node) in VARIABLES:
                names.append(node)
                value = self._value.get(node)
                if value is not None and type(value) in _NEW and not self._held_by(value):
                    held = []
            if not held or _is_foreign(node):
                found[node] = None
            stack += held
        return names, tuple(found)

    def may_overwrite(self, let_var: Node, shared: Node) -> bool:
        """Return whether the value of ``let_var`` may be written where ``shared`` is.

        It may not if what is there is needed later, is constant, or belongs to whoever calls the
        function, unless that is the outermost one, whose parameters are given away.
        """
        owner = self._owner.get(let_var)
        if owner is None or let_var not in self._blocks:
            return False  # in a kernel, or nowhere
        names, places = self._origins(shared)
        for name in names:
            given = name not in self._value and owner is not self._func
            if given or self._owner.get(name) is not owner or self.is_needed_after(name, let_var):
                return False
        return all(type(place) in _NEW or type(place) in VARIABLES for place in places)

    # Where variables are bound, and what functions hold on to

    def _place_variables(self) -> None:
        order = EXPRESSIONS.post_order(self._func)
        order = [node for node in order if type(node) not in _PLAIN]
        for node in order:
            if _is_closure(node):
                self._place_in(node)
        for node in order:
            if type(node) is Let:
                if type(node.value) is Let:
                    self._given_out[node.value] = self._given_out_by((node.value,))
            elif has_scopes(type(node)) and node not in self._captured:
                given = self._given_out_by(_blocks(node))
                self._given_out[node] = [*given, *operands(node)] if _is_foreign(node) else given
        for node in order:
            if type(node) is RefWrite:
                self._hold(node.value, self._escaped)
            elif _is_foreign(node) and node.traits_.effect & ~Effect.READS:
                self._hold(node, self._escaped)

    def _given_out_by(self, blocks: tuple[Node, ...]) -> list[Node]:
        """Return what the results of blocks may hold on to, in terms of what is known outside."""
        found: dict[Node, None] = {}
        for block in blocks:
            tail = block
            while type(tail) is Let:
                self._home[tail.var] = block
                tail = tail.body
            seen: set[Node] = set()
            stack: list[Node] = [tail]
            while stack:
                node = stack.pop()
                if node in seen:
                    continue
                seen.add(node)
                held = self._held_by(node)
                inside = type(node) not in VARIABLES or self._home.get(node) is block
                if inside and held:
                    stack += held
                else:
                    found[node] = None
        return list(found)

    def _place_in(self, func: Node) -> None:
        """Note what is bound in ``func`` itself, and what it uses of functions around it."""
        used: dict[Node, None] = {}
        bound = dict.fromkeys([var for scope in scopes(func) for var in scope.binders])
        captured, values = self._captured, self._value
        for node in EXPRESSIONS.pre_order(_blocks(func), lambda node: node not in captured):
            if type(node) in VARIABLES:
                used[node] = None
            elif type(node) in _PLAIN:
                continue
            elif type(node) is Let:
                bound[node.var] = None
                values[node.var] = node.value
            elif node in captured:
                for held in (node, *operands(node)):
                    own = (held,) if type(held) in VARIABLES else ()
                    used.update(dict.fromkeys(captured.get(held, own)))
            elif _BINDS[type(node)]:
                self._place_binders(node, bound)
        for var in bound:
            self._owner[var] = func
        captured[func] = tuple([var for var in used if var not in bound])

    def _place_binders(self, node: Node, bound: dict[Node, None]) -> None:
        """Note what ``node`` binds in its scopes: what is matched, or part of it, or anything."""
        value = node.data if type(node) is Match else node
        for scope in scopes(node):
            for var in scope.binders:
                bound.setdefault(var)
                self._value[var] = value
                if len(scope.roots) == 1:
                    self._home[var] = scope.roots[0]

    def _held_by(self, node: Node) -> list[Node]:
        """Return what the value of ``node`` may be, or hold on to."""
        if type(node) in VARIABLES:
            value = self._value.get(node)
            return [] if value is None else [value]
        if type(node) is Call:
            return [held for held in self._held_by_call(node) if type(held) is not Op]
        if node in self._captured:
            return [*self._captured[node], *operands(node)]
        if node in self._given_out:
            return self._given_out[node]
        if type(node) is Let or type(node) is RefWrite:
            return []
        if type(node) is TupleGetItem:
            made = self._value.get(node.tuple_value)
            if type(made) is Tuple and 0 <= node.index < len(made.fields):
                return [made.fields[node.index]]
        return [operand for operand in operands(node) if type(operand) is not Op]

    def _held_by_call(self, call: Call) -> tuple[Expr, ...]:
        op = call.op
        if type(op) is Op:
            held = self._held_by_op.get(op)
            if held is None:
                held = self._held_by_op[op] = _held_by_result(op)
            return call.args[held]
        if type(op) is Constructor:
            return call.args
        if is_primitive(op):
            return call.args if is_marked(op, "relay.reshape_only") else ()
        return (op, *call.args)

    def _hold(self, expr: Node, live: set[Node]) -> None:
        """Put the variables that ``expr`` may hold on to into ``live``."""
        seen: set[Node] = set()
        stack: list[Node] = [expr]
        while stack:
            node = stack.pop()
            if node in seen or node in live:
                continue
            seen.add(node)
            if type(node) in VARIABLES:
                live.add(node)
            stack += self._held_by(node)

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
        captured = self._captured
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
            elif type(value) not in _PLAIN:
                yield from self._enter(value, block, place)

    def _enter(self, node: Node, block: _Block, place: int) -> _Step:
        """Note what is used in the blocks that ``node`` evaluates at a place."""
        parts = [(part, _Block(block, place)) for part in _blocks(node)]
        for part, inner in parts:
            yield self._walk(part, inner)
        if _is_foreign(node):
            self._keep_throughout(node, [inner for _, inner in parts])
        last = block.last
        for _, inner in parts:
            for var in inner.last:
                if var not in inner.bound:
                    last.setdefault(var, place)

    def _enclose(self, func: Node, block: _Block, place: int) -> _Step:
        """Note that a function is made at a place, of what it captures."""
        if not is_primitive(func):
            for root in _blocks(func):
                yield self._walk(root, _Block(None, 0))
        for var in self._captured[func]:
            self._use(var, block, place)

    def _keep_throughout(self, node: Node, inner: list[_Block]) -> None:
        """Note that blocks, which run in any order and again, need all that ``node`` is given."""
        used: set[Node] = set()
        for operand in operands(node):
            self._hold(operand, used)
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
                held = held_by[node] = self._held_by(node)
            stack += held


def _is_closure(node: Node) -> bool:
    """Return whether the value of ``node`` is a function made of what is in its scopes."""
    if not _MAY_DEFER[type(node)]:
        return False
    return any(scope.runs is Runs.DEFERRED for scope in scopes(node))


_MAY_DEFER: Final = ByKind(
    lambda kind: any(
        f.runs is Runs.DEFERRED or (f.role is Role.PART and kind is not Match) for f in kind.fields_
    )
)


_BINDS: Final = ByKind(lambda kind: bool(scope_fields(kind).binders or scope_fields(kind).parts))


def _is_foreign(node: Node) -> bool:
    """Return whether ``node`` is of a kind of which no more is known than its declaration."""
    kind = type(node)
    return kind not in _KNOWN and kind not in ATOMS and node.held_as_ is Role.OPERAND


def _blocks(node: Node) -> tuple[Node, ...]:
    """Return what ``node`` evaluates in blocks of their own, where it stands as a value."""
    return (node,) if type(node) is Let else scope_roots(node)


def _operands(expr: Node) -> tuple[Node, ...]:
    """Return what ``expr`` itself takes, checked to be atoms."""
    if type(expr) in ATOMS:
        return (expr,)
    if type(expr) is Let:
        return ()
    taken = operands(expr)
    for operand in taken:
        if type(operand) not in ATOMS and not _is_closure(operand):
            raise PassError(
                f"{operand!r} is an operand of {expr!r}; liveness is known of programs in A-normal "
                f"form, where operands are bound by lets; run ToANormalForm before"
            )
    return taken


def _held_by_result(op: Op) -> slice:
    """Return which of its arguments the result of an operator may hold on to."""
    if op in registry.view:
        return slice(1)
    is_new = op not in registry.mark and op not in registry.non_computational
    return slice(0) if is_new and registry.is_registered(op) else slice(None)


_NEW: Final[frozenset[type[Node]]] = frozenset({Call, Tuple, RefCreate, RefWrite})
"""Kinds of values that are new memory where they hold on to nothing."""
_PLAIN: Final[frozenset[type[Node]]] = frozenset(
    {Call, Constant, Constructor, GlobalVar, Op, RefCreate, RefRead, Tuple, TupleGetItem, Var}
)
"""Kinds of which is known what their values hold on to, and which have no scopes."""
_KNOWN: Final = _PLAIN | {Function, If, Let, Match, RefWrite}
"""Kinds of which is known what their values hold on to, and what they need until when."""
