"""A network of whole numbers, quantised on the way in, built and compared with the evaluator."""

import numpy as np
import pytest
import tvm
import tvm.testing
from tvm import relay
from tvm.contrib.graph_executor import GraphModule

rng = np.random.RandomState(7)
zero, scale = relay.const(3), relay.const(0.05)
kernel_zero, kernel_scale = relay.const(0), relay.const(0.02)

data = relay.var("data", shape=(1, 3, 4, 4), dtype="float32")
kernel = relay.var("kernel", shape=(5, 3, 3, 3), dtype="int8")
bias = relay.var("bias", shape=(5,), dtype="int32")
quantized = relay.qnn.op.quantize(data, scale, zero, out_dtype="uint8")
conv = relay.qnn.op.conv2d(
    quantized,
    kernel,
    input_zero_point=zero,
    kernel_zero_point=kernel_zero,
    input_scale=scale,
    kernel_scale=kernel_scale,
    kernel_size=(3, 3),
    channels=5,
    padding=(1, 1),
    out_dtype="int32",
)
conv = relay.nn.bias_add(conv, bias)
out = relay.qnn.op.requantize(
    conv,
    input_scale=relay.const(0.001),
    input_zero_point=relay.const(0),
    output_scale=relay.const(0.1),
    output_zero_point=relay.const(-1),
    out_dtype="int8",
)
total = relay.sum(relay.cast(out, "int32"), axis=[2, 3])
mod = tvm.IRModule.from_expr(relay.Function([data, kernel, bias], relay.Tuple([out, total])))
mod = relay.transform.InferType()(mod)
assert mod["main"].body.checked_type.fields[0].dtype == "int8"

params = {
    "kernel": tvm.nd.array(rng.randint(-128, 128, size=(5, 3, 3, 3)).astype("int8")),
    "bias": tvm.nd.array(rng.randint(-1000, 1000, size=(5,)).astype("int32")),
}
image = rng.uniform(-4, 8, size=(1, 3, 4, 4)).astype("float32")
evaluated = relay.create_executor("graph", mod, params=params).evaluate()(image)

for opt_level in (0, 3):
    with tvm.transform.PassContext(opt_level=opt_level):
        lib = relay.build(mod, target="llvm -mcpu=cascadelake", params=params)
    runtime = GraphModule(lib["default"](tvm.cpu()))
    runtime.set_input("data", image)
    runtime.run()
    for index, wanted in enumerate(evaluated):
        np.testing.assert_equal(runtime.get_output(index).numpy(), wanted.numpy())

# and what is wrong with what is given is said
with pytest.raises(tvm.TVMError):
    runtime.set_input("image", image)
with pytest.raises(tvm.TVMError):
    runtime.run(data=image[0])
with pytest.raises(tvm.TVMError):
    relay.build(mod, target="cuda", params=params)
