"""Rules of all languages: what a program has to be by the properties and roles of its operators.

They are asked of every node of a definition, and know no kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.errors import UnknownNameError, indefinite
from relayish.ir.domains.domain import get_domain
from relayish.ir.domains.property import Property
from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.roles import Role
from relayish.ir.kinds.one_line import describe, one_line, quote
from relayish.ir.kinds.opcode import children_of, place_of
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import NAMES, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.node_scopes import Scopes
from relayish.ir.verification.rules import VERIFY_RULES, Report, Violation, demand_nothing
from relayish.ir.verification.scope_rules import Refuse, check_closed_scopes


class Rule(Enum):
    """The rules of all languages."""

    FAMILY = "family"  # fields hold nodes of the families that they are declared with
    DERIVED = "derived"  # what follows of a node from its fields is what it carries
    OPERATOR = "operator"  # the operators that nodes call are declared
    CHILDREN = "children"  # operators have as many children as they are declared with
    PLACE = "place"  # statements stand in blocks, what is not evaluated is no operand
    UNREACHABLE = "unreachable"  # nothing stands in a block behind what ends it
    SYMBOL = "symbol"  # names are those of something that the module defines
    LABEL = "label"  # control goes to labels that there are, each of which is there once
    SCOPE = "scope"  # variables are bound once, and used where they are in scope
    TYPE = "type"  # expressions have types, and carry those that they have
    HANDLER = "handler"  # what a handler of some domain demands and gives no name


def check_structure(root: Node, report: Report) -> list[Node]:
    """Report fields that hold what they do not take, and return all nodes, users first.

    What is not of the family of its field is not looked at any further.

    Complexity:
        Linear in distinct nodes and edges, those of annotations included; no recursion.
    """
    seen: dict[Node, None] = {}
    pending = [root]
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen[node] = None
        below: list[Node] = []
        for held in _HELD[type(node)]:
            found = getattr(node, held.name)
            problem = held.check(found, below)
            if problem is not None:
                report(
                    Rule.FAMILY,
                    node,
                    f"{type(node).__name__}.{held.name} holds {problem}; expected {held.expected}",
                )
        pending += reversed(below)
    return list(seen)


class _Held(NamedTuple):
    """A field that holds nodes."""

    name: str
    kind: type[Node]
    shape: Shape

    @property
    def expected(self) -> str:
        one = indefinite(self.kind)
        if self.shape is Shape.OPTIONAL:
            return f"{one} or None"
        return one if self.shape is Shape.ONE else f"a tuple, each item of it {one}"

    def check(self, found: Any, below: list[Node]) -> str | None:  # Any: of broken nodes anything
        """Put the nodes that a field holds into ``below``; say what it should not hold."""
        kind, shape = self.kind, self.shape
        if shape is Shape.ONE or (shape is Shape.OPTIONAL and found is not None):
            if isinstance(found, kind):
                below.append(found)
                return None
            return _shown(found)
        if found is None:
            return None if shape is Shape.OPTIONAL else "None"
        if not isinstance(found, tuple):
            return _shown(found)
        for item in found:
            if isinstance(item, kind):
                below.append(item)
            elif shape is Shape.MANY or isinstance(item, Node):
                return f"{_shown(item)} among others"
        return None


def _shown(found: object) -> str:
    return describe(found) if isinstance(found, Node) else f"{found!r}"


def _held_by_kind(kind: type[Node]) -> tuple[_Held, ...]:
    return tuple([_Held(f.name, f.kind, f.shape) for f in kind.fields_ if f.kind is not None])


_HELD: Final = ByKind(_held_by_kind)

Check: TypeAlias = Callable[[Any, Report], None]  # Any: a node of one kind


def check_node(node: Node, report: Report) -> None:
    """Report what is wrong with a node by the properties of its operator, and its fields."""
    for check in _CHECKS[type(node)]:
        check(node, report)


def _checks_of_kind(kind: type[Node]) -> tuple[Check, ...]:
    found: list[Check] = [_check_operator]
    if kind.derived_:
        found.append(_check_derived)
    operands = [f for f in kind.fields_ if f.kind is not None and f.role is Role.OPERAND]
    if operands:
        found.append(_check_of_fields(operands, _check_operand))
    blocks = [f for f in kind.fields_ if f.block]
    if blocks:
        found.append(_check_of_fields(blocks, _check_block))
    return tuple(found)


_CHECKS: Final = ByKind(_checks_of_kind)


def _check_of_fields(
    fields: Sequence[Field], check: Callable[[Node, str, Sequence[Node], Report], None]
) -> Check:
    def check_each(node: Node, report: Report) -> None:
        for declared in fields:
            held = getattr(node, declared.name)
            if isinstance(held, Node):
                check(node, declared.name, (held,), report)
            elif held:
                check(node, declared.name, [e for e in held if isinstance(e, Node)], report)

    return check_each


def _check_operator(node: Node, report: Report) -> None:
    """The operator that a node calls is declared, and has as many children as it should have."""
    try:
        domain, operator = place_of(node)
    except UnknownNameError as error:
        report(Rule.OPERATOR, node, f"{one_line(node)} calls what nobody declared: {error}")
        return
    expected = operator.num_children
    if expected is None:
        return
    found = len(children_of(node))
    if found != expected:
        report(
            Rule.CHILDREN,
            node,
            f"{quote(node)} has {found} children; {operator.name!r} of domain {domain.name!r} is "
            f"declared with {expected}",
        )


def _check_derived(node: Node, report: Report) -> None:
    """What a node carries of what follows from its fields is what follows."""
    for name in type(node).derived_:
        follows, carried = getattr(type(node), f"derive_{name}")(node), getattr(node, name)
        if follows != carried:
            report(
                Rule.DERIVED,
                node,
                f"{quote(node)} carries the {name} {carried}, but has the {name} {follows}; "
                f"make nodes by their classes and with_fields, which derive it",
            )


def _check_operand(node: Node, field: str, held: Sequence[Node], report: Report) -> None:
    """An operand has a value: it is no statement, and nothing that is not evaluated."""
    for child in held:
        found = _properties_of_kind(type(child))
        if found & Property.EXPR:
            continue
        if found & Property.STMT:
            report(
                Rule.PLACE,
                child,
                f"{quote(child)} is a statement and stands as an operand, {field} of "
                f"{one_line(node)}; statements stand in blocks: put it before that one",
            )
        elif found & Property.NOT_EXEC:
            report(
                Rule.PLACE,
                child,
                f"{quote(child)} has no value and stands as an operand, {field} of "
                f"{one_line(node)}; expected an expression",
            )


def _check_block(node: Node, field: str, held: Sequence[Node], report: Report) -> None:
    """A block holds statements, and nothing behind one that ends it.

    What may stand behind the end of a block is left to its language where that has a rule for it.
    """
    has_rule = VERIFY_RULES[type(node)] is not demand_nothing
    end: Node | None = None
    for child in held:
        found = _properties_of_kind(type(child))
        if found & Property.NOT_EXEC or (found & Property.EXPR and not found & Property.STMT):
            if _properties_of_kind(type(node)) & Property.STMT:
                report(
                    Rule.PLACE,
                    child,
                    f"{quote(child)} is no statement and stands in a block, {field} of "
                    f"{describe(node)}; put it into a statement that uses its value",
                )
        elif end is not None and not found & Property.END_BB:
            report(
                Rule.UNREACHABLE,
                child,
                f"{quote(child)} stands in a block behind {one_line(end)}, which ends it, and "
                f"never runs; leave it out",
            )
            return
        if found & Property.END_BB and not has_rule:
            end = child


def _properties_of_kind(kind: type[Node]) -> Property:
    """Return the properties of the operator that nodes of a kind are."""
    found: Property = _PROPERTIES[kind]
    return found


def _find_properties(kind: type[Node]) -> Property:
    return get_domain(kind.domain_).kinds[kind.operator_].properties


_PROPERTIES: Final = ByKind(_find_properties)


def check_scopes(
    definitions: Mapping[str, Any],  # Any: of whatever language
    mod: AnyModule | None,
    check: Callable[[Any, Refuse], Scopes],
) -> list[Violation]:
    """Return what ``check`` refuses of scopes; in a module, also variables that nothing binds."""
    found: list[Violation] = []
    for name, definition in definitions.items():
        report = Report()
        refuse = partial(report, Rule.SCOPE)
        scopes = check(definition, refuse)
        if mod is not None:
            check_closed_scopes(f"@{name}", scopes, refuse)
        found += report.named(name)
    return found


def check_symbols(nodes: Iterable[Node], mod: AnyModule, report: Report) -> None:
    """Report names of definitions that the module does not have."""
    for node in nodes:
        if type(node) in NAMES:
            name = mod.name_of(node)
            if name is not None and name not in mod:
                report(
                    Rule.SYMBOL,
                    node,
                    f"the module defines no @{name}; define it, or take its uses out",
                )


_LABELLED: Final = Property.LABEL | Property.STMT


def check_labels(nodes: Iterable[Node], report: Report) -> None:
    """Report labels of statements that stand twice, and control that goes to labels that do not."""
    placed: dict[object, Node] = {}
    jumps: list[Node] = []
    for node in nodes:
        found = _properties_of_kind(type(node))
        if _LABELLED not in found:
            continue
        if found & Property.NON_SCF:
            jumps.append(node)
            continue
        label = getattr(node, "label", None)
        if label in placed:
            report(
                Rule.LABEL,
                node,
                f"the label {label!r} of {quote(node)} stands twice, also at "
                f"{one_line(placed[label])}; rename one of them",
            )
        placed.setdefault(label, node)
    for node in jumps:
        label = getattr(node, "label", None)
        if label not in placed:
            report(
                Rule.LABEL,
                node,
                f"{quote(node)} goes to the label {label!r}, which stands nowhere in the function",
            )
