# %% [markdown]
# # 3. An analysis
#
# A pass may do something only where it is known to be right. What is known comes from analyses. In this notebook you ask
# those of the library, and then write one: which integers of a program are even.

# %%
import relayish as relay
from relayish import tir

# %% [markdown]
# ## Ask
#
# Questions about a whole program are functions of `relay.analysis`:

# %%
program = relay.parse_expr(
    """
fn (%x: Tensor[(8, 16), float32], %w: Tensor[(4, 16), float32]) {
  let %h = nn.relu(nn.dense(%x, %w, units=4));
  let %unused = exp(%h);
  add(%h, %h)
}
"""
)
mod = relay.IRModule.from_expr(program)
relay.analysis.free_vars(program.body), relay.analysis.list_op_freqs(mod)

# %% [markdown]
# Questions about *points* of a program, before and after each node, are answered by data-flow analyses. They go by
# name. `Liveness` says which variables are needed later:

# %%
from relayish.dataflow import analyse

analyse(program, "Liveness")

# %% [markdown]
# `%unused` is live nowhere: dead-code elimination would ask just this.
#
# ## Write one
#
# Take a program of loops, for a change. It counts:

# %%
n, total, step = (tir.Var(name, "int32") for name in ("n", "total", "step"))


def assign(var, value):
    return tir.Store(var, value, ())


counting = tir.Block(
    (
        assign(total, tir.const(0)),
        assign(step, n * 2),
        tir.for_("i", 10, lambda i: assign(total, total + step)),
    )
)
print(counting)

# %% [markdown]
# Is `total` even at the end? We need three things.
#
# **What may be known of one variable.** Nothing has come yet, it is even, it is odd, or it may be either. Where two ways
# through the program meet, what is known is joined. That is a *lattice*, and its laws can be checked:

# %%
from relayish.dataflow.lattice import Lattice, MapLattice, check_laws


class Parity(Lattice[str]):
    bottom, top, finite_height = "none", "any", True

    def join(self, a, b):
        return a if b in (a, "none") else b if a == "none" else "any"

    def meet(self, a, b):
        return a if b in (a, "any") else b if a == "any" else "none"


check_laws(Parity(), ["none", "even", "odd", "any"])

# %% [markdown]
# **What an expression is**, where it is known what its variables are. That is a functor, as in
# [the first notebook](1_first_pass.py):


# %%
class ParityOf(tir.ExprFunctor):
    def visit_int_imm(self, number, known):
        return "odd" if number.value % 2 else "even"

    def visit_var(self, var, known):
        return known.get(var, "any")

    def visit_add(self, add, known):
        left, right = self.visit(add.a, known), self.visit(add.b, known)
        if "any" in (left, right):
            return "any"
        return "even" if left == right else "odd"

    def visit_mul(self, mul, known):
        parities = self.visit(mul.a, known), self.visit(mul.b, known)
        return "even" if "even" in parities else "any" if "any" in parities else "odd"

    def visit_expr(self, expr, known):
        return "any"


# %% [markdown]
# **What a statement does** to what is known: a store sets its variable. The framework walks the program, goes
# round loops until nothing changes, and joins branches:

# %%
from relayish.dataflow import ForwardDataFlow, solve


class Parities(ForwardDataFlow):
    lattice = MapLattice(Parity())

    def visit_store(self, store, known):
        if not isinstance(store.tensor, tir.Var):
            return known
        return self.lattice.set(known, store.tensor, ParityOf().visit(store.value, known))

    def bind(self, node, variables, known):
        for var in variables:
            known = self.lattice.set(known, var, "any")
        return known


[parities] = solve([Parities()], counting)
[(str(var), parities.after(counting).get(var)) for var in (total, step)]

# %% [markdown]
# Even, and nobody ran the program. Wherever the loop has been, `total` was even before the step, and `step` is even: what holds
# before the loop and is kept by its body holds behind it. The solver found that by going round until the state was at rest.
#
# ## Exercises
#
# **1.** Begin with `total = 1`. What is known before the loop, and what in it?

# %% tags=["solution"]
odd = tir.Block((assign(total, tir.const(1)), *counting.stmts[1:]))
[found] = solve([Parities()], odd)
loop = odd.stmts[2]
found.before(loop).get(total), found.before(loop.body).get(total), found.after(odd).get(total)

# %% [markdown]
# **2.** Subtraction is not handled, so `total - step` may be anything. Handle it.


# %% tags=["solution"]
class ParityOfMore(ParityOf):
    def visit_sub(self, sub, known):
        return self.visit_add(sub, known)  # with two operands of the same names


known = Parities.lattice.set(Parities.lattice.bottom, step, "even")
ParityOfMore().visit(step - tir.const(1), known)

# %% [markdown]
# **3.** `check_laws` finds lattices that are none. Break `join`, and see what it says.


# %% tags=["solution"]
class First(Parity):
    def join(self, a, b):
        return a


try:
    check_laws(First(), ["none", "even", "odd", "any"])
except relay.RelayishError as error:
    print(error)

# %% [markdown]
# Next: [a domain](4_domain.py). [How to write an analysis](../how-to/write_an_analysis.md) registers one by name, and shows it
# in text.
