# %% [markdown]
# # 4. A domain
#
# Operators come in *domains*, and packages bring their own. In this notebook you add one: **dual numbers**. A dual number is a value
# with its slope, and arithmetic on dual numbers differentiates while it computes. The domain gets a type, operators, values, a
# simplification, and a lowering that leaves nothing of it. The library knows nothing of it beforehand.

# %%
import numpy as np

import relayish as relay
from relayish.domain import (
    DefaultHandler,
    SimplifyCtx,
    TransformCtx,
    Visitor,
    assemble,
    register_handler,
)
from relayish.ir.domains.domain import Domain
from relayish.ir.nodes.node import node
from relayish.op import register_op
from relayish.op.types.type_rules import takes

# %% [markdown]
# ## A type and operators
#
# A domain has a name. Types and operators are declared in it; `takes` is the type rule of an operator whose arguments
# have fixed types, and `evaluate` says what it gives for values. A value of the type is kept as a complex number of numpy, whose
# imaginary part is the slope:

# %%
DUAL = Domain("dual")


@node("dual_number", domain=DUAL)
class DualNumber(relay.Type):
    """The type of a value with its slope."""


NUMBER, FLOAT = DualNumber(), relay.scalar_type("float32")

lift = register_op(
    "lift",
    domain=DUAL,
    arguments=("value", "slope"),
    description="A value with its slope.",
    rule=takes(FLOAT, FLOAT, gives=NUMBER),
    evaluate=lambda _attrs, value, slope: np.complex64(complex(value, slope)),
)
mul = register_op(
    "mul",
    domain=DUAL,
    arguments=("a", "b"),
    commutative=True,
    description="The product, whose slope is that of the product rule.",
    rule=takes(NUMBER, NUMBER, gives=NUMBER),
    evaluate=lambda _attrs, a, b: np.complex64(
        complex(a.real * b.real, a.real * b.imag + a.imag * b.real)
    ),
)
slope = register_op(
    "slope",
    domain=DUAL,
    arguments=("a",),
    description="The slope of a dual number.",
    rule=takes(NUMBER, gives=FLOAT),
    evaluate=lambda _attrs, a: np.float32(a.imag),
)

# %% [markdown]
# That is a language already: programs have types, a text that reads back, and values. The slope of the cube of *x* at 2 is 12:

# %%
x = relay.var("x", "float32")
dual = lift(x, relay.const(1.0))
cube = relay.Function([x], slope(mul(dual, mul(dual, dual))))
mod = relay.transform.InferType()(relay.IRModule.from_expr(cube))
print(mod)
relay.evaluate(cube)(2.0)

# %% [markdown]
# ## Handlers
#
# What else is done with programs is done by *handlers*: classes with a method `handle_<operator>` for each operator that is of concern. A
# *visitor* is assembled from the handlers of many domains. Children go back through the visitor, so that they may be of any domain:


# %%
class Products(DefaultHandler, domain="dual"):
    """Counts products."""

    found = 0

    def handle_mul(self, visitor, call):
        self.found += 1
        return visitor.visit_by_default(call)


counting = Products()
Visitor(TransformCtx(), counting, DefaultHandler("relay")).visit(cube)
counting.found

# %% [markdown]
# The library asks registered handlers when it simplifies a program of any domains. A number that is lifted with a slope has just
# this slope:


# %%
@register_handler("simplify")
class Simplify(DefaultHandler, domain="dual"):
    """Smaller programs of the same value."""

    def handle_slope(self, visitor, call):
        inner = visitor.visit(call.args[0])
        is_lifted = isinstance(inner, relay.Call) and inner.op is relay.get_op("lift", "dual")
        return inner.args[1] if is_lifted else call.with_fields(args=[inner])


print(assemble("simplify", SimplifyCtx()).visit(relay.Function([x], slope(dual))))

# %% [markdown]
# ## Lower it
#
# Nobody's hardware has dual numbers. A lowering puts plain arithmetic in their place: a dual number becomes a pair.


# %%
class Lower(DefaultHandler, domain="dual"):
    """Dual numbers as pairs of numbers of Relay."""

    def handle_lift(self, visitor, call):
        return relay.Tuple([visitor.visit(arg) for arg in call.args])

    def handle_mul(self, visitor, call):
        a, b = (visitor.visit(arg) for arg in call.args)
        return relay.Tuple([a[0] * b[0], a[0] * b[1] + a[1] * b[0]])

    def handle_slope(self, visitor, call):
        return visitor.visit(call.args[0])[1]


lowered = Visitor(TransformCtx(), Lower, DefaultHandler("relay")).visit(cube)
lowered = relay.transform.Sequential(["SimplifyExpr", "FoldConstant", "DeadCodeElimination"])(
    relay.IRModule.from_expr(lowered)
)
print(lowered)
relay.create_executor(mod=lowered).evaluate()(2.0)

# %% [markdown]
# 12 again, and there is nothing left of the domain. Passes of the library have taken the pairs apart.
#
# ## Exercises
#
# **1.** Add an operator `add` of dual numbers, with its value, and differentiate *x² + x* at 3.

# %% tags=["solution"]
add = register_op(
    "add",
    domain=DUAL,
    arguments=("a", "b"),
    commutative=True,
    description="The sum; slopes add up.",
    rule=takes(NUMBER, NUMBER, gives=NUMBER),
    evaluate=lambda _attrs, a, b: np.complex64(a + b),
)
square = relay.Function([x], slope(add(mul(dual, dual), dual)))
relay.evaluate(square)(3.0)

# %% [markdown]
# **2.** Lower it, too. What a class derived from `Lower` adds is assembled with all that it inherits.


# %% tags=["solution"]
class LowerMore(Lower):
    def handle_add(self, visitor, call):
        a, b = (visitor.visit(arg) for arg in call.args)
        return relay.Tuple([a[0] + b[0], a[1] + b[1]])


plain = Visitor(TransformCtx(), LowerMore, DefaultHandler("relay")).visit(square)
relay.evaluate(plain)(3.0)

# %% [markdown]
# **3.** What happens if the plain `Lower` meets a sum of dual numbers? Derive it from `InvalidHandler`, and such a sum is
# refused.

# %% tags=["solution"]
from relayish.domain import InvalidHandler


class Strict(InvalidHandler, domain="dual"):
    handle_lift, handle_mul, handle_slope = Lower.handle_lift, Lower.handle_mul, Lower.handle_slope


try:
    Visitor(TransformCtx(), Strict, DefaultHandler("relay")).visit(square)
except relay.RelayishError as error:
    print(error)

# %% [markdown]
# Next: [loops](5_loops.py). [How to add a domain](../how-to/add_a_domain.md) makes a package of one, with a loop of its own.
