# %% [markdown]
# # 5. Loops
#
# Below tensors are loops. Here you say which element is computed when, and where it is kept. In this notebook a matrix product
# becomes loops, is checked, run, and made better by passes that keep every bit.

# %%
import numpy as np

import relayish as relay
from relayish import tir

# %% [markdown]
# ## From a formula
#
# A tensor is given, or computed from others by a formula. A sum runs over an axis of its own:

# %%
A, B = tir.placeholder("A", (8, 16)), tir.placeholder("B", (16, 4))
k = tir.reduce_axis("k", 16)
C = tir.compute((8, 4), lambda i, j: tir.reduce_sum(A[i, k] * B[k, j], [k]), "C")
matmul = tir.lower("matmul", [A, B, C])
print(matmul)

# %% [markdown]
# The *schedule blocks* name the parts of the program, so that whoever changes the loops around them still finds them. Who only
# wants loops takes them away. Functions of loops stand in modules, and passes over them are passes like all others:

# %%
mod = relay.IRModule({"matmul": matmul})
plain = relay.transform.Sequential(["RemoveScheduleBlock", "Simplify"])(mod)
plain["matmul"]

# %% [markdown]
# ## Run it
#
# Arrays are handed over and changed in place:

# %%
rng = np.random.default_rng(0)
a, b = (
    rng.integers(-4, 4, (8, 16)).astype("float32"),
    rng.integers(-4, 4, (16, 4)).astype("float32"),
)
c = np.empty((8, 4), "float32")
tir.run(plain.function_of(tir.LoweredFunc, "matmul"), a, b, c)
np.array_equal(c, a @ b)

# %% [markdown]
# ## By hand
#
# A formula does not say in which order things happen. `for_` and `store` do. Here the sums are kept for a whole row at a time,
# so that the innermost loop goes along a row of `B` and a row of `C`, as memory lies:


# %%
def row(i):
    clear = tir.for_("j0", 4, lambda j: tir.store(C, 0.0, (i, j)))
    add = tir.for_(
        "k",
        16,
        lambda k: tir.for_("j", 4, lambda j: tir.store(C, C[i, j] + A[i, k] * B[k, j], (i, j))),
    )
    return tir.block(clear, add)


rows = tir.LoweredFunc("rows", [A, B, C], tir.block(tir.for_("i", 8, row)))
print(rows)
tir.run(rows, a, b, d := np.empty_like(c))
np.array_equal(c, d)

# %% [markdown]
# ## Is it right?
#
# Running finds what goes wrong on the way it went. The verifier looks at all ways, with the bounds of loops:

# %%
wrong = tir.for_("i", 9, lambda i: tir.store(C, A[i, 0], (i, 0)))
for violation in tir.verify(tir.LoweredFunc("wrong", [A, C], tir.block(wrong))):
    print(violation.rule.value, "-", violation.message)

# %% [markdown]
# ## Make it better
#
# Passes do what one would do by hand. `A[i, k]` is the same all along a row, so it is loaded once, before the innermost loop:

# %%
with relay.transform.PassContext(opt_level=4):
    pipeline = relay.transform.Sequential(["LoopInvariantCodeMotion", "Simplify"])
    better = pipeline(relay.IRModule({"rows": rows}))
print(better["rows"])

# %% [markdown]
# Whatever the passes did, the result has the same bits:

# %%
tir.run(better.function_of(tir.LoweredFunc, "rows"), a, b, e := np.empty_like(c))
np.array_equal(c, e)

# %% [markdown]
# ## Exercises
#
# **1.** Write the sum of the rows of `A` as a formula, lower it, and run it.

# %% tags=["solution"]
total = tir.compute((8,), lambda i: tir.reduce_sum(A[i, k], [k]), "total")
tir.run(tir.lower("sum_rows", [A, total]), a, found := np.empty(8, "float32"))
np.array_equal(found, a.sum(axis=1))

# %% [markdown]
# **2.** Count the loops of a function with a `tir.StmtVisitor`: the handler is `visit_for`.


# %% tags=["solution"]
class CountLoops(tir.StmtVisitor):
    found = 0

    def visit_for(self, loop):
        self.found += 1
        super().visit_for(loop)


loops = CountLoops()
loops.visit(rows.body)
loops.found

# %% [markdown]
# **3.** A guard that always holds, `if i < 8` in a loop to 8, goes away by `Simplify`. Write such a loop and see.

# %% tags=["solution"]
guarded = tir.for_("i", 8, lambda i: tir.if_then_else(i < 8, tir.store(C, A[i, 0], (i, 0))))
function = tir.LoweredFunc("guarded", [A, C], tir.block(guarded))
print(relay.transform.Simplify()(relay.IRModule({"guarded": function}))["guarded"])

# %% [markdown]
# Next: [a model](6_model.py). [How to write loops](../how-to/write_loops.md) has more of the same,
# [how to write a kernel](../how-to/write_a_kernel.md) compiles loops to C.
