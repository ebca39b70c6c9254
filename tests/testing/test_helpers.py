from __future__ import annotations

import numpy as np
import pytest

from relayish import testing
from relayish.errors import EvaluationError, TypeInferenceError, UnknownNameError
from relayish.interpreter import ConstructorValue, create_executor
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Call, Constant, Function, Let, Tuple, Var
from relayish.ir.relay.type import TensorType, TypeCall
from relayish.op.declaration import properties
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import get_op
from relayish.prelude import Prelude
from relayish.transform import DeadCodeElimination, FoldConstant, InferType, module_pass
from tests.support.depth import DEPTH

add, exp = get_op("add"), get_op("exp")
x = var("x", shape=(2,))


# Running passes


def test_one_pass_runs_on_an_expression():
    assert testing.run_opt_pass(Call(add, (const(1), const(2))), FoldConstant()).data == 3


def test_a_function_stays_a_function():
    func = Function((x,), Let(Var("y"), const(1), x))
    made = testing.run_opt_pass(func, DeadCodeElimination())
    assert_structural_equal(made, Function((x,), x))
    assert isinstance(testing.run_opt_pass(func, [DeadCodeElimination()]), Function)


def test_several_passes_run_in_order_and_up_to_level_3():
    levels = []

    @module_pass(opt_level=3)
    def see(mod, ctx):
        levels.append((ctx.opt_level, mod["main"].body))
        return mod

    body = testing.run_opt_pass(Call(add, (const(1), const(2))), [FoldConstant(), see])
    assert isinstance(body, Constant)
    assert [level for level, _ in levels] == [3]
    assert levels[0][1].data == 3


def test_a_function_with_a_symbol_is_found_under_it():
    func = Function((x,), x, attrs=DictAttrs({"global_symbol": "other"}))
    assert testing.run_opt_pass(func, FoldConstant()).params[0].name_hint == "x"


def test_the_prelude_is_imported_on_demand():
    seen = []

    @module_pass(opt_level=0)
    def see(mod, ctx):
        del ctx
        seen.append("map" in mod)
        return mod

    testing.run_opt_pass(const(1), see)
    testing.run_opt_pass(const(1), see, import_prelude=True)
    assert seen == [False, True]


def test_types_are_inferred_of_an_open_expression():
    made = testing.run_infer_type(Call(exp, (x,)))
    assert_structural_equal(made.checked_type, TensorType((2,)))


def test_ill_typed_expressions_are_an_error():
    bad = Call(add, (x, var("y", shape=(3,))))
    with pytest.raises(TypeInferenceError):
        testing.run_infer_type(bad)


# Counting and drawing


def test_operators_are_counted_once_a_node_and_calls_of_functions_are_not():
    e = Call(exp, (x,))
    f = Function((), Call(add, (e, e)))
    assert testing.count_ops(Tuple((Call(f, ()), e, Call(exp, (e,))))) == {"exp": 2, "add": 1}


@pytest.mark.deep
def test_counting_knows_no_depth():
    deep = x
    for _ in range(DEPTH):
        deep = Call(exp, (deep,))
    assert testing.count_ops(deep) == {"exp": DEPTH}


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_random_arrays_have_the_type_asked_for(dtype):
    state = np.random.get_state()  # noqa: NPY002 - what rand draws from
    try:
        np.random.seed(0)  # noqa: NPY002
        first = testing.rand(dtype, 3, 4)
        np.random.seed(0)  # noqa: NPY002
        again = testing.rand(dtype, 3, 4)
    finally:
        np.random.set_state(state)  # noqa: NPY002
    assert first.shape == (3, 4)
    assert str(first.dtype) == dtype
    assert (first == again).all()
    assert ((first >= 0) & (first <= 1)).all()
    assert testing.rand(dtype).shape == ()


# Comparing


def test_close_tensors_of_one_shape_are_close():
    testing.assert_allclose(np.ones(3), np.ones(3) + 1e-9)
    testing.assert_allclose([1.0, 2.0], np.array([1.1, 2.1]), rtol=0.2)


@pytest.mark.parametrize(
    ("found", "expected"), [(1.0, 1.1), (np.ones(3), 1.0), (np.ones(3), np.ones((1, 3)))]
)
def test_tensors_that_differ_in_value_or_shape_are_not(found, expected):
    with pytest.raises(AssertionError):
        testing.assert_allclose(found, expected)


# Natural numbers


@pytest.mark.parametrize("n", [0, 1, 7])
def test_natural_numbers_are_built_evaluated_and_counted(n):
    p = Prelude()
    expr = testing.make_nat_expr(p, n)
    assert testing.count(p, expr) == n
    value = create_executor(mod=p.mod).evaluate(expr)
    assert testing.count(p, value) == n
    assert testing.count(p, testing.make_nat_value(p, n)) == n


def test_natural_numbers_are_typed_as_such():
    p = Prelude()
    p.mod = p.mod.with_function("main", Function((), testing.make_nat_expr(p, 2)))
    ty = InferType()(p.mod)["main"].body.checked_type
    assert isinstance(ty, TypeCall)
    assert ty.func is p.get_type("nat")


def test_a_built_value_is_what_the_functions_of_the_prelude_take():
    p = Prelude()
    add_up = create_executor(mod=p.mod).evaluate("nat_add")
    total = add_up(testing.make_nat_value(p, 2), testing.make_nat_value(p, 3))
    assert testing.count(p, total) == 5
    assert total.tag == p.get_ctor("nat", "succ").tag


@pytest.mark.deep
def test_no_number_is_too_deep():
    p = Prelude()
    assert testing.count(p, testing.make_nat_value(p, DEPTH)) == DEPTH
    assert testing.count(p, testing.make_nat_expr(p, DEPTH)) == DEPTH


def test_a_negative_number_is_an_error():
    for make in (testing.make_nat_expr, testing.make_nat_value):
        with pytest.raises(ValueError, match="found -1"):
            make(Prelude(), -1)


def test_what_is_no_natural_number_is_an_error():
    p = Prelude()
    nil = p.get_ctor("List", "Nil")
    for wrong in (3, ConstructorValue(1, (), nil), Call(p.nat_add, ()), const(1)):
        with pytest.raises(EvaluationError, match="built of zero and succ"):
            testing.count(p, wrong)


# Properties of operators


def test_a_property_is_changed_inside_the_block_only():
    before = properties.pattern.get(exp)
    with testing.TempOpAttr("exp", properties.pattern, OpPattern.OPAQUE):
        assert properties.pattern.get(exp) is OpPattern.OPAQUE
    assert properties.pattern.get(exp) is before


def test_a_property_is_absent_again_where_it_was():
    assert exp not in properties.stateful
    with testing.TempOpAttr("exp", "TOpIsStateful", True):
        assert properties.stateful.get(exp) is True
    assert exp not in properties.stateful


def test_a_property_comes_back_after_an_error_and_blocks_nest():
    before = properties.pattern.get(exp)
    temporary = testing.TempOpAttr("exp", "TOpPattern", OpPattern.TUPLE)
    with pytest.raises(ZeroDivisionError), temporary, temporary:
        raise ZeroDivisionError
    assert properties.pattern.get(exp) is before


def test_a_property_makes_a_difference_to_passes():
    call = Call(exp, (const(1.0),))
    assert isinstance(testing.run_opt_pass(call, FoldConstant()), Constant)
    with testing.TempOpAttr("exp", properties.stateful, True):
        assert isinstance(testing.run_opt_pass(call, FoldConstant()), Call)


def test_an_unknown_operator_or_property_is_an_error():
    with pytest.raises(UnknownNameError, match="no operator"):
        testing.TempOpAttr("exq", properties.pattern, OpPattern.OPAQUE)
    with pytest.raises(UnknownNameError, match="did you mean TOpPattern"):
        testing.TempOpAttr("exp", "TOpPatern", OpPattern.OPAQUE)
