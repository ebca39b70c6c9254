"""Functors: a visitor that counts, mutators that change, bookkeeping of one's own."""

import numpy as np
import tvm
from tvm import relay
from tvm.relay.expr_functor import ExprFunctor, ExprMutator, ExprVisitor


class CallCounter(ExprVisitor):
    def __init__(self):
        super().__init__()
        self.count = 0

    def visit_call(self, call):
        self.count += 1
        super().visit_call(call)


class ReplaceAdd(ExprMutator):
    def visit_call(self, call):
        args = [self.visit(arg) for arg in call.args]
        if isinstance(call.op, tvm.ir.Op) and call.op.name == "add":
            return relay.subtract(*args)
        return relay.Call(call.op, args, call.attrs, call.type_args, call.span)


class Unroll(ExprMutator):
    """Put the values of lets where they are used."""

    def __init__(self):
        super().__init__()
        self.values = {}

    def visit_let(self, let):
        self.values[let.var] = self.visit(let.value)
        return self.visit(let.body)

    def visit_var(self, var):
        return self.values.get(var, var)


class Depth(ExprFunctor):
    def visit_call(self, call):
        return 1 + max(self.visit(arg) for arg in call.args)

    def visit_var(self, _):
        return 0

    def visit_constant(self, _):
        return 0


x = relay.var("x", shape=(2, 2))
y = relay.var("y", shape=(2, 2))
t = relay.var("t")
body = relay.Let(t, relay.add(x, y), relay.multiply(t, relay.exp(t)))
func = relay.Function([x, y], body)

counter = CallCounter()
counter.visit(func)
assert counter.count == 3

subtracted = ReplaceAdd().visit(func)
expected = relay.Function([x, y], relay.Let(t, x - y, relay.multiply(t, relay.exp(t))))
assert tvm.ir.structural_equal(subtracted, expected)

flat = Unroll().visit(func)
assert (
    relay.Feature.fLet not in relay.analysis.detect_feature(flat)
    if hasattr(relay, "Feature")
    else relay.analysis.Feature.fLet not in relay.analysis.detect_feature(flat)
)
assert Depth().visit(flat.body) == 3

bound = relay.bind(flat, {x: relay.const(np.ones((2, 2), "float32"))})
assert [p.name_hint for p in bound.params] == ["y"]


class ScaleConstants(ExprMutator):
    def visit_constant(self, const):
        return relay.const(const.data * 2, const.checked_type.dtype)


typed = relay.transform.InferType()(tvm.IRModule.from_expr(bound))
scaled = ScaleConstants().visit(typed["main"])
assert relay.analysis.list_op_freqs(tvm.IRModule.from_expr(scaled))["exp"] == 1
