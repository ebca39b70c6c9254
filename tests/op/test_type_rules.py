"""What rules of type share, and the rules and relations of operators that only mark a program."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import TypeInferenceError
from relayish.interpreter import evaluate as run
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Call, Constant, Function, Let, Var
from relayish.ir.relay.type import Any as AnyDimension
from relayish.ir.relay.type import (
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    SizeVar,
    TensorType,
    TupleType,
    TypeCall,
)
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.op import call_op, get_op, list_ops, make_attrs, register_op
from relayish.op.declaration.properties import evaluate, num_inputs, relation, rule
from relayish.op.types.type_rules import require_length, scalar, takes, tensor, tensors
from tests.support.checking import evaluated, evaluated_in, random_values, reference
from tests.support.each import each

FLOAT, MATRIX = TensorType(()), TensorType((2, SizeVar("n")), "int8")
PAIR, FUNC = TupleType((FLOAT, MATRIX)), FuncType((FLOAT, MATRIX), MATRIX)
STORAGE = TypeCall(GlobalTypeVar("Storage"), ())
DEVICE = VirtualDevice(1, 0)


def test_operator_that_takes_fixed_types_refuses_others(declarations):
    made = register_op("tests.fixed", arguments=("a", "b"), rule=takes(FLOAT, PAIR, gives=MATRIX))
    x, y = Var("x", FLOAT), Var("y", TupleType((TensorType(()), MATRIX)))
    assert infer_type(Call(made, [x, y])).checked_type is MATRIX
    with pytest.raises(TypeInferenceError, match=r"argument 1 must be of type .*; found float32"):
        infer_type(Call(made, [x, x]))


def test_operator_with_other_arguments_than_its_rule_has_types_for_is_refused(declarations):
    made = register_op("tests.fixed", arguments=("a",), rule=takes(FLOAT, FLOAT, gives=FLOAT))
    with pytest.raises(TypeInferenceError, match="has types for 2 arguments; found 1"):
        infer_type(Call(made, [Var("x", FLOAT)]))


def test_tensor_is_what_the_rule_asked_for():
    assert tensor(MATRIX, rank=2) is MATRIX
    with pytest.raises(TypeInferenceError, match="weight must be a tensor; found"):
        tensor(PAIR, "weight")
    with pytest.raises(TypeInferenceError, match="must have 3 dimensions; found 2: Tensor"):
        tensor(MATRIX, rank=3)


def test_tensors_are_the_fields_of_a_tuple():
    assert tensors(PAIR) == (FLOAT, MATRIX)
    with pytest.raises(TypeInferenceError, match="must be a tuple of tensors; found"):
        tensors(MATRIX, "data")
    with pytest.raises(TypeInferenceError, match="field 1 of data must be a tensor"):
        tensors(TupleType((FLOAT, PAIR)), "data")


def test_scalar_and_vector_are_told_by_their_shape():
    assert scalar(FLOAT, "k") is FLOAT
    assert require_length(TensorType((3,), "int64"), "shape") == 3
    with pytest.raises(TypeInferenceError, match="k must have no dimensions"):
        scalar(MATRIX, "k")
    with pytest.raises(TypeInferenceError, match="shape must have 1 dimensions"):
        require_length(FLOAT, "shape")
    with pytest.raises(TypeInferenceError, match=r"known length, .* found Tensor\[\(\?"):
        require_length(TensorType((AnyDimension(),)), "shape")


MARKS = {
    "annotation.bitpack_end": {},
    "annotation.bitpack_start": {},
    "annotation.cast_hint": {"dtype": "int8"},
    "annotation.checkpoint": {},
    "annotation.compiler_begin": {"compiler": "dnnl"},
    "annotation.compiler_end": {"compiler": "dnnl"},
    "annotation.stop_fusion": {},
    "annotation.with_funcid": {},
    "debug": {"debug_func": None},
    "device_copy": {"src_virtual_device": DEVICE, "dst_virtual_device": DEVICE},
    "on_device": {},
}


@pytest.mark.parametrize("ty", [MATRIX, PAIR, FUNC, STORAGE])
@each("name", sorted(MARKS))
def test_mark_leaves_a_type_of_any_kind_as_it_is(name, ty):
    attrs = make_attrs(get_op(name), MARKS[name])
    assert rule.get(get_op(name))(attrs, ty) is ty


def test_mark_on_a_function_passes_on_what_a_call_tells_of_it():
    x, f, y = Var("x"), Var("f"), Var("y", MATRIX)
    marked = call_op("on_device", Function((x,), x))
    typed = infer_type(Function((y,), Let(f, marked, Call(f, (y,)))))
    assert structural_equal(typed.body.value.checked_type, FuncType((MATRIX,), MATRIX))


UNVALUED = ("annotation.with_funcid",)
VALUED = sorted(n for n in MARKS if n not in (*UNVALUED, "device_copy"))


@pytest.mark.parametrize("name", VALUED)
@reference("formula", *VALUED)
def test_mark_leaves_a_value_as_it_is(name):
    data = random_values(2, 3)
    assert evaluated(name, data, **MARKS[name]) is data
    assert evaluated(name, (data, data), **MARKS[name])[1] is data
    assert name in evaluated_in("relayish.op.runtime.annotation", "relayish.op.runtime.device")


@reference("formula", "device_copy")
def test_device_copy_is_equal_and_in_memory_of_its_own():
    data = random_values(2, 3)
    marks = MARKS["device_copy"]
    copied, (nested,) = evaluated("device_copy", (data, (data,)), **marks)
    for made in (copied, nested, evaluated("device_copy", data, **marks)):
        assert np.array_equal(made, data)
        assert not np.may_share_memory(made, data)
    assert evaluated("device_copy", (), **marks) == ()


@reference("formula", "memory.kill")
def test_killing_a_value_gives_the_empty_tuple():
    assert evaluated("memory.kill", random_values(2, 3)) == ()


@reference("formula", "debug")
def test_debug_shows_a_value_and_leaves_it_as_it_is():
    x, shown = Var("x", MATRIX), []
    func = Function((x,), call_op("debug", call_op("negative", x), debug_func=shown.append))
    data = random_values(2, 3, dtype="int8")
    found = run(func, None, [data])
    assert np.array_equal(found, -data)
    assert [value.tolist() for value in shown] == [found.tolist()]


def test_mark_on_a_function_leaves_what_a_call_gives():
    x, y = Var("x"), Var("y", MATRIX)
    func = Function((y,), Call(call_op("on_device", Function((x,), call_op("negative", x))), (y,)))
    data = random_values(2, 3, dtype="int8")
    assert np.array_equal(run(func, None, [data]), -data)


class Assigned:
    """A reporter that notes what it is told."""

    def __init__(self):
        self.pairs = []

    def assign(self, unknown, found):
        self.pairs.append((unknown, found))


@pytest.mark.parametrize("ret_type", [MATRIX, PAIR])
def test_call_lowered_takes_the_arguments_of_its_function_as_a_tuple(ret_type):
    attrs, reporter, args = make_attrs(get_op("call_lowered"), {}), Assigned(), IncompleteType()
    relate = relation.get(get_op("call_lowered"))
    assert relate(attrs, (IncompleteType(), args), reporter) is None
    assert relate(attrs, (FuncType((FLOAT,), ret_type), args), reporter) is ret_type
    ((unknown, found),) = reporter.pairs
    assert unknown is args
    assert structural_equal(found, TupleType((FLOAT,)))
    with pytest.raises(TypeInferenceError, match="func must be a function; found"):
        relate(attrs, (MATRIX, args), reporter)


@pytest.mark.parametrize(
    ("ret_type", "outputs"), [(MATRIX, TupleType((MATRIX,))), (PAIR, PAIR)], ids=["one", "two"]
)
def test_invoke_tvm_op_writes_its_results_into_a_tuple(ret_type, outputs):
    reporter, ins, outs = Assigned(), IncompleteType(), IncompleteType()
    relate = relation.get(get_op("vm.invoke_tvm_op"))
    assert relate(None, (IncompleteType(), ins, outs), reporter) is None
    result = relate(None, (FuncType((FLOAT, FLOAT), ret_type), ins, outs), reporter)
    assert structural_equal(result, TupleType(()))
    (first, second) = reporter.pairs
    assert first[0] is ins
    assert structural_equal(first[1], TupleType((FLOAT, FLOAT)))
    assert second[0] is outs
    assert structural_equal(second[1], outputs)
    with pytest.raises(TypeInferenceError, match="op must be a function; found"):
        relate(None, (MATRIX, ins, outs), reporter)


LENGTH, SHAPE = TensorType((), "int64"), TensorType((2,), "int64")


def rule_of(name, *types, **options):
    return rule.get(get_op(name))(make_attrs(get_op(name), options), *types)


def test_storage_is_allocated_and_freed():
    options = {"dtype": "float32", "virtual_device": DEVICE}
    storage = rule_of("memory.alloc_storage", LENGTH, SHAPE, LENGTH, **options)
    assert structural_equal(storage, STORAGE)
    relate = relation.get(get_op("memory.kill"))
    for freed in (storage, MATRIX, IncompleteType()):
        assert structural_equal(relate(None, (freed,), Assigned()), TupleType(()))
    with pytest.raises(TypeInferenceError, match="alignment must be a tensor"):
        rule_of("memory.alloc_storage", LENGTH, SHAPE, PAIR, **options)


@pytest.mark.parametrize(
    ("shape", "const_shape", "assert_shape", "expected"),
    [
        (SHAPE, np.array([2, 3]), (), (2, 3)),
        (SHAPE, None, (2, 7), (2, 7)),
        (LENGTH, np.array([2, 3]), (), ()),
    ],
)
def test_tensor_is_allocated_of_the_shape_its_attributes_know(
    shape, const_shape, assert_shape, expected
):
    known = None if const_shape is None else Constant(const_shape)
    options = {"const_shape": known, "assert_shape": assert_shape, "dtype": "int8"}
    found = rule_of("memory.alloc_tensor", STORAGE, LENGTH, shape, **options)
    assert structural_equal(found, TensorType(expected, "int8"))
    with pytest.raises(TypeInferenceError, match="storage must be a Storage; found"):
        rule_of("memory.alloc_tensor", MATRIX, LENGTH, shape, **options)


@pytest.mark.parametrize("wrong", [np.float32([1]), np.int32(1), "two"])
def test_tensor_is_not_allocated_of_what_is_no_shape(wrong):
    options = {"const_shape": Constant(wrong), "assert_shape": (), "dtype": "int8"}
    with pytest.raises(TypeInferenceError, match="const_shape must be a vector of integers"):
        rule_of("memory.alloc_tensor", STORAGE, LENGTH, SHAPE, **options)


def test_shapes_of_the_virtual_machine():
    assert rule_of("vm.shape_of", MATRIX, dtype="int64").shape == (2,)
    assert rule_of("vm.shape_of", FLOAT, dtype=None).dtype == "int32"
    found = rule_of("vm.reshape_tensor", MATRIX, SHAPE, newshape=(3, AnyDimension()))
    assert found.shape[0] == 3
    assert isinstance(found.shape[1], AnyDimension)
    assert found.dtype == "int8"


OWN = ("annotation.", "device", "memory.", "vm.", "dyn.")


def test_every_operator_of_these_families_has_a_rule_or_a_relation():
    names = [n for n in list_ops("relay") if n.startswith(OWN)]
    untyped = [n for n in names if get_op(n) not in rule and get_op(n) not in relation]
    assert len(names) > 30
    assert untyped == []


ODD = [PAIR, FUNC, STORAGE, TupleType(()), TensorType((AnyDimension(),) * 3, "bool"), FLOAT]


def own_rules():
    """The rules of operators declared in the modules of these families, by name."""
    own = {"type_rules", "elementwise", "broadcast", "init", "shape", "reduction", "dyn_types"}
    own |= {"annotation", "device", "memory", "vm", "comparison"}
    names = [
        n for n in list_ops("relay") if get_op(n) in rule and not n.startswith(("nn.", "image."))
    ]
    return [n for n in names if rule.get(get_op(n)).__module__.rpartition(".")[2] in own]


SAMPLES = {
    "cast": {"dtype": "int8"},
    "clip": {"a_min": 0.0, "a_max": 1.0},
    "contrib_reverse_reshape": {"newshape": (-1,)},
    "device_copy": MARKS["device_copy"],
    "dyn.image.resize2d": {"size": (), "roi": ()},
    "dyn.one_hot": {"depth": 0, "axis": -1, "dtype": "int8"},
    "dyn.topk": {"k": None},
    "expand_dims": {"axis": 0},
    "fixed_point_multiply": {"multiplier": 1, "shift": 0},
    "fixed_point_multiply_per_axis": {"axes": (0,)},
    "full": {"shape": (2,)},
    "broadcast_to": {"shape": (2,)},
    "memory.alloc_storage": {"virtual_device": DEVICE},
    "memory.alloc_tensor": {"const_shape": Constant((1,)), "assert_shape": ()},
    "ones": {"shape": (2,)},
    "zeros": {"shape": (2,)},
    "reinterpret": {"dtype": "int8"},
    "reshape": {"newshape": (0, -1)},
    "vm.reshape_tensor": {"newshape": (1,)},
    **MARKS,
}


@each("name", own_rules())
def test_rule_gives_a_type_or_says_what_is_wrong(name):
    op = get_op(name)
    attrs = make_attrs(op, SAMPLES.get(name, {}))
    count = num_inputs.get(op)
    for first in ODD:
        for others in ODD:
            types = (first, others, others, others)[:count]
            try:
                found = rule.get(op)(attrs, *types)
            except TypeInferenceError:
                continue
            assert isinstance(found, (TensorType, TupleType, FuncType, TypeCall))


def test_shape_of_a_scalar_is_a_vector_of_nothing():
    assert rule_of("shape_of", FLOAT, dtype="int32").shape == (0,)
    attrs = make_attrs(get_op("shape_of"), {"dtype": "int32"})
    assert evaluate.get(get_op("shape_of"))(attrs, np.float32(1)).shape == (0,)


@pytest.mark.parametrize("name", ["sum", "reshape", "cast", "nn.softmax"])
def test_call_without_the_attributes_its_operator_declares_is_ill_typed(name):
    x = Var("x", TensorType((2, 3)))
    with pytest.raises(TypeInferenceError, match="the call has no attributes; expected"):
        infer_type(Function((x,), Call(get_op(name), (x,))))
    attrs = make_attrs(get_op("clip"), {"a_min": 0.0, "a_max": 1.0})
    with pytest.raises(TypeInferenceError, match="the call has ClipAttrs; expected"):
        infer_type(Function((x,), Call(get_op(name), (x,), attrs)))
