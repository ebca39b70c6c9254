"""Constant folding: what is folded, what is left alone, and what never changes."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.analysis import well_formed
from relayish.analysis.static_shape import StaticShapes
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    Let,
    RefRead,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType
from relayish.op.declaration import properties, registry
from relayish.op.declaration.registry import get_op
from relayish.passes import ConstantChecker, fold_constant, is_constant
from relayish.passes.relay.fold.fold_constant import fold_constant_expr
from relayish.text import parse
from relayish.transform import get_pass
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.depth import DEPTH

HEADER = '#[version = "0.0.5"]\n'


def _main(text: str) -> Expr:
    return parse(f"{HEADER}def @main() {{ {text} }}")["main"]


def test_concatenation_of_constants_is_folded() -> None:
    parts = "broadcast_to(1, shape=[2]), broadcast_to(2, shape=[1])"
    folded = fold_constant(_main(f"fn () {{ concatenate(({parts})) }}"))
    assert isinstance(folded.body.body, Constant)
    assert folded.body.body.data.tolist() == [1, 1, 2]


def test_float_division_by_zero_gives_infinity_without_a_warning() -> None:
    folded = fold_constant(Call(get_op("divide"), (Constant(1.0), Constant(0.0))))
    assert folded.data == np.float32("inf")


def test_folding_keeps_the_element_type() -> None:
    for dtype in ("int8", "uint8", "int64", "float16", "float64"):
        one = Constant(np.ones((), dtype))
        assert fold_constant(Call(get_op("add"), (one, one))).data.dtype == dtype


def test_folding_keeps_the_span_of_the_call() -> None:
    span = Span("model.relay", 1, 1, 2, 9)
    call = Call(get_op("add"), (Constant(1), Constant(2)), span=span)
    assert fold_constant(call).span == span


def test_rebuilt_node_carries_no_stale_type() -> None:
    inner = Call(get_op("add"), (Constant(1), Constant(2)))
    x = Var("x")
    outer = Call(get_op("add"), (x, inner), checked_type=TensorType((), "int32"))
    assert fold_constant(outer).checked_type is None


def test_stateful_operators_are_left_alone() -> None:
    names = [name for name in registry.list_ops("relay") if properties.stateful.get(get_op(name))]
    assert names
    for name in names:
        op = get_op(name)
        call = Call(op, tuple(Constant(1) for _ in range(max(1, properties.num_inputs.get(op)))))
        assert fold_constant(call) is call


def test_random_operators_are_left_alone() -> None:
    names = [name for name in registry.list_ops("relay") if name.startswith("random.")]
    assert names
    for name in names:
        call = Call(get_op(name), (Constant(np.zeros(10, "uint64")),))
        assert fold_constant(call) is call


def test_unknown_operator_is_left_alone() -> None:
    call = Call(intern_op("somebody.elses"), (Constant(1),))
    assert fold_constant(call) is call


def test_operator_on_what_is_no_number_is_left_for_the_type_checker() -> None:
    for value in ("a", None, (1, 2)):
        call = Call(get_op("add"), (Constant(value), Constant(value)))
        assert fold_constant(call) is call


def test_variable_that_another_may_share_with_stays_bound() -> None:
    x, first = Var("x"), Var("first")
    second = Var("second", may_share=first)
    func = Function(
        (x,), Let(first, Constant(1), Let(second, Call(get_op("add"), (x, first)), second))
    )
    folded = fold_constant(func)
    assert well_formed(folded)
    assert folded.body.var is first
    assert folded.body.body.value.args[1].data == 1
    assert fold_constant(folded) is folded


def test_several_outputs_become_a_tuple() -> None:

    data = Constant(np.arange(4, dtype="float32"))
    call = Call(get_op("split"), (data,), properties.attrs_type.get(get_op("split"))(2))
    folded = fold_constant(call)
    assert isinstance(folded, Tuple)
    assert [field.data.tolist() for field in folded.fields] == [[0, 1], [2, 3]]
    assert fold_constant(TupleGetItem(call, 1)).data.tolist() == [2, 3]


def test_projection_of_a_constant_tuple_is_folded() -> None:
    assert fold_constant(TupleGetItem(Constant((1, 2)), 1)).data == 2


def test_projection_out_of_range_is_left_for_the_type_checker() -> None:
    for tup in (Tuple((Constant(1),)), Constant((1,))):
        item = TupleGetItem(tup, 3)
        assert fold_constant(item) is item


def test_result_that_would_blow_up_the_program_is_left_alone() -> None:
    for text in (
        "fn () { broadcast_to(1, shape=[100000, 100000]) }",
        "fn () { tile(broadcast_to(1, shape=[10]), reps=[100000, 100000]) }",
        "fn () { repeat(broadcast_to(1, shape=[10]), repeats=10000000000) }",
        'fn () { full(1, shape=[100000, 100000], dtype="int32") }',
    ):
        folded = fold_constant(_main(text))
        assert isinstance(folded.body.body, Call), text


def test_broadcast_product_that_would_blow_up_the_program_is_left_alone() -> None:
    column, row = Constant(np.ones((5000, 1), "f4")), Constant(np.ones((1, 5000), "f4"))
    call = Call(get_op("add"), (column, row))
    assert fold_constant(call) is call
    assert isinstance(fold_constant(call, size_limit=25_000_000), Constant)


def test_large_constant_is_folded_when_the_result_is_no_larger() -> None:
    weights = Constant(np.ones((1200, 1000), "f4"))
    assert isinstance(fold_constant(Call(get_op("negative"), (weights,))), Constant)


def test_shape_of_a_statically_shaped_variable_is_folded() -> None:
    folded = fold_constant(
        _main("fn (%x: Tensor[(2, 3), float32]) { (shape_of(%x), ndarray_size(add(%x, %x))) }")
    )
    shape, size = folded.body.body.fields
    assert shape.data.tolist() == [2, 3]
    assert (size.data, size.data.dtype) == (6, "int32")


def test_shape_of_what_has_an_effect_is_left_alone() -> None:
    read = RefRead(Var("r"), checked_type=TensorType((2, 3), "float32"))
    call = Call(get_op("shape_of"), (read,))
    assert fold_constant(call) is call


def test_shape_of_every_link_of_a_chain_looks_at_each_once() -> None:
    visits = 0

    class Counting(StaticShapes):
        def visit_call(self, call: Call) -> tuple[int, ...] | None:
            nonlocal visits
            visits += 1
            return super().visit_call(call)

    link: Expr = Var("x", TensorType((2, 3), "float32"))
    shapes = Counting()
    for _ in range(100):
        link = Call(get_op("negative"), (link,))
        assert shapes.of(link) == (2, 3)
    assert visits == 100


def test_shared_subexpression_is_evaluated_once() -> None:
    folded = fold_constant(doublings(100, Constant(1.0)))
    assert folded.data == np.float32(2.0**100)


def test_sharing_is_preserved() -> None:
    x = Var("x")
    shared = Call(get_op("add"), (x, Call(get_op("add"), (Constant(1), Constant(1)))))
    folded = fold_constant(Tuple((shared, shared)))
    assert folded.fields[0] is folded.fields[1]


def test_constant_checker_looks_at_each_tuple_once() -> None:
    visits = 0

    class Counting(ConstantChecker):
        def visit_tuple(self, tup: Tuple) -> bool:
            nonlocal visits
            visits += 1
            return super().visit_tuple(tup)

    nest: Expr = Tuple(())
    for _ in range(60):
        nest = Tuple((nest, nest))
    checker = Counting()
    assert checker.check(nest)
    assert checker.check(Tuple((nest,)))
    assert visits == 62


def test_constant_checker_does_not_look_below_a_call() -> None:
    call = Call(get_op("add"), (Constant(1), Constant(1)))
    checker = ConstantChecker()
    assert not checker.check(call)
    assert list(checker.visit_counter) == [call]


def test_tuple_with_a_variable_is_not_constant() -> None:
    assert not is_constant(Tuple((Constant(1), Var("x"))))


def on_device(expr: Expr) -> Call:
    op = get_op("on_device")
    return Call(op, (expr,), properties.attrs_type.get(op)())


def test_tuple_of_constants_on_devices_is_evaluated() -> None:
    joined = Call(
        get_op("concatenate"),
        (on_device(Tuple((on_device(Constant(np.array([1]))), Constant(np.array([2]))))),),
        properties.attrs_type.get(get_op("concatenate"))(0),
    )
    assert fold_constant(joined).data.tolist() == [1, 2]


def test_raf_defect_2_operators_with_state_are_known_by_their_property() -> None:
    """RAF skips a list of bare names that none of its operators goes by, and asks no property."""
    kept = [op for op in map(get_op, registry.list_ops("relay")) if properties.stateful.get(op)]
    assert kept
    for op in kept:
        call = Call(op, (Constant(1),))
        assert fold_constant(call) is call, op.name


def test_fold_constant_expr_takes_what_relays_takes() -> None:
    expr = Call(get_op("add"), (Constant(1), Constant(2)))
    assert fold_constant_expr(expr, IRModule(), False).data == 3
    scale, zero = Constant(2.0), Constant(0)
    attrs = properties.attrs_type.get(get_op("qnn.dequantize"))(out_dtype="float32")
    quantized = Call(get_op("qnn.dequantize"), (Constant(np.int8(3)), scale, zero), attrs)
    assert fold_constant_expr(quantized, IRModule()) is quantized
    assert fold_constant_expr(quantized, IRModule(), fold_qnn=True).data == 6.0


def test_pass_is_registered_at_level_2() -> None:
    assert get_pass("FoldConstant").info.opt_level == 2


@pytest.mark.deep
@pytest.mark.parametrize("kind", sorted(DEEP_NESTS))
def test_nest_of_100_000_levels_is_folded(kind: str) -> None:
    fold_constant(DEEP_NESTS[kind](DEPTH))


@pytest.mark.parametrize("name", ["FoldConstant", "SparseConditionalConstantPropagation"])
@pytest.mark.parametrize("apart", [False, True], ids=["the same twice", "two of a size"])
def test_results_that_grow_from_one_to_the_next_are_bounded_together(name, apart):
    concatenate, add = get_op("concatenate"), get_op("add")
    start = Var("start", TensorType((64,), "int8"))
    program: Expr = Constant(np.ones(64, "int8"))
    for _ in range(24):
        other = Call(add, (program, program)) if apart else program
        program = Call(concatenate, (Tuple((program, other)),))
    mod = IRModule.from_expr(Function((start,), program))
    image = get_pass(f"{name}{{size_limit=64}}")(mod)
    sizes = [n.data.size for n in EXPRESSIONS.post_order(image["main"]) if type(n) is Constant]
    assert 64 < max(sizes) <= 16 * (64 + 64)
