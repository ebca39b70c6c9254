"""Gradients of functions, and a few steps of descent."""

import numpy as np
import tvm
from tvm import relay
from tvm.relay.testing import check_grad, run_infer_type
from tvm.relay.transform import gradient

x = relay.var("x", shape=(4, 3))
w = relay.var("w", shape=(2, 3))
y = relay.var("y", shape=(4, 2))
error = relay.nn.dense(x, w) - y
loss = relay.sum(error * error)
func = run_infer_type(relay.Function([x, w, y], loss))
back = run_infer_type(gradient(func, mode="first_order"))
assert isinstance(back.checked_type.ret_type, relay.TupleType)

rng = np.random.default_rng(1)
data = rng.normal(size=(4, 3)).astype("float32")
truth = rng.normal(size=(2, 3)).astype("float32")
target = data @ truth.T
weights = np.zeros((2, 3), "float32")
step = relay.create_executor("graph", device=tvm.cpu(0), target="llvm").evaluate(back)
losses = []
for _ in range(40):
    value, grads = step(data, weights, target)
    losses.append(float(value.numpy()))
    weights = weights - 0.05 * grads[1].numpy()
assert losses[-1] < 0.2 * losses[0]

a = relay.var("a", shape=(3,), dtype="float64")
check_grad(relay.Function([a], relay.tanh(a)))
