"""Side-effect analysis: what evaluating an expression may do beside giving a value.

Each node has a summary (see :mod:`relayish.analysis.effect_rules`): what evaluating it may do, and
what calling its value may do. Summaries start empty and grow, which makes recursion a plain
fixpoint.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from operator import or_
from typing import TypedDict, Unpack

from relayish._support.display import repr_mimebundle
from relayish.analysis.closed_functions import find_closed_functions
from relayish.analysis.effect_rules import (
    CALLS,
    EACH_CALL,
    EACH_LEVEL,
    EFFECT_RULES,
    EVALUATED,
    PARAMETER,
    POLYMORPHIC,
    UNKNOWN,
    Summaries,
    Summarise,
    Summary,
    application,
)
from relayish.analysis.unobserved_refs import find_unobserved_refs
from relayish.dataflow.solver.propagate import propagate
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr, Function, GlobalVar, RefWrite, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.ir.scopes.scoping import PROGRAM, evaluated

__all__ = ["Effect", "Effects", "analyse_effects", "has_effect"]


class Precision(TypedDict, total=False):
    """How closely to look; what is left out is false, which costs less.

    Attributes:
        ref_precision: Writing is no effect where nothing but writes ever uses the reference.
        function_argument_precision: Calling a function that calls its parameters has the effects of
            the arguments, where the function is known and uses no local variable from outside of
            it, as functions of a module do not; otherwise a parameter may do anything.
    """

    ref_precision: bool
    function_argument_precision: bool


def has_effect(
    expr: Expr,
    mod: IRModule | None = None,
    **precision: Unpack[Precision],
) -> bool:
    """Return whether evaluating ``expr`` may do more than give a value.

    The options are those of :func:`analyse_effects`.

    Example:
        >>> x = Var("x")
        >>> has_effect(RefCreate(x)), has_effect(RefRead(x)), has_effect(Call(x, ()))
        (False, True, True)
    """
    return Effects(expr, mod, **precision).of(expr) != Effect.NONE


def analyse_effects(
    expr: Expr,
    mod: IRModule | None = None,
    **precision: Unpack[Precision],
) -> Effects:
    """Return the effects of every node of ``expr``.

    Reading or writing a reference and calling a stateful operator are effects; so is calling a
    function that is not known: a parameter, what a reference holds, a global without ``mod``, an
    undeclared operator. Creating a reference is none, nor is failing or not ending. A function has
    none itself; calling one that a let or the module defines has those of its body.

    Args:
        expr: Any expression; a tuple of functions, to know of several at once.
        mod: Where the functions are that it calls by global name.
        precision: How closely to look; see :class:`Precision`.

    Complexity:
        Linear in distinct nodes, of ``expr`` and of the functions of ``mod`` it may call; no
        recursion.
    """
    return Effects(expr, mod, **precision)


class _Summaries(dict[Node, Summary]):
    """Summaries by node; empty for what was asked for too early, which is noted."""

    def __init__(self) -> None:
        super().__init__()
        self.early: set[Node] = set()

    def __missing__(self, node: Node) -> Summary:
        self.early.add(node)
        return 0


class Effects:
    """The effects of the nodes of one expression; made by :func:`analyse_effects`."""

    _repr_mimebundle_ = repr_mimebundle

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
        self._special: dict[type[Node], Summarise] = {}
        self._summaries = _Summaries()
        self._order = PROGRAM.post_order(root)
        self._is_solved = False
        if _may_act(self._order):
            self._solve()

    def of(self, expr: Node) -> Effect:
        """Return what evaluating ``expr``, a node of the analysed expression, may do."""
        return _as_effect(self._summaries[expr])

    def effectful_nodes(self) -> frozenset[Node]:
        """Return the nodes of which evaluating may do more than give a value."""
        found = [node for node, summary in self._summaries.items() if summary & EVALUATED]
        return frozenset(found)

    def of_call(self, function: Node) -> Effect:
        """Return what calling the value of ``function`` may do."""
        if not self._is_solved:
            self._solve()
        return _as_effect(application(self._summaries[function]))

    def _solve(self) -> None:
        self._is_solved = True
        order = self._with_globals(self._order)
        aliases = _aliases(order, self._mod)
        summaries, operand = self._summaries, Role.OPERAND
        named = {name for names in aliases.values() for name in names}
        parameters = self._refine(order)
        for node in order:
            if node in named:
                continue
            if node in parameters:
                summaries[node] = parameters[node]
                continue
            if node.held_as_ is not operand:  # patterns, and parts of nodes, have no value
                continue
            summary = self._summarise(node)
            summaries[node] = summary
            if node in aliases:
                self._record(node, summary, aliases)
        pending = [node for node in summaries.early if summaries.get(node)]
        if pending:
            self._iterate(order, aliases, pending)

    def _summarise(self, node: Node) -> Summary:
        kind = type(node)
        special = self._special.get(kind)
        summarise = EFFECT_RULES[kind].summarise if special is None else special
        return summarise(node, self._summaries)

    def _refine(self, order: list[Node]) -> Mapping[Node, Summary]:
        """Install the rules that the options ask for; return the summaries of parameters."""
        if self._ref_precision:
            unobserved = find_unobserved_refs(order)

            summarise_write = EFFECT_RULES[RefWrite].summarise

            def write(node: RefWrite, of: Summaries) -> Summary:
                summary = summarise_write(node, of)
                return summary & ~int(Effect.WRITES) if node.ref in unobserved else summary

            self._special[RefWrite] = write
        parameters: dict[Node, Summary] = {}
        if self._argument_precision:
            closed = find_closed_functions(order)

            summarise_function = EFFECT_RULES[Function].summarise

            def function(node: Function, of: Summaries) -> Summary:
                summary = summarise_function(node, of)
                if node not in closed:
                    return summary
                variables = summary & PARAMETER * EACH_LEVEL
                return summary & ~variables | variables << 1  # to POLYMORPHIC

            self._special[Function] = function
            for node in order:
                if type(node) is Function:
                    for param in node.params:
                        parameters[param] = 0 if _is_tensor(param) else PARAMETER * EACH_CALL
        return parameters

    def _record(self, node: Node, summary: int, aliases: dict[Node, list[Node]]) -> None:
        """Give ``node`` its summary, and its aliases the latent effects."""
        self._summaries[node] = summary
        stack = [node]
        while stack:
            for name in aliases.get(stack.pop(), ()):
                if self._summaries.get(name) != summary & CALLS:
                    self._summaries[name] = summary & CALLS
                    stack.append(name)

    def _iterate(
        self, order: list[Node], aliases: dict[Node, list[Node]], pending: list[Node]
    ) -> None:
        """Raise summaries to the fixpoint; each grows at most once for each bit."""
        users: defaultdict[Node, list[Node]] = defaultdict(list)
        for node in order:
            if _is_evaluated(node):
                for operand in evaluated(node):
                    users[operand].append(node)
        summaries = self._summaries

        def following(node: Node) -> list[tuple[Node, Summary]]:
            found = [(user, self._summarise(user)) for user in users.get(node, ())]
            if node in aliases:
                latent = summaries[node] & CALLS
                found += [(name, latent) for name in aliases[node]]
            return found

        known = [each for node in pending for each in following(node)]
        propagate(summaries, known, following, or_)

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
            for node in PROGRAM.post_order(definition):
                if node in seen:
                    continue
                seen.add(node)
                order.append(node)
                if isinstance(node, GlobalVar):
                    reached.append(node)
        return order


def _may_act(order: list[Node]) -> bool:
    """Return whether some node has an effect of its own; without any, all is pure."""
    rules = EFFECT_RULES
    for node in order:
        tell = rules[type(node)].has_own_effect
        if tell is not None and tell(node):
            return True
    return False


def _is_evaluated(node: Node) -> bool:
    """Return whether ``node`` has a value, as patterns, and parts of nodes, have not."""
    return node.held_as_ is Role.OPERAND


def _aliases(order: list[Node], mod: IRModule | None) -> dict[Node, list[Node]]:
    """Return, by node, the variables that stand for its value, or for part of it."""
    aliases: defaultdict[Node, list[Node]] = defaultdict(list)
    rules = EFFECT_RULES
    for node in order:
        names = rules[type(node)].names
        if names is not None:
            for variable, other in names(node):
                aliases[other].append(variable)
        elif isinstance(node, GlobalVar):
            definition = _definition(node, mod)
            if definition is not None:
                aliases[definition].append(node)
    return aliases


def _definition(name: GlobalVar, mod: IRModule | None) -> Expr | None:
    """Return what is defined under a name; ``None`` where it is not known what calling it does."""
    definition = mod[name] if mod is not None and name in mod else None
    return definition if isinstance(definition, Expr) else None


def _is_tensor(param: Var) -> bool:
    """Return whether there plainly is no function in what ``param`` stands for."""
    ty = param.type_annotation or param.checked_type
    return type(ty) is TensorType


def _as_effect(summary: Summary) -> Effect:
    """Return the effect of evaluating; an effect variable that is left may be anything."""
    unknown = UNKNOWN if summary & (PARAMETER | POLYMORPHIC) else 0
    return Effect(summary & (PARAMETER - 1) | unknown)
