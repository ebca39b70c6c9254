from __future__ import annotations

import pytest

from relayish.errors import DeclarationError
from relayish.functor import ExprFunctor, ExprVisitor, memoized
from relayish.ir.relay.expr import Constant, Tuple, Var
from tests.support import deep

X = Var("x")


class Reach(ExprFunctor[int]):
    """How far down the deepest variable is."""

    calls = 0

    def visit_var(self, var, height=0):
        self.calls += 1
        return height

    def visit_constant(self, const, height=0):
        return -1

    def visit_tuple(self, tup, height=0):
        self.calls += 1
        return max(self.visit(field, height + 1) for field in tup.fields)

    def visit_call(self, call, height=0):
        self.calls += 1
        return max(self.visit(arg, height + 1) for arg in call.args)


def test_each_pair_of_node_and_arguments_is_handled_once():
    functor = memoized(Reach)()
    assert functor.visit(deep.doublings(40, X), 0) == 40
    assert functor.calls == 41
    assert functor.visit(X, 40) == 40
    assert functor.calls == 41
    assert functor.visit(X, 41) == 41
    assert functor.calls == 42


def test_without_arguments_it_is_the_functor_itself():
    functor = memoized(Reach)()
    assert functor.visit(Constant(1)) == -1
    assert functor.visit(X) == functor.visit(X) == 0
    assert functor.calls == 1


def test_results_of_different_arguments_are_kept_apart():
    functor = memoized(Reach)()
    assert [functor.visit(X, n) for n in (1, 2, 1)] == [1, 2, 1]
    assert functor.visit(X) == 0


def test_it_keeps_name_and_documentation():
    made = memoized(Reach)
    assert (made.__name__, made.__qualname__) == ("Reach", "Reach")
    assert (made.__doc__, made.__module__) == (Reach.__doc__, Reach.__module__)
    assert issubclass(made, Reach)


def test_falsy_results_are_kept():
    class Nothing(ExprFunctor[None]):
        calls = 0

        def visit_var(self, var, extra):
            self.calls += 1

    functor = memoized(Nothing)()
    assert functor.visit(X, 1) is functor.visit(X, 1) is None
    assert functor.calls == 1


def test_functor_that_overrides_visit_is_refused():
    class Watching(ExprVisitor):
        def visit(self, node):
            return super().visit(node)

    with pytest.raises(DeclarationError, match=r"Watching overrides visit\(\), which a memo would"):
        memoized(Watching)
    assert memoized(Reach)().visit(Tuple((X,)), 0) == 1
