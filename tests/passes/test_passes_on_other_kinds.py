"""What single passes do to programs with kinds of nodes that other packages declare."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import relayish as relay
from relayish import transform
from relayish.analysis import well_formed
from relayish.dataflow_pattern import is_op, wildcard
from relayish.errors import PassError
from relayish.ir.relay.expr import Call, Constant, Expr, Function, If, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType
from relayish.op.declaration.target import register_target_support
from relayish.passes.relay.offload.annotations import begin, end
from relayish.passes.relay.offload.partition_graph import partition_graph
from relayish.transform import Pass, PassContext
from tests.support.declared import known_in_tests
from tests.support.loop_kinds import (
    DECLARED,
    PAIR,
    SCALAR,
    Choose,
    Opaque,
    Scale,
    Store,
    Switch,
    SwitchCase,
    While,
    lowered,
)

SQUARE = TensorType((4, 4), "float32")
register_target_support("nn.relu", "loops")
register_target_support("add", "loops")


_kinds = known_in_tests(DECLARED)


def through(name: str, func: Function, **options: Any) -> Function:
    """Return ``func`` after a pass, its types inferred before."""
    made: Pass = getattr(transform, name)(**options)
    with PassContext(opt_level=4):
        typed = transform.InferType()(IRModule.from_expr(func))
        out = made(typed)["main"]
    assert isinstance(out, Function)
    assert well_formed(out)
    return out


def found(kind: type[Any], root: Expr) -> list[Any]:
    return [node for node in EXPRESSIONS.post_order(root) if isinstance(node, kind)]


def tags(root: Expr) -> list[int]:
    """Return the order in which what is opaque is evaluated, if functions are called at once."""
    return [node.tag for node in found(Opaque, root)]


def calls(root: Expr) -> list[str]:
    return [call.op.name for call in found(Call, root) if isinstance(call.op, relay.Op)]


def counting(x: Expr, limit: Expr, step: Expr, var: Var) -> Expr:
    return While(var, x, relay.op.less(var, limit), relay.op.add(var, step))


def x_and_i() -> tuple[Var, Var]:
    return Var("x", SCALAR), Var("i", SCALAR)


def test_fold_constant_folds_inside_a_loop_and_keeps_the_loop():
    x, i = x_and_i()
    two = relay.const(1.0) + relay.const(1.0)
    out = through("FoldConstant", Function((x,), counting(relay.const(0.0), two, two, i)))
    (loop,) = found(While, out)
    assert isinstance(loop.init, Constant)
    assert loop.cond.args[1].data == loop.body.args[1].data == 2
    assert calls(out) == ["less", "add"]


def test_fold_constant_keeps_the_variable_of_a_loop_that_begins_with_a_constant():
    x, i = x_and_i()
    out = through("FoldConstant", Function((x,), counting(relay.const(0.0), x, x, i)))
    (loop,) = found(While, out)
    assert loop.cond.args[0] is loop.var
    assert loop.body.args[0] is loop.var


def test_fold_constant_keeps_a_constant_bound_where_only_a_variable_may_stand():
    x, v = Var("x", SCALAR), Var("v")
    func = Function((x,), Let(v, relay.const(1.0) + relay.const(1.0), Store(v, v + x)))
    out = through("FoldConstant", func)
    assert isinstance(out.body, Let)
    assert out.body.body.place is out.body.var
    assert out.body.value.data == 2


def test_fold_constant_keeps_what_acts_in_the_scope_it_shares_with_a_branch_not_taken():
    x, i = x_and_i()
    acting = Opaque(1, x)
    chosen = If(relay.const(True), x, acting)
    loop = While(i, chosen, relay.op.less(i, relay.const(9.0)), i + acting)
    out = through("FoldConstant", Function((x,), loop))
    assert len(found(If, out)) == 1


def test_fold_constant_takes_a_branch_that_shares_nothing_that_acts():
    x, i = x_and_i()
    chosen = If(relay.const(True), x, Opaque(1, x))
    loop = While(i, chosen, relay.op.less(i, relay.const(9.0)), i + Opaque(2, x))
    out = through("FoldConstant", Function((x,), loop))
    assert found(If, out) == []
    assert tags(out) == [2]


def test_fuse_ops_fuses_inside_scopes_and_not_across_them():
    x, i = Var("x", PAIR), Var("i", PAIR)
    before = relay.op.exp(relay.op.negative(x))
    small = relay.op.less(relay.op.sum(i), relay.const(9.0))
    loop = While(i, before, small, relay.op.tanh(relay.op.exp(i)))
    out = through("FuseOps", Function((x,), relay.op.sqrt(relay.op.negative(loop))))
    kernels = [func for func in found(Function, out) if func is not out]
    made = sorted(calls(func) for func in kernels)
    expected = [["exp", "tanh"], ["less"], ["negative", "exp"], ["negative", "sqrt"], ["sum"]]
    assert made == expected
    assert len(found(While, out)) == 1


def test_fuse_ops_gives_what_acts_in_the_order_it_was_evaluated():
    x = Var("x", PAIR)
    total = relay.op.add(Opaque(1, x), relay.op.exp(Opaque(2, x)))
    out = through("FuseOps", Function((x,), relay.op.subtract(total, Opaque(3, x))))
    assert tags(out) == [1, 2, 3]
    assert len([func for func in found(Function, out) if func is not out]) == 1


def test_defuse_ops_keeps_a_function_that_takes_what_acts_in_another_order():
    x, p, q = Var("x", PAIR), Var("p", PAIR), Var("q", PAIR)
    func = Function((p, q), q - p).with_attr("Primitive", 1)
    kept = Function((x,), Call(func, (Opaque(1, x), Opaque(2, x))))
    taken = Function((x,), Call(func, (Opaque(1, x), x)))
    assert tags(through("DefuseOps", kept)) == [1, 2]
    assert calls(through("DefuseOps", kept)) == ["subtract"]
    assert through("DefuseOps", taken).body.op.name == "subtract"


def test_simplify_expr_simplifies_operands_and_scopes_and_keeps_the_node():
    x, i = x_and_i()
    zero = relay.const(0.0)
    out = through("SimplifyExpr", Function((x,), counting(x + zero, x + zero, x * zero + x, i)))
    (loop,) = found(While, out)
    assert loop.init is out.params[0]
    assert loop.cond.args[1] is out.params[0]


def test_simplify_expr_drops_no_factor_that_acts():
    x = Var("x", TensorType((2,), "int32"))
    zero = relay.const(np.zeros(2, "int32"))
    assert tags(through("SimplifyExpr", Function((x,), Opaque(1, x) * zero))) == [1]
    dropped = through("SimplifyExpr", Function((x,), Scale(x, 1.0) * zero))
    assert found(Scale, dropped) == []


def test_simplify_inference_keeps_operands_that_act_in_order():
    data, vector = Var("data", TensorType((1, 3, 2), "float32")), TensorType((3,), "float32")
    v = Var("v", vector)
    acting = [Opaque(tag, v) for tag in range(4)]
    norm = relay.op.nn.batch_norm(data, *acting)
    out = through("SimplifyInference", Function((data, v), norm[0]))
    assert tags(out) == [0, 1, 2, 3]
    alone = relay.op.nn.batch_norm(data, v, v, v, Opaque(1, v))
    rewritten = through("SimplifyInference", Function((data, v), alone[0]))
    assert tags(rewritten) == [1]
    assert "nn.batch_norm" not in calls(rewritten)


def test_to_mixed_precision_leaves_the_types_of_a_loop_as_they_are():
    x, w, i = Var("x", SQUARE), Var("w", SQUARE), Var("i", SQUARE)
    small = relay.op.less(relay.op.max(i), relay.const(9.0))
    loop = While(i, relay.op.nn.dense(x, w), small, relay.op.nn.dense(i, w))
    out = through("ToMixedPrecision", Function((x, w), loop), missing_op_mode=2)
    (made,) = found(While, out)
    assert made.checked_type.dtype == made.body.checked_type.dtype == "float32"
    assert made.init.checked_type.dtype == made.var.checked_type.dtype == "float32"
    dense = [call for call in found(Call, out) if call.op is relay.Op.get("nn.dense")]
    assert [call.checked_type.dtype for call in dense] == ["float16", "float16"]


def test_dynamic_to_static_leaves_the_type_of_a_choice_and_rewrites_inside():
    x, flag = Var("x", PAIR), Var("flag", TensorType((), "bool"))
    wide = relay.op.dyn.reshape(x, relay.const(np.int64([2, 1])))
    other = relay.op.dyn.reshape(relay.op.exp(x), relay.const(np.int64([2, 1])))
    out = through("DynamicToStatic", Function((flag, x), Choose(flag, wide, other)))
    assert calls(out).count("reshape") == 2


@pytest.mark.parametrize("between", [False, True])
def test_combine_parallel_dense_combines_inside_a_loop_but_not_across_its_bounds(between):
    x, w, i = Var("x", SQUARE), Var("w", SQUARE), Var("i", SQUARE)
    small = relay.op.less(relay.op.max(i), relay.const(9.0))
    dense = relay.op.nn.dense
    if between:
        loop = While(i, dense(x, w), small, dense(x, i))
        out = through("CombineParallelDense", Function((x, w), loop), min_num_branches=2)
        assert calls(out).count("nn.dense") == 2
        return
    body = dense(x, i) + dense(x, w * i)
    out = through("CombineParallelDense", Function((x, w), While(i, x, small, body)),
                  min_num_branches=2)  # fmt: skip
    assert calls(out).count("nn.batch_matmul") == 1


def test_combine_parallel_dense_waits_for_no_weight_that_acts():
    x, w = Var("x", SQUARE), Var("w", SQUARE)
    dense = relay.op.nn.dense
    body = Tuple((dense(x, w), Opaque(1, x), dense(x, Opaque(2, w))))
    out = through("CombineParallelDense", Function((x, w), body), min_num_branches=2)
    assert calls(out) == ["nn.dense", "nn.dense"]


def test_backward_fold_scale_axis_stops_at_a_node_and_at_a_scale_that_acts():
    data, weight = TensorType((1, 3, 4, 4), "float32"), TensorType((3, 3, 1, 1), "float32")
    x, w = Var("x", data), Var("w", weight)
    s = Var("s", TensorType((3, 1, 1), "float32"))
    conv = relay.op.nn.conv2d(x, w)
    for body in (Opaque(1, conv) * s, conv * Opaque(1, s), Scale(conv, 2.0) * s):
        func = Function((x, w, s), body)
        assert through("BackwardFoldScaleAxis", func).body.op.name == "multiply"
    folded = through("BackwardFoldScaleAxis", Function((x, w, s), conv * Scale(s, 2.0)))
    assert folded.body.op.name == "nn.conv2d"


def test_forward_fold_scale_axis_stops_at_a_node_and_at_a_scale_that_acts():
    data, weight = TensorType((1, 3, 4, 4), "float32"), TensorType((3, 3, 1, 1), "float32")
    x, w = Var("x", data), Var("w", weight)
    s = Var("s", TensorType((3, 1, 1), "float32"))
    for operand in (Opaque(1, x * s), x * Opaque(1, s), Scale(x * s, 2.0)):
        out = through("ForwardFoldScaleAxis", Function((x, w, s), relay.op.nn.conv2d(operand, w)))
        assert out.body.args[1] is out.params[1]
    scaled = relay.op.nn.conv2d(x * Scale(s, 2.0), w)
    out = through("ForwardFoldScaleAxis", Function((x, w, s), scaled))
    assert out.body.args[1] is not out.params[1]


def test_merge_composite_takes_what_acts_in_the_order_it_was_evaluated():
    x = Var("x", PAIR)
    pattern = is_op("add")(wildcard(), is_op("exp")(wildcard()))
    body = relay.op.add(Opaque(1, x), relay.op.exp(Opaque(2, x)))
    out = through("MergeComposite", Function((x,), body), pattern_table=[("add_exp", pattern)])
    assert isinstance(out.body.op, Function)
    assert [arg.tag for arg in out.body.args] == [1, 2]


def partitioned(func: Function) -> IRModule:
    marked = through("AnnotateTarget", func, targets="loops")
    return partition_graph(IRModule.from_expr(through("MergeCompilerRegions", marked)))


def test_partition_graph_hands_over_what_is_inside_of_a_loop_and_beside_it_apart():
    x, i = Var("x", PAIR), Var("i", PAIR)
    small = relay.op.less(relay.op.sum(i), relay.const(9.0))
    body = relay.op.nn.relu(i + x)
    loop = While(i, relay.op.nn.relu(x + x), small, body)
    mod = partitioned(Function((x,), relay.op.nn.relu(loop + x)))
    made = [func for name, func in mod.functions.items() if name.name_hint != "main"]
    assert sorted(calls(func) for func in made) == [["add", "nn.relu"]] * 3
    assert found(While, mod["main"])
    assert not any(found(While, func) for func in made)
    assert well_formed(mod)


def test_annotate_target_ends_what_parts_of_a_node_hold():
    x, y, z = Var("x", PAIR), Var("y", PAIR), Var("z", PAIR)
    cases = (SwitchCase(y, relay.op.nn.relu(y)), SwitchCase(z, relay.op.exp(z)))
    index = relay.op.less(relay.op.sum(x), relay.const(1.0))
    mod = partitioned(Function((x,), Switch(index, relay.op.nn.relu(x), cases)))
    assert len(mod.functions) == 3
    (switch,) = found(Switch, mod["main"])
    assert switch.cases[0].body.args[0] is switch.cases[0].var


def test_merge_compiler_regions_keeps_apart_what_takes_what_acts():
    x = Var("x", PAIR)
    first = relay.op.nn.relu(Opaque(1, x))
    body = Tuple((relay.op.exp(first), Opaque(2, x), relay.op.add(first, Opaque(3, x))))
    mod = partitioned(Function((x,), body))
    assert len(mod.functions) == 3
    assert tags(mod["main"]) == [1, 2, 3]


def test_partition_graph_refuses_a_node_between_marks_by_name():
    x = Var("x", PAIR)
    inside = end(relay.op.nn.relu(Scale(begin(x, "loops"), 2.0)), "loops")
    with pytest.raises(PassError, match=r"Scale.* stands between marks of 'loops'"):
        through("PartitionGraph", Function((x,), inside))


def test_lazy_gradient_init_makes_zeros_before_a_node_of_another_kind_gets_them():
    x, flag = Var("x", PAIR), Var("flag", TensorType((), "bool"))
    zeros = relay.op.zeros_like(x)
    lazy = relay.op.add(zeros, x)
    body = Tuple((lazy, Choose(flag, Scale(zeros, 2.0), zeros)))
    mod = transform.LazyGradientInit()(IRModule.from_expr(Function((flag, x), body)))
    main = mod["main"]
    assert any(name.name_hint == "FromGradCell" for name in mod.functions)
    (chosen,) = found(Choose, main)
    assert chosen.checked_type == main.ret_type.fields[1] or chosen.checked_type is not None
    images = mod.with_functions({"main": lowered(main)})
    pair = np.float32([1, 2])
    value = relay.evaluate(images["main"], mod=images, args=[np.bool_(True), pair])
    np.testing.assert_allclose(value[0], pair)
    np.testing.assert_allclose(value[1], [0, 0])


def test_inplace_update_leaves_what_a_node_of_another_kind_may_hold():
    x, a, b, c = Var("x", PAIR), Var("a"), Var("b"), Var("c")
    index, update = relay.const(np.int64([0])), relay.const(np.float32([9]))
    written = relay.op.scatter_elements(a, index, update)
    kept = Let(a, relay.op.exp(x), Let(c, Scale(a, 2.0), Let(b, written, Opaque(1, c))))
    shared = through("InplaceUpdate", Function((x,), kept))
    assert shared.body.body.body.var.may_share is shared.body.var
    out = through("ValidateInplaceUpdate", shared)
    assert out.body.body.body.var.may_share is None
