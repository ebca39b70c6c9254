"""Binding parameters and free variables: what is replaced, what becomes a parameter, what not."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.analysis import free_vars, infer_type, well_formed
from relayish.errors import PassError, UnknownNameError
from relayish.functor.relay.substitute import substitute
from relayish.interpreter import evaluate
from relayish.ir.relay.adt import Clause, Match, PatternVar
from relayish.ir.relay.expr import Call, Constant, Function, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import TensorType, scalar_type
from relayish.passes.relay.fold.bind import bind, bind_params_by_name
from relayish.text import parse_expr
from relayish.transform import get_pass
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.depth import DEPTH

ADD = intern_op("add")


def vector(size: int) -> TensorType:
    return TensorType((size,), "float32")


def test_raf_defect_parameters_that_are_bound_are_pruned() -> None:
    mod = IRModule.from_expr(parse_expr("fn (%x: int32, %y: int32) { subtract(%x, %y) }"))
    out = get_pass("BindParams", params={"y": 2})(mod)
    assert [param.name_hint for param in out["main"].params] == ["x"]
    assert evaluate(out["main"], out, [np.int32(5)]) == 3
    assert len(mod["main"].params) == 2


def test_variables_that_come_in_become_parameters_behind_the_others() -> None:
    x, y, z, free = (Var(name) for name in "xyzf")
    func = Function((x, y), Tuple((x, y, free)))
    bound = bind(func, {x: Tuple((z, free))})
    assert bound.params == (y, z)
    assert free_vars(bound) == free_vars(func) == (free,)


def test_binding_nothing_that_occurs_returns_the_function_itself() -> None:
    x, y = Var("x"), Var("y")
    func = Function((x,), x)
    assert bind(func, {}) is func
    assert bind(func, {y: Constant(1)}) is func
    assert bind(func.body, {y: x}) is x


def test_a_parameter_that_is_not_used_is_dropped_all_the_same() -> None:
    x, y = Var("x"), Var("y")
    assert bind(Function((x, y), y), {x: Constant(1)}).params == (y,)


def test_a_rewritten_function_says_nothing_of_types_that_need_not_hold() -> None:
    x, z = Var("x", vector(2)), Var("z", vector(3))
    func = infer_type(Function((x,), Call(ADD, (x, x)), vector(2)))
    bound = bind(func, {func.params[0]: z})
    assert bound.checked_type is None
    assert infer_type(bound).ret_type.shape == (3,)


def test_types_that_lets_and_inner_functions_are_annotated_with_are_told_anew() -> None:
    x, a, z = Var("x", vector(2)), Var("a", vector(2)), Var("z", vector(3))
    inner = Function((), Call(ADD, (a, a)), vector(2))
    func = Function((x,), Let(a, Call(ADD, (x, x)), Call(inner, ())), vector(2))
    assert infer_type(bind(func, {x: z})).ret_type.shape == (3,)


def test_types_stay_where_the_value_has_the_type_of_the_parameter() -> None:
    x = Var("x", vector(2))
    func = Function((x,), Call(ADD, (x, x)), vector(2))
    assert bind(func, {x: Constant(np.ones(2, "float32"))}).ret_type is func.ret_type


def _captures() -> dict[str, tuple[Call, Var, Var]]:
    x, y = Var("x"), Var("y")
    both = Tuple((x, y))
    return {
        "a let": (Let(y, Constant(1), both), x, y),
        "a function": (Call(Function((y,), both), (Constant(1),)), x, y),
        "a pattern": (Match(Constant(1), (Clause(PatternVar(y), both),)), x, y),
    }


@pytest.mark.parametrize("binder", _captures())
def test_what_comes_in_is_not_captured_by(binder: str) -> None:
    expr, x, y = _captures()[binder]
    image = substitute(expr, {x: y})
    assert well_formed(Function((), Let(y, Constant(2), image)))
    assert evaluate(Let(y, Constant(2), image)) == (2, 1)


def test_a_let_within_what_comes_in_does_not_rename_anything() -> None:
    x, y, z = Var("x"), Var("y"), Var("z")
    image = Let(y, z, y)
    out = substitute(Tuple((x, x)), {x: image})
    assert out.fields == (image, image)


@pytest.mark.parametrize(
    "expr",
    [
        Let(bound := Var("a"), Constant(1), bound),
        Function((bound,), bound),
        Match(Constant(1), (Clause(PatternVar(bound), bound),)),
    ],
)
def test_what_an_expression_binds_cannot_be_replaced(expr: relay.Expr) -> None:
    with pytest.raises(
        PassError, match=r"%a cannot be replaced: a (Let|Function|PatternVar) .*bind"
    ):
        substitute(expr, {bound: Constant(2)})


def test_a_variable_bound_within_a_function_cannot_be_bound() -> None:
    a = Var("a")
    with pytest.raises(PassError, match=r"a Let .*binds it"):
        bind(Function((), Let(a, Constant(1), a)), {a: Constant(2)})


def test_memory_is_shared_with_what_takes_the_place_of_a_variable() -> None:
    x, y = Var("x"), Var("y")
    sharing = Var("s", may_share=x)
    program = Let(sharing, Tuple((x,)), sharing)
    renamed = substitute(program, {x: y})
    assert renamed.var.may_share is y
    assert renamed.body is renamed.var
    assert substitute(program, {x: Constant(1)}).var.may_share is None


def test_shared_nodes_remain_shared() -> None:
    x, y = Var("x"), Var("y")
    out = substitute(doublings(100, x), {x: y})
    assert out.args[0] is out.args[1]


@pytest.mark.deep
@pytest.mark.parametrize("nest", DEEP_NESTS)
def test_variables_are_replaced_however_deep(nest: str) -> None:
    x, y = Var("x"), Var("y")
    assert free_vars(substitute(DEEP_NESTS[nest](min(DEPTH, 20_000), x), {x: y})) == (y,)


# By name

FUNC = parse_expr(
    "fn (%data: Tensor[(2, ?), float32], %weight: Tensor[(3), float32], %n: int32) "
    "{ (%data, %weight, %n) }"
)


def test_parameters_are_bound_by_their_names() -> None:
    out = bind_params_by_name(FUNC, {"weight": np.ones(3, "float32"), "n": 1})
    assert [param.name_hint for param in out.params] == ["data"]
    assert out.body.fields[1].data.tolist() == [1, 1, 1]


def test_any_dimension_takes_every_size() -> None:
    out = bind_params_by_name(FUNC, {"data": np.ones((2, 9), "float32")})
    assert out.body.fields[0].data.shape == (2, 9)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("weight", np.ones(4, "float32")),
        ("weight", np.ones((3, 1), "float32")),
        ("weight", np.ones(3, "float64")),
        ("weight", np.float32(1)),
        ("data", np.ones((3, 9), "float32")),
        ("n", 1.5),
    ],
)
def test_a_value_of_another_shape_or_element_type_is_refused(name: str, value: object) -> None:
    with pytest.raises(PassError, match=f"parameter %{name} is of type .*; found a value of type"):
        bind_params_by_name(FUNC, {name: value})


def test_a_name_nobody_has_is_refused_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="no parameter 'wieght'; did you mean weight"):
        bind_params_by_name(FUNC, {"wieght": 1})


def test_a_name_two_parameters_have_is_refused() -> None:
    func = Function((Var("x"), Var("x")), Tuple(()))
    with pytest.raises(PassError, match="2 parameters of the function are called 'x'"):
        bind_params_by_name(func, {"x": 1})


def test_the_face_has_bind() -> None:
    x = relay.var("x", scalar_type("int32"))
    assert relay.bind(x, {x: relay.const(1)}).data == 1


def test_what_is_bound_must_be_a_variable_and_an_expression() -> None:
    x = Var("x")
    func = Function((x,), x)
    with pytest.raises(PassError, match="found 'x'; to bind parameters by their names"):
        bind(func, {"x": Constant(1)})
    with pytest.raises(PassError, match=r"%x must be bound to an expression; found 1\.0"):
        bind(func, {x: 1.0})
