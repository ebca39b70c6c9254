from __future__ import annotations

import operator
import pickle
import subprocess
import sys
import weakref

import numpy as np
import pytest

import relayish as relay
from relayish.errors import FieldError, FieldIndexError, OperatorError, UnknownNameError
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Call, Constant, Function, GlobalVar, If, Tuple, TupleGetItem
from relayish.ir.relay.type import FuncType, TensorType, TupleType
from relayish.op import get_op
from relayish.op.builders.known_type import find_known_type
from relayish.op.builders.outputs import TupleWrapper
from relayish.op.declaration import properties
from relayish.op.declaration.properties import evaluate
from tests.support.depth import DEPTH
from tests.support.each import each

x = relay.var("x", shape=(2, 3), dtype="float32")
y = relay.var("y", shape=(2, 3), dtype="float32")
unknown = relay.var("unknown")

BINARY = {
    operator.add: "add",
    operator.sub: "subtract",
    operator.mul: "multiply",
    operator.truediv: "divide",
    operator.lt: "less",
    operator.le: "less_equal",
    operator.gt: "greater",
    operator.ge: "greater_equal",
}
MIRRORED = {"less": "greater", "less_equal": "greater_equal"}
MIRRORED |= {there: here for here, there in MIRRORED.items()}


@pytest.mark.parametrize("python", BINARY, ids=BINARY.get)
def test_operator_between_expressions_is_the_call_relay_makes(python):
    call = python(x, y)
    assert isinstance(call, Call)
    assert (call.op, call.args, call.attrs) == (get_op(BINARY[python]), (x, y), None)


@pytest.mark.parametrize("python", BINARY, ids=BINARY.get)
@each("number", [2, 0.5, True, np.float64(3.0), np.int8(2)])
def test_number_on_either_side_is_a_constant_of_the_element_type_beside_it(python, number):
    name = BINARY[python]
    right = python(x, number)
    assert right.op is get_op(name)
    assert right.args[0] is x
    assert isinstance(right.args[1], Constant)
    assert right.args[1].data.dtype == np.float32
    assert right.args[1].data == np.float32(number)
    left = python(number, x)
    where = 0 if name not in MIRRORED else 1
    assert left.op is get_op(MIRRORED.get(name, name))
    assert left.args[1 - where] is x
    assert left.args[where].data.dtype == np.float32


@pytest.mark.parametrize("dtype", ["float16", "float64", "int8", "uint8", "int64", "bfloat16"])
def test_number_takes_the_element_type_of_annotation_constant_and_cast(dtype):
    var = relay.var("v", shape=(2,), dtype=dtype)
    zeros = relay.const(np.zeros(2), dtype)
    for expr in (
        var,
        zeros,
        relay.annotation.stop_fusion(var).with_fields(checked_type=var.type_annotation),
    ):
        assert (expr + 1).args[1].data.dtype.name == dtype


def test_number_beside_an_expression_of_unknown_type_has_the_default_width_of_const():
    assert (unknown + 1).args[1].data.dtype == np.int32
    assert (unknown * 2.0).args[1].data.dtype == np.float32
    assert (unknown * np.float64(2.0)).args[1].data.dtype == np.float32


def test_number_follows_types_through_calls_tuples_branches_and_functions():
    half = relay.var("h", shape=(4,), dtype="float16")
    cond = relay.var("c", "bool")
    func = relay.var("f", FuncType((), TensorType((2,), "float64")))
    for expr, dtype in (
        (half * 2.0 + half, "float16"),
        (Tuple((x, half))[1], "float16"),
        (TupleGetItem(Tuple((x, half)), 1), "float16"),
        (If(cond, half, half), "float16"),
        (relay.Let(unknown, x, half), "float16"),
        (func(), "float64"),
        (Function((half,), half, TensorType((4,), "float16"))(half), "float16"),
    ):
        assert (expr + 1).args[1].data.dtype.name == dtype, expr


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: relay.var("i", "int32") + 0.5, "0.5 stands beside an expression of int32 in add"),
        (lambda: relay.var("i", "int32") * 2.0, "convert the expression"),
        (lambda: relay.var("b", "bool") + 2, "expression of bool"),
        (lambda: x + np.ones(3), "an array stands beside an expression in add"),
        (lambda: np.ones(3) * x, "an array stands beside an expression in multiply"),
        (lambda: bool(x < y), "less of expressions is an expression"),
        (lambda: bool(0 <= x <= y), "use If"),
    ],
)
def test_what_would_be_bent_or_misread_is_refused(build, message):
    with pytest.raises(OperatorError, match=message):
        build()


def test_number_too_large_for_the_element_type_is_refused():
    with pytest.raises(FieldError, match="300 does not fit uint8"):
        _ = relay.var("u", "uint8") + 300


@pytest.mark.parametrize("other", ["text", None, [1], (x,), 1j, object()])
def test_anything_but_an_expression_or_a_number_is_a_type_error_of_python(other):
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = x + other
    with pytest.raises(TypeError, match="not supported between"):
        _ = x < other


def test_minus_and_astype():
    assert (-x).op is get_op("negative")
    cast = x.astype("int8")
    assert cast.op is get_op("cast")
    assert cast.attrs.dtype == "int8"
    with pytest.raises(OperatorError, match="'real' names no"):
        x.astype("real")


def test_double_equals_stays_identity():
    assert x == x  # noqa: PLR0124
    assert (x == y) is False
    assert x != y
    assert len({x, y, x}) == 2


@pytest.mark.parametrize("callee", [GlobalVar("g"), relay.var("f"), Function((x,), x), x + y])
def test_calling_an_expression_is_a_call_of_it(callee):
    call = callee(x)
    assert (call.op, call.args) == (callee, (x,))


def test_calling_a_constructor_is_a_call_of_it():
    box = relay.Constructor("Box", (), relay.GlobalTypeVar("Box"))
    assert box().op is box


def test_calling_with_a_number_says_what_to_do():
    with pytest.raises(FieldError, match=r"const\(1\)"):
        GlobalVar("g")(1)


def test_calling_an_operator_is_checked_against_its_declaration():
    assert relay.Op.get("nn.softmax")(x, axis=0).attrs.axis == 0
    assert relay.op.op.get("add")(x, y).args == (x, y)
    with pytest.raises(OperatorError, match="expected 2"):
        relay.op.get("add")(x)
    with pytest.raises(UnknownNameError, match="did you mean add"):
        relay.Op.get("ad")


def test_operators_are_loaded_when_first_needed():
    script = (
        "import sys; import relayish as relay; x = relay.var('x'); "
        "assert 'relayish.op' not in sys.modules; print((x + x).op.name)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "add"


def test_operators_are_there_whatever_was_loaded_before():
    script = "from relayish.ir.relay.expr import Var; print(Var('x') + Var('y'))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "add(%x, %y)" in done.stdout


def test_tuple_is_indexed_counted_and_iterated_statically():
    tup = Tuple((x, y))
    assert tup[0] is x
    assert tup[-1] is y
    assert (len(tup), list(tup)) == (2, [x, y])
    assert tup.astuple() is tup
    assert Tuple(())
    with pytest.raises(IndexError):
        tup[2]


def test_call_with_several_results_is_taken_apart():
    parts = relay.split(x, 3, axis=1)
    assert len(parts) == 3
    first, second, _ = parts
    assert (type(first), first.tuple_value, first.index) == (TupleGetItem, parts, 0)
    assert (second.index, parts[-1].index) == (1, 2)
    assert parts.astuple() is parts
    assert parts.tuple_value is parts
    assert isinstance(parts, relay.TupleWrapper)
    assert len(relay.split(x, (1, 2))) == 3
    with pytest.raises(FieldIndexError, match="there is no result 3; expected 0 to 2"):
        parts[3]


def test_call_of_a_function_is_taken_apart_where_its_type_is_known():
    pair = FuncType((), TupleType((TensorType((), "int32"), TensorType((), "bool"))))
    assert [item.index for item in relay.var("f", pair)()] == [0, 1]
    with pytest.raises(OperatorError, match="a call of a function cannot be indexed"):
        unknown(x)[0]


def test_call_with_one_result_cannot_be_taken_apart():
    for take in (lambda: (x + y)[0], lambda: len(x + y), lambda: list(x + y)):
        with pytest.raises(OperatorError, match="a call of add cannot be indexed or iterated"):
            take()
    assert not isinstance(x + y, TupleWrapper)
    assert not isinstance(relay.topk(x, 1, ret_type="values"), TupleWrapper)
    assert x + y


def test_wrapper_indexes_what_it_is_given():
    wrapper = TupleWrapper(unknown, 2)
    assert [(item.tuple_value, item.index) for item in wrapper] == [(unknown, 0), (unknown, 1)]
    assert len(wrapper) == 2
    assert wrapper.astuple() is unknown
    assert TupleWrapper(Tuple((x, y)), 2)[1] is y
    assert isinstance(wrapper, TupleWrapper)
    assert "TupleWrapper(Var" in repr(wrapper)
    with pytest.raises(FieldIndexError):
        wrapper[2]


SAMPLES = {
    "split": ((x,), {"indices_or_sections": 2}),
    "topk": ((x,), {"k": 2}),
    "unique": ((relay.var("u", shape=(4,), dtype="int32"),), {}),
    "meshgrid": (((relay.var("a", shape=(2,)), relay.var("b", shape=(3,))),), {}),
    "nn.batch_norm": ((x, *(relay.var(n, shape=(3,)) for n in "abcd")), {}),
    "nn.dropout": ((x,), {}),
    "dft": ((x, y), {}),
    "sparse_reshape": (
        tuple(relay.var("s", shape=s, dtype="int64") for s in ((4, 2), (2,), (3,))),
        {},
    ),
    "vision.get_valid_counts": (
        (relay.var("d", shape=(1, 5, 6)), relay.const(0.5)),
        {},
    ),
}


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_number_of_results_is_that_of_the_type(name):
    args, attributes = SAMPLES[name]
    call = relay.op.call_op(name, *args, **attributes)
    ty = find_known_type(call)
    assert isinstance(ty, TupleType)
    assert len(call) == len(ty.fields)


@pytest.mark.deep
def test_known_type_looks_at_each_node_once_and_keeps_nothing_alive():
    expr = relay.var("x", shape=(2,), dtype="float16")
    for _ in range(100):
        expr = expr + expr
    assert find_known_type(expr) == find_known_type(expr)
    deep = relay.var("x", shape=(2,), dtype="float16")
    for _ in range(DEPTH):
        deep = deep + 1
    assert deep.args[1].data.dtype == np.float16
    gone = weakref.ref(expr)
    del expr
    assert gone() is None


def test_known_type_of_an_ill_typed_call_is_none():
    assert find_known_type(relay.nn.softmax(Tuple((x,)))) is None


def test_built_calls_are_ordinary_nodes():
    call = x * 2 + y
    again = pickle.loads(pickle.dumps(call))
    assert relay.structural_equal(call, again, map_free_vars=True)
    assert evaluate.get(call.op) is not None


def test_operators_are_registered_under_relays_names():
    with declared_temporarily():
        op = relay.op.op.register("tests.infix", "Does nothing.", arguments=("a", "b"))
        relay.op.register_pattern("tests.infix", relay.op.OpPattern.ELEMWISE)
        relay.op.op.register_stateful("tests.infix", True)
        assert relay.op.op.get("tests.infix") is op
        assert "tests.infix" in relay.op.op.list_op_names()
        assert properties.pattern.get(op) is relay.op.op.OpPattern.ELEMWISE
        assert properties.stateful.get(op) is True
        assert properties.description.get(op) == "Does nothing."
        assert op(x, y).args == (x, y)
