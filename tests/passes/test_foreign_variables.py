"""Passes on programs in which variables are of a kind that another package declares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relayish.analysis import analyse_liveness, free_vars, infer_type, well_formed
from relayish.errors import GradientError, TypeInferenceError, UnknownNameError
from relayish.interpreter import evaluate
from relayish.ir.fields.roles import Atom, Runs
from relayish.ir.nodes.node import declared_temporarily, field, node
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, If, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import TensorType, TupleType, scalar_type
from relayish.passes.relay.cleanup.dead_code_elimination import eliminate_dead_code
from relayish.passes.relay.cleanup.rename_vars import rename_vars
from relayish.passes.relay.fold.bind import bind
from relayish.passes.relay.fold.change_batch import change_batch
from relayish.passes.relay.functions.partition_anf import partition_anf
from relayish.passes.relay.gradient.ad.kind_rules import GRADIENT_RULES, ControlFlow
from relayish.passes.relay.gradient.gradient import gradient
from relayish.passes.relay.normal_form.cps_converter import CPS_RULES, Conversion
from relayish.passes.relay.normal_form.to_a_normal_form import to_a_normal_form
from relayish.passes.relay.normal_form.to_cps import to_cps
from relayish.transform import get_pass
from tests.support.declared import known_in_tests
from tests.support.effect_trace import run
from tests.support.foreign_kinds import ForeignKinds, register_evaluators, register_types
from tests.support.random_exprs import same_value

INT, BOOL, MATRIX = scalar_type("int32"), scalar_type("bool"), TensorType((2, 2), "float32")
add, multiply, dense = intern_op("add"), intern_op("multiply"), intern_op("nn.dense")
KINDS = ForeignKinds()
register_types(KINDS)
register_evaluators(KINDS, lambda *_: None)


def with_in_calls(node: Expr, conversion: Conversion) -> Expr:
    (body, rest) = conversion.block(0)
    inner = Let(conversion.variable(node.var), conversion.name(node.value), body)
    return Let(rest, conversion.rest, inner)


CPS_RULES.register(KINDS.with_, with_in_calls)
GRADIENT_RULES.register(KINDS.with_, ControlFlow())


_kinds = known_in_tests(KINDS.declared())


@pytest.mark.parametrize("name", ["LambdaLift", "PartialEvaluate", "Inline", "FullInline"])
def test_a_function_inside_keeps_the_variable_it_captures(name: str) -> None:
    it, x, y, f = KINDS.it("it"), Var("x", INT), Var("y", INT), Var("f")
    body = KINDS.with_(it, x, Let(f, Function((y,), add(y, it)), add(f(x), f(const(5)))))
    mod = IRModule({"main": Function((x,), body)})
    out = get_pass(name)(mod)
    assert all(well_formed(func) for func in out.functions.values())
    assert run(out, (4,)).value == 17


@pytest.mark.parametrize("inline_once", [False, True])
@pytest.mark.parametrize("inside", [False, True])
def test_a_declaration_stays_where_its_variable_alone_is_used(
    inline_once: bool, inside: bool
) -> None:
    x, y, unused = Var("x", INT), Var("y"), Var("unused")
    declared = KINDS.declare(y, add(x, const(1)))
    body = Let(unused, Tuple((declared,)) if inside else declared, multiply(y, y))
    kept = eliminate_dead_code(
        Function((x,), body), inline_once=inline_once, ignore_impurity=inside
    )
    assert well_formed(kept)
    assert run(IRModule({"main": kept}), (4,)).value == 25


@pytest.mark.parametrize("value", [7, None])
def test_a_declared_variable_has_a_value_in_what_follows_it(value: int | None) -> None:
    x, y, z, c = Var("x", INT), Var("y", INT), Var("z"), Var("c", BOOL)
    declared = KINDS.declare(y, x if value is None else const(value))
    block = KINDS.do(z, x, (declared, If(c, y, const(5))))
    mod = IRModule({"main": Function((x, c), block)})
    out = get_pass("SparseConditionalConstantPropagation")(mod)
    for holds in (True, False):
        assert run(out, (4, holds)).value == run(mod, (4, holds)).value


@pytest.mark.parametrize("name", ["Inline", "InlineClosure", "FullInline", "PartialEvaluate"])
def test_a_declaration_in_an_argument_is_known_behind_the_call(name: str) -> None:
    x, y, z, f = Var("x", INT), Var("y"), Var("z"), Var("f")
    params = Var("p", INT), Var("q", INT)
    mod = IRModule({"g": Function(params[:1], const(3))})
    first = Call(GlobalVar("g"), (KINDS.declare(y, add(x, const(1))),))
    second = Call(f, (KINDS.declare(z, x),))
    body = Let(f, Function(params[1:], const(4)), Tuple((first, y, second, z)))
    out = get_pass(name)(mod.with_functions({"main": Function((x,), body)}))
    assert well_formed(out["main"])
    assert run(out, (4,)).value == (3, 5, 4, 4)


def test_a_lifted_branch_takes_the_variable_as_a_parameter() -> None:
    it, x, c = KINDS.it("it"), Var("x", INT), Var("c", BOOL)
    body = KINDS.with_(it, x, If(c, add(it, x), multiply(it, it)))
    out = get_pass("LiftBranchBody")(IRModule({"main": Function((x, c), body)}))
    assert [param.name_hint for param in out["true_branch_0"].params] == ["it", "x"]
    assert run(out, (3, True)).value == 6
    assert run(out, (3, False)).value == 9


def test_the_type_of_a_variable_is_inferred_anew_where_its_value_changes() -> None:
    it, x = KINDS.it("it"), Var("x", INT)
    body = infer_type(Function((x,), KINDS.with_(it, add(x, x), it))).body
    changed = infer_type(Function((x,), body.with_fields(value=Tuple((x,)))))
    assert isinstance(changed.body.var.checked_type, TupleType)


def test_a_free_variable_without_a_type_is_reported_by_its_name() -> None:
    with pytest.raises(TypeInferenceError, match="variable %it is not bound where it is used"):
        infer_type(Function((), KINDS.it("it")))


def test_a_free_variable_has_the_type_that_was_inferred_of_it() -> None:
    assert infer_type(Function((), KINDS.it("it", checked_type=INT))).ret_type is INT


def test_a_part_of_a_chain_of_lets_takes_the_variable() -> None:
    it = KINDS.it("it", checked_type=INT)
    x, a, b, c = (Var(name, INT) for name in "xabc")
    chain = Let(a, add(x, it), Let(b, add(a, it), Let(c, add(b, b), c)))
    cut = partition_anf(Function((x,), chain), 2)
    assert [param.name_hint for param in cut.body.value.params] == ["x", "it"]
    (typed,) = free_vars(cut)
    assert evaluate(cut.with_fields(body=KINDS.with_(typed, const(2), cut.body)))(1) == 10


def test_continuations_take_relays_variables() -> None:
    it, x, y = KINDS.it("it"), Var("x", INT), Var("y", INT)
    body = KINDS.with_(it, Function((y,), add(y, y)), add(Call(it, (x,)), x))
    func = infer_type(Function((x,), body))
    mod = IRModule({"main": to_cps(func)})
    assert well_formed(mod["main"])
    result = Var("result", INT)
    applied = Call(mod["main"], (const(5), Function((result,), result)))
    assert evaluate(applied) == 15


def test_a_gradient_goes_through_the_variable() -> None:
    it, x = KINDS.it("it"), Var("x", MATRIX)
    one = infer_type(Function((x,), KINDS.with_(it, multiply(x, x), multiply(it, x))))
    other = infer_type(Function((x,), multiply(multiply(x, x), x)))
    given = np.array([[1.0, 2.0], [3.0, -4.0]], "float32")
    found = [evaluate(gradient(func, mode="higher_order"))(given) for func in (one, other)]
    assert same_value(found[0], found[1])


def test_a_gradient_of_a_free_variable_is_refused_by_its_name() -> None:
    with pytest.raises(GradientError, match="%it"):
        gradient(Function((), KINDS.it("it")))


def test_variables_of_other_kinds_are_renamed_by_what_is_given() -> None:
    it, x = KINDS.it("it"), Var("x")
    assert rename_vars(add(it, it), {"it": x}).args == (x, x)
    with pytest.raises(UnknownNameError, match="free variable %it has no entry"):
        rename_vars(add(it, it), {"x": x})


def test_variables_of_other_kinds_are_renamed_in_order_of_binding() -> None:
    it, x, y = KINDS.it("it"), Var("x", INT), Var("y")
    func = rename_vars(Function((x,), KINDS.with_(it, x, Let(y, it, add(y, it)))))
    with_ = func.body
    assert (func.params[0].name_hint, with_.var.label, with_.body.var.name_hint) == (
        "a1",
        "a2",
        "a3",
    )
    assert with_.body.value is with_.var
    assert rename_vars(func) is func


def test_variables_of_a_kind_without_a_name_are_left_and_not_counted() -> None:
    with declared_temporarily():

        @node("nameless", atom=Atom.VARIABLE)
        class Nameless(Expr):
            number: int = field(hint=True)

        class Bind(Expr):
            var: Any = field(binder=True)
            body: Expr = field(scope=Runs.ONCE)

        Bind.__annotations__["var"] = Nameless
        in_scope = node("nameless_with")(Bind)
        var, x = Nameless(7), Var("x")
        bound = rename_vars(in_scope(var, Let(x, var, add(x, var))))
        assert bound.var is var
        assert bound.body.var.name_hint == "a1"


def test_another_size_of_batch_leaves_the_variable() -> None:
    it, x = KINDS.it("it"), Var("x", MATRIX)
    out = change_batch(Function((x,), KINDS.with_(it, x, it)), {x: 0}, 5)
    assert out.params[0].type_annotation.shape == (5, 2)
    assert out.body.var is it


def test_a_free_variable_is_bound_to_what_is_given() -> None:
    it = KINDS.it("it")
    assert evaluate(bind(add(it, it), {it: const(3)})) == 6


def test_liveness_is_known_of_the_variable() -> None:
    it, x, a, b = KINDS.it("it"), Var("x"), Var("a"), Var("b")
    body = Let(a, add(x, x), Let(b, add(a, it), b))
    found = analyse_liveness(Function((x,), KINDS.with_(it, x, body)))
    assert found.is_needed_after(it, a)


def test_a_copied_scope_binds_a_variable_of_its_own() -> None:
    it, x, v = KINDS.it("it"), Var("x", INT), Var("v", INT)
    shared = KINDS.with_(it, multiply(v, v), add(it, x))
    loop = KINDS.pure_while(v, x, add(shared, x) < const(9), add(shared, const(1)))
    out = to_a_normal_form(Function((x,), loop))
    assert well_formed(out)
