"""Symbols: variables and pseudo registers of functions, and names of what the module defines."""

from __future__ import annotations

from relayish.core.ir.family import Symbol
from relayish.core.ir.type import INT32, Type, as_type
from relayish.errors import FieldError
from relayish.ir.fields.roles import Atom
from relayish.ir.nodes.node import field, node


@node("var", atom=Atom.VARIABLE)
class Var(Symbol):
    """A formal or local variable of a function: memory of its own, whose address may be taken.

    It is the object that counts, the name is for people.
    """

    name: str = field(hint=True)
    type: Type = field(default=INT32, convert=as_type)


@node("preg", atom=Atom.VARIABLE)
class Preg(Symbol):
    """A pseudo register of a function, which holds a value and has no address."""

    loaded_by = "ldp"

    type: Type = field(default=INT32, convert=as_type)
    name: str = field(default="", hint=True)


def _as_name(given: str) -> str:
    """Return a name; what is no text is refused with the field."""
    if given == "":
        raise FieldError("what a module defines goes by a name; found an empty one")
    return given


@node("global", atom=Atom.NAME)
class Global(Symbol):
    """The name of what the module defines: a variable, a function, or an entry point.

    Attributes:
        type: That of the variable, or of the function.
    """

    names_definition_ = True

    name: str = field(convert=_as_name)
    type: Type = field(convert=as_type)
