"""A network with its parameters: bound, optimised, stored, run."""

import os
import tempfile

import numpy as np
import tvm
from tvm import relay
from tvm.relay import testing
from tvm.relay.build_module import bind_params_by_name

mod, params = testing.mobilenet.get_workload(batch_size=1, image_shape=(3, 32, 32), num_classes=10)
names = [v.name_hint for v in mod["main"].params]
assert set(params) <= set(names)
assert mod["main"].params[0].name_hint == "data"

with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "deploy.params")
    with open(path, "wb") as file:
        file.write(relay.save_param_dict(params))
    with open(path, "rb") as file:
        loaded = relay.load_param_dict(bytearray(file.read()))
assert loaded.keys() == params.keys()
for name, value in params.items():
    np.testing.assert_array_equal(np.asarray(value), np.asarray(loaded[name]))

main = bind_params_by_name(mod["main"], loaded)
bound = tvm.IRModule.from_expr(main)
assert len(bound["main"].params) == 1

with tvm.transform.PassContext(opt_level=3):
    optimised = tvm.transform.Sequential(
        [
            relay.transform.SimplifyInference(),
            relay.transform.FoldConstant(),
            relay.transform.FoldScaleAxis(),
            relay.transform.CanonicalizeOps(),
            relay.transform.FoldConstant(),
        ]
    )(bound)
ops = relay.analysis.list_op_freqs(optimised)
assert "nn.batch_norm" not in ops
assert ops["nn.conv2d"] == relay.analysis.list_op_freqs(bound)["nn.conv2d"]

data = np.random.default_rng(0).uniform(size=(1, 3, 32, 32)).astype("float32")
dev = tvm.cpu(0)
before = relay.create_executor("graph", bound, dev, "llvm").evaluate()(tvm.nd.array(data, dev))
after = relay.create_executor("graph", optimised, dev, "llvm").evaluate()(tvm.nd.array(data, dev))
tvm.testing.assert_allclose(before.numpy(), after.numpy(), rtol=1e-3, atol=1e-4)

ty = relay.transform.InferType()(bound)["main"].ret_type
assert ty.concrete_shape == (1, 10)
assert relay.analysis.get_total_mac_number(relay.transform.InferType()(bound)["main"]) > 0
