"""Value numbering: one representative for expressions that are computed alike.

Two expressions of one representative have one value where they are evaluated in the same state:
variables count by identity, everything else by its operator and the numbers of its operands.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Hashable, Sequence
from typing import Final

from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.getters import compile_getter
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.scoping import evaluated, has_scopes
from relayish.tir.externs import find_extern
from relayish.tir.ir.expr import Call
from relayish.tir.ir.operators import BinaryOpNode, Expr
from relayish.tir.ir.tensor import Buffer, Tensor, Var
from relayish.tir.ir.traversal import NODES


class ValueNumbers:
    """A table of expressions that were numbered, and of what they mention.

    Complexity:
        Each distinct node is looked at once, however often it is asked for; no recursion.
    """

    __slots__ = ("_by_key", "_impure", "_number", "_variables")

    def __init__(self) -> None:
        self._number: dict[Node, Expr] = {}
        self._by_key: dict[Hashable, Expr] = {}
        self._variables: dict[Node, frozenset[Var] | None] = {}
        self._impure: dict[Node, bool] = {}

    def number(self, expr: Expr) -> Expr:
        """Return the representative of ``expr``: the first expression that was computed so."""
        found = self._number.get(expr)
        if found is not None:
            return found
        known, stack = self._number, [expr]
        while stack:
            node = stack[-1]
            if node in known:
                stack.pop()
                continue
            below = [each for each in _operands(node) if each not in known]
            if below and _is_determined(node):
                stack += below
                continue
            self._enter(stack.pop())
        return known[expr]

    def _enter(self, node: Expr) -> Expr:
        key = self._key(node)
        found = node if key is None else self._by_key.setdefault(key, node)
        self._number[node] = found
        return found

    def stable_variables(self, expr: Expr) -> frozenset[Var] | None:
        """Return the variables on which the value of ``expr`` depends; ``None``: on memory as well.

        Complexity:
            Linear in the distinct nodes that were not asked for before, times their variables.
        """
        if expr not in self._variables:
            for node in NODES.order_after(expr, self._before_variables):
                if node not in self._variables:
                    self._variables[node] = self._variables_of(node)
        return self._variables[expr]

    def is_impure(self, expr: Expr) -> bool:
        """Return whether evaluating ``expr`` may do anything but read: then it has no one value."""
        if expr not in self._impure:
            impure = self._impure
            for node in NODES.order_after(expr, self._below):
                if node not in impure:
                    below = self._below(node)
                    impure[node] = _is_impure_by_itself(node) or any(impure[e] for e in below)
        return self._impure[expr]

    def _below(self, node: Node) -> Sequence[Node]:
        if node in self._impure or isinstance(node, (Var, Tensor)):
            return ()
        return evaluated(node)

    def _before_variables(self, node: Node) -> tuple[Expr, ...]:
        return () if node in self._variables or not _is_determined(node) else _operands(node)

    def _key(self, node: Expr) -> Hashable | None:
        kind = type(node)
        if isinstance(node, Tensor):
            return (kind.visit_name, node.name, node.buffer)
        if not _is_determined(node):
            return None
        if _IS_BINARY[kind]:
            assert isinstance(node, BinaryOpNode)
            return (kind.visit_name, self._number[node.a], self._number[node.b])
        if not _HOLDS_NODES[kind]:
            return (kind.visit_name, *map(_exact, _LEAVES[kind](node)))
        parts: list[Hashable] = [kind.visit_name]
        for declared in kind.fields_:
            if not declared.compared:
                continue
            value = getattr(node, declared.name)
            if declared.kind is not None:
                value = tuple([self._number[each] for each in _each(value)])
            parts.append(_exact(value))
        return tuple(parts)

    def _variables_of(self, node: Node) -> frozenset[Var] | None:
        if isinstance(node, Var):
            return frozenset((node,))
        kind = type(node)
        if not _is_determined(node) or kind.traits_.effect is Effect.READS:
            return None
        found = frozenset[Var]()
        for each in _operands(node):
            mentioned = self._variables[each]
            if mentioned is None:
                return None
            found = found | mentioned if mentioned else found
        return found


def is_pure_call(node: Node) -> bool:
    """Return whether ``node`` is a call that does nothing but give a value of its arguments."""
    if not isinstance(node, Call) or node.write_args or node.func is not None:
        return False
    found = find_extern(node.name, node.call_type)
    return found is not None and found.is_pure


def _is_impure_by_itself(node: Node) -> bool:
    return bool(type(node).traits_.effect & ~Effect.READS) and not is_pure_call(node)


def _is_determined(node: Node) -> bool:
    """Return whether a node is determined by operands that are expressions, and says so."""
    return bool(_IS_OPERATOR[type(node)]) or is_pure_call(node)


def _each(value: object) -> tuple[Expr, ...]:
    if value is None:
        return ()
    if isinstance(value, tuple):
        return value
    assert isinstance(value, Expr)
    return (value,)


def _operands(node: Node) -> tuple[Expr, ...]:
    found: tuple[Expr, ...] = _HELD[type(node)](node)
    return found


def _exact(value: object) -> Hashable:
    """Return what tells the value of a field from others: of a float its bits."""
    return struct.pack("d", value) if isinstance(value, float) else value


def _is_operator(kind: type[Node]) -> bool:
    """Return whether nodes of class ``kind`` are determined by operands that are expressions."""
    if not issubclass(kind, Expr) or issubclass(kind, (Var, Buffer, Tensor)) or has_scopes(kind):
        return False
    if kind.traits_.effect & ~Effect.READS:
        return False
    return all(
        f.kind is None or (f.role is Role.OPERAND and issubclass(f.kind, Expr))
        for f in kind.fields_
        if f.compared
    )


_IS_OPERATOR: Final = ByKind(_is_operator)
_IS_BINARY: Final = ByKind(
    lambda kind: issubclass(kind, BinaryOpNode) and kind.fields_ == BinaryOpNode.fields_
)
_HELD: Final = ByKind(
    lambda kind: compile_getter([f for f in kind.fields_ if f.kind is not None and f.compared])
)
_HOLDS_NODES: Final = ByKind(lambda kind: any(f.kind is not None for f in kind.fields_))
_LEAVES: Final = ByKind(
    lambda kind: operator.attrgetter("visit_name", *[f.name for f in kind.fields_ if f.compared])
)
