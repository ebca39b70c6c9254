"""Roles: what the fields of a node mean, and traits: what its kind means.

A declaration says both once. From it are derived operands, scopes, bound and free variables,
renaming, equality up to names, the place of shared nodes, side effects, definitions and uses.
"""

from __future__ import annotations

from enum import Enum, Flag
from typing import Final, NamedTuple

from relayish.ir.fields.effect import Effect


class Role(Enum):
    """What the nodes in a field are to the node that holds them."""

    LEAF = "leaf"  # there are none
    OPERAND = "operand"  # evaluated before the node, in order of declaration
    SCOPE = "scope"  # evaluated later, perhaps, or repeatedly, in a scope of its own
    BINDER = "binder"  # variables brought into scope by the node, or patterns that hold them
    PART = "part"  # no value by itself; holds further operands and scopes, as a clause does
    ANNOTATION = "annotation"  # says something about the node and is not evaluated, as types do


CHILD_ROLES: Final = (Role.OPERAND, Role.SCOPE, Role.BINDER, Role.PART)
"""The roles of what belongs to the program: what is evaluated, and what it binds."""


class Runs(Enum):
    """How often a scope is evaluated when its node is."""

    ONCE = "once"  # after the operands, as the body of a let
    ONE_OF = "one of"  # one of all the scopes of this sort, as a branch
    REPEATEDLY = "repeatedly"  # zero or more times, as the body of a loop
    DEFERRED = "deferred"  # whenever the value of the node is called, as the body of a function


class Access(Flag):
    """Whether the place that a field names is read, written, or both, and how it is named."""

    NONE = 0
    READ = 1
    WRITE = 2
    BOTH = 3
    INDIRECT = 4  # the field does not name the place; its value refers to it, as an address does
    PARTLY = 8  # a part of the place, as an element of a tensor; the rest stays what it was


class Atom(Enum):
    """What nodes of a kind without operands are; an atom may stand wherever it is used."""

    VARIABLE = "variable"  # bound somewhere; corresponds by where that is, whatever it is called
    NAME = "name"  # of something that is defined elsewhere: a global function, an operator
    LITERAL = "literal"  # a value known while compiling


class Traits(NamedTuple):
    """What the kind of a node means.

    Attributes:
        atom: Which sort of atom nodes of the kind are; ``None`` for all that is computed.
        effect: What evaluating a node does by itself, its operands and scopes aside.
        graph_node: Whether sharing counts: a node used twice is another program than two copies.
        allocates: Whether each evaluation makes a thing of its own, distinct from all others.
    """

    atom: Atom | None = None
    effect: Effect = Effect.UNKNOWN
    graph_node: bool = True
    allocates: bool = False

    @property
    def is_pure(self) -> bool:
        """Whether evaluating a node does nothing by itself but give a value."""
        return not self.effect
