"""Domains that know nothing of each other bring kinds, texts and C into one program."""

from __future__ import annotations

from operator import attrgetter

import pytest

import relayish as relay
from relayish import core
from relayish.codegen.c import CoreCtx, core_to_c
from relayish.codegen.c.text import CText, apply, cast, infix
from relayish.core import Expr, Stmt
from relayish.core.interpreter import Machine, Returned
from relayish.domain import Handler, register_handler
from relayish.errors import CodegenError, DivisionByZeroError
from relayish.ir.domains.domain import Domain
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access, Runs
from relayish.ir.nodes.node import field, node
from relayish.ir.registration.declarations import declared_temporarily
from relayish.text import register_text
from tests.support.declared import known_in_tests

DECLARED = declared_temporarily()
with DECLARED:
    MODULAR, COUNTING = Domain("test_modular"), Domain("test_counting")

    @node("mulmod", domain=MODULAR, effect=Effect.NONE, graph_node=False)
    class Mulmod(Expr):
        """The remainder of a product, which does not overflow."""

        a: Expr
        b: Expr
        modulus: Expr

        derive_type = attrgetter("a.type")

    @node("repeat", domain=COUNTING, effect=Effect.NONE, graph_node=False)
    class Repeat(Stmt):
        """Run a body so many times; a variable counts."""

        times: Expr
        counter: core.Var = field(access=Access.WRITE)
        body: core.Block = field(scope=Runs.REPEATEDLY)

    @register_handler("evaluate")
    class EvaluateModular(Handler, domain="test_modular"):
        def handle_mulmod(self, visitor, node):
            a, b, modulus = [visitor.visit(each) for each in (node.a, node.b, node.modulus)]
            if modulus == 0:
                raise DivisionByZeroError("a remainder by 0")
            return a * b % modulus

    @register_handler("c")
    class ModularToC(Handler, domain="test_modular"):
        def handle_mulmod(self, visitor, node):
            ctx: CoreCtx = visitor.context
            a, b, modulus = [ctx.text(visitor, each) for each in (node.a, node.b, node.modulus)]
            modulus = ctx.hold(node.modulus, modulus, "modulus")
            test = infix("==", modulus, CText("0"))
            ctx.fail_if(test.text, DivisionByZeroError, "a remainder by 0", node)
            wide = infix("*", cast("uint64_t", a), cast("uint64_t", b))
            return cast("uint32_t", infix("%", wide, modulus))

    @register_handler("evaluate")
    class EvaluateCounting(Handler, domain="test_counting"):
        def handle_repeat(self, visitor, node):
            machine: Machine = visitor.context
            for at in range(visitor.visit(node.times)):
                machine.store(node.counter, at, node.counter.type)
                visitor.forget()
                done = visitor.visit(node.body)
                if isinstance(done, Returned):
                    return done
            return None

    @register_handler("c")
    class CountingToC(Handler, domain="test_counting"):
        def handle_repeat(self, visitor, node):
            ctx: CoreCtx = visitor.context
            times = ctx.declare("int32_t", "times", ctx.text(visitor, node.times).text)
            at = ctx.names.fresh("round")
            with ctx.braces(f"for (int32_t {at} = 0; {at} < {times.text}; ++{at})", node):
                ctx.store(node.counter, CText(at), node.counter.type)
                ctx.run(visitor, node.body)

    def write_repeat(writer, repeat):
        writer.write(f" {writer.operand(repeat.times)} times {writer.operand(repeat.counter)} ")
        yield writer.block(repeat, "body")

    def read_repeat(reader, start):
        times = yield reader.read_expression()
        reader.expect("times", "behind how often")
        counter = yield reader.read_binder()
        body = yield reader.read_block(counter)
        return Repeat(times, counter, body, span=reader.span(start, reader.pos))

    def write_mulmod(writer, node):
        writer.write(f" <{writer.operand(node.a)} * {writer.operand(node.b)}, mod: ")
        yield writer.field(node, "modulus")
        writer.write(">")

    def read_mulmod(reader, start):
        reader.expect("<", "behind mulmod")
        a = yield reader.read_expression()
        reader.expect("*", "between factors")
        b = yield reader.read_expression()
        reader.expect(", mod:", "before the modulus")
        modulus = yield reader.read_field(Mulmod, "modulus")
        reader.expect(">", "behind the modulus")
        return Mulmod(a, b, modulus, span=reader.span(start, reader.pos))

    register_text(Repeat, "repeat", write=write_repeat, read=read_repeat)
    register_text(Mulmod, "mulmod", write=write_mulmod, read=read_mulmod)

_kinds = known_in_tests(DECLARED)


def power() -> relay.IRModule:
    """``base`` to the power of ``exponent`` modulo ``modulus``; ``main`` gives up at 9 rounds."""
    scope = core.GlobalScope()
    params = {"base": "uint32", "exponent": "int32", "modulus": "uint32"}
    with scope.function("main", params, "uint32") as f:
        total, i = f.local("total", "uint32"), f.local("i")
        f.store(total, core.const(1, "uint32"))
        step = core.St(
            total, Mulmod(core.as_expr(total), core.as_expr(f.base), core.as_expr(f.modulus))
        )
        stop = core.If(i < 9, core.Block((step,)), core.Block((core.Retv(core.as_expr(total)),)))
        inner = Repeat(core.const(1), f.local("j"), core.Block((stop,)))
        f.add(Repeat(core.as_expr(f.exponent), i, core.Block((inner,))))
        f.retv(total)
    return scope.module()


def test_two_domains_stand_in_one_compiled_program():
    mod = power()
    compiled, interpreted = core.build(mod), core.Interpreter(mod)
    for given in ((3, 7, 1000), (4000000000, 3, 4294967291), (2, 100, 1 << 31)):
        assert compiled(*given) == interpreted.call("main", *given)
    for running in (compiled, interpreted):
        with pytest.raises(DivisionByZeroError, match="a remainder by 0"):
            running.call("main", 3, 1, 0)


def test_kinds_of_core_have_texts_of_their_own():
    mod = power()
    assert str(mod["main"]).splitlines()[3:9] == [
        "  repeat ld(%exponent) times %i {",
        "    repeat 1 times %j {",
        "      if(lt(ld(%i), 9)) {",
        "        st(%total, mulmod <ld(%total) * ld(%base), mod: ld(%modulus)>)",
        "      } else {",
        "        retv(ld(%total))",
    ]
    again = relay.parse(mod.astext())
    relay.assert_structural_equal(again, mod)
    assert again.astext() == mod.astext()


def test_a_handler_that_derives_from_another_overrides_what_becomes_of_a_kind():
    class Special(ModularToC):
        def handle_mulmod(self, visitor, node):
            ctx: CoreCtx = visitor.context
            return apply("special", *[ctx.text(visitor, each) for each in (node.a, node.b)])

    plain = core_to_c(power()).text
    special = core_to_c(power(), handlers=[Special]).text
    assert "special(total, base)" in special
    assert "special" not in plain
    assert "% modulus" in plain


def test_a_kind_that_no_handler_writes_is_refused_by_name():
    class Silent(Handler, domain="test_modular"):
        def any_operator(self, visitor, node):
            raise CodegenError(f"{type(node).__name__} is not to be written")

    with pytest.raises(CodegenError, match="Mulmod is not to be written"):
        core_to_c(power(), handlers=[Silent])
