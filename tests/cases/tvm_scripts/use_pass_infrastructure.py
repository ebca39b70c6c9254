"""Passes one by one, in a pipeline, under contexts, and passes of one's own."""

import numpy as np
import tvm
from tvm import relay, te


def example():
    shape = (1, 64, 54, 54)
    c = relay.const(np.full(shape, 2.0, "float32"))
    x = relay.var("x", relay.TensorType((1, 64, 56, 56), "float32"))
    weight = relay.var("weight", shape=(64, 64, 3, 3))
    conv = relay.nn.conv2d(x, weight)
    y = relay.multiply(relay.add(c, c), relay.const(2, "float32"))
    z1 = relay.add(relay.add(conv, y), c)
    z2 = relay.add(relay.add(conv, y), c)
    return relay.Function([x, weight], relay.add(z1, z2))


mod = tvm.IRModule.from_expr(example())
assert "multiply" in mod.astext(show_meta_data=False)

folded = relay.transform.FoldConstant()(mod)
assert "multiply" not in folded.astext(show_meta_data=False)

shared = relay.transform.EliminateCommonSubexpr()(folded)
assert relay.analysis.list_op_freqs(shared)["add"] == 3

seq = tvm.transform.Sequential(
    [
        relay.transform.FoldConstant(),
        relay.transform.EliminateCommonSubexpr(),
        relay.transform.FuseOps(fuse_opt_level=2),
    ]
)
default = seq(mod)  # of the optimisation level two, at which common subexpressions stay
with tvm.transform.PassContext(opt_level=3):
    all_of_it = seq(mod)
with tvm.transform.PassContext(opt_level=3, disabled_pass=["EliminateCommonSubexpr"]):
    without = seq(mod)
assert relay.analysis.list_op_freqs(default)["add"] == 5
assert relay.analysis.list_op_freqs(all_of_it)["add"] == 3
assert relay.analysis.list_op_freqs(without)["add"] == 5


@relay.transform.function_pass(opt_level=1)
class MultiplyConstants:
    """Multiply every constant by a number."""

    def __init__(self, multiplier):
        self.multiplier = multiplier

    def transform_function(self, func, mod, ctx):
        outer = self

        class Replace(tvm.relay.ExprMutator):
            def visit_constant(self, c):
                return relay.multiply(outer.multiplier, c)

        return Replace().visit(func)


three = MultiplyConstants(relay.const(3, "float32"))
assert three.info.name == "MultiplyConstants"
changed = three(mod)
assert relay.analysis.list_op_freqs(changed)["multiply"] > 1


@tvm.transform.module_pass(opt_level=2)
def add_abs(mod, ctx):
    x = relay.var("x", shape=(4,))
    return tvm.IRModule({**mod.functions, "abs": relay.Function([x], relay.abs(x))})


extended = add_abs(mod)
assert sorted(var.name_hint for var in extended.get_global_vars()) == ["abs", "main"]

with tvm.transform.PassContext(opt_level=3), tvm.target.Target("llvm") as target:
    assert tvm.target.Target.current() is target
    printed = tvm.transform.Sequential([tvm.transform.PrintIR(), add_abs])(mod)
assert "abs" in printed

n = te.size_var("n")
symbolic = relay.var("s", shape=(n, 4))
assert relay.transform.InferTypeLocal(relay.exp(symbolic)).shape[0] is n

info = relay.transform.FoldConstant().info
assert (info.name, info.opt_level) == ("FoldConstant", 2)
