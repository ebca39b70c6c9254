"""Branches, scopes, recursion and loops."""

import numpy as np
import tvm
from tvm import relay
from tvm.relay.loops import while_loop
from tvm.relay.scope_builder import ScopeBuilder


def run(expr, *args, mod=None):
    executor = relay.create_executor("debug", mod=mod, device=tvm.cpu(0), target="llvm")
    return executor.evaluate(expr)(*args).numpy()


sb = ScopeBuilder()
x = relay.var("x", shape=(3,))
y = sb.let("y", relay.add(x, x))
with sb.if_scope(relay.less(relay.sum(x), relay.const(10.0))):
    sb.ret(relay.nn.relu(y))
with sb.else_scope():
    sb.ret(relay.negative(y))
func = relay.Function([x], sb.get())
np.testing.assert_allclose(run(func, np.array([1, -2, 3], "float32")), [2, 0, 6])
np.testing.assert_allclose(run(func, np.array([8, 8, 8], "float32")), [-16, -16, -16])

fact = relay.GlobalVar("fact")
n = relay.var("n", shape=[], dtype="int32")
sb = ScopeBuilder()
with sb.if_scope(relay.equal(n, relay.const(0, "int32"))):
    sb.ret(relay.const(1, "int32"))
with sb.else_scope():
    rest = relay.Call(fact, [relay.subtract(n, relay.const(1, "int32"))])
    sb.ret(relay.multiply(n, rest))
mod = tvm.IRModule({fact: relay.Function([n], sb.get(), relay.TensorType([], "int32"))})
mod = relay.transform.InferType()(mod)
assert mod[fact].checked_type.ret_type.dtype == "int32"
assert run(fact, 5, mod=mod) == 120

i = relay.var("i", shape=(), dtype="int32")
total = relay.var("total", shape=(), dtype="int32")
loop = while_loop(
    lambda i, total: relay.less(i, relay.const(10)),
    [i, total],
    lambda i, total: [i + relay.const(1), total + i],
)
start = relay.var("start", shape=(), dtype="int32")
summed = relay.Function([start], relay.TupleGetItem(loop(start, relay.const(0)), 1))
assert run(summed, 0) == 45

cell = relay.var("cell")
program = relay.Let(
    cell,
    relay.RefCreate(relay.const(1)),
    relay.Let(
        relay.var("_"), relay.RefWrite(cell, relay.const(41)), relay.RefRead(cell) + relay.const(1)
    ),
)
assert relay.create_executor().evaluate(program).numpy() == 42
