# %% [markdown]
# # 1. A first pass
#
# A compiler pass takes a program and returns a better one. In this notebook you write one, in the order in
# which anybody would: look at a program, say what you want to change, change it, and make sure that
# the result computes the same.
#
# You need Python, and `pip install relayish`.

# %%
import numpy as np

import relayish as relay

# %% [markdown]
# ## A program
#
# Programs can be written as text, or built by calling functions. Here is a layer of a network which somebody left
# unfinished: it multiplies by one, and adds zero. A cell that ends in a program shows its text and a picture.

# %%
x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
layer = relay.nn.dense(x * relay.const(1.0), w)
layer = relay.nn.relu(layer + relay.const(0.0))
mod = relay.IRModule.from_expr(relay.Function([x, w], layer))
mod

# %% [markdown]
# Every line is a *call* of an operator. A call has an operator, `call.op`, and arguments, `call.args`; both are
# expressions, like the constants and the variables.

# %%
call = mod["main"].body
call.op, call.args[0].op, call.args[0].args[1]

# %% [markdown]
# Nodes never change. What looks like a change makes another node, and `with_fields` is the way to say it:

# %%
other = call.with_fields(args=[x])
print(other)
call.args[0] is x, other.args[0] is x

# %% [markdown]
# ## Say what to change
#
# A *functor* has a method for each kind of node you care about, `visit_call` for calls. `ExprMutator` puts in
# place of each node what its method returns. The inherited method takes care of the arguments, so that yours can look
# at a call whose arguments are finished:


# %%
class DropNeutral(relay.ExprMutator):
    """Drops products with one and sums with zero."""

    neutral = {relay.get_op("multiply"): 1.0, relay.get_op("add"): 0.0}

    def visit_call(self, call):
        call = super().visit_call(call)
        if call.op not in self.neutral:
            return call
        value, other = call.args
        if isinstance(other, relay.Constant) and np.all(other.data == self.neutral[call.op]):
            return value
        return call


better = DropNeutral().visit(mod["main"])
print(better)

# %% [markdown]
# A method whose name is no kind of node would never be called. relayish says so when the class is made:

# %%
try:

    class Misspelt(relay.ExprMutator):
        def visit_cal(self, call):
            return call

except relay.DeclarationError as error:
    print(error)

# %% [markdown]
# ## Make it a pass
#
# A pass has a name and works on whole modules. `register_pass` makes one of a function from expression to
# expression. From then on it goes by its name, in Python as in pipelines:

# %%
from relayish.transform import register_pass


@register_pass("DropNeutral", opt_level=1)
def drop_neutral(expr: relay.Expr) -> relay.Expr:
    """Drop products with one and sums with zero."""
    return DropNeutral().visit(expr)


pipeline = relay.transform.Sequential(["DropNeutral", "InferType"])
result = pipeline(mod)
result

# %% [markdown]
# ## Does it compute the same?
#
# Ask the interpreter, on numbers that are not special:

# %%
rng = np.random.default_rng(0)
inputs = [rng.normal(size=shape).astype("float32") for shape in ((2, 3), (4, 3))]
before, after = (relay.create_executor(mod=each).evaluate()(*inputs) for each in (mod, result))
np.array_equal(before, after)

# %% [markdown]
# The pass is right for this program. Is it right for all? `%x + 0f` has the *type* of a sum: where `%x` is a scalar
# and the zero a tensor, the sum is a tensor, and our pass would drop that. The first exercise mends it.
#
# ## Exercises
#
# **1.** Let the pass drop a sum or product only where the constant is a scalar. What a constant
# holds, `other.data`, is a scalar of numpy (`np.generic`) or an array.


# %% tags=["solution"]
class DropNeutralScalars(relay.ExprMutator):
    def visit_call(self, call):
        call = super().visit_call(call)
        if call.op not in DropNeutral.neutral:
            return call
        value, other = call.args
        is_scalar = isinstance(other, relay.Constant) and isinstance(other.data, np.generic)
        return value if is_scalar and other.data == DropNeutral.neutral[call.op] else call


zeros = relay.const(np.zeros(3, "float32"))
s = relay.var("s", shape=())
print(DropNeutral().visit(s + zeros))
print(DropNeutralScalars().visit(s + zeros))

# %% [markdown]
# **2.** `1 * x` is as neutral as `x * 1`. Handle both sides.


# %% tags=["solution"]
class DropNeutralBoth(relay.ExprMutator):
    def visit_call(self, call):
        call = super().visit_call(call)
        if call.op in DropNeutral.neutral:
            for value, other in (call.args, call.args[::-1]):
                if isinstance(other, relay.Constant) and isinstance(other.data, np.generic):
                    if other.data == DropNeutral.neutral[call.op]:
                        return value
        return call


print(DropNeutralBoth().visit(relay.const(1.0) * x))

# %% [markdown]
# **3.** Count how many calls of each operator there are in a program, with a `relay.ExprVisitor`. (There is
# `relay.analysis.list_op_freqs` to compare with.)

# %% tags=["solution"]
from collections import Counter


class CountOperators(relay.ExprVisitor):
    def __init__(self):
        self.found: Counter[str] = Counter()

    def visit_call(self, call):
        super().visit_call(call)
        self.found[call.op.name] += 1


counting = CountOperators()
counting.visit(mod["main"])
counting.found

# %% [markdown]
# Next: [patterns](2_patterns.py), which say in one line what `visit_call` said in six.
# [How to add a pass](../how-to/add_a_pass.md) has the whole of what this notebook begins.
