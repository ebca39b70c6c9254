from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import DeclarationError, DispatchError
from relayish.functor import ExprFunctor, ExprVisitor, Memoized, memoized
from relayish.ir.relay.expr import Constant, Tuple, Var
from tests.support import deep
from tests.support.depth import DEPTH

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


def test_object_of_a_functor_is_copied():
    reach = Reach()
    reach.calls = 5
    functor = Memoized(reach)
    assert isinstance(functor, Reach)
    assert [functor.visit(X, 1), functor.visit(X, 1)] == [1, 1]
    assert (functor.calls, reach.calls) == (6, 5)


def test_what_was_put_into_the_memo_by_hand_is_there_in_a_copy():
    reach = Reach()
    reach.memo_map[X] = 7
    functor = Memoized(reach)
    assert functor.visit(X) == 7
    functor.memo_map[X] = 8
    assert reach.memo_map[X] == 7


def test_memoized_functor_is_memoized_once():
    made = Memoized(Reach)
    assert Memoized(made) is made
    assert Memoized(Reach) is made


def test_functor_of_loops_keeps_results_by_node_and_arguments():
    class Uses(tir.ExprFunctor[int], tir.StmtFunctor[int]):
        calls = 0

        def visit_block(self, block, depth):
            return sum(self.visit(stmt, depth + 1) for stmt in block.stmts)

        def visit_store(self, store, depth):
            return self.visit(store.value, depth)

        def visit_expr(self, expr, depth):
            self.calls += 1
            return depth

    value = tir.Var("x") + 1
    store = tir.Store(tir.Var("y"), value)
    functor = Memoized(Uses())
    assert functor.visit(tir.Block((store, store, tir.Store(tir.Var("z"), value))), 0) == 3
    assert functor.calls == 1


@pytest.mark.parametrize("found", [None, 3, Reach.visit_var, int, X])
def test_what_is_no_functor_is_refused(found):
    with pytest.raises(DeclarationError, match=r"Memoized is given .*; expected a functor"):
        Memoized(found)


def test_argument_that_cannot_be_hashed_is_refused_by_name():
    with pytest.raises(DispatchError, match=r"Reach, which is memoized, visits %x with \[1\]"):
        Memoized(Reach)().visit(X, 0, [1])


def test_node_that_is_none_is_refused_as_by_the_functor():
    with pytest.raises(DispatchError, match="got a list; expected a node"):
        Memoized(Reach)().visit([X], 0)


def test_subclass_of_a_memoized_functor_may_watch_visits():
    class Watching(memoized(Reach)):
        seen = 0

        def visit(self, node, *args):
            self.seen += 1
            return super().visit(node, *args)

    functor = Watching()
    assert functor.visit(deep.doublings(10, X), 0) == 10
    assert (functor.calls, functor.seen) == (11, 21)


def test_results_of_several_arguments_are_kept():
    class Sum(ExprFunctor[int]):
        calls = 0

        def visit_var(self, var, one, other):
            self.calls += 1
            return one + other

        def visit_tuple(self, tup, one, other):
            return sum([self.visit(field, one, other) for field in tup.fields])

    functor = Memoized(Sum)()
    assert functor.visit(Tuple((X, X, X)), 1, 2) == 9
    assert functor.calls == 1


@pytest.mark.deep
def test_deep_programs_are_memoized_to_the_bottom():
    assert memoized(Reach)().visit(deep.tuple_nest(DEPTH, X), 0) == DEPTH


def test_visit_of_the_class_is_an_error_that_says_to_make_an_object():
    with pytest.raises(DispatchError, match=r"visit was asked of a memoized class, .*\(F\)\(\)"):
        Memoized(Reach).visit(X, 0)
