"""What type checkers know of nodes: constructors, ``with_fields``, members; nothing runs it."""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np

import relayish as relay
from relayish import core, tir
from relayish.dataflow_pattern import is_op, wildcard

x, y = relay.var("x", shape=(2, 3)), relay.var("y", "int32")
i, n = tir.Var("i", "int32"), tir.Var("n", np.int64)
A = tir.placeholder("A", (8,))

# Constructors take what fields convert

func = relay.Function([x, y], relay.Tuple([x, y]))
call = relay.Call(relay.op.get("add"), [x, y])
loop = tir.For(i, 0, 8, tir.Block([tir.Store(A, 1.5, [i])]))
relay.TensorType([2, 3], np.float32)
relay.TupleGetItem(func, np.int64(1))
relay.Constant([1.0, 2.0])
relay.Function([x], x, attrs={"Primitive": 1})
tir.Buffer("B", [n, 4], "float32")
tir.LoweredFunc("f", [A, n], loop)
tir.Tensor("T", (4, n), "float32x4")
core.Block([core.St(core.Var("v", "uint8"), 1)])
core.FuncEntry([core.Var("v")], result="int64")
wildcard()(is_op("add"), None)
relay.Function(x, x)  # type: ignore[arg-type]  # parameters are several
relay.TensorType((1,), 3)  # type: ignore[arg-type]  # no element type is called 3
relay.Let(x, 1.0, x)  # type: ignore[arg-type]  # Relay has no literals but by const
tir.For(i, "0", 8, loop)  # type: ignore[arg-type]  # text is none of loops
tir.For(i, 0, 8, A)  # type: ignore[arg-type]  # a body is a statement

# Fields are as they are held

assert_type(func.params, tuple[relay.Var, ...])
assert_type(loop.extent, tir.Expr)
assert_type(n.dtype, tir.Type)
assert_type(func.ret_type, relay.Type | None)

# Functional update goes by field

assert_type(func.with_fields(params=[x], body=y), relay.Function)
assert_type(loop.with_fields(extent=4), tir.For)
func.with_fields(bodi=x)  # type: ignore[call-arg]  # it is called body
func.with_fields(body=1)  # type: ignore[arg-type]  # no expression
loop.with_fields(loop_var=A)  # type: ignore[arg-type]  # no variable

# What a module defines

mod = relay.IRModule({"main": func, "loops": tir.LoweredFunc("loops", [A], loop)})
assert_type(mod["main"], relay.Function)
assert_type(mod.functions[mod.get_global_var("main")], relay.Function)
assert_type(mod.function_of(tir.LoweredFunc, "loops"), tir.LoweredFunc)
assert_type(mod.functions_of(relay.Function), dict[relay.GlobalVar, relay.Function])
assert_type(mod[relay.GlobalTypeVar("List")], relay.TypeData)

# A kind has its own members; of an expression that is not known it is not known which

assert_type(mod["main"].body.args[0].checked_type, Any)
assert_type(relay.type_of(x).concrete_shape, Any)
assert_type(loop.body.stmts[0].tensor.buffer, Any)
call.body  # type: ignore[attr-defined]  # a function has
relay.TensorType([1]).fields  # type: ignore[attr-defined]  # a tuple has
loop.stmts  # type: ignore[attr-defined]  # a block has


def first_argument(expr: relay.Expr) -> relay.Expr | None:
    if isinstance(expr, relay.Call):
        assert_type(expr.args, tuple[relay.Expr, ...])
        return expr.args[0]
    match expr:
        case relay.Let(var, value, _):
            assert_type(var, relay.Var)
            return value
    return None


def is_both(stmt: tir.Stmt) -> bool:
    return isinstance(stmt, tir.Expr) and bool(assert_type(stmt.type, tir.Type).bits)


# Kinds of one's own are what their declarations make of them


@relay.node("repeat_of_types")
class Repeat(relay.Expr):
    var: relay.Var = relay.field(binder=True)
    body: relay.Expr = relay.field(scope=relay.Runs.REPEATEDLY)
    times: int = 1


repeat = Repeat(x, call, 3)
assert_type(repeat.times, int)
assert_type(repeat.with_fields(times=2), Repeat)
Repeat(x, 3)  # type: ignore[arg-type]  # no expression


class Counts(relay.ExprVisitor):
    def __init__(self) -> None:
        self.found = 0

    def visit_call(self, call: relay.Call) -> None:
        self.found += 1
        super().visit_call(call)


assert_type(Counts(), Counts)
