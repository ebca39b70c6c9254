"""Quantised operators, and float programs between quantise and dequantise."""

import numpy as np
import tvm
from tvm import relay

x = relay.var("x", shape=(1, 3, 8, 8), dtype="int8")
w = relay.var("w", shape=(4, 3, 3, 3), dtype="int8")
zero = relay.const(0)
op = relay.op.nn.conv2d(
    relay.qnn.op.dequantize(x, relay.const(2.0), zero),
    relay.qnn.op.dequantize(w, relay.const(0.5), zero),
    kernel_size=[3, 3],
)
op = relay.qnn.op.quantize(op, relay.const(1.0), zero, out_dtype="int8")
mod = tvm.IRModule.from_expr(relay.Function([x, w], op))
mod = tvm.relay.transform.InferType()(mod)
integer = tvm.relay.transform.FakeQuantizationToInteger()(mod)
assert not tvm.ir.structural_equal(mod, integer)
assert "qnn.conv2d" in integer.astext()

rng = np.random.default_rng(3)
x_np = rng.integers(-8, 8, size=(1, 3, 8, 8)).astype("int8")
w_np = rng.integers(-8, 8, size=(4, 3, 3, 3)).astype("int8")
results = [
    relay.create_executor("vm", mod=m, device=tvm.cpu(), target="llvm").evaluate()(x_np, w_np)
    for m in (mod, integer)
]
assert np.all(np.abs(results[0].numpy().astype("int32") - results[1].numpy()) <= 1)
