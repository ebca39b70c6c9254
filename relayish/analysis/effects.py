"""What evaluating an expression may do beside giving a value.

Each node has a summary: what evaluating it may do, and what calling its value may do, once, twice
and further times over. Summaries are sets of effects packed into one integer, joined by ``|``;
they start empty and grow, which makes recursion a plain fixpoint.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from enum import IntFlag
from typing import Any, Final

from relayish.ir.adt import Constructor, Match, PatternVar
from relayish.ir.expr import (
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
from relayish.ir.module import IRModule
from relayish.ir.node import Node
from relayish.ir.traversal import EXPRESSIONS, PATTERNS
from relayish.op import registry


class Effect(IntFlag):
    """What an evaluation may do; no flag at all means that only its value counts."""

    NONE = 0
    READS = 1  # the content of a reference
    WRITES = 2  # the content of a reference
    STATE = 4  # the state of an operator: random numbers, devices, memory
    UNKNOWN = 8  # a function that is not known here


def has_effect(expr: Expr, mod: IRModule | None = None) -> bool:
    """Return whether evaluating ``expr`` may do more than give a value.

    Example:
        >>> x = Var("x")
        >>> has_effect(RefCreate(x)), has_effect(RefRead(x)), has_effect(Call(x, ()))
        (False, True, True)
    """
    return analyse_effects(expr, mod).of(expr) != Effect.NONE


def analyse_effects(expr: Expr, mod: IRModule | None = None) -> Effects:
    """Return the effects of every node of ``expr``.

    Reading or writing a reference and calling a stateful operator are effects; so is calling a
    function that is not known: a parameter, what a reference holds, a global without ``mod``, an
    undeclared operator. Creating a reference is none, nor is failing or not ending. A function has
    none itself; calling one that a let or the module defines has those of its body.

    Complexity:
        Linear in distinct nodes, of ``expr`` and of the functions of ``mod`` it may call; no
        recursion.
    """
    return Effects(expr, mod)


_EVALUATED: Final = 0xF
"""The bits that say what evaluating does; three times as many for calling follow."""
_CALLS: Final = 0xFFF0
_LAST: Final = 0xF000
"""What the third call, and every further one, may do."""
_ANY_CALL: Final = Effect.UNKNOWN * 0x1110
_LATER_CALLS: Final = Effect.UNKNOWN * 0x1100


class Effects:
    """The effects of the nodes of one expression; made by :func:`analyse_effects`."""

    def __init__(self, root: Expr, mod: IRModule | None) -> None:
        self._mod = mod
        self._summaries: dict[Node, int] = {}
        order = EXPRESSIONS.post_order(root)
        if any(map(_matters, order)):
            self._solve(order)

    def of(self, expr: Expr) -> Effect:
        """Return what evaluating ``expr``, a node of the analysed expression, may do."""
        return Effect(self._summaries.get(expr, 0) & _EVALUATED)

    def of_call(self, function: Expr) -> Effect:
        """Return what calling the value of ``function`` may do."""
        return Effect(self._summaries.get(function, 0) >> 4 & _EVALUATED)

    def _solve(self, order: list[Node]) -> None:
        order = self._with_globals(order)
        named = _named(order, self._mod)
        summaries = self._summaries
        early: set[Node] = set()  # variables that were looked at before what they stand for
        owners = {name for names in named.values() for name in names}
        for node in order:
            if type(node) is Var or type(node) is GlobalVar:
                if node not in owners:
                    summaries[node] = _ANY_CALL
                continue
            transfer = _TRANSFERS.get(type(node))
            if transfer is None:
                continue
            for operand in _operands(node):
                if operand not in summaries:
                    early.add(operand)
            self._name(node, transfer(node, summaries), named)
        pending = [node for node in early if summaries.get(node)]
        if pending:
            self._iterate(order, named, pending)

    def _name(self, node: Node, summary: int, named: dict[Node, list[Node]]) -> list[Node]:
        """Give ``node`` its summary, and what calling it does to all variables that name it."""
        self._summaries[node] = summary
        changed: list[Node] = [node]
        stack = [node]
        while stack:
            for name in named.get(stack.pop(), ()):
                if self._summaries.get(name) != summary & _CALLS:
                    self._summaries[name] = summary & _CALLS
                    changed.append(name)
                    stack.append(name)
        return changed

    def _iterate(
        self, order: list[Node], named: dict[Node, list[Node]], pending: list[Node]
    ) -> None:
        """Let summaries grow until none changes; each can at most sixteen times."""
        users: defaultdict[Node, list[Node]] = defaultdict(list)
        for node in order:
            for operand in _operands(node):
                users[operand].append(node)
        summaries = self._summaries
        while pending:
            for user in users[pending.pop()]:
                summary = _TRANSFERS[type(user)](user, summaries)
                if summary != summaries[user]:
                    pending += self._name(user, summary, named)

    def _with_globals(self, order: list[Node]) -> list[Node]:
        """Append the nodes of the functions of the module that may be called."""
        if self._mod is None:
            return order
        seen = set(order)
        reached = [node for node in order if isinstance(node, GlobalVar)]
        order = list(order)
        while reached:
            name = reached.pop()
            if name not in self._mod:
                continue
            for node in EXPRESSIONS.post_order(self._mod[name]):
                if node in seen:
                    continue
                seen.add(node)
                order.append(node)
                if isinstance(node, GlobalVar):
                    reached.append(node)
        return order


def _matters(node: Node) -> bool:
    """Return whether ``node`` can be the origin of an effect; without any, all is pure."""
    kind = type(node)
    if kind is Call:
        return type(node.op) is not Op or _effect_of(node.op) != 0  # type: ignore[attr-defined]
    return kind is RefRead or kind is RefWrite


def _effect_of(op: Op) -> int:
    if registry.stateful.get(op):
        return Effect.STATE
    return Effect.NONE if registry.is_registered(op.name) else Effect.UNKNOWN


def _named(order: list[Node], mod: IRModule | None) -> dict[Node, list[Node]]:
    """Return the variables that stand for the value of a node, or for part of it."""
    named: defaultdict[Node, list[Node]] = defaultdict(list)
    for node in order:
        if isinstance(node, Let):
            named[node.value].append(node.var)
        elif isinstance(node, Match):
            for clause in node.clauses:
                for pattern in PATTERNS.post_order(clause.lhs):
                    if isinstance(pattern, PatternVar):
                        named[node.data].append(pattern.var)
        elif isinstance(node, GlobalVar) and mod is not None and node in mod:
            named[mod[node]].append(node)
    return named


_Summaries = dict[Node, int]


def _joined(nodes: tuple[Expr, ...], summaries: _Summaries) -> int:
    summary = 0
    for node in nodes:
        summary |= summaries.get(node, 0)
    return summary


def _call(call: Call, summaries: _Summaries) -> int:
    args = _joined(call.args, summaries)
    if isinstance(call.op, Op):
        return args & _EVALUATED | _effect_of(call.op)
    if isinstance(call.op, Constructor):
        return args
    callee = summaries.get(call.op, 0)
    evaluated = (args | callee | callee >> 4) & _EVALUATED
    return evaluated | callee >> 4 & (_CALLS >> 4) & ~_EVALUATED | callee & _LAST


def _function(function: Function, summaries: _Summaries) -> int:
    body = summaries.get(function.body, 0)
    return (body << 4) & _CALLS | body & _LAST


_TRANSFERS: Final[dict[type[Node], Callable[[Any, _Summaries], int]]] = {  # Any: one kind
    Call: _call,
    Function: _function,
    Constant: lambda _node, _of: 0,
    Op: lambda op, _of: _effect_of(op) << 4,
    Constructor: lambda _node, _of: _LATER_CALLS,
    Tuple: lambda node, of: _joined(node.fields, of),
    TupleGetItem: lambda node, of: of.get(node.tuple_value, 0),
    Let: lambda let, of: of.get(let.value, 0) & _EVALUATED | of.get(let.body, 0),
    If: lambda node, of: (
        of.get(node.cond, 0) & _EVALUATED
        | of.get(node.true_branch, 0)
        | of.get(node.false_branch, 0)
    ),
    RefCreate: lambda node, of: of.get(node.value, 0) & _EVALUATED,
    RefRead: lambda node, of: of.get(node.ref, 0) & _EVALUATED | Effect.READS | _ANY_CALL,
    RefWrite: lambda node, of: (
        (of.get(node.ref, 0) | of.get(node.value, 0)) & _EVALUATED | Effect.WRITES
    ),
    Match: lambda node, of: (
        of.get(node.data, 0) & _EVALUATED | _joined(tuple([c.rhs for c in node.clauses]), of)
    ),
}


def _operands(node: Node) -> Iterator[Node]:
    """Yield the nodes whose summaries the summary of ``node`` is made of."""
    if isinstance(node, Match):
        yield node.data
        for clause in node.clauses:
            yield clause.rhs
    elif isinstance(node, Let):
        yield node.value
        yield node.body
    elif isinstance(node, Function):
        yield node.body
    elif type(node) in _TRANSFERS:
        yield from EXPRESSIONS.children(node)
