"""``super().visit_<kind>`` of kinds that packages declare, before a functor class and after."""

from __future__ import annotations

import sys

import pytest

import relayish as relay
from relayish.ir.nodes.node import node
from relayish.ir.relay.op import intern_op
from tests.support.declared import known_in_tests
from tests.support.while_loop import DECLARED, While

ADD = intern_op("add")


_kinds = known_in_tests(DECLARED)


def loop():
    i = relay.Var("i")
    return While(i, relay.Constant(0), relay.Call(ADD, (i, i)), relay.Tuple((i, relay.Constant(1))))


class Visits(relay.ExprVisitor):
    def visit_expr(self, expr):
        """Leave each kind to its default handler, also one declared after this class."""
        return getattr(super(), f"visit_{expr.visit_name}")(expr)


@pytest.mark.parametrize("root", [relay.ExprVisitor, relay.MixedModeVisitor])
def test_super_of_a_visitor_visits_what_is_below(root):
    class Loops(root):
        loops = 0

        def visit_while_loop(self, loop):
            self.loops += 1
            super().visit_while_loop(loop)

    visitor, plain, expr = Loops(), root(), relay.Tuple((loop(),))
    visitor.visit(expr)
    plain.visit(expr)
    assert visitor.loops == 1
    assert visitor.visit_counter.keys() == plain.visit_counter.keys()


@pytest.mark.parametrize("root", [relay.ExprMutator, relay.MixedModeMutator])
def test_super_of_a_mutator_rebuilds_what_is_below(root):
    class Loops(root):
        def visit_while_loop(self, loop):
            return super().visit_while_loop(loop)

        def visit_constant(self, const):
            return relay.Constant(5) if const.data == 1 else const

    expr = loop()
    image = Loops().visit(relay.Tuple((expr,))).fields[0]
    assert image.body.fields[1].data == 5
    assert (image.init, image.cond) == (expr.init, expr.cond)


@pytest.mark.parametrize("root", [relay.ExprRewriter, relay.MixedModeMutator])
def test_super_of_a_rewrite_returns_what_it_was_given(root):
    class Loops(root):
        loops = 0

        def rewrite_while_loop(self, pre, post):
            self.loops += 1
            return super().rewrite_while_loop(pre, post)

    rewriter, expr = Loops(), relay.Tuple((loop(),))
    image = (
        rewriter.visit(expr)
        if isinstance(rewriter, relay.MixedModeMutator)
        else relay.post_order_rewrite(expr, rewriter)
    )
    assert image is expr
    assert rewriter.loops == 1


def test_kind_declared_after_the_functor_class_has_a_default_handler():
    @node("declared_after_visits")
    class Later(relay.Expr):
        inner: relay.Expr

    visitor, x = Visits(), relay.Var("x")
    visitor.visit(relay.Tuple((Later(x),)))
    assert visitor.visit_counter[x] == 1
    assert relay.ExprVisitor().visit_declared_after_visits(Later(x)) is None


@pytest.mark.parametrize("family", ["expr", "node"])
def test_families_have_default_handlers(family):
    def visit(self, found):
        return getattr(super(kind, self), f"visit_{family}")(found)

    x = relay.Var("x")
    kind = type(
        "Made", (relay.ExprMutator,), {f"visit_{family}": visit, "visit_var": lambda s, v: x}
    )
    assert kind().visit(relay.Tuple((relay.Tuple((relay.Var("y"),)),))).fields[0].fields == (x,)


def test_functors_over_types_have_default_handlers():
    class Types(relay.TypeVisitor):
        tuples = 0

        def visit_tuple_type(self, ty):
            self.tuples += 1
            super().visit_tuple_type(ty)

    visitor, leaf = Types(), relay.TensorType(())
    visitor.visit(relay.TupleType((relay.TupleType((leaf,)),)))
    assert visitor.tuples == 2
    assert visitor.visit_counter[leaf] == 1


def test_default_handler_visits_through_visit_children_of_the_class():
    class Backwards(relay.ExprVisitor):
        def __init__(self):
            self.names = []

        def visit_children(self, node):
            for child in self.traversal.children(node)[::-1]:
                self.visit(child)

        def visit_tuple(self, tup):
            super().visit_tuple(tup)

        def visit_var(self, var):
            self.names.append(var.name_hint)

    visitor = Backwards()
    visitor.visit(relay.Tuple((relay.Var("a"), relay.Var("b"))))
    assert visitor.names == ["b", "a"]


def test_functor_has_no_default_handlers():
    class Loops(relay.ExprFunctor[int]):
        def visit_while_loop(self, loop):
            return super().visit_while_loop(loop)

    with pytest.raises(AttributeError, match="visit_while_loop"):
        Loops().visit(loop())


def test_default_handlers_are_not_called_by_a_visit():
    def visits(expr):
        called, visitor = [], relay.ExprVisitor()
        sys.setprofile(lambda frame, *_: called.append(frame.f_code.co_name))
        try:
            visitor.visit(expr)
        finally:
            sys.setprofile(None)
        return called.count("visit")

    assert visits(relay.Tuple((loop(), loop()))) == visits(relay.Tuple(()))


def test_misspelt_handler_of_a_kind_of_a_package_is_refused():
    with pytest.raises(relay.DeclarationError, match="did you mean visit_while_loop"):
        type("Wrong", (relay.ExprVisitor,), {"visit_while_lop": lambda self, loop: None})


def test_handler_of_a_kind_that_is_forgotten_is_refused_again():
    with relay.declared_temporarily():

        @node("seen_for_a_while")
        class Brief(relay.Expr):
            pass

        type("Fine", (relay.ExprVisitor,), {"visit_seen_for_a_while": lambda self, brief: None})
    with pytest.raises(relay.DeclarationError, match="visit_seen_for_a_while names no node kind"):
        type("Wrong", (relay.ExprVisitor,), {"visit_seen_for_a_while": lambda self, brief: None})


def test_arguments_of_post_order_rewrite_the_wrong_way_round_are_refused() -> None:
    class Keep(relay.ExprRewriter):
        pass

    with pytest.raises(
        relay.DispatchError, match=r"takes an expression .*; found a Keep and a Tuple"
    ):
        relay.post_order_rewrite(Keep(), relay.Tuple(()))
