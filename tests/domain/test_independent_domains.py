"""Core and two packages that bring domains: B depends on A, core knows neither."""

from __future__ import annotations

from typing import Any

import pytest

from relayish import core
from relayish.domain import AnalyzeCtx, DefaultHandler, Handler, TransformCtx, Visitor
from relayish.errors import DispatchError, DuplicateNameError
from relayish.ir.domains.domain import Domain
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import node
from relayish.ir.registration.declarations import declared_temporarily
from tests.support.declared import known_in_tests

DECLARED = declared_temporarily()


class Calls(AnalyzeCtx):
    """Notes which handlers were called, in order."""

    def __init__(self) -> None:
        self.made: list[str] = []


with DECLARED:
    A, B, C = (Domain(f"package_{name}") for name in "abc")

    @node("op_1", domain=A, effect=Effect.NONE)
    class A1(core.UnaryOp):
        """An operator of one operand."""

    @node("op_2", domain=A, effect=Effect.NONE)
    class A2(core.UnaryOp):
        """An operator of one operand."""

    @node("op_3", domain=A, effect=Effect.NONE)
    class A3(core.UnaryOp):
        """An operator of one operand."""

    @node("op_1", domain=B, effect=Effect.NONE)
    class B1(core.UnaryOp):
        """An operator of one operand."""

    @node("op_1", domain=C, effect=Effect.NONE)
    class C1(core.UnaryOp):
        """An operator of one operand."""

    class VisitA(DefaultHandler, domain="package_a"):
        def handle_op_1(self, visitor: Any, node: A1) -> None:
            visitor.context.made.append("A.op_1")
            visitor.visit(node.a)

        def handle_op_2(self, visitor: Any, node: A2) -> None:
            visitor.context.made.append("A.op_2")
            visitor.visit(node.a)

        def handle_op_3(self, visitor: Any, node: A3) -> None:
            visitor.context.made.append("A.op_3")
            visitor.visit(node.a)

    class VisitB(DefaultHandler, domain="package_b"):
        def handle_op_1(self, visitor: Any, node: B1) -> None:
            visitor.context.made.append("B.op_1")
            visitor.visit(node.a)

    class SpecialVisitA(VisitA):
        """What B makes of two operators of A."""

        def handle_op_1(self, visitor: Any, node: A1) -> None:
            visitor.context.made.append("B's A.op_1")
            visitor.visit(node.a)

        def handle_op_2(self, visitor: Any, node: A2) -> None:
            visitor.context.made.append("B's A.op_2")
            super().handle_op_2(visitor, node)


_kinds = known_in_tests(DECLARED)
pytestmark = pytest.mark.usefixtures("declarations")

ONE = core.One()


def calls(program: Any, *handlers: type[Handler]) -> list[str]:
    ctx = Calls()
    Visitor(ctx, DefaultHandler("core"), *handlers).visit(program)
    assert ctx.parents == ()
    return ctx.made


def test_nest_of_two_domains_calls_three_handlers_in_order() -> None:
    assert calls(A1(B1(A2(ONE))), VisitA, VisitB) == ["A.op_1", "B.op_1", "A.op_2"]


def test_nest_goes_through_core() -> None:
    assert calls(A1(core.Add(B1(ONE), A2(ONE))), VisitA, VisitB) == ["A.op_1", "B.op_1", "A.op_2"]


def test_domain_that_depends_on_another_overrides_two_of_its_handlers() -> None:
    made = calls(A1(A2(A3(B1(ONE)))), SpecialVisitA, VisitB)
    assert made == ["B's A.op_1", "B's A.op_2", "A.op_2", "A.op_3", "B.op_1"]


def test_one_name_and_number_is_used_by_domains_that_do_not_know_each_other() -> None:
    first, other = A1(ONE), C1(ONE)
    assert first.operator.name == other.operator.name == "op_1"
    assert first.operator.number == other.operator.number
    assert first.opcode != other.opcode


def test_second_claim_of_an_id_names_both_domains() -> None:
    with pytest.raises(DuplicateNameError, match=r"'package_a' and 'package_d'"):
        Domain("package_d", A.id)


def test_domain_that_nobody_handles_is_refused_by_default() -> None:
    with pytest.raises(DispatchError, match="no handler serves the domain 'package_c' of 'op_1'"):
        calls(A1(C1(A2(ONE))), VisitA, VisitB)


def test_domain_that_nobody_handles_is_walked_where_the_context_says_so() -> None:
    class Walk(Calls):
        def handle_unknown_domain(self, visitor: Any, node: Any) -> Any:
            return self.handle_node(visitor, node)

    ctx = Walk()
    Visitor(ctx, DefaultHandler("core"), VisitA, VisitB).visit(A1(C1(A2(ONE))))
    assert ctx.made == ["A.op_1", "A.op_2"]


def test_transformation_of_a_domain_nobody_handles_rebuilds_where_the_context_says_so() -> None:
    class Rebuild(TransformCtx):
        def handle_unknown_domain(self, visitor: Any, node: Any) -> Any:
            return self.handle_node(visitor, node)

    class Swap(DefaultHandler, domain="package_a"):
        def handle_op_2(self, visitor: Any, node: A2) -> A3:
            return A3(visitor.visit(node.a))

    made = Visitor(Rebuild(), DefaultHandler("core"), Swap).visit(C1(A2(ONE)))
    assert isinstance(made, C1)
    assert isinstance(made.a, A3)
