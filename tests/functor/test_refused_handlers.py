"""Methods that look like handlers and would never be called, or not as they are written."""

from __future__ import annotations

import functools

import pytest

from relayish.errors import DeclarationError, DispatchError
from relayish.functor import (
    ExprFunctor,
    ExprMutator,
    ExprRewriter,
    ExprVisitor,
    MixedModeMutator,
    MixedModeVisitor,
    PatternVisitor,
    TypeMutator,
    post_order_rewrite,
)
from relayish.ir.relay.expr import Constant, Tuple, Var
from relayish.ir.relay.module import IRModule

X = Var("x")
FUNCTORS = [ExprFunctor, ExprVisitor, ExprMutator, MixedModeVisitor, PatternVisitor, TypeMutator]


def declare(root, name, method):
    return type("Own", (root,), {name: method})


# Parameters


@pytest.mark.parametrize("root", [ExprFunctor, ExprVisitor, ExprMutator, MixedModeMutator])
@pytest.mark.parametrize(
    "handler",
    [
        lambda self: None,
        lambda: None,
        lambda self, *, var: None,
        lambda self, var, *, depth: None,
    ],
)
def test_handler_that_cannot_take_a_node_is_refused_when_the_class_is_defined(root, handler):
    with pytest.raises(DeclarationError, match=r"^Own\.visit_var\(.*cannot be called with node;"):
        declare(root, "visit_var", handler)


def test_refused_handler_is_told_how_to_be_written():
    with pytest.raises(DeclarationError) as caught:

        class Own(ExprVisitor):
            def visit_call(self):
                """Take nothing."""

    assert str(caught.value) == (
        "Own.visit_call(self) cannot be called with node; write def visit_call(self, node)"
    )


@pytest.mark.parametrize("root", [MixedModeMutator, ExprRewriter])
@pytest.mark.parametrize(
    "handler",
    [
        lambda self: None,
        lambda self, call: None,
        lambda self, pre, post, more: None,
        lambda self, pre, post, *, more: None,
    ],
)
def test_rewriting_handler_that_cannot_take_both_nodes_is_refused(root, handler):
    with pytest.raises(DeclarationError, match=r"with pre and post; write def rewrite_call"):
        declare(root, "rewrite_call", handler)


def test_handler_of_a_mixin_is_looked_at_as_well():
    class Mixin:
        def visit_var(self):
            """Take nothing."""

    with pytest.raises(DeclarationError, match=r"Mixin\.visit_var\(self\) cannot"):
        type("Own", (Mixin, ExprVisitor), {})


@pytest.mark.parametrize(
    "handler",
    [
        lambda self, var: var,
        lambda self, var, depth: var,
        lambda self, var, depth=0: var,
        lambda self, var, *more: var,
        lambda *everything: everything[1],
        lambda self, var, *, depth=0: var,
        lambda self, var, **named: var,
    ],
)
def test_handler_may_take_more_than_a_node(handler):
    declare(ExprFunctor, "visit_var", handler)


def test_handler_may_be_made_by_a_decorator():
    def logged(handler):
        @functools.wraps(handler)
        def call(*args):
            return handler(*args)

        return call

    class Own(ExprVisitor):
        @logged
        def visit_var(self, var):
            return var

        @staticmethod
        def visit_constant(const):
            return const

    assert Own().visit(X) is X


def test_rewriting_handler_may_have_further_parameters_with_defaults():
    class Own(ExprRewriter):
        def rewrite_var(self, pre, post, more=None, *rest):
            return post

    assert post_order_rewrite(X, Own()) is X


# Names


@pytest.mark.parametrize("root", FUNCTORS)
@pytest.mark.parametrize("name", ["VisitExpr_", "VisitType_", "VisitLeaf", "Mutate_"])
def test_overload_of_c_is_refused_with_the_name_of_handlers(root, name):
    with pytest.raises(DeclarationError, match=rf"^Own\.{name} is never called: .*visit_<kind>"):
        declare(root, name, lambda self, op: None)


def test_overload_of_c_is_refused_with_an_example():
    with pytest.raises(DeclarationError, match=r"\(self, node\), such as visit_call$"):
        declare(ExprVisitor, "VisitExpr_", lambda self, op: None)
    with pytest.raises(DeclarationError, match=r"\(self, pre, post\), such as rewrite_call$"):
        declare(ExprRewriter, "Rewrite_", lambda self, pre, post: post)


@pytest.mark.parametrize("name", ["VisitExpr", "VisitType", "DispatchVisitExpr", "Mutate"])
def test_visit_of_c_is_refused_with_the_name_it_has_here(name):
    with pytest.raises(DeclarationError, match=rf"^Own\.{name} .* define visit\(self, node\)$"):
        declare(ExprMutator, name, lambda self, expr: expr)


@pytest.mark.parametrize(
    ("root", "name", "right"),
    [
        (ExprVisitor, "VisitCall", "visit_call(self, node)"),
        (ExprVisitor, "visitCall", "visit_call(self, node)"),
        (ExprMutator, "visitTupleGetitem", "visit_tuple_getitem(self, node)"),
        (ExprMutator, "VisitCallNode", "visit_call(self, node)"),
        (ExprRewriter, "RewriteCall", "rewrite_call(self, pre, post)"),
        (MixedModeMutator, "rewriteCall", "rewrite_call(self, pre, post)"),
        (ExprRewriter, "visit_call", "rewrite_call(self, pre, post)"),
    ],
)
def test_other_spelling_of_a_handler_is_refused_with_the_right_one(root, name, right):
    with pytest.raises(DeclarationError) as caught:
        declare(root, name, lambda self, *nodes: None)
    assert str(caught.value) == f"Own.{name} is never called; define {right}"


@pytest.mark.parametrize("name", ["VisitEverything", "visitor", "Rewrite", "mutate_call"])
def test_helper_of_another_name_is_none_of_our_business(name):
    declare(ExprMutator, name, lambda self: None)
    declare(ExprRewriter, name, lambda self: None)


def test_class_that_rewrites_and_visits_may_have_handlers_of_both():
    class Both(ExprRewriter, ExprVisitor):
        def visit_var(self, var):
            return var

        def rewrite_var(self, pre, post):
            return Constant(1)

    assert Both().visit(X) is X
    assert type(post_order_rewrite(X, Both())) is Constant


def test_mixin_with_handlers_of_both_serves_a_class_that_rewrites_and_visits():
    class Mixin:
        def visit_var(self, var):
            return var

        def rewrite_constant(self, pre, post):
            return X

    class Both(Mixin, MixedModeMutator):
        """Has handlers of both."""

    assert Both().visit(Tuple((Constant(1),))).fields == (X,)


# What is no node


@pytest.mark.parametrize("root", [ExprVisitor, ExprMutator, MixedModeVisitor, MixedModeMutator])
@pytest.mark.parametrize(
    ("argument", "found"),
    [
        ([X], "a list; expected a node (Expr); visit its items one by one"),
        ((X,), "a tuple; expected a node (Expr); visit its items one by one"),
        ({}, "a dict; expected a node (Expr)"),
        (None, "a NoneType; expected a node (Expr)"),
        (IRModule(), "an IRModule; expected a node (Expr)"),
    ],
)
def test_what_is_no_node_is_refused_by_every_functor(root, argument, found):
    with pytest.raises(DispatchError) as caught:
        root().visit(argument)
    assert str(caught.value) == f"{root.__name__}.visit got {found}"
    with pytest.raises(DispatchError, match="expected a node"):
        root().visit(argument, 1)


def test_list_that_a_handler_visits_is_refused_with_the_place():
    class Own(ExprVisitor):
        def visit_tuple(self, tup):
            self.visit(list(tup.fields))

    with pytest.raises(DispatchError, match=r"^Own\.visit got a list") as caught:
        Own().visit(Tuple((X,)))
    assert caught.value.__notes__ == ["while visiting (%x,)"]
    assert caught.value.__suppress_context__


def test_error_of_type_in_a_handler_stays_what_it_is():
    class Own(ExprVisitor):
        def visit_tuple(self, tup):
            return len(3)

    with pytest.raises(TypeError, match="has no len") as caught:
        Own().visit(Tuple((X,)))
    assert not isinstance(caught.value, DispatchError)


def test_either_argument_of_a_rewriting_that_is_none_is_refused():
    for given in ((3, ExprRewriter()), (X, ExprMutator())):
        with pytest.raises(DispatchError, match="takes an expression and an ExprRewriter; found"):
            post_order_rewrite(*given)
