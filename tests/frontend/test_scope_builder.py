from __future__ import annotations

import pytest

from relayish.errors import RelayishError
from relayish.frontend import ScopeBuilder, ScopeBuilderError
from relayish.interpreter import evaluate
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Call, Function, If, Let, Tuple, Var
from relayish.ir.relay.type import IncompleteType, TensorType, scalar_type
from relayish.op.declaration.registry import get_op
from relayish.text import parse_expr
from tests.support.depth import DEPTH

add = get_op("add")


def test_lets_stand_in_the_order_they_were_made():
    scope = ScopeBuilder()
    one = scope.let("one", const(1))
    two = scope.let(("two", scalar_type("int32")), Call(add, (one, one)))
    scope.ret(Tuple((one, two)))
    expected = parse_expr("let %one = 1; let %two: int32 = add(%one, %one); (%one, %two)")
    assert_structural_equal(scope.get(), expected)


def test_let_returns_the_variable_it_was_given():
    scope, x = ScopeBuilder(), var("x")
    assert scope.let(x, const(1)) is x


@pytest.mark.parametrize(
    ("given", "annotation"),
    [("x", None), (("x",), None), (["x", TensorType((2,))], TensorType((2,)))],
)
def test_let_makes_a_variable_of_a_name(given, annotation):
    made = ScopeBuilder().let(given, const(1))
    assert made.name_hint == "x"
    assert_structural_equal(made, Var("x", annotation), map_free_vars=True)


@pytest.mark.parametrize("given", [None, 3, (), ("x", None, None), (1, 2)])
def test_let_of_anything_else_is_an_error(given):
    with pytest.raises(ScopeBuilderError, match="let binds a variable"):
        ScopeBuilder().let(given, const(1))


def test_ifs_have_scopes_of_their_own_and_nest():
    flag, other = var("flag", "bool"), var("other", "bool")
    scope = ScopeBuilder()
    base = scope.let("base", const(10))
    with scope.if_scope(flag):
        more = scope.let("more", Call(add, (base, const(1))))
        with scope.if_scope(other):
            scope.ret(more)
        with scope.else_scope():
            scope.ret(base)
    with scope.else_scope():
        scope.ret(const(0))
    func = Function((flag, other), scope.get())
    expected = parse_expr("""
        fn (%flag: bool, %other: bool) {
          let %base = 10;
          if (%flag) {
            let %more = add(%base, 1);
            if (%other) { %more } else { %base }
          } else { 0 }
        }""")
    assert_structural_equal(func, expected)
    values = [evaluate(func, args=[a, b]) for a in (True, False) for b in (True, False)]
    assert values == [11, 10, 0, 0]


@pytest.mark.deep
def test_a_chain_of_100000_lets_is_built():
    scope = ScopeBuilder()
    last = scope.let("x", const(0))
    for _ in range(DEPTH):
        last = scope.let("x", Call(add, (last, const(1))))
    scope.ret(last)
    assert evaluate(scope.get()) == DEPTH


def test_ifs_nest_100_deep():
    flag, scope, open_scopes = var("flag", "bool"), ScopeBuilder(), []
    for _ in range(100):
        open_scopes.append(scope.if_scope(flag))
        open_scopes[-1].__enter__()
    scope.ret(const(1))
    while open_scopes:
        open_scopes.pop().__exit__(None, None, None)
        with scope.else_scope():
            scope.ret(const(0))
    made, depth = scope.get(), 0
    while isinstance(made, If):
        made, depth = made.true_branch, depth + 1
    assert depth == 100


def test_get_gives_the_same_program_again():
    scope = ScopeBuilder()
    scope.ret(scope.let("x", const(1)))
    assert_structural_equal(scope.get(), scope.get())


def test_a_second_value_is_an_error():
    scope = ScopeBuilder()
    scope.ret(const(1))
    with pytest.raises(ScopeBuilderError, match="set already"):
        scope.ret(const(2))
    with pytest.raises(ScopeBuilderError, match="found a let after"):
        scope.let("x", const(1))
    with pytest.raises(ScopeBuilderError, match="found an if after"), scope.if_scope(const(True)):
        pass


def test_a_scope_without_a_value_is_an_error():
    with pytest.raises(ScopeBuilderError, match="the outermost scope has no value"):
        ScopeBuilder().get()
    scope = ScopeBuilder()
    with (
        pytest.raises(ScopeBuilderError, match="the scope of this if has no value"),
        scope.if_scope(const(True)),
    ):
        scope.let("x", const(1))


def test_an_if_without_else_is_an_error_wherever_it_shows():
    scope = ScopeBuilder()
    with scope.if_scope(const(True)):
        scope.ret(const(1))
    for step in (scope.get, lambda: scope.ret(const(2)), lambda: scope.let("x", const(1))):
        with pytest.raises(ScopeBuilderError, match="followed by its else_scope"):
            step()


def test_an_else_without_if_is_an_error():
    scope = ScopeBuilder()
    with pytest.raises(ScopeBuilderError, match="directly follow an if_scope"), scope.else_scope():
        pass


def test_get_inside_a_scope_is_an_error():
    scope = ScopeBuilder()
    with scope.if_scope(const(True)):
        scope.ret(const(1))
        with pytest.raises(ScopeBuilderError, match="outermost scope"):
            scope.get()


def test_an_error_inside_a_scope_closes_it():
    scope = ScopeBuilder()
    with pytest.raises(ZeroDivisionError), scope.if_scope(const(True)):
        raise ZeroDivisionError
    scope.ret(const(1))
    assert not isinstance(scope.get(), (If, Let))


def test_type_of_tells_what_is_known():
    scope, ty = ScopeBuilder(), TensorType((2,))
    assert scope.type_of(var("x", ty)) is ty
    assert scope.type_of(const(1).with_fields(checked_type=ty)) is ty
    assert isinstance(scope.type_of(const(1)), IncompleteType)
    assert isinstance(scope.type_of(Var("x")), IncompleteType)


def test_errors_are_those_of_relayish():
    assert issubclass(ScopeBuilderError, RelayishError)
