# %% [markdown]
# # 6. A model
#
# Networks come as files of ONNX, written by whatever trained them. In this notebook a model is read, looked at, made smaller by named
# passes, shown to be equal, and written again. It needs `pip install 'relayish[onnx]'`.

# %%
import numpy as np
from onnx import helper, numpy_helper

import relayish as relay
from relayish.frontend import from_onnx, to_onnx

# %% [markdown]
# ## A model
#
# To have one at hand, we build what exporters leave behind: a batch normalisation behind a convolution, something that does nothing,
# a reshape to a shape that is computed although it is known, and the same thing twice.

# %%
rng = np.random.default_rng(7)
held = {
    "w": rng.normal(size=(4, 1, 3, 3)),
    "scale": rng.normal(size=4),
    "bias": rng.normal(size=4),
    "mean": rng.normal(size=4),
    "var": rng.uniform(0.5, 1, 4),
}
held = {name: value.astype("float32") for name, value in held.items()}
held["rest"] = np.array([-1], "int64")
nodes = [
    helper.make_node("Conv", ["image", "w"], ["conv"], pads=[1, 1, 1, 1]),
    helper.make_node("BatchNormalization", ["conv", "scale", "bias", "mean", "var"], ["norm"]),
    helper.make_node("Identity", ["norm"], ["same"]),
    helper.make_node("Relu", ["same"], ["left"]),
    helper.make_node("Relu", ["same"], ["right"]),
    helper.make_node("Add", ["left", "right"], ["sum"]),
    helper.make_node("Shape", ["image"], ["shape"], start=0, end=1),
    helper.make_node("Concat", ["shape", "rest"], ["flat_shape"], axis=0),
    helper.make_node("Reshape", ["sum", "flat_shape"], ["flat"]),
]
ends = [
    helper.make_tensor_value_info("image", 1, [1, 1, 8, 8]),
    helper.make_tensor_value_info("flat", 1, [1, 256]),
]
graph = helper.make_graph(
    nodes, "small", ends[:1], ends[1:], [numpy_helper.from_array(v, k) for k, v in held.items()]
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)

# %% [markdown]
# ## Read it
#
# A model is a module like all others: a chain of lets, one for each node, calls of operators `onnx::...`:

# %%
mod = from_onnx(model)
mod

# %% [markdown]
# ## Make it smaller
#
# A pipeline is a list of passes, and each has a name and a page. Let us see what each of some does to the number of operators:

# %%
passes = [
    "InferShapesOnnx",
    "FoldConstant",
    "SimplifyOnnx",
    "EliminateCommonSubexprOnnx",
    "FuseBatchNormalization",
    "DeadCodeElimination",
]


def operators(mod):
    return [node.op_type for node in to_onnx(mod).graph.node]


step = mod
for name in passes:
    step = relay.transform.Sequential([name])(step)
    print(f"{name:30}", len(operators(step)), *operators(step))

# %% [markdown]
# `OptimizeOnnx` runs them until nothing changes, and more; it is what `relayish optimize model.onnx` does:

# %%
from relayish.passes.onnx.default_pipeline import onnx_pipeline

best = onnx_pipeline(2)(mod)
best

# %% [markdown]
# Which pass did what? A report runs a pipeline and keeps the program before and after every pass:

# %%
relay.report(mod, onnx_pipeline(2))

# %% [markdown]
# ## Is it equal?
#
# Run both, on numbers that are not special. Weights were multiplied beforehand, so that last bits differ:

# %%
from relayish.frontend.onnx.session import OnnxSession

image = rng.normal(size=(1, 1, 8, 8)).astype("float32")
before, after = (OnnxSession(each).run({"image": image})[0] for each in (mod, best))
float(np.abs(before - after).max()) < 1e-5

# %% [markdown]
# ## Write it

# %%
import tempfile
from pathlib import Path

from relayish.frontend import save_onnx

path = Path(tempfile.mkdtemp()) / "small.onnx"
save_onnx(best, path)
path.stat().st_size, operators(from_onnx(path))

# %% [markdown]
# ## Exercises
#
# **1.** Which operators does the model have before and after, by count? (`collections.Counter` counts.)

# %% tags=["solution"]
from collections import Counter

Counter(operators(mod)), Counter(operators(best))

# %% [markdown]
# **2.** Write a pass for models that takes `Identity` away. A node is a call, the name of its operator begins with
# `Identity`, and `relayish.onnx.identity_of(call.op)` tells name and version.

# %% tags=["solution"]
from relayish.onnx import identity_of
from relayish.transform import register_pass


class DropIdentity(relay.ExprMutator):
    def visit_call(self, call):
        call = super().visit_call(call)
        is_identity = isinstance(call.op, relay.Op) and "Identity" in call.op.name
        return call.args[0] if is_identity else call


@register_pass("DropIdentity", opt_level=1)
def drop_identity(expr: relay.Expr) -> relay.Expr:
    """Take away what does nothing."""
    return DropIdentity().visit(expr)


operators(relay.transform.Sequential(["DropIdentity"])(mod))

# %% [markdown]
# **3.** Folding a normalisation into weights rounds otherwise. Levels say how much is done: does level 1 keep every bit here, and at what
# cost?

# %% tags=["solution"]
for level in range(3):
    made = onnx_pipeline(level)(mod)
    [result] = OnnxSession(made).run({"image": image})
    print(level, np.array_equal(before, result), *operators(made))

# %% [markdown]
# [How to optimise a model](../how-to/optimise_a_model.md) does the same by one command, and says what equality rests on;
# [models of ONNX](../onnx.md) has the rules.
