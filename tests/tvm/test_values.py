"""Arrays and executors as scripts for TVM expect them."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest

import relayish
from relayish import tvm
from relayish.errors import EvaluationError, FieldError, OperatorError
from relayish.tvm import relay

X = relay.var("x", shape=(2,))
ONES = np.ones(2, "float32")


class TestArrays:
    def test_numpy_gives_a_plain_copy(self):
        array = tvm.nd.array([1.0, 2.0])
        copy = array.numpy()
        assert type(copy) is np.ndarray
        copy[0] = 5
        assert array[0] == 1

    def test_array_does_not_share_memory_with_what_it_is_made_of(self):
        source = np.zeros(2)
        array = tvm.nd.array(source)
        source[0] = 1
        assert array[0] == 0

    def test_copyfrom_and_copyto_move_values(self):
        array, other = tvm.nd.empty((2,)), tvm.nd.empty((2,))
        array.copyfrom([1, 2]).copyto(other)
        assert other.numpy().tolist() == [1, 2]
        with pytest.raises(FieldError, match=r"takes one of that shape; found \(3,\)"):
            array.copyfrom([1, 2, 3])

    def test_copy_to_a_device_is_an_array(self):
        assert tvm.nd.array([1]).copyto(tvm.cuda(0)).numpy().tolist() == [1]

    def test_array_survives_pickling(self):
        assert pickle.loads(pickle.dumps(tvm.nd.array([1, 2]))).numpy().tolist() == [1, 2]

    def test_constant_of_an_array_holds_a_plain_one(self):
        assert type(relay.const(tvm.nd.array(ONES)).data) is np.ndarray
        assert isinstance(relay.Constant(tvm.nd.array(1.0)).data, np.float64)

    def test_rank_zero_has_numpy(self):
        assert tvm.nd.array(3.5).numpy() == 3.5


class TestDevices:
    @pytest.mark.parametrize(
        ("device", "kind"),
        [(tvm.cpu(), 1), (tvm.cuda(), 2), (tvm.device("opencl"), 4), (tvm.device("llvm", 1), 1)],
    )
    def test_device_has_the_number_of_dlpack(self, device, kind):
        assert device.device_type == kind

    def test_device_of_an_unknown_kind_is_refused(self):
        with pytest.raises(OperatorError, match="'cda' is no device; did you mean cuda"):
            tvm.device("cda")

    def test_only_the_cpu_exists(self):
        assert tvm.cpu().exist
        assert not tvm.cuda().exist

    def test_device_is_taken_by_annotations(self):
        call = relay.annotation.on_device(X, tvm.cuda(1))
        assert (call.attrs.virtual_device.device_type_int) == 2


class TestExecutors:
    @pytest.mark.parametrize("kind", ["debug", "vm", "graph", "aot"])
    def test_result_has_numpy(self, kind):
        run = relay.create_executor(kind, device=tvm.cpu(), target="llvm")
        result = run.evaluate(relay.Function([X], X + X))(ONES)
        assert type(result.numpy()) is np.ndarray
        assert result.numpy().tolist() == [2, 2]

    def test_scalar_result_has_numpy(self):
        assert relay.create_executor().evaluate(relay.const(1) + relay.const(2)).numpy() == 3

    def test_fields_of_a_tuple_have_numpy(self):
        pair = relay.Function([X], relay.Tuple([X, relay.Tuple([X + X])]))
        first, (second,) = relay.create_executor().evaluate(pair)(ONES)
        assert (first.numpy() + second.numpy()).tolist() == [3, 3]

    def test_fields_of_constructors_have_numpy_at_any_depth(self):
        prelude = relay.Prelude(relay.IRModule())
        _, cons, nil = prelude.mod.get_type("List")
        numbers = nil()
        for number in range(5_000):
            numbers = cons(relay.const(number), numbers)
        found = relay.create_executor(mod=prelude.mod).evaluate(numbers)
        for number in reversed(range(5_000)):
            head, found = found.fields
            assert head.numpy() == number
        assert found.constructor.name_hint == "Nil"

    def test_value_of_a_constructor_goes_back_in(self):
        prelude = relay.Prelude(relay.IRModule())
        _, cons, nil = prelude.mod.get_type("List")
        run = relay.create_executor(mod=prelude.mod)
        one = run.evaluate(cons(relay.const(7), nil()))
        length = run.evaluate(prelude.mod.get_global_var("hd"))
        assert length(one).numpy() == 7

    def test_what_is_shared_in_a_result_is_converted_once(self):
        shared = relay.Tuple([relay.const(1)])
        for _ in range(60):
            shared = relay.Tuple([shared, shared])
        left, right = relay.create_executor().evaluate(shared)
        assert left is right

    def test_result_goes_back_in(self):
        run = relay.create_executor("graph").evaluate(relay.Function([X], X + X))
        assert run(run(ONES)).numpy().tolist() == [4, 4]

    def test_main_is_evaluated_with_parameters_bound(self):
        y = relay.var("y", shape=(2,))
        mod = relay.IRModule.from_expr(relay.Function([X, y], X + y))
        run = relay.create_executor("graph", mod, params={"y": ONES}).evaluate()
        assert run(x=ONES).numpy().tolist() == [2, 2]

    def test_values_of_free_variables_are_given(self):
        run = relay.create_executor()
        assert run.evaluate(X + X, {X: ONES}).numpy().tolist() == [2, 2]

    def test_closure_is_called_and_gives_arrays(self):
        y = relay.var("y", shape=(2,))
        adder = relay.Function([X], relay.Function([y], X + y))
        mod = relay.IRModule.from_expr(adder)
        assert callable(relay.create_executor(mod=mod).evaluate()(ONES))

    def test_wrong_kind_is_named_with_one_near_it(self):
        with pytest.raises(EvaluationError, match="no executor of kind 'graf'"):
            relay.create_executor("graf")

    def test_executors_of_the_package_give_plain_arrays(self):
        result = relayish.create_executor().evaluate(relay.Function([X], X + X))(ONES)
        assert type(result) is np.ndarray


def test_testing_main_runs_the_tests_of_the_file_that_calls(monkeypatch):
    asked = []
    monkeypatch.setattr(pytest, "main", lambda arguments: asked.append(arguments) or 3)
    monkeypatch.setattr(sys, "argv", ["test_it.py", "-x"])
    with pytest.raises(SystemExit, match="3"):
        exec("testing.main()", {"testing": tvm.testing, "__file__": "/there/test_it.py"})
    assert asked == [["/there/test_it.py", "-x"]]


def test_parameters_of_a_network_have_numpy():
    _, params = relay.testing.mlp.get_workload(1)
    assert all(isinstance(value, tvm.nd.NDArray) for value in params.values())
    loaded = relay.load_param_dict(relay.save_param_dict(params))
    assert all((loaded[name].numpy() == params[name].numpy()).all() for name in params)


def test_values_of_python_stand_for_objects_of_tvm():
    container = tvm.runtime.container
    assert isinstance(relay.Tuple([X]).fields, tvm.ir.Array)
    assert container.tuple_object([1, 2]) == container.ShapeTuple((1, 2)) == (1, 2)
    assert isinstance(relay.evaluate(relay.Tuple([relay.const(1)])), container.ADT)
    assert tvm.runtime.convert([X, X]) == (X, X)
    assert tvm.runtime.module.BenchmarkResult([1, 2, 2, 5]).std == 1.5


def test_values_of_constructors_are_made_of_lists_as_well():
    mod = relay.prelude.Prelude(tvm.IRModule()).mod
    _, cons, nil = mod.get_type("List")
    value_class = relay.backend.interpreter.ConstructorValue
    empty = value_class(nil.tag, [], nil)
    given = value_class(cons.tag, [tvm.nd.array(ONES), empty], cons)
    found = relay.create_executor(mod=mod).evaluate("id")(given)
    assert found.tag == cons.tag
    assert found.fields[0].numpy().tolist() == [1, 1]
    assert found.fields[1].fields == ()


def test_integers_of_tvm_are_those_of_python():
    number = tvm.tir.IntImm("int32", 1)
    assert number == 1
    assert isinstance(X.type_annotation.shape[0], tvm.tir.IntImm)
    assert not isinstance(True, tvm.tir.IntImm)
    assert relay.Function([X], X).with_attr("Primitive", number).attrs["Primitive"] == 1
    assert tvm.tir.For is relayish.tir.For
    assert isinstance(tvm.tir.Any(), relay.Any)


class TestFixtures:
    kind = tvm.testing.parameter("graph", "vm")

    @tvm.testing.requires_llvm
    def test_a_parameter_is_given_to_tests_that_take_it(self, kind):
        assert relay.create_executor(kind).evaluate(relay.const(2)).numpy() == 2

    @tvm.testing.requires_cuda
    def test_for_another_device_is_skipped(self):
        raise AssertionError
