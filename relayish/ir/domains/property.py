"""Properties of operators: what all parts of a compiler may ask of an operator of any domain.

Those of a kind follow from its declaration: :func:`properties_of` says from what. What does not is
declared, on the kind or on its family: ``class Stmt(Node, properties=Property.STMT)``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import Flag, auto
from typing import Any, Final

from relayish.ir.fields.effect import Effect
from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.roles import CHILD_ROLES, Access, Atom, Role


class Property(Flag):
    """What is known of an operator, and from what of its declaration it follows, or ``declared``.

    The record is that of an operator which calls name; all else is said of kinds of nodes.

    Source:
        AIR's ``OPR_PROP``, all but the last two.
    """

    NONE = 0
    EX_CHILD = auto()  # children: the number of its children differs
    ENTRY = auto()  # field, or declared: has the entry of a function
    RET_VAR = auto()  # access: calls, and writes the result to a symbol
    SCF = auto()  # scopes: evaluates children in scopes of their own: structured control flow
    NON_SCF = auto()  # declared: goes to a label
    END_BB = auto()  # declared: ends a block, in which nothing runs that stands behind it
    LEAF = auto()  # children, record: has no children, ever
    STMT = auto()  # declared, of a family: is a statement of a block
    EXPR = auto()  # family, record: has a value
    STORE = auto()  # access: writes a place that one of its fields names
    LOAD = auto()  # access: reads a place that one of its fields names
    CALL = auto()  # declared: calls a function
    COMPARE = auto()  # declared: compares its operands
    BOOLEAN = auto()  # declared: has a truth value
    NOT_EXEC = auto()  # family: is not evaluated by itself, as types and clauses are not
    SYM = auto()  # atom, binder, field: is a variable or name, binds one or has one
    TYPE = auto()  # field: has a type, beside that of its value
    LABEL = auto()  # field: has a label
    OFFSET = auto()  # field: has an offset in bytes
    VALUE = auto()  # atom, field: has a value known while compiling
    FLAGS = auto()  # field: has flags
    FIELD_ID = auto()  # field: has a field of a structure
    CONST_ID = auto()  # field: has a constant of the global scope
    BARRIER = auto()  # effect, record: nothing that may be observed moves past it
    PREFETCH = auto()  # declared: fetches ahead of use, and does nothing else
    ATTR = auto()  # field, record: has attributes
    ACC_TYPE = auto()  # field: has the type by which it accesses a place
    PREG = auto()  # field: has a pseudo register
    LIB_CALL = auto()  # declared: becomes a call of a library
    SIDE_EFFECT = auto()  # effect, record: does more than give a value
    COMMUTATIVE = auto()  # declared, record: gives the same for its operands in either order


def spell_properties(properties: Property) -> str:
    """Return the names of properties, as code joins them.

    Example:
        >>> spell_properties(Property.EXPR | Property.LOAD)
        'EXPR|LOAD'
    """
    return "|".join(str(each.name) for each in properties) or "NONE"


_OF_FIELDS: Final = {
    "access_type": Property.ACC_TYPE,
    "attrs": Property.ATTR,
    "constant": Property.CONST_ID,
    "dtype": Property.TYPE,
    "entry": Property.ENTRY,
    "field_id": Property.FIELD_ID,
    "field_name": Property.FIELD_ID,
    "flags": Property.FLAGS,
    "label": Property.LABEL,
    "offset": Property.OFFSET,
    "preg": Property.PREG,
    "rtype": Property.TYPE,
    "symbol": Property.SYM,
    "ty": Property.TYPE,
    "value": Property.VALUE,
}
"""By the name of a field that holds no operand: the property to have one."""


def child_fields(kind: type[Any]) -> list[Field]:  # Any: a class of nodes, which stand above
    """Return the fields of ``kind`` that hold children: what is evaluated, and what it binds."""
    return [f for f in kind.fields_ if f.role in CHILD_ROLES and f.is_evaluated]


def count_children(kind: type[Any]) -> int | None:  # Any: as above
    """Return how many children every node of class ``kind`` has, ``None`` where that differs."""
    held = child_fields(kind)
    return len(held) if all(f.shape is Shape.ONE for f in held) else None


def properties_of(
    kind: type[Any],  # Any: as above
    atoms: Collection[type[Any]],
    symbols: Collection[type[Any]],
) -> Property:
    """Return the properties of nodes of class ``kind``.

    They are those declared, on the kind or a family of it, and what follows from the rest:

    * from children: ``LEAF``, without any; ``EX_CHILD``, where their number differs; ``SCF``, where
      some are scopes, of the node or of its parts;
    * from what the family is held as: ``EXPR``, as operands, unless it is declared to be one of
      statements or of functions; else ``NOT_EXEC``;
    * from access: ``LOAD`` and ``STORE``, or of calls ``RET_VAR``, where they write a symbol; not
      of control flow;
    * from the effect: ``SIDE_EFFECT``, if it does more than read; ``BARRIER``, if it may do
      anything;
    * from atoms and binders: ``SYM``, for variables and names and for what binds or accesses one;
      ``VALUE``, for literals;
    * from fields that hold no operands, but leaves or atoms: :data:`_OF_FIELDS`, by their names;
      ``TYPE``, where they hold types.

    Args:
        kind: The class.
        atoms: All kinds of atoms.
        symbols: Those of variables and names.
    """
    fields, traits = kind.fields_, kind.traits_
    children = child_fields(kind)
    found: Property = kind.properties_
    if not children:
        found |= Property.LEAF
    if count_children(kind) is None:
        found |= Property.EX_CHILD
    if any(f.role is Role.SCOPE or _has_scopes(f) for f in children):
        found |= Property.SCF
    if kind.held_as_ is not Role.OPERAND:
        found |= Property.NOT_EXEC
    if not found & (Property.EXPR | Property.STMT | Property.NOT_EXEC | Property.ENTRY):
        found |= Property.EXPR
    if not found & (Property.SCF | Property.CALL | Property.LIB_CALL):
        found |= _access_of(fields)
    if traits.effect & ~Effect.READS:
        found |= Property.SIDE_EFFECT
    if traits.effect & Effect.UNKNOWN:
        found |= Property.BARRIER
    if traits.atom is Atom.LITERAL:
        found |= Property.VALUE
    elif traits.atom is not None:
        found |= Property.SYM
    for declared in fields:
        is_symbol = _holds_only(declared, symbols)
        if declared.role is Role.BINDER or is_symbol:
            found |= Property.SYM
        if is_symbol and Access.WRITE in declared.access and Property.CALL in found:
            found |= Property.RET_VAR
        if declared.compared and (declared.kind is None or _holds_only(declared, atoms)):
            found |= _OF_FIELDS.get(declared.name, Property.NONE)
        if declared.compared and declared not in children and _holds_types(declared):
            found |= Property.TYPE
    return found


def _has_scopes(declared: Field) -> bool:
    """Return whether a field holds parts, of a kind that has scopes."""
    if declared.role is not Role.PART or declared.kind is None:
        return False
    return any(f.role is Role.SCOPE for part in declared.kind.kinds for f in part.fields_)


def _access_of(fields: Iterable[Field]) -> Property:
    """Return what fields say of the places that they name."""
    found = Property.NONE
    for declared in fields:
        if Access.READ in declared.access:
            found |= Property.LOAD
        if Access.WRITE in declared.access:
            found |= Property.STORE
    return found


def _holds_types(declared: Field) -> bool:
    return declared.kind is not None and declared.kind.held_as_ is Role.ANNOTATION


def _holds_only(declared: Field, kinds: Collection[type[Any]]) -> bool:  # Any: as above
    """Return whether a field takes nodes of these kinds and nothing else."""
    if declared.kind is None or not declared.compared:
        return False
    held = declared.kind.kinds
    return bool(held) and all(kind in kinds for kind in held)
