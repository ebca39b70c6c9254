"""A model of ONNX, imported with its shapes, run by executors, built, and its parameters apart."""

import numpy as np
import onnx
import tvm
from onnx import TensorProto, helper, numpy_helper
from tvm import relay
from tvm.contrib import graph_executor
from tvm.relay.frontend.onnx import from_onnx

rng = np.random.default_rng(0)
weights = {
    "conv.weight": rng.standard_normal((4, 3, 3, 3)).astype("float32"),
    "conv.bias": rng.standard_normal(4).astype("float32"),
    "fc.weight": rng.standard_normal((4, 10)).astype("float32"),
}
nodes = [
    helper.make_node("Conv", ["data", "conv.weight", "conv.bias"], ["conv"], pads=[1, 1, 1, 1]),
    helper.make_node("Relu", ["conv"], ["relu"]),
    helper.make_node("GlobalAveragePool", ["relu"], ["pool"]),
    helper.make_node("Flatten", ["pool"], ["flat"]),
    helper.make_node("MatMul", ["flat", "fc.weight"], ["fc"]),
    helper.make_node("Softmax", ["fc"], ["prob"], axis=1),
]
graph = helper.make_graph(
    nodes,
    "classifier",
    [helper.make_tensor_value_info("data", TensorProto.FLOAT, ["N", 3, "H", "W"])],
    [helper.make_tensor_value_info("prob", TensorProto.FLOAT, ["N", 10])],
    [numpy_helper.from_array(value, name) for name, value in weights.items()],
)
onnx_model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
onnx.checker.check_model(onnx_model)

x = rng.random((1, 3, 8, 8)).astype("float32")
input_name = "data"
shape_dict = {input_name: x.shape}
target = "llvm"
dev = tvm.cpu(0)

mod, params = relay.frontend.from_onnx(onnx_model, shape_dict)
assert params == {}
assert [int(size) for size in mod["main"].params[0].checked_type.shape] == [1, 3, 8, 8]

with tvm.transform.PassContext(opt_level=1):
    executor = relay.build_module.create_executor("graph", mod, dev, target, params).evaluate()
expected = executor(tvm.nd.array(x)).numpy()
assert expected.shape == (1, 10)
np.testing.assert_allclose(expected.sum(axis=1), 1, rtol=1e-5)

with tvm.transform.PassContext(opt_level=3):
    lib = relay.build(mod, target=target, params=params)
module = graph_executor.GraphModule(lib["default"](dev))
module.set_input(input_name, x)
module.run()
np.testing.assert_allclose(module.get_output(0).numpy(), expected, rtol=1e-4, atol=1e-6)

# parameters of their own, all arguments said
mod, params = from_onnx(
    onnx_model,
    shape=shape_dict,
    dtype="float32",
    opset=13,
    freeze_params=False,
    convert_config=None,
)
assert sorted(params) == sorted(weights)
for name, value in params.items():
    np.testing.assert_array_equal(value.numpy(), weights[name])
bound = relay.build_module.bind_params_by_name(mod["main"], params)
bound = relay.transform.DynamicToStatic()(tvm.IRModule.from_expr(bound))
run = relay.create_executor("vm", mod=bound, device=dev, target=target).evaluate()
np.testing.assert_allclose(run(x).numpy(), expected, rtol=1e-4, atol=1e-6)

# sizes that stay open
mod, params = relay.frontend.from_onnx(onnx_model, {input_name: (relay.Any(), 3, 8, 8)})
run = relay.create_executor("vm", mod=mod, device=dev, target=target).evaluate()
assert run(np.concatenate([x, x])).numpy().shape == (2, 10)
