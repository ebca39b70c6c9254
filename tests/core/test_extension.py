"""Domains of other packages build on core: their kinds stand wherever those of core do."""

from __future__ import annotations

from operator import attrgetter

import pytest

import relayish as relay
from relayish import core, tir
from relayish.binary import from_binary, to_binary
from relayish.core import Expr, Stmt
from relayish.dataflow import Action, build_flow_graph
from relayish.domain import DefaultHandler, Handler, TransformCtx, Visitor, verify
from relayish.errors import FieldError, ParseError
from relayish.ir.domains.domain import Domain
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access, Runs
from relayish.ir.nodes.node import Node, field, node
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.verification.rules import Report
from tests.support.declared import known_in_tests

DECLARED = declared_temporarily()
with DECLARED:
    COMPLEX = Domain("test_complex")

    @node("cmul", domain=COMPLEX, effect=Effect.NONE, graph_node=False)
    class Cmul(Expr):
        """The product of two complex numbers."""

        a: Expr
        b: Expr
        conjugate: bool = False

        derive_type = attrgetter("a.type")

    @node("repeat", domain=COMPLEX, effect=Effect.NONE, graph_node=False)
    class Repeat(Stmt):
        """Run a body some times, and what stands behind it once."""

        times: int
        counter: core.Var = field(access=Access.WRITE)
        body: core.Block = field(scope=Runs.REPEATEDLY)
        rest: core.Block = field(default=core.Block(), scope=Runs.ONCE)

    @node("note", domain=COMPLEX, effect=Effect.STATE, graph_node=False)
    class Note(Stmt):
        """Holds whatever there is: types of Relay, nodes of the loop IR, other values."""

        ty: relay.Type | None = None
        about: tuple[Node | int, ...] = ()
        sizes: tuple[int, ...] = ()

    @node("clear", domain=COMPLEX, effect=Effect.NONE, graph_node=False)
    class Clear(Stmt):
        """Write zero."""

        target: core.Symbol = field(access=Access.WRITE)

    @core.VERIFY_RULES.register(Cmul)
    def check_cmul(node: Cmul, report: Report) -> None:
        """Complex numbers are pairs."""
        if node.a.type != "float32[2]":
            report(core.Rule.TYPE, node, f"cmul is given {node.a.type}; expected float32[2]")


_kinds = known_in_tests(DECLARED)

Z, N, X = core.Var("z", "float32[2]"), core.Var("n"), core.Var("x")


def function_of(*stmts: Stmt) -> relay.IRModule:
    return relay.IRModule({"f": core.FuncEntry((Z, N, X), body=core.Block(stmts))})


def product() -> core.St:
    return core.St(Z, Cmul(core.as_expr(Z), core.as_expr(Z), conjugate=True))


def repeat() -> Repeat:
    return Repeat(3, N, core.Block((product(),)), core.Block((core.Ret(),)))


def test_kinds_of_other_domains_are_written_by_their_declarations():
    mod = function_of(repeat(), product())
    assert str(mod["f"]).splitlines()[1:-1] == [
        "  test_complex__repeat(3, %n) {",
        "    st(%z, test_complex__cmul(ld(%z), ld(%z), True))",
        "  } and {",
        "    ret()",
        "  }",
        "  st(%z, test_complex__cmul(ld(%z), ld(%z), True))",
    ]
    relay.assert_structural_equal(relay.parse(mod.astext()), mod)


def test_fields_of_any_language_are_read_back():
    i = tir.Var("i")
    x = relay.var("x", shape=(2, 3))
    of_relay = relay.Function([x], relay.Let(relay.var("y"), relay.nn.relu(x), relay.add(x, x)))
    about = (i + 1, 7, core.as_expr(X), i, of_relay, relay.GlobalVar("f"), relay.const(2.5))
    note = Note(relay.TensorType((2, 3)), about, (1, 2))
    mod = function_of(note, Note(None, (), ()), Note(sizes=(3,)))
    for made in (relay.parse(mod.astext()), from_binary(to_binary(mod))):
        assert relay.structural_equal(made, mod, map_free_vars=True)


def test_reader_refuses_kinds_that_nobody_declares():
    with pytest.raises(ParseError, match="unknown kind of node no_such_domain"):
        relay.parse('#[version = "0.0.5"]\ndef @f = core_func () { no_such_domain.cmul() }')


def test_verifiers_ask_the_rules_of_other_domains():
    wrong = core.St(X, Cmul(core.as_expr(X), core.as_expr(X)))
    for found in (core.verify(function_of(wrong)), verify(function_of(wrong))):
        assert [each.message for each in found] == ["cmul is given int32; expected float32[2]"]
    assert core.verify(function_of(product())) == ()


def test_fields_take_kinds_of_other_domains_only_where_they_are_derived_from_core():
    with pytest.raises(FieldError, match=r"St\.value"):
        core.St(X, tir.const(1))


def test_control_flow_of_other_domains_follows_from_roles():
    loop = repeat()
    graph = build_flow_graph(function_of(loop)["f"])
    assert [p.action for p in graph.points if p.node is loop].count(Action.LOOP) == 1


def test_handlers_of_one_domain_replace_its_nodes_in_programs_of_core():
    class Lower(Handler, domain="test_complex"):
        def handle_cmul(self, visitor, cmul):
            return visitor.visit(cmul.a)

        def handle_repeat(self, visitor, repeat):
            visitor.context.prepend(core.Pragma("repeat", repeat.times))
            return list(visitor.visit(repeat.body).stmts)

        def handle_note(self, visitor, note):
            raise AssertionError

    mod = function_of(repeat(), product())
    lowered = Visitor(TransformCtx(), Lower, DefaultHandler("core")).visit(mod["f"])
    assert [str(stmt) for stmt in lowered.body.stmts] == [
        'pragma("repeat", 3)',
        "st(%z, ld(%z))",
        "st(%z, ld(%z))",
    ]


def test_verifier_refuses_a_kind_of_a_package_that_writes_a_constant():
    constant = core.GlobalVariable("int32", core.const(1), is_const=True)
    mod = function_of(Clear(core.Global("k", "int32"))).with_function("k", constant)
    (found,) = core.verify(mod)
    assert found.rule is core.Rule.SYMBOL
    assert "writes k, which is constant" in found.message


def test_verifier_accepts_a_kind_of_a_package_that_writes_a_variable():
    variable = core.GlobalVariable("int32", core.const(1))
    mod = function_of(Clear(core.Global("k", "int32"))).with_function("k", variable)
    assert core.verify(mod) == ()
