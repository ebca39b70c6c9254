"""A network that is built, timed, written to disk, loaded and run, with parameters of its own."""

import json
import os
import tempfile

import numpy as np
import tvm
import tvm.testing
from tvm import relay
from tvm.contrib import graph_executor
from tvm.relay import testing

batch_size, num_class = 1, 10
image_shape = (3, 8, 8)
data_shape = (batch_size, *image_shape)
out_shape = (batch_size, num_class)

data = relay.var("data", shape=data_shape)
body = relay.nn.conv2d(
    data, relay.var("conv_weight"), kernel_size=(3, 3), padding=(1, 1), channels=8
)
body = relay.nn.bias_add(body, relay.var("conv_bias"))
body = relay.nn.max_pool2d(relay.nn.relu(body), pool_size=(2, 2), strides=(2, 2))
body = relay.nn.batch_flatten(body)
body = relay.nn.dense(body, relay.var("fc_weight"), units=num_class)
net = relay.Function(relay.analysis.free_vars(body), relay.nn.softmax(body))
mod, params = testing.create_workload(net)

target = tvm.target.Target("llvm", host="llvm")
dev = tvm.cpu(0)
with tvm.transform.PassContext(opt_level=3):
    lib = relay.build(mod, target=target, params=params)

# run it
data = np.random.uniform(-1, 1, size=data_shape).astype("float32")
module = graph_executor.GraphModule(lib["default"](dev))
module.set_input("data", data)
module.run()
out = module.get_output(0, tvm.nd.empty(out_shape)).numpy()
np.testing.assert_allclose(out.sum(axis=1), np.ones(batch_size), rtol=1e-5)
expected = relay.create_executor("graph", mod, dev, target, params).evaluate()(data).numpy()
tvm.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-6)

# time it
ftimer = module.module.time_evaluator("run", dev, number=1, repeat=3, min_repeat_ms=1)
prof_res = np.array(ftimer().results) * 1000
assert prof_res.shape == (3,)
assert np.all(prof_res > 0)
result = module.benchmark(dev, number=2, repeat=2, end_to_end=True, data=data)
assert result.min <= result.median <= result.max
assert "mean" in str(result)

# deploy it
with tempfile.TemporaryDirectory() as temp:
    path_lib = os.path.join(temp, "deploy_lib.tar")
    lib.export_library(path_lib)
    with open(os.path.join(temp, "deploy_graph.json"), "w") as fo:
        fo.write(lib.get_graph_json())
    with open(os.path.join(temp, "deploy_param.params"), "wb") as fo:
        fo.write(relay.save_param_dict(lib.get_params()))

    with open(os.path.join(temp, "deploy_graph.json")) as fi:
        loaded_json = fi.read()
    with open(os.path.join(temp, "deploy_param.params"), "rb") as fi:
        loaded_params = bytearray(fi.read())
    loaded_lib = tvm.runtime.load_module(path_lib)

    module = graph_executor.create(loaded_json, loaded_lib, dev)
    module.load_params(loaded_params)
    module.run(data=tvm.nd.array(data))
    assert np.array_equal(module.get_output(0).numpy(), out)

    module = graph_executor.GraphModule(loaded_lib["default"](dev))
    module.run(data=data)
    tvm.testing.assert_allclose(module.get_output(0).numpy(), out)

graph = json.loads(loaded_json)
assert [graph["nodes"][at]["name"] for at in graph["arg_nodes"]] == ["data"]
shape_dict, dtype_dict = module.get_input_info()
assert shape_dict["data"] == tvm.runtime.container.ShapeTuple(data_shape)
assert isinstance(dtype_dict, tvm.ir.container.Map)
