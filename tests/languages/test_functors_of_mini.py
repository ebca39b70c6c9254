"""Functors over a second language: nothing is needed but ``family``."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.errors import DeclarationError, DispatchError
from relayish.functor import Functor, Mutator, PostOrderVisitor, Rewriter, Visitor
from relayish.ir.nodes.node import declared_temporarily
from relayish.ir.relay.expr import Var
from tests.support import mini
from tests.support.depth import DEPTH
from tests.support.each import each

KINDS = ["var", "number", "call", "say", "let", "function", "mini_expr", "node"]
LEVELS = min(DEPTH, 30_000)


def program():
    x, y = mini.Var("x"), mini.Var("y")
    shared = mini.Call("mul", (x, x))
    body = mini.Call("add", (mini.Say(mini.Call("add", (y, mini.Number(1)))), shared))
    return mini.Function((x,), mini.Let(y, shared, body))


def nest(depth):
    expr = mini.Number(0)
    for _ in range(depth):
        expr = mini.Call("neg", (expr,))
    return expr


def made(root, **members):
    """Return a functor class over the language."""
    return type("Made", (root,), {"family": mini.MiniExpr, **members})


def through_super(root, kind, prefix="visit_"):
    """Return a functor class whose handler of ``kind`` leaves its nodes to the default handler."""

    def handler(self, *nodes):
        self.calls += 1
        return getattr(super(found, self), prefix + kind)(*nodes)

    found = made(root, calls=0, **{prefix + kind: handler})
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_default_handler_of_a_visitor_visits_what_is_below(kind):
    visitor, plain, expr = through_super(Visitor, kind)(), made(Visitor)(), program()
    visitor.visit(expr)
    plain.visit(expr)
    assert visitor.calls > 0
    assert visitor.visit_counter == plain.visit_counter


@each("kind", KINDS)
@each("root", [Mutator, Rewriter])
def test_default_handler_of_a_mutator_returns_the_same_node(root, kind):
    mutator, expr = through_super(root, kind)(), program()
    assert mutator.visit(expr) is expr
    assert mutator.calls > 0


@pytest.mark.parametrize("kind", KINDS)
def test_default_handler_of_a_rewriter_returns_what_it_was_given(kind):
    rewriter, expr = through_super(Rewriter, kind, "rewrite_")(), program()
    assert rewriter.visit(expr) is expr
    assert rewriter.calls > 0


@pytest.mark.parametrize("kind", KINDS)
def test_default_handler_of_a_post_order_visitor_has_nothing_to_do(kind):
    visitor, plain, expr = through_super(PostOrderVisitor, kind)(), made(Visitor)(), program()
    visitor.visit(expr)
    plain.visit(expr)
    assert visitor.calls > 0
    assert visitor.visit_counter == plain.visit_counter


def test_functor_without_defaults_says_which_handler_it_lacks():
    with pytest.raises(DispatchError, match=r"Made has no handler for Number.*visit_number\(\)"):
        made(Functor)().visit(mini.Number(1))


def test_post_order_visitor_handles_every_kind_after_what_is_below():
    order = []
    visitor = made(PostOrderVisitor, visit_node=lambda self, node: order.append(node))()
    expr = program()
    visitor.visit(expr)
    place = {node: index for index, node in enumerate(order)}
    assert len(place) == len(order) == len(visitor.visit_counter)
    assert all(
        place[child] < place[node] for node in order for child in visitor.traversal.children(node)
    )


@pytest.mark.deep
def test_post_order_visitor_returns_what_the_handler_of_the_root_returned():
    height = made(
        PostOrderVisitor,
        visit_call=lambda self, call: 1 + max(self.memo_map.get(a, 0) for a in call.args),
    )()
    assert height.visit(nest(LEVELS)) == LEVELS


@pytest.mark.parametrize("limit", [1, 3])
def test_post_order_visitor_handles_a_shared_node_as_often_as_it_was_told(limit):
    handled = []
    visitor = made(
        PostOrderVisitor,
        visit_number=lambda self, node: handled.append(node),
        remembers=True,
    )(limit)
    one = mini.Number(1)
    visitor.visit(mini.Call("add", (one,) * 5))
    assert len(handled) == limit
    visitor.visit(one)
    assert len(handled) == limit
    assert visitor.visit_counter[one] == 6


def test_post_order_visitor_whose_visit_is_overridden_goes_through_it():
    seen, handled = [], []

    def visit(self, node):
        seen.append(node)
        return super(kind, self).visit(node)

    kind = made(PostOrderVisitor, visit=visit, visit_call=lambda self, call: handled.append(call))
    expr = nest(3)
    kind().visit(expr)
    assert len(seen) == 4
    assert handled == seen[2::-1]


@pytest.mark.deep
def test_rewriter_sees_children_rewritten():
    def negate(self, pre, post):
        return mini.Number(-post.args[0].value)

    def one(self, pre, post):
        return mini.Number(1)

    negated = made(Rewriter, rewrite_call=negate, rewrite_number=one)().visit(nest(LEVELS + 1))
    assert negated.value == -1


def test_rewriter_rewrites_a_leaf_that_is_visited_by_itself():
    one = mini.Number(1)
    rewriter = made(Rewriter, rewrite_number=lambda self, pre, post: one)()
    assert rewriter.visit(mini.Number(5)) is one


def test_rewriter_leaves_to_a_handler_what_is_below_its_node():
    one = mini.Number(1)

    class Leave(Rewriter[mini.MiniExpr]):
        family = mini.MiniExpr

        def visit_say(self, say):
            return say

        def rewrite_number(self, pre, post):
            return one

        def rewrite_say(self, pre, post):
            raise AssertionError("visit_say takes its place")

    expr = mini.Call("f", (mini.Say(mini.Number(5)), mini.Number(6)))
    image = Leave().visit(expr)
    assert image.args == (expr.args[0], one)


def test_rewriter_whose_visit_is_overridden_rewrites_all_the_same():
    def visit(self, node):
        return super(kind, self).visit(node)

    one = mini.Number(1)
    kind = made(Rewriter, visit=visit, rewrite_number=lambda self, pre, post: one)
    assert kind().visit(mini.Say(mini.Number(5))).what is one


def test_what_a_rewriter_returns_must_be_of_the_family():
    with pytest.raises(DispatchError, match=r"returned %x \(Var\).*Number must return MiniExpr"):
        made(Rewriter, rewrite_number=lambda self, pre, post: Var("x"))().visit(mini.Number(1))


def test_misspelt_rewrite_is_refused_against_its_kinds():
    with pytest.raises(DeclarationError, match="did you mean rewrite_number"):
        made(Rewriter, rewrite_nubmer=lambda self, pre, post: post)
    with pytest.raises(DeclarationError, match="rewrite_tuple_getitem names no node kind"):
        made(Rewriter, rewrite_tuple_getitem=lambda self, pre, post: post)


@pytest.mark.parametrize("root", [Functor, Visitor, Mutator, PostOrderVisitor, Rewriter])
def test_nodes_of_another_language_are_refused(root):
    with pytest.raises(DispatchError, match=r"got a Var; expected|no handler for Var"):
        made(root)().visit(Var("x"))


@pytest.mark.deep
def test_natural_handlers_reach_the_bottom():
    class Depth(Functor[mini.MiniExpr, int]):
        family = mini.MiniExpr

        def visit_number(self, number):
            return 0

        def visit_call(self, call):
            return 1 + self.visit(call.args[0])

    class Rebuild(Mutator[mini.MiniExpr]):
        family = mini.MiniExpr

        def visit_call(self, call):
            return call.with_fields(args=self.mutate_all(call.args))

    expr = nest(LEVELS)
    assert Depth().visit(expr) == LEVELS
    assert Rebuild().visit(expr) is expr


def test_relay_functor_calls_no_handler_by_the_name_for_a_node_of_another_language():
    with declared_temporarily():

        class Held(relay.Expr):
            pass

        Held.__annotations__ = {"held": mini.MiniExpr, "expr": relay.Expr}
        kernel = relay.node("kernel_of_a_test", effect=relay.Effect.NONE)(Held)
        x = relay.var("x")
        whole = kernel(mini.Let(mini.Var("v"), mini.Number(1), mini.Var("w")), x)

        class Vars(relay.ExprVisitor):
            def visit_var(self, var):
                found.append(var)

            def visit_let(self, let):
                found.append(let)

        class Same(relay.ExprMutator):
            def visit_let(self, let):
                return relay.const(1)

        found = []
        Vars().visit(whole)
        assert found == [x]
        assert Same().visit(whole) is whole
