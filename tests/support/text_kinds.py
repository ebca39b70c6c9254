"""Kinds of nodes as other packages declare them, in Relay's language and in one of their own.

They have a field of every sort. ``with DECLARED:`` makes them known.
"""

from __future__ import annotations

from enum import Enum, Flag, IntEnum

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.domains.language import Language
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access, Atom, Role, Runs
from relayish.ir.nodes.node import Node, field, node
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.adt import Pattern
from relayish.ir.relay.expr import Expr, Var
from relayish.ir.relay.language import RELAY
from relayish.ir.relay.type import PrimExpr, Type, TypeVar

DECLARED = declared_temporarily()


class Color(Enum):
    RED = 1
    GREEN = "g"


class Ports(Flag):
    LEFT = 1
    RIGHT = 2


class Width(IntEnum):
    ONE = 1


with DECLARED:

    class Part(Node, language=RELAY, held_as=Role.PART):
        __slots__ = ()
        visit_name = "text_part"

    @node("text_case")
    class Case(Part):
        key: int
        guard: Expr
        var: Var = field(binder=True)
        body: Expr = field(scope=Runs.ONE_OF)
        next: Part | None = None

    @node("text_switch")
    class Switch(Expr):
        value: Expr
        cases: tuple[Part, ...]
        default: Expr | None = field(default=None, scope=Runs.ONE_OF)

    @node("text_values")
    class Values(Expr):
        integer: int = 0
        real: float = 0.0
        text: str = ""
        flag: bool = False
        anything: object = None
        color: Color = Color.RED
        ports: Ports = Ports.LEFT
        width: Width = Width.ONE
        colors: tuple[Color, ...] = ()
        attrs: Attrs | None = None
        items: tuple[object, ...] = ()
        mixed: tuple[int | Expr, ...] = ()
        one: Expr | None = None
        type: Type | None = None
        sizes: tuple[int | PrimExpr, ...] = ()
        types: tuple[int | Type, ...] = ()
        node: Node | None = None

    @node("text_letrec")
    class LetRec(Expr):
        vars: tuple[Var, ...] = field(binder=True)
        values: tuple[Expr, ...] = field(recursive=True)
        body: Expr = field(scope=Runs.ONCE)

    @node("text_poly")
    class Poly(Expr):
        body: Expr = field(scope=Runs.DEFERRED)
        params: tuple[Var, ...] = field(binder=True)
        type_params: tuple[TypeVar, ...] = field(binder=True)

    @node("text_mixed_block")
    class MixedBlock(Expr):
        var: Var = field(binder=True)
        steps: tuple[int | Expr, ...] = field(scope=Runs.ONCE)

    @node("text_literal", atom=Atom.LITERAL)
    class Literal(Expr):
        value: int

    @node("text_clock")
    class Clock(Expr):
        unit: str

    @node("text_box")
    class Box(Type):
        inner: Type
        tag: str = "x"
        others: tuple[Type, ...] = ()
        sizes: tuple[int | PrimExpr, ...] = ()

    @node("text_forall")
    class ForAll(Type):
        params: tuple[TypeVar, ...] = field(binder=True)
        body: Type

    @node("text_region", atom=Atom.VARIABLE)
    class Region(Type):
        name: str = field(hint=True)

    @node("text_guard")
    class Guard(Pattern):
        inner: Pattern
        than: Expr
        also: Var | None = field(default=None, binder=True)

    TIR = Language("text.tir")

    class Tir(Node, language=TIR):
        __slots__ = ()

    class Note(Node, language=TIR, held_as=Role.ANNOTATION):
        __slots__ = ()
        visit_name = "note"

    @node("elem")
    class Elem(Note):
        dtype: str

    @node("var", atom=Atom.VARIABLE)
    class TirVar(Tir):
        name: str = field(hint=True)
        dtype: str = "int32"

    @node("buffer", atom=Atom.VARIABLE)
    class Buffer(Tir):
        name: str = field(hint=True)
        shape: tuple[Tir, ...] = field(default=(), annotation=True)
        elem: Elem | None = None

    @node("range")
    class Range(Note):
        low: Tir = field(annotation=True)
        high: Tir

    @node("imm", atom=Atom.LITERAL)
    class Imm(Tir):
        value: int

    @node("add", effect=Effect.NONE)
    class Add(Tir):
        lhs: Tir
        rhs: Tir

    @node("let", effect=Effect.NONE)
    class Let(Tir):
        var: TirVar = field(binder=True)
        value: Tir
        body: Tir = field(scope=Runs.ONCE)

    @node("for")
    class For(Tir):
        var: TirVar = field(binder=True)
        extent: Tir
        body: tuple[Tir, ...] = field(scope=Runs.REPEATEDLY, block=True)

    @node("store")
    class Store(Tir):
        buffer: Buffer = field(access=Access.WRITE)
        index: Tir
        value: Tir

    @node("load")
    class Load(Tir):
        buffer: Buffer = field(access=Access.READ)
        index: Tir

    @node("call")
    class Call(Tir):
        func: str
        args: tuple[Tir, ...] = ()
        over: Range | None = None

    @node("prim_func", effect=Effect.NONE)
    class PrimFunc(Tir):
        params: tuple[Buffer, ...] = field(binder=True)
        body: tuple[Tir, ...] = field(scope=Runs.DEFERRED, block=True)

    class TirPattern(Node, language=TIR, held_as=Role.BINDER):
        __slots__ = ()
        visit_name = "pattern"

    @node("bind")
    class Bind(TirPattern):
        var: TirVar = field(binder=True)
        inner: TirPattern | None = None

    @node("select")
    class Select(Tir):
        pattern: TirPattern
        body: Tir = field(scope=Runs.ONE_OF)

    @node("kernel")
    class Kernel(Expr):
        args: tuple[Expr, ...]
        params: tuple[Buffer, ...] = field(binder=True)
        body: Tir = field(scope=Runs.DEFERRED)
