"""Opcodes of nodes: which operator, of which domain, each node is, and what its children are.

A node is the operator that its kind is, in the domain of that, except where nodes of one kind call
operators, as Relay's calls do: then it is the operator that it calls. Where a kind has a
field called ``domain``, ``child`` and the like, the functions here tell what its nodes do not.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.errors import FieldIndexError, UnknownNameError
from relayish.ir.domains.domain import PLACES, Domain, Opcode, Operator, get_domain
from relayish.ir.domains.property import Property, child_fields
from relayish.ir.fields.field import Field
from relayish.ir.nodes.getters import (
    ItemGetter,
    Nodes,
    NodesGetter,
    compile_count,
    compile_getter,
    compile_item,
)
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import GIVING_WAY, Node
from relayish.ir.nodes.traversal import ByKind

Callee: TypeAlias = Callable[[Any], Hashable | None]
"""``callee(node)``: what it calls, one thing for each operator, or ``None``.  Any: of one kind"""

Named: TypeAlias = Callable[[Any], tuple[str, str]]
"""``named(callee)``: the names of the domain and of the operator in it.  Any: what Callee gives"""


class OperatorField(NamedTuple):
    """How nodes of a kind tell which operator they call.

    Attributes:
        callee: What a node calls, one thing for each operator; ``None`` where that is no operator.
        named: The names of the domain and of the operator, of what ``callee`` gives.
        field: The field that holds it, where that is a child of other nodes of the kind.
    """

    callee: Callee
    named: Named
    field: str | None = None


OPERATOR_FIELDS: Final[KindTable[OperatorField | None]] = KindTable(
    "the opcode of a node", "relayish.ir.kinds.opcode.OPERATOR_FIELDS", {Node: None}
)
"""By kind; where ``callee`` gives ``None``, a node is the operator that its kind is."""


def operator_field_of(kind: type[Node]) -> OperatorField | None:
    """Return how nodes of class ``kind`` tell which operator they call, if they call any."""
    return OPERATOR_FIELDS[kind]


def place_of(node: Node) -> tuple[Domain, Operator]:
    """Return the domain of ``node`` and the operator in it.

    Raises:
        UnknownNameError: If it calls an operator that is not declared, or its kind is forgotten.

    Complexity:
        Constant.
    """
    kind = type(node)
    calls = OPERATOR_FIELDS[kind]
    callee = None if calls is None else calls.callee(node)
    key: object = kind if callee is None else (kind, callee)
    found = PLACES.get(key)
    if found is not None:
        return found
    if calls is None or callee is None:
        owner = get_domain(kind.domain_)
        if kind.operator_ not in owner.kinds:
            raise UnknownNameError(
                f"domain {owner.name} has no kind {kind.operator_!r} any more: "
                f"{kind.__name__} was declared temporarily; enter declared_temporarily again"
            )
        found = owner, owner.kinds[kind.operator_]
    else:
        domain, name = calls.named(callee)
        owner = get_domain(domain)
        found = owner, owner.called(name)
    PLACES[key] = found
    return found


def domain_of(node: Node) -> Domain:
    """Return the domain that the operator of ``node`` belongs to."""
    return place_of(node)[0]


def operator_of(node: Node) -> Operator:
    """Return the operator that ``node`` is, or calls."""
    return place_of(node)[1]


def opcode_of(node: Node) -> Opcode:
    """Return what tells the operator of ``node`` from all others, of all domains."""
    owner, operator = place_of(node)
    return Opcode(owner.id, operator.number)


def has_property(node: Node, wanted: Property) -> bool:
    """Return whether the operator of ``node`` has all of these properties."""
    return place_of(node)[1].has_property(wanted)


def children_of(node: Node) -> Nodes:
    """Return the children of ``node``: what it evaluates and binds, in order of declaration.

    Annotations are none, and no operator that it calls.

    Complexity:
        Linear in their number.
    """
    found: Nodes = _HELD[type(node)](node)
    return found


def _num_child(node: Node) -> int:
    """How many children the node has; in constant time."""
    count: int = _COUNTS[type(node)](node)
    return count


def _child(node: Node, index: int) -> Node:
    """Return child ``index`` (from 0) of the node, in constant time.

    Raises:
        FieldIndexError: If it has no such child.
    """
    try:
        found: Node | None = _ITEMS[type(node)](node, index) if index >= 0 else None
    except TypeError as error:
        raise FieldIndexError(
            f"child is given {index!r}; expected the number of a child, from 0"
        ) from error
    if found is not None:
        return found
    raise FieldIndexError(
        f"{type(node).__name__} has {_num_child(node)} children; there is no child {index}"
    )


def _by_kind(
    compile_of: Callable[[Iterable[Field]], Callable[..., Any]],
    choose: Callable[..., Callable[..., Any]],
) -> ByKind:
    """Return, by kind, what is compiled for the children of its nodes.

    Any: what is compiled takes and returns what it says. Where nodes of a kind may call operators,
    ``choose`` makes one function of what they call, of that for calls, and of that for others.
    """

    def of_kind(kind: type[Node]) -> Callable[..., Any]:  # Any: as above
        fields, calls = child_fields(kind), OPERATOR_FIELDS[kind]
        if calls is None or calls.field is None:
            return compile_of(fields)
        operands = [f for f in fields if f.name != calls.field]
        return choose(calls.callee, compile_of(operands), compile_of(fields))

    return OPERATOR_FIELDS.derive(of_kind)


def _choose(callee: Callee, calls: NodesGetter, others: NodesGetter) -> NodesGetter:
    return lambda node: others(node) if callee(node) is None else calls(node)


def _choose_item(callee: Callee, calls: ItemGetter, others: ItemGetter) -> ItemGetter:
    return lambda node, i: others(node, i) if callee(node) is None else calls(node, i)


_HELD: Final = _by_kind(compile_getter, _choose)
_COUNTS: Final = _by_kind(compile_count, _choose)
_ITEMS: Final = _by_kind(compile_item, _choose_item)


def _install() -> None:
    """Give every node its place among the operators, where a field does not take the name."""
    told: dict[str, object] = {
        "domain": property(domain_of),
        "operator": property(operator_of),
        "opcode": property(opcode_of),
        "num_child": property(_num_child),
        "has_property": has_property,
        "child": _child,
    }
    assert told.keys() == GIVING_WAY
    for name, attribute in told.items():
        setattr(Node, name, attribute)


_install()
