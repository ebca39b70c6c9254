"""One program with a branch and a loop, on the executor of each kind, and parts of it built."""

import numpy as np
import tvm
import tvm.testing
from tvm import relay
from tvm.relay.scope_builder import ScopeBuilder

# power(x, n): x multiplied by itself, n times, by a function that calls itself
power = relay.GlobalVar("power")
ty = relay.TensorType((3,), "float32")
x, acc = relay.var("x", ty), relay.var("acc", ty)
n = relay.var("n", shape=(), dtype="int32")
sb = ScopeBuilder()
with sb.if_scope(relay.less(n, relay.const(1, "int32"))):
    sb.ret(acc)
with sb.else_scope():
    less = relay.subtract(n, relay.const(1, "int32"))
    sb.ret(relay.Call(power, [x, relay.multiply(acc, x), less]))
func = relay.Function([x, acc, n], sb.get(), ty)

y = relay.var("y", ty)
times = relay.var("times", shape=(), dtype="int32")
main = relay.Function([y, times], relay.Call(power, [y, relay.ones_like(y), times]))
mod = tvm.IRModule({power: func, relay.GlobalVar("main"): main})
mod = relay.transform.InferType()(mod)

y_data = np.array([1.5, -2, 0.25], "float32")
for kind in ["debug", "vm", "aot"]:
    executor = relay.create_executor(kind, mod=mod, device=tvm.cpu(0), target="llvm")
    found = executor.evaluate()(y_data, 3)
    tvm.testing.assert_allclose(found.numpy(), y_data**3, rtol=1e-6)
    found = executor.evaluate(mod.get_global_var("power"))(y_data, y_data, n=np.int32(1))
    tvm.testing.assert_allclose(found.numpy(), y_data**2, rtol=1e-6)

# what several tensors go into, and come out of
pair = relay.var("pair", relay.TupleType([ty, relay.TensorType((), "float32")]))
scaled = relay.multiply(relay.TupleGetItem(pair, 0), relay.TupleGetItem(pair, 1))
both = relay.Function([pair], relay.Tuple([scaled, relay.TupleGetItem(pair, 1)]))
for kind in ["debug", "aot"]:
    scaled_data, same = relay.create_executor(kind).evaluate(both)((y_data, np.float32(2)))
    tvm.testing.assert_allclose(scaled_data.numpy(), y_data * 2)
    assert same.numpy() == 2

# free variables take the values they are bound to
a, b = relay.var("a", ty), relay.var("b", ty)
for kind in ["debug", "graph", "aot"]:
    total = relay.create_executor(kind).evaluate(a + b, binds={a: y_data, b: y_data})
    tvm.testing.assert_allclose(total.numpy(), y_data + y_data)

# built: the parameters that are bound are no inputs
with tvm.transform.PassContext(opt_level=2, disabled_pass=["FoldScaleAxis"]):
    graph, lib, params = relay.build(mod, "llvm", params={"times": np.int32(4)})
module = tvm.contrib.graph_executor.create(graph, lib, tvm.cpu())
module.set_input(**params)
module.set_input(y=y_data)
module.run()
assert module.get_num_inputs() == module.get_num_outputs() == 1
tvm.testing.assert_allclose(module.get_output(0).numpy(), y_data**4, rtol=1e-6)
assert module.get_input_index("y") == 0
assert module.get_input_index("times") == -1
assert "default_run_in" in lib.get_source()
