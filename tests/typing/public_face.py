"""What users of the library may rely on when they check types; mypy reads it, nothing runs it."""

from __future__ import annotations

from typing import assert_type

import relayish as relay
from relayish.transform import FunctionPass, PassContext, create_function_pass


class CountCalls(relay.ExprVisitor):
    count: int = 0

    def visit_call(self, call: relay.Call) -> None:
        assert_type(call.op, relay.Expr)
        assert_type(call.args, tuple[relay.Expr, ...])
        self.count += 1
        super().visit_call(call)


class TakeThen(relay.ExprMutator):
    def visit_if(self, if_: relay.If) -> relay.Expr:
        return self.visit(if_.true_branch)


class Depth(relay.ExprFunctor[int]):
    def visit_tuple(self, tup: relay.Tuple) -> int:
        return 1 + max([self.visit(field) for field in tup.fields], default=0)


class Defaults(relay.ExprMutator):
    def visit_tuple(self, tup: relay.Tuple) -> relay.Expr:
        return assert_type(super().visit_tuple(tup), relay.Expr)

    def visit_clause(self, clause: relay.Clause) -> relay.Clause:
        return assert_type(super().visit_clause(clause), relay.Clause)

    def visit_pattern_tuple(self, pattern: relay.PatternTuple) -> relay.Pattern:
        return assert_type(super().visit_pattern_tuple(pattern), relay.Pattern)

    def visit_type(self, ty: relay.Type) -> relay.Type:
        return assert_type(super().visit_type(ty), relay.Type)

    def visit_let(self, call: relay.Call) -> relay.Expr:  # type: ignore[override]  # takes a let
        return call


class Misnamed(relay.MixedModeVisitor):
    def visit_call(self, call: relay.Call) -> object:
        return super().visit_cal(call)  # type: ignore[misc]


class Rewrites(relay.MixedModeMutator):
    def rewrite_let(self, pre: relay.Let, post: relay.Let) -> relay.Expr:
        return assert_type(super().rewrite_let(pre, post), relay.Expr)


class Ranks(relay.TypeVisitor):
    def visit_tensor_type(self, tensor: relay.TensorType) -> object:
        return super().visit_tensor_type(tensor)


class Swap(relay.ExprRewriter):
    def rewrite_call(self, pre: relay.Call, post: relay.Call) -> relay.Expr:
        return post.with_fields(args=post.args[::-1]) if pre is post else post


def collapse(func: relay.Function, mod: relay.IRModule, ctx: PassContext) -> relay.Function:
    image = TakeThen().visit(func)
    assert isinstance(image, relay.Function)
    return image


x = relay.var("x", shape=(2, 3))
assert_type(x, relay.Var)
assert_type(relay.const(1.0, span=relay.Span("here", 1, 1, 1, 2)), relay.Constant)
assert_type(relay.Call(x, (x,)).with_fields(args=(x, x)), relay.Call)
assert_type(Depth().visit(x), int)
assert_type(relay.post_order_rewrite(x, Swap()), relay.Expr)
assert_type(relay.structural_equal(x, x), bool)
assert_type(relay.LetList().push(x), relay.Var)
assert_type(create_function_pass(collapse, opt_level=1), FunctionPass)
assert_type(relay.parse("", "name"), relay.IRModule)
assert_type(create_function_pass(collapse, opt_level=1)(relay.IRModule()), relay.IRModule)

# Python's operators, calls and operators with several results

y = relay.var("y", shape=(2, 3))
assert_type(x + y, relay.Call)
assert_type(2 * x - 1.5, relay.Call)
assert_type(-x / y, relay.Call)
assert_type(0 < x, relay.Call)  # noqa: SIM300 - reflected
assert_type(x.astype("int8"), relay.Call)
assert_type(x == y, bool)
assert_type(relay.GlobalVar("f")(x, y), relay.Call)
assert_type(relay.Op.get("add")(x, y), relay.Call)
assert_type(relay.Tuple((x, y))[0], relay.Expr)
first, second = relay.split(x, 2)
assert_type(first, relay.TupleGetItem)
assert_type(relay.nn.batch_norm(x, y, y, y, y)[0], relay.TupleGetItem)

# Operators in their domains

assert_type(relay.nn.conv2d(x, y, kernel_size=3, padding=(1, 1)), relay.Call)
assert_type(relay.nn.dropout(x), relay.TupleGetItem)
assert_type(relay.image.resize2d(x, size=y), relay.Call)
assert_type(relay.qnn.op.quantize(x, y, y, out_dtype="int8"), relay.Call)
assert_type(relay.qnn.quantize(x, y, y), relay.Call)
assert_type(relay.vision.get_valid_counts(x, 0.5), relay.Call)
assert_type(relay.reshape(x, (2, 3)), relay.Call)
assert_type(relay.reshape(x, y), relay.Call)
assert_type(relay.concatenate((x, y), axis=0), relay.Call)
assert_type(relay.mean_variance(x, axis=1), relay.Tuple)
relay.nn.conv2d(x, y, stride=1)  # type: ignore[call-arg]  # it is called strides
relay.nn.softmax(x, axis="1")  # type: ignore[arg-type]  # an axis is a number

# Executors

executor = relay.create_executor("graph", relay.IRModule(), None, "llvm", {"w": 1.0})
executor.evaluate(x, {x: 1.0})
