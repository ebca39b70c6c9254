from __future__ import annotations

import pytest

from relayish.errors import FieldError
from relayish.functor import ExprMutator, LetList, LetListError, expand_a_normal_form
from relayish.ir.relay.expr import Constant, Expr, Let, Tuple, Var
from relayish.ir.relay.type import TensorType
from tests.support import deep
from tests.support.depth import DEPTH

F32 = TensorType(())


def test_bindings_stand_in_the_order_they_were_pushed():
    bindings = LetList()
    one, two = Constant(1), Constant(2)
    x = bindings.push(one)
    y = bindings.push(two, F32)
    z = Var("z")
    assert bindings.push(z, x) is z
    assert len(bindings) == 3
    let = bindings.get(y)
    assert (let.var, let.value, let.body.var, let.body.value) == (x, one, y, two)
    assert (let.body.body.var, let.body.body.value, let.body.body.body) == (z, x, y)
    assert (x.name_hint, y.name_hint, y.type_annotation) == ("x_0", "x_1", F32)


def test_pushing_a_variable_alone_binds_it_to_a_fresh_one():
    bindings, v = LetList("t"), Var("v")
    fresh = bindings.push(v)
    assert fresh is not v
    assert fresh.name_hint == "t_0"
    assert bindings.push(v, None).type_annotation is None


def test_no_bindings_leave_the_body_alone():
    body = Constant(1)
    assert LetList().get(body) is body


@pytest.mark.parametrize(
    "arguments", [(), (1,), (Constant(1), 3), (F32,), (Constant(1), Constant(2)), (Var("a"), 1, 2)]
)
def test_wrong_arguments_are_an_error(arguments):
    with pytest.raises(LetListError, match=r"push takes \(expr\), \(expr, type\) or \(var, expr\)"):
        LetList().push(*arguments)


def test_let_list_is_used_up_by_get():
    bindings = LetList()
    x = bindings.push(Constant(1))
    bindings.get(x)
    with pytest.raises(LetListError, match="bindings must not stand in two places"):
        bindings.get(x)
    with pytest.raises(LetListError, match="start a new LetList"):
        bindings.push(x)


def test_body_that_is_no_expression_is_an_error():
    bindings = LetList()
    bindings.push(Constant(1))
    with pytest.raises(FieldError, match=r"Let.body must be Expr"):
        bindings.get(1)


def test_with_and_let_bind_wrap_what_they_are_given():
    let = LetList.with_(lambda bindings: Tuple((bindings.push(Constant(1)),)))
    assert let.body.fields == (let.var,)
    one = Constant(1)
    let = LetList.let_bind(one, lambda var: Tuple((var, var)))
    assert (let.value, let.body.fields) == (one, (let.var, let.var))


@pytest.mark.deep
def test_long_lists_are_built():
    bindings = LetList()
    last: Expr = Constant(0)
    for _ in range(DEPTH):
        last = bindings.push(last)
    let = bindings.get(last)
    for _ in range(DEPTH):
        let = let.body
    assert let is last


def test_expansion_goes_down_and_up_again():
    events = []
    a, b = Var("a"), Var("b")
    inner = Let(b, Constant(2), Tuple((Let(Var("c"), a, b),)))
    outer = Let(a, Constant(1), inner)
    expand_a_normal_form(
        outer, lambda let: events.append(("pre", let)), lambda let: events.append(("post", let))
    )
    assert events == [("pre", outer), ("pre", inner), ("post", inner), ("post", outer)]


@pytest.mark.deep
def test_expansion_serves_handlers_of_mutators():
    class Drop(ExprMutator):
        def visit_let(self, let):
            def post(binding):
                body = self.visit(binding.body)
                value = self.memo_map[binding.value]
                self.memo_map[binding] = body if type(value) is Constant else binding

            expand_a_normal_form(let, lambda binding: self.visit(binding.value), post)
            return self.memo_map[let]

    body = Var("body")
    let = deep.let_body(DEPTH)
    assert type(Drop().visit(let)) in (Let, Var)
    one = Let(Var("a"), Constant(1), Let(Var("b"), Constant(2), body))
    assert Drop().visit(one) is body


def test_expansion_of_what_is_no_let_is_an_error():
    with pytest.raises(FieldError, match="a chain of lets begins with a let; found Var"):
        expand_a_normal_form(Var("x"), print, print)
