"""Types that are needed and were not inferred."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.errors import FieldError, UntypedError
from relayish.ir.nodes.untyped import hint_of
from relayish.transform import InferType, create_function_pass

X = relay.var("x", shape=(2, 3))
TYPED = InferType()(relay.IRModule.from_expr(relay.Function([X], relay.tanh(X))))


def test_inferred_type_is_returned():
    assert relay.type_of(TYPED["main"].body) is TYPED["main"].body.checked_type


def test_annotation_serves_where_nothing_was_inferred_of_a_variable():
    assert relay.type_of(X) is X.type_annotation


@pytest.mark.parametrize("expr", [relay.tanh(X), relay.Var("y"), relay.const(1)])
def test_missing_type_is_an_error_that_says_how_to_infer_it(expr):
    with pytest.raises(UntypedError, match=r"no type was inferred of .*; run InferType first"):
        relay.type_of(expr)


def test_what_is_no_expression_has_no_type():
    with pytest.raises(FieldError, match=r"type_of takes an expression; found 3 \(int\)"):
        relay.type_of(3)


def test_error_about_none_is_explained_where_a_handler_meets_it():
    class Sizes(relay.ExprVisitor):
        def visit_call(self, call):
            return call.checked_type.shape

    with pytest.raises(AttributeError) as caught:
        Sizes().visit(relay.tanh(X))
    hint, where = caught.value.__notes__
    assert hint == (
        "if that was checked_type: it is None until types are inferred, and again where a rewrite "
        "made a node anew; run InferType first, or list it in required=; relay.type_of(expr) says "
        "of what a type is missing"
    )
    assert where == "while visiting tanh(%x)"


def test_error_about_none_is_explained_once_where_a_pass_meets_it():
    class Sizes(relay.ExprMutator):
        def visit_call(self, call):
            return call.checked_type.dtype

    sizes = create_function_pass(lambda f, m, c: Sizes().visit(f), opt_level=0, name="Sizes")
    with pytest.raises(AttributeError) as caught:
        sizes(relay.IRModule.from_expr(relay.Function([X], relay.tanh(X))))
    assert [n.startswith("if that was checked_type") for n in caught.value.__notes__].count(
        True
    ) == 1
    assert caught.value.__notes__[-1] == "in pass Sizes"


@pytest.mark.parametrize("ask", [lambda: None.nothing_of_types, lambda: X.shape, lambda: {}["k"]])
def test_other_errors_are_not_explained_so(ask):
    with pytest.raises((AttributeError, KeyError)) as caught:
        ask()
    assert hint_of(caught.value) is None


@pytest.mark.parametrize(
    ("infer", "message"),
    [
        (lambda: relay.analysis.infer_type([X]), "takes a module or an expression; found a list$"),
        (
            lambda: relay.transform.InferTypeLocal(TYPED),
            "takes an expression; found an IRModule; infer_type takes it$",
        ),
    ],
)
def test_what_is_no_expression_is_not_typed(infer, message):
    with pytest.raises(FieldError, match=message):
        infer()
