from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.interpreter import (
    Closure,
    ConstructorValue,
    RefValue,
    create_executor,
    evaluate,
    evaluate_call,
    same_value,
)
from relayish.ir.nodes.span import Span
from relayish.ir.relay.adt import Constructor, TypeData
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Function,
    GlobalVar,
    If,
    Let,
    RefCreate,
    RefRead,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import GlobalTypeVar, SizeVar, TensorType, TypeVar
from relayish.op.declaration import properties
from relayish.op.declaration.registry import get_op

add, subtract, less = (get_op(name) for name in ("add", "subtract", "less"))
x, y, f = (Var(name) for name in "xyf")
one, two, three = Constant(1), Constant(2), Constant(3)


# Values


def test_call_gives_what_numpy_gives():
    left = np.arange(6, dtype="float32").reshape(2, 3)
    right = np.array([1.5, -2, 3], "float32")
    value = evaluate(Call(add, (Constant(left), Constant(right))))
    assert same_value(value, left + right)


def test_result_array_cannot_be_written():
    value = evaluate(Call(add, (Constant(np.ones(3, "float32")),) * 2))
    with pytest.raises(ValueError, match="read-only"):
        value[0] = 5


def test_argument_array_may_be_written_afterwards_without_changing_the_result():
    given = np.ones(3, "float32")
    value = evaluate(Function((x,), x), args=[given])
    given[0] = 7
    assert value.tolist() == [1, 1, 1]


def test_if_evaluates_one_branch_only():
    unknown = Call(intern_op("tests.no_such_operator"), ())
    assert evaluate(If(Constant(True), one, unknown)) == 1
    assert evaluate(If(Constant(False), unknown, two)) == 2


def test_global_functions_may_call_each_other():
    even, odd, n, m = GlobalVar("even"), GlobalVar("odd"), Var("n"), Var("m")

    def alternate(other, param, last):
        return Function(
            (param,),
            If(
                Call(less, (Constant(0), param)),
                Call(other, (Call(subtract, (param, one)),)),
                Constant(last),
            ),
        )

    mod = IRModule({even: alternate(odd, n, True), odd: alternate(even, m, False)})
    assert evaluate(even, mod, [7]) == np.False_
    assert evaluate(odd, mod, [7]) == np.True_


def test_global_that_is_no_function_is_its_value():
    name = GlobalVar("answer")
    assert evaluate(Tuple((name, name)), IRModule({name: Call(add, (one, two))})) == (3, 3)


# Data types

header = GlobalTypeVar("List")
element = TypeVar("a")
nil = Constructor("Nil", (), header)
cons = Constructor("Cons", (element, header), header)
lists = TypeData(header, (element,), (nil, cons))


def test_constructor_builds_a_tagged_value():
    value = evaluate(Call(cons, (one, Call(nil, ()))), IRModule({}, {header: lists}))
    assert isinstance(value, ConstructorValue)
    assert (value.tag, value.constructor, value.fields[0]) == (cons.tag, cons, 1)
    assert value.fields[1].tag == nil.tag == cons.tag - 1


def test_function_object_shared_by_two_places_closes_over_the_activation_once():
    function = Function((x,), Call(add, (x, one)))
    value = evaluate(Tuple((function, function)))
    assert value[0] is value[1]


# Calling from Python


def test_executor_gives_a_function_that_takes_names():
    mod = IRModule({"main": Function((x, y), Call(subtract, (x, y)))})
    main = create_executor("debug", mod).evaluate()
    assert main(5, y=3) == 2
    assert main(y=3, x=5) == 2


def test_executor_evaluates_an_expression_at_once():
    assert create_executor().evaluate(Call(add, (one, two))) == 3


def test_executor_of_unknown_kind_is_refused():
    with pytest.raises(EvaluationError, match="no executor of kind 'gpu'"):
        create_executor("gpu")


def test_executor_refuses_a_missing_and_an_unknown_name():
    main = create_executor().evaluate(Function((x, y), x))
    with pytest.raises(EvaluationError, match="'y' is missing"):
        main(1, z=3)
    with pytest.raises(EvaluationError, match="argument 'x' is given twice"):
        main(1, 2, x=3)


def test_function_evaluates_to_a_closure():
    value = evaluate(Function((x,), x))
    assert isinstance(value, Closure)
    assert value(4) == 4


def test_closure_and_reference_may_be_given_as_arguments():
    cell = evaluate(RefCreate(one))
    assert isinstance(cell, RefValue)
    apply = Function((f, x), Call(f, (RefRead(x),)))
    assert evaluate(apply, args=[evaluate(Function((y,), Tuple((y, y)))), cell]) == (1, 1)


# Errors


def failing(expr, mod=None, args=None, **limits):
    with pytest.raises(EvaluationError) as caught:
        evaluate(expr, mod, args, **limits)
    return caught.value


def test_operator_without_evaluation_is_named():
    error = failing(Call(intern_op("tests.no_such_operator"), (one,)))
    assert "operator tests.no_such_operator has no evaluation" in str(error)


def test_error_carries_the_span_of_the_call():
    span = Span("model.relay", 12, 12, 8, 20)
    wrong = Call(add, (Constant(np.ones(2)), Constant(np.ones(3))), span=span)
    error = failing(wrong)
    assert "operator add cannot be evaluated on (float64[2], float64[3])" in str(error)
    assert any("model.relay:12:8" in note for note in error.__notes__)


def test_error_names_the_calls_that_led_there():
    span = Span("model.relay", 3, 3, 1, 9)
    wrong = Function((x,), TupleGetItem(x, 0))
    error = failing(Tuple((Call(wrong, (one,), span=span),)))
    assert any("reached from" in note and "model.relay:3:1" in note for note in error.__notes__)


def test_wrong_number_of_operands_is_an_error():
    assert "operator add takes 2 arguments" in str(failing(Call(add, (one,))))


def test_endless_recursion_is_bounded_by_depth():
    endless = Let(f, Function((), Call(add, (one, Call(f, ())))), Call(f, ()))
    assert "more than 1,000 calls under way" in str(failing(endless, max_depth=1000))


def test_endless_tail_recursion_is_bounded_by_calls():
    endless = Let(f, Function((), Call(f, ())), Call(f, ()))
    assert "more than 1,000 calls" in str(failing(endless, max_calls=1000))


def test_arguments_for_something_that_is_no_function_are_refused():
    assert "args are for functions" in str(failing(one, args=[1]))


# One call


def test_evaluate_call_takes_defaults_for_missing_attributes():
    assert evaluate_call(get_op("sum"), None, [np.ones((2, 3), "float32")]) == 6


def test_evaluate_call_says_on_what_the_operator_failed():
    with pytest.raises(
        EvaluationError, match=r"operator add cannot be evaluated on \(float64\[2\]"
    ):
        evaluate_call(add, None, [np.ones(2), np.ones(3)])


def test_evaluate_call_refuses_an_operator_without_evaluation():
    with pytest.raises(EvaluationError, match="has no evaluation"):
        evaluate_call(intern_op("tests.no_such_operator"), None, [])


def test_evaluate_call_refuses_a_wrong_number_of_arguments():
    with pytest.raises(EvaluationError, match="takes 2 arguments"):
        evaluate_call(add, None, [np.int32(1)])


def test_annotated_parameter_takes_any_value():
    assert evaluate(Function((Var("p", TensorType((), "float32")),), one), args=[2]) == 1


def test_evaluation_table_is_consulted_when_compiling():
    op = intern_op("tests.evaluated")
    properties.evaluate.set(op, lambda attrs, value: value * 2, replace=True)
    assert evaluate(Call(op, (three,))) == 6


def test_list_where_a_tensor_is_expected_is_refused():
    param = Var("p", TensorType((2,), "float32"))
    error = failing(Function((param,), Call(get_op("add"), (param, param))), args=[[1.0, 2.0]])
    assert "argument 'p' must be a tensor (2,) float32; found a list or tuple" in str(error)


def test_argument_that_does_not_fit_its_annotation_is_refused():
    wide = SizeVar("n")
    params = (Var("p", TensorType((wide, 2))), Var("q", TensorType((wide,))))
    function = Function(params, Tuple(params))
    fits = [np.ones((3, 2), "float32"), np.ones(3, "float32")]
    assert len(evaluate(function, args=fits)) == 2
    for wrong, message in (
        ([fits[0].astype("float64"), fits[1]], r"'p' must be a tensor \(n, 2\) float32; found"),
        ([fits[0][:2], fits[1]], r"'q' must be a tensor \(n,\) float32; found \(3,\) float32"),
        ([fits[1], fits[1]], r"'p' must be a tensor \(n, 2\) float32; found \(3,\) float32"),
    ):
        with pytest.raises(EvaluationError, match=message):
            evaluate(function, args=wrong)


def test_python_number_takes_the_element_type_of_its_parameter():
    param = Var("p", TensorType((), "float16"))
    assert evaluate(Function((param,), param), args=[1]).dtype == np.float16


def test_array_argument_is_copied_when_somebody_may_write_to_it():
    param = Var("p", TensorType((2,), "float32"))
    given = np.ones(2, "float32")
    found = evaluate(Function((param,), param), args=[given])
    given[:] = 5
    assert found.tolist() == [1, 1]
    assert evaluate(Function((param,), param), args=[found]) is found


@pytest.mark.parametrize("kind", ["debug", "graph"])
def test_a_value_is_given_to_all_parameters_of_its_name(kind):
    params = [Var("x"), Var("x")]
    run = create_executor(kind, IRModule({"main": Function(params, Tuple(params))})).evaluate()
    assert run(x=1) == (1, 1)
    assert run(1, x=2) == (1, 2)
    assert run(1, 2) == (1, 2)
    with pytest.raises(EvaluationError, match="argument 'x' is given twice"):
        run(1, 2, x=3)


def test_argument_that_no_parameter_is_called_is_refused_with_a_suggestion():
    main = create_executor().evaluate(Function((Var("weight"),), Constant(1)))
    with pytest.raises(EvaluationError, match=r"unknown argument 'wieght'; did you mean weight\?"):
        main(1, wieght=2)


def test_parameters_of_one_name_take_arguments_by_place_beside_those_given_by_name():
    first, weight, second = Var("data"), Var("w"), Var("data")
    body = Call(subtract, (first, Call(subtract, (second, weight))))
    mod = IRModule.from_expr(Function((first, weight, second), body))
    run = create_executor("debug", mod, params={"w": 10}).evaluate()
    assert run(7, 2) == 15
    assert run(7, 2, w=1) == 6
