# %% [markdown]
# # 2. Patterns
#
# Much of what a pass looks for has a shape: a sum of a product, a convolution and then an activation. A *pattern*
# is such a shape, written as the program itself is written. In this notebook patterns find parts of a
# program, rewrite them, and cut them out for somebody else to compute.

# %%
import numpy as np

import relayish as relay
from relayish.dataflow_pattern import is_constant, is_expr, is_op, wildcard

# %% [markdown]
# ## Match
#
# `wildcard()` matches anything; `is_op("nn.relu")(p)` a call of the operator whose argument matches `p`. Python's own
# operators do as well:

# %%
x, y = relay.var("x", shape=(4,)), relay.var("y", shape=(4,))
data, bias = wildcard(), wildcard()
biased = is_op("nn.relu")(data + bias)
biased

# %%
biased.match(relay.nn.relu(x + y)), biased.match(relay.nn.relu(x * y))

# %% [markdown]
# One pattern object stands for one expression, wherever it occurs, and a sum matches in either order:

# %%
twice = data + data
(
    twice.match(x + x),
    bool(twice.match(x + y)),
    bool((data + is_constant()).match(relay.const(1.0) + x)),
)

# %% [markdown]
# ## Rewrite
#
# A *rule* is a pattern with a function that says what takes the place of a match. `found[data]` is what `data` matched:

# %%
from relayish.dataflow_pattern import rewrite_rules, rule


@rule(is_op("exp")(is_op("log")(data)))
def exp_of_log(call, found):
    """Exponential and logarithm undo each other."""
    return found[data]


@rule(data * is_expr(relay.const(1.0)))
def multiply_by_one(call, found):
    """One is neutral."""
    return found[data]


expr = relay.exp(relay.log(x * relay.const(1.0)) * relay.const(1.0))
print(expr)

# %%
print(rewrite_rules([exp_of_log, multiply_by_one], expr))

# %% [markdown]
# Both rules were applied wherever they could, also to what another had made, in one walk over the program. A rule may find
# that it does not apply after all, and say why; `why_not` asks it, and tells where the nearest match of its pattern ends:

# %%
from relayish.rewriting import Unchanged


@rule(data * is_expr(relay.const(0.0)))
def multiply_by_zero(call, found):
    """Nothing is left, where the shape is known."""
    ty = found.type_of(call)
    if ty is None:
        return Unchanged("its shape is not known")
    return relay.zeros(ty.shape, ty.dtype)


print(relay.why_not(multiply_by_zero, relay.var("z") * relay.const(0.0)))
print(relay.why_not(multiply_by_zero, x * relay.const(1.0)))
print(rewrite_rules([multiply_by_zero], x * relay.const(0.0)))

# %% [markdown]
# Is `x * 0` zero? Not where `x` is infinite or no number. Whether that counts is for you to say, and not for the library; the
# library's own rules are in `SimplifyExpr`, and its page says what each assumes.
#
# ## Cut out
#
# `partition` puts each match into a function of its own. That is how parts of a network come to an
# accelerator, which takes "a product with a bias, perhaps with an activation" as one instruction:

# %%
weight = wildcard()
linear = is_op("nn.bias_add")(is_op("nn.dense")(data, weight), bias).optional(is_op("nn.relu"))

inp = relay.var("inp", shape=(1, 8))
w1, w2 = relay.var("w1", shape=(8, 8)), relay.var("w2", shape=(8, 8))
b = relay.var("b", shape=(8,))
hidden = relay.nn.relu(relay.nn.bias_add(relay.nn.dense(inp, w1), b))
net = relay.nn.softmax(relay.nn.bias_add(relay.nn.dense(hidden, w2), b))
linear.partition(net)

# %% [markdown]
# ## Exercises
#
# **1.** Write a rule for `sqrt(x) * sqrt(x)`. One pattern object, used twice, is all it takes. For which `x`
# does the program change its value?

# %% tags=["solution"]
root = is_op("sqrt")(data)


@rule(root * root)
def square_of_root(call, found):
    """A root times itself; of negative numbers it was none, and is one now."""
    return found[data]


s = relay.sqrt(x)
print(rewrite_rules([square_of_root], s * s))

# %% [markdown]
# **2.** `reshape(reshape(x))` is one reshape. Write the rule; the attributes of the outer call are `call.attrs`.


# %% tags=["solution"]
@rule(is_op("reshape")(is_op("reshape")(data)))
def merge_reshapes(call, found):
    """The last one decides."""
    return call.with_fields(args=[found[data]])


print(rewrite_rules([merge_reshapes], relay.reshape(relay.reshape(x, (2, 2)), (1, 4))))

# %% [markdown]
# **3.** Two rules that undo each other would go on for ever. Write such a pair, and see what happens.


# %% tags=["solution"]
@rule(is_op("negative")(data))
def as_difference(call, found):
    return relay.const(0.0) - found[data]


@rule(is_expr(relay.const(0.0)) - data)
def as_negative(call, found):
    return relay.negative(found[data])


try:
    rewrite_rules([as_difference, as_negative], relay.negative(x))
except relay.RelayishError as error:
    print(type(error).__name__, error, sep=": ")

# %% [markdown]
# Next: [an analysis](3_analysis.py). [How to match and rewrite](../how-to/match_and_rewrite.md) has dominators, loops and core.
