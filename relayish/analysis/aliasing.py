"""Alias analysis: what the value of an expression may be, or hold on to.

The analysis is of programs in A-normal form: operands are variables, constants and names. A
variable may stand for another one, for a tuple or data made of it, a view of it, a closure over it,
a reference to it, or the result of a call that may return it. Results of operators other than views
and marks are new memory. Of kinds that other packages declare it is taken that their value may hold
on to whatever they are given; unless they are pure, that anything else may do so from then on.
"""

from __future__ import annotations

from typing import Final

from relayish._support.graph import reachable
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Role, Runs
from relayish.ir.nodes.getters import scope_fields
from relayish.ir.nodes.node import ATOMS, VARIABLES, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.relay.adt import Constructor, Match
from relayish.ir.relay.expr import (
    Call,
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
from relayish.ir.relay.function_attributes import RESHAPE_ONLY, is_marked, is_primitive
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.tuples import leaf_types
from relayish.ir.relay.type import TensorType
from relayish.ir.scopes.scoping import has_scopes, operands, scope_roots, scopes
from relayish.op.declaration import properties, registry


class Aliases:
    """What the values in one function may hold on to.

    Args:
        func: A function in A-normal form.

    Attributes:
        captured: For each function inside, the variables of functions around it that it uses.
        escaped: The variables whose values are known elsewhere from some point on.

    Complexity:
        Linear in distinct nodes, but that what functions, branches and arms need of the blocks
        around them is counted for each of these; no recursion.
    """

    def __init__(self, func: Function) -> None:
        self.captured: dict[Node, tuple[Node, ...]] = {}
        self.escaped: set[Node] = set()
        self._value: dict[Node, Node] = {}  # what a variable is bound to, or taken out of
        self._owner: dict[Node, Node] = {}  # the function a variable is bound in
        self._home: dict[Node, Node] = {}  # the block a variable is bound in
        self._given_out: dict[Node, list[Node]] = {}
        self._held_by_op: dict[Op, slice] = {}
        self._storing: set[Node] = set()  # the functions inside that may store something
        self._bound_to: dict[Node, Node] = {}  # what variables are bound to in the end
        self._place_variables(func)

    def owner(self, var: Node) -> Node | None:
        """Return the function that binds ``var``; ``None`` in a kernel, or for a free variable."""
        return self._owner.get(var)

    def is_given(self, var: Node) -> bool:
        """Return whether the value of ``var`` is not known here, as that of a parameter is not."""
        return var not in self._value

    def find_held(self, node: Node) -> list[Node]:
        """Return what the value of ``node`` may be, or hold on to."""
        if type(node) in VARIABLES:
            value = self._value.get(node)
            return [] if value is None else [value]
        if type(node) is Call:
            return [held for held in self._find_held_by_call(node) if type(held) is not Op]
        if node in self.captured:
            return [*self.captured[node], *operands(node)]
        if node in self._given_out:
            return self._given_out[node]
        if type(node) is Let or type(node) is RefWrite:
            return []
        if type(node) is TupleGetItem:
            made = self._value.get(node.tuple_value)
            if type(made) is Tuple and 0 <= node.index < len(made.fields):
                return [made.fields[node.index]]
        return [operand for operand in operands(node) if type(operand) is not Op]

    def hold(self, expr: Node, live: set[Node]) -> None:
        """Put the variables that ``expr`` may hold on to into ``live``."""
        held = reachable([expr], lambda node: () if node in live else self.find_held(node))
        live.update([node for node in held if type(node) in VARIABLES])

    def origins(self, var: Node) -> tuple[list[Node], list[Node]]:
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
            held = self.find_held(node)
            if type(node) in VARIABLES:
                names.append(node)
                value = self._value.get(node)
                if value is not None and type(value) in _NEW and not self.find_held(value):
                    held = []
            elif type(node) is RefRead or may_store(node):
                names += self.escaped  # it may be whatever was stored
            if not held or is_foreign(node):
                found[node] = None
            stack += held
        return names, list(found)

    # Where variables are bound, and what functions hold on to

    def _place_variables(self, func: Function) -> None:
        order = EXPRESSIONS.post_order(func)
        calls = [n for n in order if type(n) is Call and type(n.op) is not Op]
        order = [n for n in order if not PLAIN[type(n)]]
        for node in order:
            if is_closure(node):
                self._place_in(node)
        for node in order:
            if type(node) is Let:
                if type(node.value) is Let:
                    self._given_out[node.value] = self._find_given_out((node.value,))
            elif has_scopes(type(node)) and node not in self.captured:
                given = self._find_given_out(find_inner_blocks(node))
                self._given_out[node] = [*given, *operands(node)] if is_foreign(node) else given
        for node in order:
            if type(node) is RefWrite:
                self.hold(node.value, self.escaped)
            elif is_foreign(node) and node.traits_.effect & ~Effect.READS:
                self.hold(node, self.escaped)
        for call in calls:
            if self._may_store_arguments(call):
                self.hold(call, self.escaped)

    def _find_given_out(self, blocks: tuple[Node, ...]) -> list[Node]:
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
                held = self.find_held(node)
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
        captured, values = self.captured, self._value
        for node in EXPRESSIONS.pre_order(
            find_inner_blocks(func), lambda node: node not in captured
        ):
            if type(node) in VARIABLES:
                used[node] = None
            elif PLAIN[type(node)]:
                if type(node) is Call and may_store(node):
                    self._storing.add(func)
            elif may_store(node):
                self._storing.add(func)
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

    def _may_store_arguments(self, call: Call) -> bool:
        """Return whether what ``call`` calls may store what it is given, or holds on to."""
        if not may_store(call):
            return False
        if type(call.op) is GlobalVar:
            return passes_places(call)
        func = self._find_bound(call.op)
        return func not in self.captured or func in self._storing

    def _find_bound(self, node: Node) -> Node:
        """Return what a variable is bound to, by way of others; else ``node`` itself."""
        way: list[Node] = []
        while type(node) in VARIABLES and node not in self._bound_to:
            self._bound_to[node] = node  # for variables that are bound to themselves
            way.append(node)
            node = self._value.get(node, node)
        found = self._bound_to.get(node, node)
        self._bound_to.update(dict.fromkeys(way, found))
        return found

    def _find_held_by_call(self, call: Call) -> tuple[Expr, ...]:
        op = call.op
        if type(op) is Op:
            held = self._held_by_op.get(op)
            if held is None:
                held = self._held_by_op[op] = _find_held_args(op)
            return call.args[held]
        if type(op) is Constructor:
            return call.args
        if is_primitive(op):
            return call.args if is_marked(op, RESHAPE_ONLY) else ()
        return (op, *call.args)


def may_store(node: Node) -> bool:
    """Return whether evaluating ``node`` itself may store a value where others find it.

    That may a call of whatever is no operator, and a kind of which no more is known.
    """
    if type(node) is Call:
        return type(node.op) not in (Op, Constructor) and not is_primitive(node.op)
    if type(node) is RefWrite:
        return True
    return is_foreign(node) and bool(node.traits_.effect & ~Effect.READS)


def passes_places(call: Call) -> bool:
    """Return whether an argument of ``call`` may refer to a place where a value can be stored.

    Where no type says that they are all tensors, or tuples of these, one may.
    """
    for arg in call.args:
        annotation = arg.type_annotation if isinstance(arg, Var) else None
        ty = annotation if arg.checked_type is None else arg.checked_type
        if ty is None or any(type(leaf) is not TensorType for leaf in leaf_types(ty)):
            return True
    return False


def is_new(value: Node) -> bool:
    """Return whether ``value`` is new memory where it holds on to nothing."""
    return type(value) in _NEW


def is_closure(node: Node) -> bool:
    """Return whether the value of ``node`` is a function made of what is in its scopes."""
    if not _MAY_DEFER[type(node)]:
        return False
    return any(scope.runs is Runs.DEFERRED for scope in scopes(node))


def may_defer(kind: type[Node]) -> bool:
    """Return whether the values of nodes of class ``kind`` may be such functions."""
    found: bool = _MAY_DEFER[kind]
    return found


_MAY_DEFER: Final = ByKind(
    lambda kind: any(
        f.runs is Runs.DEFERRED or (f.role is Role.PART and kind is not Match) for f in kind.fields_
    )
)


_BINDS: Final = ByKind(lambda kind: bool(scope_fields(kind).binders or scope_fields(kind).parts))


def is_foreign(node: Node) -> bool:
    """Return whether ``node`` is of a kind of which no more is known than its declaration."""
    kind = type(node)
    return kind not in _KNOWN and kind not in ATOMS and node.held_as_ is Role.OPERAND


def find_inner_blocks(node: Node) -> tuple[Node, ...]:
    """Return what ``node`` evaluates in blocks of their own, where it stands as a value."""
    return (node,) if type(node) is Let else scope_roots(node)


def _find_held_args(op: Op) -> slice:
    """Return which of its arguments the result of an operator may hold on to."""
    if op in properties.view:
        return slice(1)
    is_new = op not in properties.mark and op not in properties.non_computational
    return slice(0) if is_new and registry.is_registered(op) else slice(None)


_NEW: Final[frozenset[type[Node]]] = frozenset({Call, Tuple, RefCreate, RefWrite})
_KNOWN: Final[frozenset[type[Node]]] = frozenset(
    {Call, Function, If, Let, Match, RefCreate, RefRead, RefWrite, Tuple, TupleGetItem}
)
"""Relay's kinds that compute: what their values hold on to, and need until when, is told here."""
PLAIN: Final = ByKind(
    lambda kind: kind in ATOMS or (kind in _KNOWN - {RefWrite} and not has_scopes(kind))
)
"""Whether nodes of a kind have no scopes, and nothing but their value holds on to anything."""
