"""Data-flow patterns: matching, rewriting by callbacks, partitions."""

import tvm
from tvm import relay
from tvm.relay.dataflow_pattern import (
    DFPatternCallback,
    dominates,
    is_constant,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    rewrite,
    wildcard,
)
from tvm.relay.testing import run_opt_pass


class NormalisationCallback(DFPatternCallback):
    """(x - mean) / sqrt(var + eps) * gamma + beta becomes batch_norm."""

    def __init__(self):
        super().__init__()
        self.x = wildcard()
        self.var = wildcard()
        self.mean = wildcard()
        self.beta = wildcard()
        self.gamma = wildcard()
        self.eps = is_constant()
        self.pattern = (
            self.gamma * (self.x - self.mean) / is_op("sqrt")(self.var + self.eps) + self.beta
        )

    def callback(self, pre, post, node_map):
        x = node_map[self.x][0]
        var = node_map[self.var][0]
        mean = node_map[self.mean][0]
        beta = node_map[self.beta][0]
        gamma = node_map[self.gamma][0]
        return relay.op.nn.batch_norm(x, gamma, beta, mean, var, epsilon=1e-5)[0]


x = relay.var("x")
var = relay.var("var")
mean = relay.var("mean")
beta = relay.var("beta")
gamma = relay.var("gamma")
norm = gamma * (x - mean) / relay.sqrt(var + relay.const(1e-5)) + beta

out = rewrite(NormalisationCallback(), norm)
expected = relay.op.nn.batch_norm(x, gamma, beta, mean, var, epsilon=1e-5)[0]
assert tvm.ir.structural_equal(out, expected)

conv2d = is_op("nn.conv2d")(is_var(), is_var())
relu = is_op("nn.relu")(conv2d)
path = is_op("nn.relu")(wildcard()) | is_op("nn.leaky_relu")(wildcard())
data = relay.var("input", shape=(1, 4, 8, 8))
weight = relay.var("weight", shape=(4, 4, 3, 3))
conv = relay.op.nn.conv2d(data, weight, padding=(1, 1))
assert relu.match(relay.op.nn.relu(conv))
assert conv2d.has_attr({"padding": [1, 1, 1, 1]}).match(conv)
assert not conv2d.has_attr({"padding": [0, 0, 0, 0]}).match(conv)

elementwise = (wildcard().has_attr({"TOpPattern": 0}))(None)
reduction = (wildcard().has_attr({"TOpPattern": 1}))(wildcard(), wildcard())
diamond = dominates(is_op("nn.conv2d")(is_var(), is_var()), elementwise, reduction)
branches = relay.op.nn.relu(relay.op.nn.relu(conv)) + relay.op.nn.leaky_relu(conv, alpha=0)
assert diamond.match(branches)

pair = relay.Tuple([data, weight])
assert is_tuple([wildcard(), wildcard()]).match(pair)
assert is_tuple_get_item(wildcard(), 1).match(relay.TupleGetItem(pair, 1))

partitioned = relu.partition(relay.op.nn.relu(conv), attrs={"Composite": "conv_relu"})
assert isinstance(partitioned, relay.Call)
assert partitioned.op.attrs["Composite"] == "conv_relu"
assert partitioned.op.attrs["PartitionedFromPattern"] == "nn.conv2d_nn.relu_"

typed = run_opt_pass(relay.nn.relu(conv), relay.transform.InferType())
assert wildcard().has_shape((1, 4, 8, 8)).match(typed)
assert wildcard().has_dtype("float32").match(typed)
