"""Calls: functions of libraries, of the module, coarse operators, intrinsics; what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import relayish as relay
from relayish import tir
from relayish.errors import (
    DeclarationError,
    EvaluationError,
    FieldError,
    TypeConfusionError,
    UnknownNameError,
    UnsupportedError,
)
from relayish.ir.registration.declarations import declared_temporarily
from relayish.tir.externs import extern_names
from relayish.tir.interpreter.compiler import RULES
from tests.support.each import each


def call(dtype, name, *args, writes=(), kind=tir.CallType.EXTERN, index=-1):
    return tir.Call(dtype, name, args, writes, kind, None, index)


def tensor(name, *shape, dtype="int32"):
    sizes = tuple(map(tir.const, shape))
    return tir.Tensor(name, sizes, dtype, tir.Buffer(f"_{name}", sizes, dtype))


MATHEMATICS = {
    "acos": (math.acos, 0.5), "acosh": (math.acosh, 1.5), "asin": (math.asin, 0.5),
    "asinh": (math.asinh, 0.5), "atan": (math.atan, 0.5), "atanh": (math.atanh, 0.5),
    "cbrt": (math.cbrt, 8.0), "ceil": (math.ceil, 1.25), "cos": (math.cos, 0.5),
    "cosh": (math.cosh, 0.5), "erf": (math.erf, 0.5), "exp": (math.exp, 0.5),
    "exp10": (lambda x: 10.0**x, 0.5), "exp2": (math.exp2, 0.5), "fabs": (math.fabs, -0.5),
    "abs": (abs, -0.5), "floor": (math.floor, -1.25), "log": (math.log, 0.5),
    "log10": (math.log10, 0.5), "log2": (math.log2, 0.5), "round": (lambda _: 3.0, 2.5),
    "rsqrt": (lambda x: 1 / math.sqrt(x), 4.0), "sigmoid": (lambda x: 1 / (1 + math.exp(-x)), 0.5),
    "sin": (math.sin, 0.5), "sinh": (math.sinh, 0.5), "sqrt": (math.sqrt, 2.0),
    "tan": (math.tan, 0.5), "tanh": (math.tanh, 0.5), "trunc": (math.trunc, -1.75),
}  # fmt: skip


@each("dtype", ["float32", "float64"])
@each("name", MATHEMATICS)
def test_function_of_mathematics_is_what_its_name_says(name, dtype):
    exact, point = MATHEMATICS[name]
    found = tir.evaluate(call(dtype, name, tir.const(point, dtype)))
    assert found == pytest.approx(exact(point), rel=1e-6)
    assert found.dtype == dtype


@each("dtype", ["float16", "bfloat16"])
@each("name", MATHEMATICS)
def test_function_of_mathematics_gives_the_type_it_is_given(name, dtype):
    point = MATHEMATICS[name][1]
    found = tir.evaluate(call(dtype, name, tir.const(point, dtype)))
    assert found.dtype == tir.as_type(dtype).numpy


def test_every_function_that_is_known_has_a_rule_of_its_type():
    assert len(extern_names()) > 40


class TestRegistered:
    @pytest.fixture(autouse=True)
    def forget(self):
        with declared_temporarily():
            yield

    def test_function_is_called_with_numbers_of_its_types(self):
        seen = []
        tir.register_extern(
            "f", lambda x, y: seen.append((x, y)) or x, arity=2, type_rule=lambda t: t[0]
        )
        assert tir.evaluate(call("int8", "f", tir.const(3, "int8"), tir.const(True))) == 3
        assert [(type(x), type(y)) for x, y in seen] == [(np.int8, np.bool_)]

    def test_value_index_takes_one_of_several_results(self):
        tir.register_extern("f", lambda x: (x, x + x), type_rule=lambda t: t[0])
        assert tir.evaluate(call("int32", "f", tir.const(3), index=1)) == 6

    def test_value_index_beyond_the_results_is_an_error(self):
        tir.register_extern("f", lambda x: (x, x), type_rule=lambda t: t[0])
        with pytest.raises(
            EvaluationError, match="result 2 of f is asked for, which has 2 results"
        ):
            tir.evaluate(call("int32", "f", tir.const(3), index=2))

    def test_function_fills_what_it_writes(self):
        def evaluate(a, out):
            out[...] = a[::-1]

        tir.register_extern("reverse", evaluate, writes=1, type_rule=lambda t: tir.Void())
        a, b = tensor("A", 3), tensor("B", 3)
        c = tensor("C", 3)
        body = tir.Block((
            call("void", "reverse", a, writes=(b,)),
            call("void", "reverse", b, writes=(c,)),
        ))  # fmt: skip
        func = tir.LoweredFunc("f", (a.buffer, c.buffer), body, (b.buffer,))
        out = np.zeros(3, "int32")
        tir.run(func, np.array([1, 2, 3], "int32"), out)
        assert out.tolist() == [1, 2, 3]

    def test_function_does_not_write_what_it_reads(self):
        def evaluate(a):
            a[...] = 0
            return np.int32(0)

        tir.register_extern("spoil", evaluate, type_rule=lambda t: tir.as_type("int32"))
        a = tensor("A", 3)
        with pytest.raises(EvaluationError, match=r"spoil failed: ValueError: .*read-only"):
            tir.run(call("int32", "spoil", a), {a: np.zeros(3, "int32")})

    def test_error_of_a_function_is_an_error_of_evaluation(self):
        tir.register_extern("f", lambda x: [][x], type_rule=lambda t: t[0])
        with pytest.raises(EvaluationError, match=r"f failed: IndexError: .*, in f\(3\)"):
            tir.evaluate(call("int32", "f", tir.const(3)))

    def test_value_of_another_type_is_refused(self):
        tir.register_extern("f", np.float64, type_rule=lambda t: t[0])
        with pytest.raises(TypeConfusionError, match="said to give int32"):
            tir.evaluate(call("int32", "f", tir.const(3)))

    def test_call_of_another_type_than_the_rule_says_is_refused(self):
        tir.register_extern("f", lambda x: x, type_rule=lambda t: t[0])
        with pytest.raises(TypeConfusionError, match="gives int32; the call is of type int64"):
            tir.evaluate(call("int64", "f", tir.const(3)))

    def test_arguments_that_the_rule_excludes_are_refused(self):
        with pytest.raises(TypeConfusionError, match=r"exp cannot be given \(int32\)"):
            tir.evaluate(call("int32", "exp", tir.const(3)))

    def test_number_of_arguments_is_that_of_the_function(self):
        with pytest.raises(TypeConfusionError, match="exp reads 1 arguments"):
            tir.evaluate(call("float32", "exp", tir.const(3.0), tir.const(3.0)))

    def test_functions_of_the_module_are_not_registered(self):
        with pytest.raises(DeclarationError, match="name functions of the module"):
            tir.register_extern("f", lambda x: x, call_type=tir.CallType.CINN)

    def test_primitive_expands_to_a_statement(self):
        a = tensor("A", 4)
        i = tir.Var("i")

        def fill(node):
            (value,) = node.arguments[0].values
            return tir.For(i, 0, 4, tir.Block((tir.Store(a, value, (i,)),)))

        tir.PRIMITIVES.register("fill", fill)
        out = np.zeros(4, "int32")
        tir.run(tir.PrimitiveNode("fill", (tir.ArgumentGroup((tir.const(7),)),)), {a: out})
        assert out.tolist() == [7] * 4

    def test_primitive_expands_to_an_expression(self):
        tir.PRIMITIVES.register("twice", lambda node: node.arguments[0].values[0] * 2)
        node = tir.PrimitiveNode("twice", (tir.ArgumentGroup((tir.const(7),)),), None, "int32")
        assert tir.evaluate(node + 1) == 15

    def test_primitive_that_expands_to_another_type_is_refused(self):
        tir.PRIMITIVES.register("twice", lambda node: tir.const(1.0))
        with pytest.raises(
            FieldError, match=r"expands to 1.0; expected an expression of type int32"
        ):
            tir.evaluate(tir.PrimitiveNode("twice", (), None, "int32"))

    def test_primitive_that_expands_to_itself_is_refused(self):
        tir.PRIMITIVES.register("twice", lambda node: node)
        with pytest.raises(EvaluationError, match="expands to primitives without end"):
            tir.run(tir.PrimitiveNode("twice"), {})


def test_unknown_primitive_is_refused_and_says_what_to_register():
    with pytest.raises(UnsupportedError, match=r"tir\.PRIMITIVES\.register\('matmul', rule\)"):
        tir.run(tir.PrimitiveNode("matmul"), {})


POINTERS = {
    "BufferGetDataHandle": lambda a: tir.BufferGetDataHandle(a.buffer),
    "BufferGetDataConstHandle": lambda a: tir.BufferGetDataConstHandle(a.buffer),
    "PodValueToX": lambda a: tir.PodValueToX(tir.Var("p", "cinn_pod_value_t*"), "int32"),
    "GetAddr": lambda a: tir.GetAddr(a[0]),
    "ArgsConstruct": lambda a: tir.ArgsConstruct(tir.Var("p", "cinn_pod_value_t*"), (a[0],)),
}


@pytest.mark.parametrize("kind", POINTERS)
def test_operation_on_addresses_is_refused(kind):
    a = tensor("A", 2)
    with pytest.raises(
        UnsupportedError, match="addresses and packed arguments, which only compiled"
    ):
        tir.run(POINTERS[kind](a), {a: np.zeros(2, "int32")})


def test_every_kind_is_run_or_refused():
    kinds = [
        kind
        for kind in vars(tir).values()
        if isinstance(kind, type) and issubclass(kind, tir.IrNode)
    ]
    unknown = {kind.__name__ for kind in kinds if not RULES.knows(kind)}
    families = {"IrNode", "ExprNode", "Expr", "Stmt", "FunctionBase", "Parameter", "UnaryOpNode"}
    assert unknown == {*families, "ArgumentGroup"}  # which stands in primitives alone


class TestModules:
    def add(self, name="add", amount=1):
        a, i = tensor("A", 4), tir.Var("i")
        body = tir.For(i, 0, 4, tir.Block((tir.Store(a, a[i] + amount, (i,)),)))
        return tir.LoweredFunc(name, (a.buffer,), body)

    def test_function_calls_functions_of_a_module_of_the_library(self):
        a = tensor("X", 4)
        added = call("void", "add", writes=(a,), kind=tir.CallType.CINN)
        main = tir.LoweredFunc("main", (a.buffer,), added)
        module = relay.IRModule({"add": self.add(), "main": main})
        out = np.zeros(4, "int32")
        tir.run(module, out, name="main")
        assert out.tolist() == [1] * 4

    def test_buffer_of_the_module_may_be_given(self):
        shared = tensor("G", 1)
        put = tir.LoweredFunc("put", (), tir.Store(shared, tir.const(5), (tir.const(0),)))
        memory = np.zeros(1, "int32")
        tir.run(tir.Module("m", buffers=(shared.buffer,), functions=(put,)), {"G": memory})
        assert memory.tolist() == [5]

    def test_one_of_several_functions_is_chosen_by_name(self):
        module = tir.Module("m", functions=(self.add(), self.add("sub", -1)))
        with pytest.raises(UnknownNameError, match=r"has 2 functions .*add, sub"):
            tir.run(module, np.zeros(4, "int32"))
        with pytest.raises(UnknownNameError, match="no function 'subb'; did you mean sub"):
            tir.run(module, np.zeros(4, "int32"), name="subb")
