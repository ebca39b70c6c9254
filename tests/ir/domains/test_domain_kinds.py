"""Kinds of nodes that are operators of a domain of a package, in a language of another."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish import core
from relayish.analysis import TYPE_RULES
from relayish.binary import from_binary, to_binary
from relayish.domain import AnalyzeCtx, DefaultHandler, Handler, Visitor
from relayish.errors import DeclarationError, DuplicateNameError, UnknownNameError
from relayish.ir.domains.domain import Domain, get_domain, is_domain
from relayish.ir.domains.property import Property
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import Node, field, node, node_kinds
from relayish.ir.registration.declarations import declared_temporarily
from relayish.op import register_op
from tests.support.declared import known_in_tests

DECLARED = declared_temporarily()

with DECLARED:
    COMPLEX = Domain("complex")

    @node("type", domain=COMPLEX)
    class ComplexType(relay.Type):
        """A pair of numbers."""

    @node("repeat", domain=COMPLEX, effect=Effect.NONE)
    class Repeat(relay.Expr):
        var: relay.Var = field(binder=True)
        init: relay.Expr
        times: int
        body: relay.Expr = field(scope=Runs.REPEATEDLY)

    @TYPE_RULES.register(Repeat)
    def _type_of_repeat(repeat, infer):
        infer.bind(repeat.var, repeat.init)
        yield repeat.body
        return infer.bind(repeat.var, repeat.body, "body of repeat")

    C = ComplexType()
    MAKE = register_op("make", arguments=("re", "im"), domain=COMPLEX, rule=lambda *_: C)
    MUL = register_op("mul", arguments=("a", "b"), domain=COMPLEX, rule=lambda *_: C)

_kinds = known_in_tests(DECLARED)
pytestmark = pytest.mark.usefixtures("declarations")


def program() -> relay.Function:
    x, z = relay.var("x", "float32"), relay.var("z")
    return relay.Function([x], Repeat(z, MAKE(x, x), 3, MUL(z, z)))


def test_kind_belongs_to_the_domain_it_is_declared_in():
    loop = program().body
    assert (loop.domain, loop.operator.name) == (COMPLEX, "repeat")
    assert loop.has_property(Property.SCF | Property.EXPR)
    assert (C.domain, C.operator.name) == (COMPLEX, "type")


def test_kinds_and_operators_of_a_domain_are_numbered_together():
    numbers = [op.number for op in (*COMPLEX.kinds.values(), *COMPLEX.operators.values())]
    assert sorted(numbers) == [0, 1, 2, 3]


def test_visit_name_is_told_from_those_of_the_language_by_the_domain():
    assert Repeat.visit_name == "complex_repeat"
    assert node_kinds()["relay.complex_repeat"] is Repeat

    class Count(relay.ExprVisitor):
        found = 0

        def visit_complex_repeat(self, repeat):
            self.found += 1
            self.visit_children(repeat)

    count = Count()
    count.visit(program())
    assert count.found == 1


def test_two_domains_have_kinds_of_one_name_in_one_language():
    @node("repeat", domain=Domain("rings"))
    class Other(relay.Expr):
        times: int

    assert Other(1).opcode != program().body.opcode
    assert Other(1).operator.name == program().body.operator.name == "repeat"


def test_kind_of_a_domain_is_named_as_one_of_the_language_may_be():
    @node("let", domain=COMPLEX)
    class Let(relay.Expr):
        value: relay.Expr

    assert Let(MAKE).operator.name == relay.Let(relay.var("x"), MAKE, MAKE).operator.name
    assert Let(MAKE).domain is not relay.Let(relay.var("x"), MAKE, MAKE).domain


def test_second_kind_of_a_name_in_a_domain_is_refused_whatever_its_language():
    with pytest.raises(DuplicateNameError, match="'complex_repeat' is claimed by"):

        @node("repeat", domain="complex")
        class Again(relay.Expr):
            times: int

    with pytest.raises(DuplicateNameError, match="domain complex declares operator 'repeat' twice"):

        @node("repeat", domain="complex")
        class Pattern(Node):
            times: int

    assert program().body.operator is COMPLEX.kinds["repeat"]


CLASHING = (
    ("a.b", "c"),
    ("a", "b_c"),
    ("a_b", "c"),
    ("a.b_c", "d"),
    ("a_b.c", "d"),
    ("a", "b_c_d"),
)


@pytest.mark.parametrize("order", [1, -1])
def test_domains_and_kinds_that_join_to_one_name_stand_beside_one_another(order):
    made = {}
    for domain, operator in CLASHING[::order]:
        if not is_domain(domain):
            Domain(domain)
        kind = type("Kind", (core.Expr,), {"derive_type": lambda _: core.as_type("int32")})
        made[domain, operator] = node(operator, domain=domain, effect=Effect.NONE)(kind)
    names = [made[each].visit_name for each in CLASHING]
    assert names == ["a__b__c", "a_b_c", "a_b__c", "a__b_c__d", "a_b__c__d", "a_b_c_d"]
    scope = core.GlobalScope()
    for kind in made.values():
        with scope.function(kind.visit_name, {}, "int32") as f:
            f.retv(kind())
    mod = scope.module()
    assert relay.structural_equal(relay.parse(mod.astext()), mod)
    assert relay.structural_equal(from_binary(to_binary(mod)), mod)


@pytest.mark.parametrize(("domain", "operator"), [("a", "b__c"), ("a_", "b"), ("a._b.c", "d")])
def test_names_of_a_kind_whose_underscores_would_be_taken_for_what_parts_them_are_refused(
    domain, operator
):
    with pytest.raises(DeclarationError, match=r"has two in a row; choose a name that does not"):
        node(operator, domain=Domain(domain))(type("Kind", (relay.Expr,), {}))


def test_kind_of_an_undeclared_domain_is_refused_and_nothing_is_left_of_it():
    with pytest.raises(UnknownNameError, match="no domain 'compelx' is declared; did you mean"):

        @node("repeat", domain="compelx")
        class Lost(relay.Expr):
            times: int

    assert "relay.compelx_repeat" not in node_kinds()
    assert not is_domain("compelx")


def test_program_of_the_domain_is_typed_written_and_read():
    typed = relay.analysis.infer_type(program())
    assert relay.structural_equal(typed.checked_type.ret_type, C)
    text = relay.astext(relay.IRModule.from_expr(program()))
    assert relay.structural_equal(relay.parse(text)["main"], program())


def test_handler_of_the_domain_serves_its_kinds_and_its_operators():
    met = []

    class Names(Handler, domain="complex"):
        def handle_repeat(self, visitor, repeat):
            met.append("repeat")
            visitor.visit(repeat.child(2))

        def handle_mul(self, visitor, call):
            met.append("mul")

    Visitor(AnalyzeCtx(), Names, DefaultHandler("relay")).visit(program())
    assert met == ["repeat", "mul"]


def test_kind_declared_again_by_the_same_code_takes_the_place_of_the_first():
    for _ in range(2):

        @node("again", domain=COMPLEX)
        class Again(relay.Expr):
            times: int

    assert Again(1).operator is COMPLEX.kinds["again"]


def test_kind_is_forgotten_with_its_operator():
    number = len(COMPLEX.kinds)
    with declared_temporarily():

        @node("gone", domain=COMPLEX)
        class Gone(relay.Expr):
            times: int

        assert "gone" in get_domain("complex").kinds
        kept = Gone(3)
        assert kept.operator.name == "gone"
    assert len(COMPLEX.kinds) == number
    assert "relay.complex_gone" not in node_kinds()
    with pytest.raises(UnknownNameError, match="domain complex has no kind 'gone' any more: Gone"):
        _ = kept.operator


def test_kind_of_a_domain_stands_among_those_of_core():
    @node("mul", domain=COMPLEX, effect=Effect.NONE, graph_node=False)
    class Mul(core.Expr):
        a: core.Expr
        b: core.Expr

        @staticmethod
        def derive_type(mul):
            return mul.a.type

    x = core.Var("x", core.as_type("float32"))
    product = Mul(core.Ld(x), core.Ld(x))
    body = core.Block((core.St(x, product), core.Retv(core.Ld(x))))
    mod = relay.IRModule({"main": core.FuncEntry((x,), body=body, result="float32")})
    assert product.domain is COMPLEX
    assert product.type == x.type
    assert relay.structural_equal(relay.parse(relay.astext(mod)), mod)
    assert relay.structural_equal(from_binary(to_binary(mod)), mod)
