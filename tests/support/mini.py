"""A second language in forty lines: kinds called let, call and var, like Relay's."""

from __future__ import annotations

from relayish.ir.domains.language import Language
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Atom, Runs
from relayish.ir.nodes.node import Node, declared_temporarily, field, node

DECLARED = declared_temporarily()
with DECLARED:

    class MiniExpr(Node, language=Language("mini")):
        __slots__ = ()
        visit_name = "mini_expr"

    @node("var", atom=Atom.VARIABLE)
    class Var(MiniExpr):
        label: str = field(hint=True)
        bits: int = 32

    @node("number", atom=Atom.LITERAL)
    class Number(MiniExpr):
        value: int

    @node("call", effect=Effect.NONE)
    class Call(MiniExpr):
        callee: str
        args: tuple[MiniExpr, ...] = ()

    @node("say")
    class Say(MiniExpr):
        what: MiniExpr

    @node("let", effect=Effect.NONE)
    class Let(MiniExpr):
        var: Var = field(binder=True)
        value: MiniExpr
        body: MiniExpr = field(scope=Runs.ONCE)

    @node("function", effect=Effect.NONE)
    class Function(MiniExpr):
        params: tuple[Var, ...] = field(binder=True)
        body: MiniExpr = field(scope=Runs.DEFERRED)


def sum_of_squares(a: str = "a", b: str = "b") -> Function:
    """``fn (a) { let b = a * a; say(b + 1) + b }`` with variables of any names."""
    first, second = Var(a), Var(b)
    said = Say(Call("add", (second, Number(1))))
    body = Call("add", (said, second))
    return Function((first,), Let(second, Call("mul", (first, first)), body))
