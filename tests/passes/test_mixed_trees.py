"""Passes on Relay functions that hold expressions of another language, and these Relay's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from declared import known_in_tests
from standing import REFUSES, made_for

from relayish.analysis import free_vars, well_formed
from relayish.analysis.infer_type.rule import register_type_rule
from relayish.errors import PassError, UnknownKindError
from relayish.ir.effect import Effect
from relayish.ir.language import Language
from relayish.ir.node import Node, declared_temporarily, field, node
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Expr, Function, If, Let, RefCreate, RefWrite, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import scalar_type
from relayish.ir.roles import Atom, Runs
from relayish.ir.structural_equal import structural_equal
from relayish.passes.to_a_normal_form import to_a_normal_form
from relayish.text import astext, parse_expr
from relayish.transform import PassContext, list_passes

INT, BOOL = scalar_type("int32"), scalar_type("bool")
add = intern_op("add")

DECLARED = declared_temporarily()
with DECLARED:

    class Tile(Node, language=Language("test_tiles")):
        __slots__ = ()

    @node("var", atom=Atom.VARIABLE)
    class TileVar(Tile):
        name: str = field(hint=True)

    @node("constant", atom=Atom.LITERAL)
    class Number(Tile):
        value: int

    @node("call", effect=Effect.NONE)
    class Sum(Tile):
        args: tuple[Tile, ...]

    @node("tuple")
    class Say(Tile):
        fields: Tile

    @node("let", effect=Effect.NONE)
    class Bind(Tile):
        var: TileVar = field(binder=True)
        value: Tile
        body: Tile = field(scope=Runs.ONCE)

    @node("if", effect=Effect.NONE)
    class Perhaps(Tile):
        cond: Tile
        then: Tile = field(scope=Runs.ONE_OF)
        other: Tile | None = field(scope=Runs.ONE_OF, default=None)

    @node("function", effect=Effect.NONE)
    class Lambda(Tile):
        var: TileVar = field(binder=True)
        body: Tile = field(scope=Runs.DEFERRED)

    @node("quote", effect=Effect.NONE)
    class Quote(Tile):
        expr: Expr

    @node("tiled", effect=Effect.NONE)
    class Tiled(Expr):
        tile: Tile

    @node("tiled_loop", effect=Effect.NONE)
    class TiledLoop(Expr):
        first: Expr
        var: TileVar = field(binder=True)
        body: Tile = field(scope=Runs.REPEATEDLY)

    for kind in (Tiled, TiledLoop):
        register_type_rule(kind, lambda _node, _infer: INT)


_kinds = known_in_tests(DECLARED)


def programs() -> Iterator[Function]:
    x, y, c, f = Var("x", INT), Var("y", INT), Var("c", BOOL), Var("f")
    v, w = TileVar("v"), TileVar("w")
    quote = Quote(add(x, x))
    say = Say(Number(2))
    yield Function((x,), Tiled(Sum((Number(1), Number(1)))))
    yield Function((x,), Tuple((Tiled(say), Tiled(say), x)))
    yield Function((x,), add(Tiled(Sum((quote, quote))), quote.expr))
    yield Function((x,), Tiled(Bind(v, quote, Sum((v, v)))))
    yield Function((x,), Tiled(Quote(Let(y, add(x, x), add(y, y)))))
    yield Function((x, c), If(c, TiledLoop(x, v, Say(Sum((v, quote)))), Tiled(say)))
    yield Function((x,), Tiled(Perhaps(quote, say, Perhaps(Number(0), quote))))
    yield Function((x,), Call(Tiled(Lambda(w, Sum((w, quote)))), (x,)))
    yield Function((x,), Tiled(Quote(Function((y,), add(x, y)))))
    yield Function((x,), Let(y, RefCreate(Tiled(quote)), RefWrite(y, Tiled(say))))
    adds = Function((y,), Tiled(Sum((Quote(add(x, y)), Number(1)))))
    yield Function((x,), Let(f, adds, Tuple((f(x), f(const(4))))))


def said(mod: IRModule) -> int:
    return astext(mod).count("test_tiles.tuple(")


@pytest.mark.parametrize("name", list_passes())
def test_pass_keeps_expressions_of_another_language_or_says_what_to_do(name: str) -> None:
    refused = (UnknownKindError, PassError, REFUSES.get(name, PassError))
    with PassContext(opt_level=4):
        for func in programs():
            mod = IRModule({"main": func})
            for pass_ in made_for(name, mod):
                try:
                    out = pass_(mod)
                except refused:
                    continue
                assert all(well_formed(made) for made in out.functions.values())
                assert not any(free_vars(made) for made in out.functions.values())
                assert (said(out) > 0) == (said(mod) > 0)


def test_text_of_a_program_in_two_languages_reads_back() -> None:
    for func in programs():
        assert structural_equal(parse_expr(astext(func)), func)


def test_normal_form_of_a_program_in_two_languages_is_refused_by_what_is_in_the_way() -> None:
    x = Var("x", INT)
    with pytest.raises(PassError, match=r"Quote\(expr=Var\(x\)\) is no expression of Relay; a let"):
        to_a_normal_form(Function((x,), Tiled(Quote(x))))
