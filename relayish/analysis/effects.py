"""What evaluating an expression may do beside giving a value.

Each node has a summary: what evaluating it may do, and what calling its value may do, once, twice
and further times over. Summaries are sets of effects packed into one integer, joined by ``|``;
they start empty and grow, which makes recursion a plain fixpoint.

Two of the bits are no effects of their own. ``_GIVEN`` says that a parameter is called, and
``_TAKES``, of a function that uses nothing from outside of it, that it calls one of its own: what
that does is known where the function is called, from the arguments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from enum import IntFlag
from typing import Any, Final

from relayish.analysis.closed_functions import closed_functions
from relayish.analysis.unobserved_refs import unobserved_refs
from relayish.ir.node import Node
from relayish.ir.relay.adt import Constructor, Match, PatternVar
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
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS, PATTERNS
from relayish.ir.relay.type import TensorType
from relayish.op import registry


class Effect(IntFlag):
    """What an evaluation may do; no flag at all means that only its value counts."""

    NONE = 0
    READS = 1  # the content of a reference
    WRITES = 2  # the content of a reference
    STATE = 4  # the state of an operator: random numbers, devices, memory
    UNKNOWN = 8  # a function that is not known here


def has_effect(
    expr: Expr,
    mod: IRModule | None = None,
    *,
    ref_precision: bool = False,
    function_argument_precision: bool = False,
) -> bool:
    """Return whether evaluating ``expr`` may do more than give a value.

    The options are those of :func:`analyse_effects`.

    Example:
        >>> x = Var("x")
        >>> has_effect(RefCreate(x)), has_effect(RefRead(x)), has_effect(Call(x, ()))
        (False, True, True)
    """
    effects = Effects(
        expr,
        mod,
        ref_precision=ref_precision,
        function_argument_precision=function_argument_precision,
    )
    return effects.of(expr) != Effect.NONE


def analyse_effects(
    expr: Expr,
    mod: IRModule | None = None,
    *,
    ref_precision: bool = False,
    function_argument_precision: bool = False,
) -> Effects:
    """Return the effects of every node of ``expr``.

    Reading or writing a reference and calling a stateful operator are effects; so is calling a
    function that is not known: a parameter, what a reference holds, a global without ``mod``, an
    undeclared operator. Creating a reference is none, nor is failing or not ending. A function has
    none itself; calling one that a let or the module defines has those of its body.

    Args:
        expr: Any expression; a tuple of functions, to know of several at once.
        mod: Where the functions are that it calls by global name.
        ref_precision: Writing is no effect where nothing but writes ever uses the reference.
        function_argument_precision: Calling a function that calls its parameters has the effects of
            the arguments, where the function is known and uses no local variable from outside of
            it, as functions of a module do not; otherwise a parameter may do anything.

    Complexity:
        Linear in distinct nodes, of ``expr`` and of the functions of ``mod`` it may call; no
        recursion.
    """
    return Effects(
        expr,
        mod,
        ref_precision=ref_precision,
        function_argument_precision=function_argument_precision,
    )


# plain integers: the complement of a flag has no bits but those of flags
_READS: Final = int(Effect.READS)
_WRITES: Final = int(Effect.WRITES)
_STATE: Final = int(Effect.STATE)
_UNKNOWN: Final = int(Effect.UNKNOWN)
_WIDTH: Final = 6
"""How many bits a level takes: evaluating first, then the first, second and any further call."""
_EVALUATED: Final = (1 << _WIDTH) - 1
"""The bits that say what evaluating does."""
_EACH_CALL: Final = 1 << _WIDTH | 1 << 2 * _WIDTH | 1 << 3 * _WIDTH
_CALLS: Final = _EVALUATED * _EACH_CALL
_LAST: Final = _EVALUATED << 3 * _WIDTH
"""What the third call, and every further one, may do."""
_ANY_CALL: Final = _UNKNOWN * _EACH_CALL
_LATER_CALLS: Final = _ANY_CALL & ~(_EVALUATED << _WIDTH)
_GIVEN: Final = 16
_TAKES: Final = 32
_EVERYWHERE: Final = 1 | _EACH_CALL


class Effects:
    """The effects of the nodes of one expression; made by :func:`analyse_effects`."""

    def __init__(
        self,
        root: Expr,
        mod: IRModule | None,
        *,
        ref_precision: bool = False,
        function_argument_precision: bool = False,
    ) -> None:
        self._mod = mod
        self._ref_precision = ref_precision
        self._argument_precision = function_argument_precision
        self._transfers = _TRANSFERS
        self._summaries: dict[Node, int] = {}
        order = EXPRESSIONS.post_order(root)
        if any(map(_matters, order)):
            self._solve(order)

    def of(self, expr: Expr) -> Effect:
        """Return what evaluating ``expr``, a node of the analysed expression, may do."""
        return _as_effect(self._summaries.get(expr, 0))

    def acting(self) -> frozenset[Node]:
        """Return the nodes of which evaluating may do more than give a value."""
        found = [node for node, summary in self._summaries.items() if summary & _EVALUATED]
        return frozenset(found)

    def of_call(self, function: Expr) -> Effect:
        """Return what calling the value of ``function`` may do."""
        return _as_effect(self._summaries.get(function, 0) >> _WIDTH)

    def _solve(self, order: list[Node]) -> None:
        order = self._with_globals(order)
        named = _named(order, self._mod)
        summaries = self._summaries
        early: set[Node] = set()  # variables that were looked at before what they stand for
        owners = {name for names in named.values() for name in names}
        given = self._refine(order)
        for node in order:
            if type(node) is Var or type(node) is GlobalVar:
                if node not in owners:
                    summaries[node] = given.get(node, _ANY_CALL)
                continue
            transfer = self._transfers.get(type(node))
            if transfer is None:
                continue
            for operand in _operands(node):
                if operand not in summaries:
                    early.add(operand)
            self._name(node, transfer(node, summaries), named)
        pending = [node for node in early if summaries.get(node)]
        if pending:
            self._iterate(order, named, pending)

    def _refine(self, order: list[Node]) -> dict[Node, int]:
        """Put in place what the options ask for; return what calling parameters comes to."""
        special: dict[type[Node], Callable[[Any, _Summaries], int]] = {}  # Any: one kind
        if self._ref_precision:
            unobserved = unobserved_refs(order)

            def write(node: RefWrite, summaries: _Summaries) -> int:
                summary = _write(node, summaries)
                return summary & ~_WRITES if node.ref in unobserved else summary

            special[RefWrite] = write
        given: dict[Node, int] = {}
        if self._argument_precision:
            closed = closed_functions(order)

            def function(node: Function, summaries: _Summaries) -> int:
                summary = _function(node, summaries)
                if node not in closed:
                    return summary
                calls_given = summary & _GIVEN * _EVERYWHERE
                return summary & ~calls_given | calls_given << 1

            special[Function] = function
            for node in order:
                if type(node) is Function:
                    for param in node.params:
                        given[param] = 0 if _is_tensor(param) else _GIVEN * _EACH_CALL
        self._transfers = {**_TRANSFERS, **special}
        return given

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
        """Let summaries grow until none changes; each can at most as often as it has bits."""
        users: defaultdict[Node, list[Node]] = defaultdict(list)
        for node in order:
            for operand in _operands(node):
                users[operand].append(node)
        summaries = self._summaries
        while pending:
            for user in users[pending.pop()]:
                summary = self._transfers[type(user)](user, summaries)
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
            definition = _definition(reached.pop(), self._mod)
            if definition is None:
                continue
            for node in EXPRESSIONS.post_order(definition):
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
        return _STATE
    return 0 if registry.is_registered(op) else _UNKNOWN


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
        elif isinstance(node, GlobalVar):
            definition = _definition(node, mod)
            if definition is not None:
                named[definition].append(node)
    return named


def _definition(name: GlobalVar, mod: IRModule | None) -> Expr | None:
    """Return what is defined under a name; ``None`` where it is not known what calling it does."""
    definition = mod[name] if mod is not None and name in mod else None
    return definition if isinstance(definition, Expr) else None


_Summaries = dict[Node, int]


def _joined(nodes: tuple[Expr, ...], summaries: _Summaries) -> int:
    summary = 0
    for node in nodes:
        summary |= summaries.get(node, 0)
    return summary


def _is_tensor(param: Var) -> bool:
    """Return whether there plainly is no function in what ``param`` stands for."""
    ty = param.type_annotation or param.checked_type
    return type(ty) is TensorType


def _as_effect(summary: int) -> Effect:
    """Return what a level says, where nobody knows what parameters are."""
    unknown = _UNKNOWN if summary & (_GIVEN | _TAKES) else 0
    return Effect(summary & (_GIVEN - 1) | unknown)


def _call(call: Call, summaries: _Summaries) -> int:
    args = _joined(call.args, summaries)
    if isinstance(call.op, Op):
        return args & _EVALUATED | _effect_of(call.op)
    if isinstance(call.op, Constructor):
        return args
    callee = summaries.get(call.op, 0)
    called = callee >> _WIDTH & _CALLS | callee & _LAST | callee >> _WIDTH & _EVALUATED
    calls_given = called & (_GIVEN | _TAKES) * _EVERYWHERE
    if calls_given:
        called = called & ~_TAKES | _spread(calls_given) * (_calling(args) & ~_TAKES)
    return (args | callee) & _EVALUATED | called


def _spread(calls_given: int) -> int:
    """Return one for each level at which something given is called."""
    return (calls_given >> 4 | calls_given >> 5) & _EVERYWHERE


def _calling(summary: int) -> int:
    """Return what any call may do, the first or a later one."""
    return (summary >> _WIDTH | summary >> 2 * _WIDTH | summary >> 3 * _WIDTH) & _EVALUATED


def _function(function: Function, summaries: _Summaries) -> int:
    body = summaries.get(function.body, 0)
    return (body << _WIDTH) & _CALLS | body & _LAST


def _write(write: RefWrite, summaries: _Summaries) -> int:
    below = summaries.get(write.ref, 0) | summaries.get(write.value, 0)
    return below & _EVALUATED | _WRITES


_TRANSFERS: Final[dict[type[Node], Callable[[Any, _Summaries], int]]] = {  # Any: one kind
    Call: _call,
    Function: _function,
    Constant: lambda _node, _of: 0,
    Op: lambda op, _of: _effect_of(op) << _WIDTH,
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
    RefRead: lambda node, of: of.get(node.ref, 0) & _EVALUATED | _READS | _ANY_CALL,
    RefWrite: _write,
    Match: lambda node, of: (
        of.get(node.data, 0) & _EVALUATED | _joined(tuple([c.rhs for c in node.clauses]), of)
    ),
}


def _operands(node: Node) -> Iterator[Node]:
    """Yield the nodes whose summaries the summary of ``node`` is made of."""
    if type(node) in _TRANSFERS:
        yield from _PARTS.get(type(node), EXPRESSIONS.children)(node)


# Any: a node of the kind that it stands beside
_PARTS: Final[dict[type[Node], Callable[[Any], Iterable[Node]]]] = {
    Match: lambda match: (match.data, *[clause.rhs for clause in match.clauses]),
    Let: lambda let: (let.value, let.body),
    Function: lambda func: (func.body,),
}
