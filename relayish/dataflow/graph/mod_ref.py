"""Mod-ref rules: which places a node itself refers to and modifies.

A *place* is a variable, or memory, which goes by the variable that names it. What a node evaluates
and which places it names follows from the roles of its fields and their :class:`Access`. What
these leave open, a kind may say: which memory an operand refers to, and whether a store puts a
wholly new value there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.ir.fields.effect import Effect
from relayish.ir.fields.field import Field
from relayish.ir.fields.roles import Access, Role
from relayish.ir.nodes.getters import Nodes, compile_getter, is_declaration, nodes_held
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.scoping import binders, has_parts, has_scopes, operands, parts


class ModRef(NamedTuple):
    """Mod-ref sets: which places something refers to and modifies, in that order.

    Attributes:
        evaluates: Of a node, the operands whose values it takes; others merely name places.
        uses: Of what has been evaluated, the variables whose values were taken.
        reads: Places whose contents it may use.
        overwrites: Places it gives another value, whatever they held.
        changes: Places it may give another value, or other contents in part.
        clears: Places whose contents are lost: memory that is allocated or freed.
        exposes: Places that others may reach from then on, whoever accesses what it cannot name.
        effect: What may happen to places that others may reach: they are read, written, or
            anything.
    """

    evaluates: Nodes = ()
    uses: Nodes = ()
    reads: Nodes = ()
    overwrites: Nodes = ()
    changes: Nodes = ()
    clears: Nodes = ()
    exposes: Nodes = ()
    effect: Effect = Effect.NONE


NOTHING: Final = ModRef()
READING: Final = Effect.READS | Effect.UNKNOWN
"""The effects by which places that others may reach may be read."""
WRITING: Final = Effect.WRITES | Effect.UNKNOWN
"""The effects by which they may be written."""

ModRefRule: TypeAlias = Callable[[Any], ModRef]  # Any: a node of one kind
"""``rule(node)``: what evaluating ``node`` does by itself, its operands and scopes aside."""


VariablesOf: TypeAlias = Callable[[Any], Nodes]  # Any: a node of one kind
"""``tell(node)``: some of the variables that ``node`` binds."""


class BoundVariables(NamedTuple):
    """What is particular about the variables that nodes of a kind bind.

    Attributes:
        outliving: For functions: those that name memory of callers, who see what it holds when
            the function returns. By default those of which a part is written anywhere.
        without_value: Those that hold no value when they are bound. By default those of a
            declaration that holds no operand.
    """

    outliving: VariablesOf | None = None
    without_value: VariablesOf | None = None


class KindModRef(NamedTuple):
    """How nodes of a kind access places.

    Attributes:
        rule: What a node accesses.
        names_places: Whether it may be more than what it evaluates, and an effect.
    """

    rule: ModRefRule
    names_places: bool = True


def mod_ref_of(node: Node) -> ModRef:
    """Return which places evaluating ``node`` itself accesses, operands and scopes aside.

    Example:
        >>> from relayish.ir.relay.expr import RefRead, Var
        >>> r = Var("r")
        >>> mod_ref_of(RefRead(r)) == ModRef(evaluates=(r,), effect=Effect.READS)
        True
    """
    return MOD_REF[type(node)].rule(node)


def names_places(kind: type[Node]) -> bool:
    """Return whether nodes of class ``kind`` may read or write places."""
    found: bool = _NAMES_PLACES[kind]
    return found


def without_value(node: Node) -> Nodes:
    """Return the variables that ``node`` binds without giving them a value."""
    said = BOUND_VARIABLES[type(node)].without_value
    if said is not None:
        return said(node)
    return binders(node) if is_declaration(type(node)) and not operands(node) else ()


def _derive(node: Node) -> ModRef:
    rule: ModRefRule = _DERIVED[type(node)]
    return rule(node)


def _rule_of_kind(kind: type[Node]) -> ModRefRule:
    """Return what roles tell of nodes of class ``kind``."""
    if has_parts(kind):
        return _of_parts
    fields = [f for f in kind.fields_ if f.role is Role.OPERAND and f.is_evaluated]
    evaluated = compile_getter([f for f in fields if _is_evaluated(f)])
    effect, named = _OWN[kind]
    if not named:
        if not effect:
            return lambda node: ModRef(evaluated(node))
        return lambda node: ModRef(evaluated(node), effect=effect)
    keeps = has_scopes(kind)

    def rule(node: Node) -> ModRef:
        found = _Places(list(evaluated(node)), effect)
        for field in named:
            found.add(field, node, keeps)
        return found.mod_ref()

    return rule


def _of_parts(node: Node) -> ModRef:
    """Do for a node with parts what its kind alone does not tell."""
    found = _Places([], Effect.NONE)
    pieces = (node, *parts(node))
    skipped: set[Node] = set()
    for each in pieces:
        effect, named = _OWN[type(each)]
        found.effect |= effect
        for field in named:
            skipped.update(nodes_held(field, each))
            found.add(field, each, keeps=True)
    found.evaluates += [each for each in operands(node) if each not in skipped]
    return found.mod_ref()


def _names_places_of(kind: type[Node]) -> bool:
    if MOD_REF[kind] is not MOD_REF[Node]:
        return MOD_REF[kind].names_places
    return has_parts(kind) or any(f.access for f in kind.fields_)


class _Places:
    """The places that a node names, field by field."""

    def __init__(self, evaluates: list[Node], effect: Effect) -> None:
        self.evaluates = evaluates
        self.effect = effect
        self.reads: list[Node] = []
        self.overwrites: list[Node] = []
        self.changes: list[Node] = []

    def add(self, field: Field, node: Node, keeps: bool) -> None:
        access = field.access
        for held in nodes_held(field, node):
            if type(held) not in VARIABLES:
                self.evaluates.append(held)
                self.effect |= _effect_of_access(access)
                continue
            if Access.READ in access:
                self.reads.append(held)
            if Access.WRITE in access:
                partly = keeps or Access.PARTLY in access
                (self.changes if partly else self.overwrites).append(held)

    def mod_ref(self) -> ModRef:
        return ModRef(
            tuple(self.evaluates),
            (),
            tuple(self.reads),
            tuple(self.overwrites),
            tuple(self.changes),
            effect=self.effect,
        )


def _is_evaluated(field: Field) -> bool:
    return not field.access or Access.INDIRECT in field.access


def _own_of_kind(kind: type[Node]) -> tuple[Effect, list[Field]]:
    """Return what nodes of a kind do to places they do not name, and the fields that name some."""
    return _effect_of(kind), [f for f in kind.fields_ if f.access and not _is_evaluated(f)]


def _effect_of(kind: type[Node]) -> Effect:
    named = indirect = Effect.NONE
    for field in kind.fields_:
        if Access.INDIRECT in field.access:
            indirect |= _effect_of_access(field.access)
        else:
            named |= _effect_of_access(field.access)
    own = kind.traits_.effect & ~(Effect.STATE | named)
    return own | indirect


def _effect_of_access(access: Access) -> Effect:
    found = Effect.READS if Access.READ in access else Effect.NONE
    return found | Effect.WRITES if Access.WRITE in access else found


_OWN: Final = ByKind(_own_of_kind)
_DERIVED: Final = ByKind(_rule_of_kind)

MOD_REF: Final[KindTable[KindModRef]] = KindTable(
    "mod-ref analysis", "relayish.dataflow.MOD_REF", {Node: KindModRef(_derive)}
)
"""By kind: which places nodes access, where their fields do not tell.

Without a rule, an operand with an :class:`Access` names a place if it is a variable. If it is
anything else, or the access is indirect, some place that others may reach is accessed. What only a
part of is written, or by a node that has scopes, keeps its former value perhaps."""
_NAMES_PLACES: Final = MOD_REF.derive(_names_places_of)

UNALIASED: Final[KindTable[bool]] = KindTable(
    "the analysis of unaliased variables", "relayish.dataflow.UNALIASED", {Node: False}
)
"""By kind: whether variables are reached by name alone, unless they are exposed.

Whoever writes anything may write any other variable that is assigned to anywhere."""

BOUND_VARIABLES: Final[KindTable[BoundVariables]] = KindTable(
    "the analysis of bound variables",
    "relayish.dataflow.BOUND_VARIABLES",
    {Node: BoundVariables()},
)
"""By kind: what is particular about the variables that nodes bind."""
