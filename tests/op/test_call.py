from __future__ import annotations

import inspect

import pytest

from relayish import op
from relayish.errors import DuplicateNameError, OperatorError, UnknownNameError
from relayish.ir.relay.expr import Call, Constant, Op, Tuple, Var
from relayish.op import call_op, get_op, list_ops, make_attrs, register_op
from relayish.op.builders.builder import builder
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.properties import attrs_type
from tests.support.each import each

x, y = Var("x"), Var("y")


def test_call_has_the_declared_operator_its_arguments_and_typed_attributes():
    call = call_op("concatenate", (x, y), axis=1)
    assert isinstance(call, Call)
    assert call.op is get_op("concatenate")
    assert isinstance(call.args[0], Tuple)
    assert call.args[0].fields == (x, y)
    assert call.attrs == attrs_type.get(call.op)(axis=1)


def test_call_without_attributes_has_none():
    assert call_op("add", x, y).attrs is None


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: call_op("ad", x, y), UnknownNameError, "no operator 'ad'.*did you mean add"),
        (lambda: call_op(Op("ad"), x, y), UnknownNameError, "no operator 'ad'"),
        (lambda: call_op(Op("add"), x, y), OperatorError, "is not the declared one"),
        (lambda: call_op("add", x), OperatorError, r"1 arguments; expected 2: \(lhs, rhs\)"),
        (lambda: call_op("add", x, 1), OperatorError, r"'rhs' of add.*found 1 .*say const\(1\)"),
        (lambda: call_op("add", x, "y"), OperatorError, "must be an expression; found 'y'"),
        (lambda: call_op("add", x, (y, 1)), OperatorError, "'rhs' of add"),
        (lambda: call_op("exp", x, axis=1), OperatorError, "exp takes no attributes; found axis"),
        (lambda: call_op("clip", x, a_min=0), OperatorError, "without its attribute 'a_max'"),
        (lambda: call_op("clip", x, a_mim=0), UnknownNameError, "'a_mim'; did you mean a_min"),
        (lambda: call_op("cast", x, dtype="real"), OperatorError, "cast: .*dtype: 'real' names no"),
        (lambda: call_op("nn.softmax", x, axis=1.5), OperatorError, "axis: expected an int"),
        (lambda: op.reshape(x, (1,), False, 4), OperatorError, "expected at most 3"),
        (lambda: op.reshape(x, (1,), newshape=(2,)), OperatorError, "'newshape' twice"),
        (lambda: op.add(x), OperatorError, "expected 2"),
        (lambda: op.add(x, 1.5), OperatorError, r"const\(1.5\)"),
        (lambda: op.relu, AttributeError, "did you mean nn.relu"),
        (lambda: op.nn.rely, AttributeError, "did you mean nn.relu"),
    ],
)
def test_wrong_call_is_refused(build, error, message):
    with pytest.raises(error, match=message):
        build()


def test_required_attribute_that_may_be_none_may_be_left_out():
    assert make_attrs(get_op("transpose"), {}).axes is None


def test_attribute_that_is_an_argument_too_may_be_left_out():
    assert call_op("dyn.reshape", x, y).attrs.newshape == ()
    assert call_op("dyn.nn.upsampling", x, y, y).attrs.scale_h == 0.0


@each("name", list_ops("relay"))
def test_every_operator_has_a_builder_with_its_parameters(name):
    made = builder(name)
    assert made is builder(name)
    assert made.__doc__
    assert inspect.signature(made).parameters.keys() or name in ("ones", "zeros")


def test_builders_are_found_by_relay_name():
    assert op.add(x, y).op is get_op("add")
    assert op.nn.relu(x).op is get_op("nn.relu")
    assert op.nn.internal.sparse_dense_padded(x, x, x, x, sparse_lhs=True).attrs.sparse_lhs
    assert op.random.threefry_split(x).op is get_op("random.threefry_split")
    assert "relu" in dir(op.nn)
    assert {"add", "nn", "reshape"} <= set(dir(op))


def test_declaration_is_had_under_relays_name_for_that():
    assert op.get("nn.relu") is get_op("nn.relu")


def test_name_that_python_asks_for_is_refused_without_looking_for_similar_ones():
    with pytest.raises(AttributeError, match=r"^__path__$"):
        _ = op.nn.__getattr__("__path__")


def test_builder_takes_attributes_in_order_and_by_name():
    assert op.reshape(x, (2, 3)).attrs.newshape == (2, 3)
    assert op.reshape(data=x, newshape=[2, 3]).attrs.newshape == (2, 3)
    assert op.zeros((2,), "int8").attrs.dtype == "int8"
    assert op.add(lhs=x, rhs=y).args == (x, y)
    taken = op.take(x, y, 1).attrs
    assert (taken.axis, taken.batch_dims) == (1, 0)


def test_builder_writes_short_forms_out():
    assert op.sum(x, axis=1).attrs.axis == (1,)
    assert op.squeeze(x, 0).attrs.axis == (0,)
    attrs = op.nn.conv2d(x, y, strides=2, padding=(1, 2), kernel_size=3).attrs
    assert attrs.strides == (2, 2)
    assert attrs.padding == (1, 2, 1, 2)
    assert attrs.kernel_size == (3, 3)
    assert op.nn.max_pool1d(x, pool_size=2, padding=1).attrs.padding == (1, 1)


def test_composite_builders_call_several_operators():
    assert op.variance(x, axis=1).args[1].op is get_op("mean")
    assert op.std(x).op is get_op("sqrt")
    assert op.logsumexp(x, axis=1).op is get_op("squeeze")
    assert op.logsumexp(x, keepdims=True).op is get_op("add")
    assert len(op.mean_variance(x).fields) == 2
    assert op.nn.pad(x, ((1, 1),), 2).args[1].data == 2
    assert op.nn.batch_matmul(x, y).attrs.transpose_b
    assert op.topk(x, y).op is get_op("dyn.topk")
    assert op.topk(x, 3).attrs.k == 3
    assert op.full(x, (2,)).attrs.shape == (2,)
    assert op.gather(x, 1, y).attrs.axis == 1
    assert op.shape_of(x).attrs.dtype == op.ndarray_size(x).attrs.dtype == "int32"
    assert op.argsort(x).attrs.dtype == "int32"


def test_arange_repeats_its_arguments_in_its_attributes():
    call = op.arange(x, dtype="int32")
    assert isinstance(call.args[0], Constant)
    assert call.args == (call.attrs.start, call.attrs.stop, call.attrs.step)
    assert call.attrs.stop is x


def test_operator_declared_twice_is_refused():
    with pytest.raises(DuplicateNameError, match="'add' is declared twice"):
        register_op("add", arguments=("lhs", "rhs"))


def test_table_refuses_a_second_value_unless_told():
    table: OpTable[int] = OpTable("rank")
    table.set(get_op("add"), 1)
    with pytest.raises(DuplicateNameError, match="has its 'rank' already"):
        table.set(get_op("add"), 2)
    table.set(get_op("add"), 2, replace=True)
    assert table.get(get_op("add")) == 2
    assert table.get(x) is None
    assert (len(table), get_op("add") in table, x in table) == (1, True, False)
