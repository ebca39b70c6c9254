"""Memory: loads and stores by symbol and by address, and addresses.

The access type of a load or store is that of the value it moves; ``None`` is what the symbol or the
address says.
"""

from __future__ import annotations

from operator import attrgetter

from relayish.core.ir.family import Expr, Stmt, Symbol
from relayish.core.ir.symbol import Preg
from relayish.core.ir.type import VOID, Type, as_type, as_type_or_none
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access
from relayish.ir.nodes.node import field, node


@node("lda", effect=Effect.NONE, graph_node=False)
class Lda(Expr):
    """The address of a symbol: of a variable, or of a function."""

    symbol: Symbol

    @staticmethod
    def derive_type(node: Lda) -> Type:
        """Return the type of addresses of the symbol."""
        return type_of(node.symbol).pointer_to()


@node("idname", effect=Effect.NONE, graph_node=False)
class Idname(Expr):
    """The name of a symbol, which is not loaded."""

    symbol: Symbol

    @staticmethod
    def derive_type(node: Idname) -> Type:
        """Return the type of the symbol."""
        return type_of(node.symbol)


@node("ld", effect=Effect.READS, graph_node=False)
class Ld(Expr):
    """What a symbol holds."""

    symbol: Symbol = field(access=Access.READ)
    access_type: Type | None = field(default=None, convert=as_type_or_none)

    @staticmethod
    def derive_type(node: Ld) -> Type:
        """Return the access type, by default that of the symbol."""
        return node.access_type or type_of(node.symbol)


@node("ldf", effect=Effect.READS, graph_node=False)
class Ldf(Expr):
    """What a field of a symbol holds, which is a structure."""

    symbol: Symbol = field(access=Access.READ)
    field_name: str
    access_type: Type = field(convert=as_type)

    derive_type = attrgetter("access_type")


@node("ldo", effect=Effect.READS, graph_node=False)
class Ldo(Expr):
    """What the bytes of a symbol hold from ``offset`` on."""

    symbol: Symbol = field(access=Access.READ)
    offset: int
    access_type: Type = field(convert=as_type)

    derive_type = attrgetter("access_type")


@node("ild", effect=Effect.READS, graph_node=False)
class Ild(Expr):
    """What is at an address."""

    address: Expr = field(access=Access.READ | Access.INDIRECT)
    access_type: Type | None = field(default=None, convert=as_type_or_none)

    @staticmethod
    def derive_type(node: Ild) -> Type:
        """Return the access type, by default what the address is of."""
        return node.access_type or pointee_of(node.address)


@node("ldp", effect=Effect.READS, graph_node=False)
class Ldp(Expr):
    """What a pseudo register holds."""

    preg: Preg = field(access=Access.READ)
    access_type: Type | None = field(default=None, convert=as_type_or_none)

    @staticmethod
    def derive_type(node: Ldp) -> Type:
        """Return the access type, by default that of the register."""
        return node.access_type or node.preg.type


@node("ldpf", effect=Effect.READS, graph_node=False)
class Ldpf(Expr):
    """What a field of a pseudo register holds, which is a structure."""

    preg: Preg = field(access=Access.READ)
    field_name: str
    access_type: Type = field(convert=as_type)

    derive_type = attrgetter("access_type")


@node("array", effect=Effect.NONE, graph_node=False)
class Array(Expr):
    """The address of an element: of the array, or of the first one of some, at ``address``.

    An array takes an index for each dimension; the address of one element is that of the first of
    a row, and takes one index.
    """

    address: Expr
    indices: tuple[Expr, ...]

    @staticmethod
    def derive_type(node: Array) -> Type:
        """Return the type of addresses of elements."""
        given = pointee_of(node.address)
        return (given.element if given.is_array else given).pointer_to()


@node("st", effect=Effect.WRITES, graph_node=False)
class St(Stmt):
    """Put ``value`` into a symbol."""

    symbol: Symbol = field(access=Access.WRITE)
    value: Expr
    access_type: Type | None = field(default=None, convert=as_type_or_none)


@node("stf", effect=Effect.WRITES, graph_node=False)
class Stf(Stmt):
    """Put ``value`` into a field of a symbol, which is a structure."""

    symbol: Symbol = field(access=Access.WRITE | Access.PARTLY)
    field_name: str
    value: Expr
    access_type: Type | None = field(default=None, convert=as_type_or_none)


@node("sto", effect=Effect.WRITES, graph_node=False)
class Sto(Stmt):
    """Put ``value`` into the bytes of a symbol from ``offset`` on."""

    symbol: Symbol = field(access=Access.WRITE | Access.PARTLY)
    offset: int
    value: Expr
    access_type: Type | None = field(default=None, convert=as_type_or_none)


@node("ist", effect=Effect.WRITES, graph_node=False)
class Ist(Stmt):
    """Put ``value`` at an address."""

    address: Expr = field(access=Access.WRITE | Access.PARTLY | Access.INDIRECT)
    value: Expr
    access_type: Type | None = field(default=None, convert=as_type_or_none)


@node("stp", effect=Effect.WRITES, graph_node=False)
class Stp(Stmt):
    """Put ``value`` into a pseudo register."""

    preg: Preg = field(access=Access.WRITE)
    value: Expr
    access_type: Type | None = field(default=None, convert=as_type_or_none)


@node("stpf", effect=Effect.WRITES, graph_node=False)
class Stpf(Stmt):
    """Put ``value`` into a field of a pseudo register, which is a structure."""

    preg: Preg = field(access=Access.WRITE | Access.PARTLY)
    field_name: str
    value: Expr
    access_type: Type | None = field(default=None, convert=as_type_or_none)


def type_of(symbol: Symbol) -> Type:
    """Return the type of a symbol."""
    return getattr(symbol, "type", VOID)


def pointee_of(address: Expr) -> Type:
    """Return what an address is of; ``void`` for what is no address, which the verifier refuses."""
    return address.type.pointee if address.type.is_pointer else VOID
