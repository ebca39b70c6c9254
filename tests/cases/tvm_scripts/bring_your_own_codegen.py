"""Regions for another compiler: annotated by operator and by pattern, merged, cut out."""

import numpy as np
import tvm
from tvm import relay
from tvm.relay import transform
from tvm.relay.build_module import bind_params_by_name
from tvm.relay.dataflow_pattern import is_constant, is_op, wildcard
from tvm.relay.op.contrib.register import get_pattern_table, register_pattern_table


@tvm.ir.register_op_attr("nn.max_pool2d", "target.mynpu")
def pools(expr):
    return expr.attrs.layout == "NCHW"


def _register(name):
    @tvm.ir.register_op_attr(name, "target.mynpu")
    def supported(expr):
        return True


_register("nn.relu")
_register("nn.batch_flatten")


@register_pattern_table("mynpu")
def pattern_table():
    def conv_bias_relu():
        conv = is_op("nn.conv2d")(wildcard(), is_constant())
        bias = is_op("nn.bias_add")(conv, is_constant())
        return is_op("nn.relu")(bias)

    def check(call):
        return call.checked_type.dtype == "float32"

    return [("mynpu.conv2d_bias_relu", conv_bias_relu(), check)]


data = relay.var("data", relay.TensorType((1, 3, 16, 16), "float32"))
weight = relay.var("weight", relay.TensorType((8, 3, 3, 3), "float32"))
bias = relay.var("bias", relay.TensorType((8,), "float32"))
conv = relay.nn.conv2d(data, weight, channels=8, kernel_size=(3, 3), padding=(1, 1))
out = relay.nn.relu(relay.nn.bias_add(conv, bias))
out = relay.nn.max_pool2d(out, pool_size=(2, 2), strides=(2, 2))
out = relay.nn.softmax(relay.nn.batch_flatten(out))
mod = tvm.IRModule.from_expr(relay.Function([data, weight, bias], out))

rng = np.random.default_rng(7)
params = {
    "weight": tvm.nd.array(rng.normal(size=(8, 3, 3, 3)).astype("float32")),
    "bias": tvm.nd.array(rng.normal(size=8).astype("float32")),
}
mod = tvm.IRModule.from_expr(bind_params_by_name(mod["main"], params))

seq = tvm.transform.Sequential(
    [
        transform.InferType(),
        transform.MergeComposite(get_pattern_table("mynpu")),
        transform.AnnotateTarget("mynpu"),
        transform.MergeCompilerRegions(),
        transform.PartitionGraph(),
    ]
)
with tvm.transform.PassContext(opt_level=3):
    parts = seq(mod)

regions = [
    gv.name_hint
    for gv, func in parts.functions.items()
    if func.attrs and "Compiler" in func.attrs and func.attrs["Compiler"] == "mynpu"
]
assert len(regions) == 1


class Composites(relay.ExprVisitor):
    def __init__(self):
        super().__init__()
        self.names = []

    def visit_function(self, fn):
        if fn.attrs and "Composite" in fn.attrs:
            self.names.append(fn.attrs["Composite"])
        super().visit_function(fn)


found = Composites()
found.visit(parts[regions[0]])
assert found.names == ["mynpu.conv2d_bias_relu"]

x = rng.normal(size=(1, 3, 16, 16)).astype("float32")
whole = relay.create_executor("graph", mod=mod, device=tvm.cpu(0), target="llvm").evaluate()(x)
cut = relay.create_executor("vm", mod=parts, device=tvm.cpu(0), target="llvm").evaluate()(x)
np.testing.assert_allclose(whole.numpy(), cut.numpy(), rtol=1e-5)
