"""Effect summaries: the effect of evaluating a node, and the latent effects of calling its value.

A summary has four levels: what evaluating the node may do, what calling its value may do, what
calling the result of that may do, and what all calls after these may do. Each level is a set of
effects; all are packed into one integer, so that summaries are joined by ``|``. The summary of a
node follows from the roles of its fields and the traits of its kind. Kinds of which more is known
have a rule of their own, which other packages may add to.

Two of the bits are effect variables. ``PARAMETER`` is the effect of calling a parameter of a
function around the node. ``POLYMORPHIC`` is what that becomes in the summary of a function that
uses nothing from outside of it: a call of the function puts the effects of its arguments there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Role, Runs
from relayish.ir.nodes.getters import compile_getter
from relayish.ir.nodes.kind_table import MadeTable
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.relay.adt import Constructor, Match
from relayish.ir.relay.expr import Call, Constant, Expr, Function, If, Let, Op, RefCreate, RefWrite
from relayish.ir.scopes.scoping import binders, has_parts, operands, parts, scopes
from relayish.op.declaration import properties, registry

Summary: TypeAlias = int
"""What evaluating a node may do, and, level by level, what calling its value may do."""

Summaries: TypeAlias = Mapping[Node, Summary]
"""What is known of each node; nothing yet of some, where recursion leads back to them."""

Summarise: TypeAlias = Callable[[Any, Summaries], Summary]  # Any: a node of one kind
Names: TypeAlias = Callable[[Any], Iterable[tuple[Node, Node]]]  # Any: as above


UNKNOWN: Final = int(Effect.UNKNOWN)
_WIDTH: Final = 6
"""How many bits each of the four levels takes."""
EVALUATED: Final = (1 << _WIDTH) - 1
"""The bits of the first level, of evaluating."""
EACH_CALL: Final = 1 << _WIDTH | 1 << 2 * _WIDTH | 1 << 3 * _WIDTH
"""One at each level but the first: ``effect * EACH_CALL`` is had by all calls."""
CALLS: Final = EVALUATED * EACH_CALL
"""The bits of all levels but the first: latent effects."""
_LAST: Final = EVALUATED << 3 * _WIDTH
"""The bits of the last level: of the third call, and every further one."""
ANY_CALL: Final = UNKNOWN * EACH_CALL
"""The summary of a value of which nothing is known: calling it may do anything."""
_LATER_CALLS: Final = ANY_CALL & ~(EVALUATED << _WIDTH)
PARAMETER: Final = 16
"""The effect of calling a parameter of a function around."""
POLYMORPHIC: Final = 32
"""The effect of calling a parameter of the function itself: known where that is called."""
EACH_LEVEL: Final = 1 | EACH_CALL


class EffectRule(NamedTuple):
    """What is particular about the effects of nodes of one kind.

    Attributes:
        summarise: ``summarise(node, of)`` returns the summary of ``node``; ``of[child]`` is that of
            one of its operands, or of what one of its scopes evaluates.
        names: ``names(node)`` gives pairs ``(variable, other)``: ``variable`` stands for the value
            of ``other``, or for part of it. Calling any other variable may do anything.
        has_own_effect: Whether a node may do anything that its operands and scopes do not do; of an
            operator, whether calls of it may. ``None`` where no node of the kind does.
    """

    summarise: Summarise
    names: Names | None = None
    has_own_effect: Callable[[Any], bool] | None = lambda _: True  # Any: as above


def evaluation(summary: Summary) -> Summary:
    """Return the effect of evaluating, without what is latent in the value."""
    return summary & EVALUATED


def deferral(summary: Summary) -> Summary:
    """Return the summary of a function whose body has ``summary``: all its effects are latent."""
    return (summary << _WIDTH) & CALLS | summary & _LAST


def application(summary: Summary) -> Summary:
    """Return the summary of a call of a value: its first latent effect, and those of the result."""
    return summary >> _WIDTH & CALLS | summary & _LAST | summary >> _WIDTH & EVALUATED


def effect_of_op(op: Op) -> Summary:
    """Return what calling an operator does; ``POLYMORPHIC`` stands for what it calls itself."""
    if properties.stateful.get(op):
        own = int(Effect.STATE)
    else:
        own = 0 if registry.is_registered(op) else UNKNOWN
    return own | POLYMORPHIC if op in properties.callees else own


# What follows from declarations


def _derive(node: Node, of: Summaries) -> Summary:
    summarise: Summarise = _DERIVED[type(node)]
    return summarise(node, of)


def _derive_for_kind(kind: type[Node]) -> Summarise:
    """Return the summary of nodes of class ``kind``, as its declaration tells it.

    What a node does by itself comes with what its operands and scopes do; scopes that are deferred
    do so when the value is called. The value is made of those of operands and scopes, unless the
    kind takes it from elsewhere: out of a cell, or from nothing at all.
    """
    own, mask = int(kind.traits_.effect), CALLS | EVALUATED
    roles = (Role.OPERAND, Role.SCOPE, Role.PART)
    held = [f for f in kind.fields_ if f.role in roles]
    if kind.traits_.allocates or kind.traits_.effect & ~Effect.WRITES or not held:
        own, mask = own | ANY_CALL, EVALUATED

    def summarise_parts(node: Node, of: Summaries) -> Summary:
        summary = own
        for part in parts(node):
            summary |= int(part.traits_.effect)
        for operand in operands(node):
            summary |= of[operand] & mask
        for scope in scopes(node):
            for root in scope.roots:
                is_later = scope.runs is Runs.DEFERRED
                summary |= deferral(of[root]) if is_later else of[root] & mask
        return summary

    if has_parts(kind):
        return summarise_parts
    now = compile_getter([f for f in held if f.runs is not Runs.DEFERRED])
    deferred = [f for f in held if f.runs is Runs.DEFERRED]

    def summarise(node: Node, of: Summaries) -> Summary:
        summary = own
        for child in now(node):
            summary |= of[child] & mask
        return summary

    if not deferred:
        return summarise
    later = compile_getter(deferred)

    def summarise_deferred(node: Node, of: Summaries) -> Summary:
        summary = summarise(node, of)
        for child in later(node):
            summary |= deferral(of[child])
        return summary

    return summarise_deferred


_DERIVED: Final = ByKind(_derive_for_kind)


def _declares_effect(node: Node) -> bool:
    return node.traits_.effect is not Effect.NONE


# What is particular about Relay's kinds


def _op(op: Op, _of: Summaries) -> Summary:
    return effect_of_op(op) << _WIDTH


def _call(call: Call, of: Summaries) -> Summary:
    args = 0
    for arg in call.args:
        args |= of[arg]
    if isinstance(call.op, Op):
        called = of[call.op] >> _WIDTH
        if called & POLYMORPHIC:
            latent = 0
            for function in callees_of(call):
                latent |= of[function]
            called = called & ~POLYMORPHIC | _join_latent(latent) & ~POLYMORPHIC
        return args & EVALUATED | called
    if isinstance(call.op, Constructor):
        return args
    callee = of[call.op]
    called = application(callee)
    variables = called & (PARAMETER | POLYMORPHIC) * EACH_LEVEL
    if variables:
        called = called & ~POLYMORPHIC | _levels(variables) * (_join_latent(args) & ~POLYMORPHIC)
    return (args | callee) & EVALUATED | called


def callees_of(call: Call) -> Sequence[Expr]:
    """Return the arguments of a call of an operator that are functions which that calls."""
    find = properties.callees.get(call.op)
    return () if find is None else find(call.attrs, call.args)


def _levels(variables: int) -> int:
    """Return a one at each level that has an effect variable."""
    return (variables >> 4 | variables >> 5) & EACH_LEVEL


def _join_latent(summary: Summary) -> Summary:
    """Return the union of all latent effects, as one level."""
    return (summary >> _WIDTH | summary >> 2 * _WIDTH | summary >> 3 * _WIDTH) & EVALUATED


def summarise_datum(node: Node, of: Summaries) -> Summary:
    """Return what is declared of a node whose value is nothing to be called."""
    return _derive(node, of) & EVALUATED


def _let(let: Let, of: Summaries) -> Summary:
    return of[let.value] & EVALUATED | of[let.body]


def _if(if_: If, of: Summaries) -> Summary:
    return of[if_.cond] & EVALUATED | of[if_.true_branch] | of[if_.false_branch]


def _match(match: Match, of: Summaries) -> Summary:
    summary = of[match.data] & EVALUATED
    for clause in match.clauses:
        summary |= of[clause.rhs]
    return summary


def _names_of_match(match: Match) -> Iterable[tuple[Node, Node]]:
    return [(var, match.data) for clause in match.clauses for var in binders(clause)]


EFFECT_RULES: Final[MadeTable[EffectRule, EffectRule | Summarise]] = MadeTable(
    "the analysis of effects",
    "relay.analysis.EFFECT_RULES",
    lambda _, rule: rule if isinstance(rule, EffectRule) else EffectRule(rule),
    {
        Node: EffectRule(_derive, has_own_effect=_declares_effect),
        Call: EffectRule(_call, has_own_effect=lambda call: type(call.op) is not Op),
        Function: EffectRule(_derive, has_own_effect=None),
        Constant: EffectRule(summarise_datum, has_own_effect=None),
        Op: EffectRule(_op, has_own_effect=lambda op: effect_of_op(op) != 0),
        Constructor: EffectRule(lambda _node, _of: _LATER_CALLS, has_own_effect=None),
        Let: EffectRule(_let, names=lambda let: ((let.var, let.value),), has_own_effect=None),
        If: EffectRule(_if, has_own_effect=None),
        Match: EffectRule(_match, names=_names_of_match, has_own_effect=None),
        RefCreate: EffectRule(summarise_datum, has_own_effect=None),
        RefWrite: EffectRule(summarise_datum),
    },
)
"""What is known of each kind beside its declaration; the rule of ``Node`` is that alone."""


def has_own_effect(node: Node) -> bool:
    """Return whether evaluating ``node`` may do anything that its operands and scopes do not do.

    For an operator: whether calls of it may.
    """
    tell = EFFECT_RULES[type(node)].has_own_effect
    return tell is not None and tell(node)
