"""A network from layers, with parameters that are stored, loaded, bound and asked for values."""

import os
import tempfile

import numpy as np
import tvm
import tvm.testing
from tvm import relay, runtime
from tvm.relay import testing
from tvm.relay.build_module import bind_params_by_name


def conv_block(data, name, channels, kernel_size=(3, 3), padding=(1, 1)):
    conv = testing.layers.conv2d(
        data=data,
        channels=channels,
        kernel_size=kernel_size,
        strides=(1, 1),
        padding=padding,
        data_layout="NCHW",
        name=name + "_conv",
    )
    bn = testing.layers.batch_norm_infer(data=conv, epsilon=1e-5, name=name + "_bn")
    return relay.nn.relu(data=bn)


data = relay.var("data", relay.TensorType((1, 3, 8, 8), "float32"))
body = conv_block(data, "first", 4)
body = conv_block(body, "second", 8, (1, 1), (0, 0))
flat = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(body))
dense = relay.nn.dense(data=flat, weight=relay.var("fc_weight"), units=10)
dense = relay.nn.bias_add(dense, relay.var("fc_bias"), axis=-1)
net = relay.nn.softmax(data=dense)
net = relay.Function(relay.analysis.free_vars(net), net)
mod, params = testing.create_workload(net)

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "deploy.params")
    with open(path, "wb") as fo:
        fo.write(runtime.save_param_dict(params))
    with open(path, "rb") as fi:
        loaded = relay.load_param_dict(bytearray(fi.read()))
for name in params:
    tvm.testing.assert_allclose(loaded[name].numpy(), params[name].asnumpy())

image = np.random.uniform(-1, 1, size=(1, 3, 8, 8)).astype("float32")
executor = relay.create_executor("graph", mod, tvm.cpu(0), "llvm", params)
expected = executor.evaluate()(tvm.nd.array(image)).numpy()
np.testing.assert_allclose(expected.sum(), 1.0, rtol=1e-5)

bound = tvm.IRModule.from_expr(bind_params_by_name(mod["main"], loaded))
seq = tvm.transform.Sequential(
    [
        relay.transform.SimplifyInference(),
        relay.transform.FoldConstant(),
        relay.transform.FoldScaleAxis(),
        relay.transform.FoldConstant(),
    ]
)
with tvm.transform.PassContext(opt_level=3):
    folded = seq(bound)
assert "multiply" not in relay.analysis.list_op_freqs(folded)
found = relay.create_executor("vm", folded, tvm.cpu(0), "llvm").evaluate()(image)
tvm.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=1e-6)
