"""What scripts for TVM may rely on when they check types; mypy reads it, nothing runs it."""

from __future__ import annotations

from typing import assert_type

from relayish import tvm
from relayish.tvm import relay
from relayish.tvm.ir import IRModule, register_op_attr
from relayish.tvm.ir.instrument import PassTimingInstrument, pass_instrument
from relayish.tvm.relay.analysis import free_vars
from relayish.tvm.relay.build_module import bind_params_by_name
from relayish.tvm.relay.dataflow_pattern import is_op, wildcard
from relayish.tvm.relay.expr_functor import ExprMutator
from relayish.tvm.relay.op.contrib import get_pattern_table
from relayish.tvm.relay.testing import run_opt_pass
from relayish.tvm.relay.transform import FoldConstant


class DropIf(ExprMutator):
    def visit_if(self, if_: relay.If) -> relay.Expr:
        return self.visit(if_.true_branch)


x = relay.var("x", shape=(2, 3))
func = relay.Function([x], relay.nn.relu(x))
mod = tvm.IRModule.from_expr(func)

assert_type(x, relay.Var)
assert_type(mod, IRModule)
assert_type(func.with_attr("Primitive", 1), relay.Function)
assert_type(mod.astext(show_meta_data=False), str)
assert_type(relay.TensorType((1, 2)).concrete_shape, tuple[int, ...])
assert_type(tvm.cpu(0).device_type, int)
assert_type(tvm.nd.array([1.0]).numpy(), tvm.nd.Array)
assert_type(relay.transform.FoldConstant()(mod), IRModule)
assert_type(FoldConstant()(mod), IRModule)
assert_type(bind_params_by_name(func, {}), relay.Function)
assert_type(relay.load_param_dict(relay.save_param_dict({})), dict[str, tvm.nd.NDArray])
assert_type(free_vars(func), tuple[relay.Var, ...])
assert_type(is_op("add")(wildcard(), wildcard()).match(x), bool)
get_pattern_table("mine")
run_opt_pass(func, FoldConstant())
register_op_attr("add", "mine", 1)
assert_type(tvm.ir.structural_equal(x, x), bool)
assert_type(tvm.transform.PassContext(opt_level=3).opt_level, int)
instruments = [PassTimingInstrument(), tvm.instrument.PassTimingInstrument()]
pass_instrument(type("Own", (), {}))
mod.update_func(mod.get_global_var("main"), func)  # type: ignore[attr-defined]  # as it raises

# lists are taken wherever a program holds several
header = relay.GlobalTypeVar("Pair")
pair = relay.Constructor("Pair", [relay.TensorType([2, 3]), relay.scalar_type("int32")], header)
data = relay.TypeData(header, [], [pair])
left, right = relay.Var("left"), relay.Var("right")
pattern = relay.PatternConstructor(pair, [relay.PatternVar(left), relay.PatternWildcard()])
match = relay.Match(x, [relay.Clause(pattern, relay.Tuple([left, relay.Constant(1.0)]))])
assert_type(match.clauses, tuple[relay.Clause, ...])
assert_type(relay.Call(relay.op.get("exp"), [x]).args, tuple[relay.Expr, ...])
assert_type(relay.FuncType([relay.TupleType([])], relay.scalar_type("bool")).ret_type, relay.Type)
assert_type(relay.PatternTuple([relay.PatternWildcard()]).patterns, tuple[relay.Pattern, ...])
relay.Function(x, x)  # type: ignore[arg-type]  # parameters are several
