"""What is computed in a narrow type, what is not, and what keeps its type."""

from __future__ import annotations

import pytest

from relayish.analysis import count_nodes
from relayish.analysis.infer_type import infer_type
from relayish.errors import DuplicateNameError, PassError
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Tuple, TupleGetItem, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op import MixedPrecision, register_mixed_precision_conversion
from relayish.op.builders.builder import op
from relayish.op.declaration.properties import mixed_precision
from relayish.passes.relay.rewrite.to_mixed_precision import to_mixed_precision
from relayish.testing import TempOpAttr
from relayish.text import parse
from relayish.transform import PassContext, ToMixedPrecision

HEADER = '#[version = "0.0.5"]\n'
KEEP = "relay.ToMixedPrecision.keep_orig_output_dtype"
x, w = var("x", shape=(2, 2)), var("w", shape=(2, 2))


def narrowed(body: Expr, *params: Var, dtype: str = "float16") -> Function:
    func = infer_type(Function(params or (x, w), body))
    return infer_type(to_mixed_precision(func, dtype, 2))


def product() -> Call:
    return op.nn.dense(x, w, units=2)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_products_are_narrow_and_so_is_what_follows(dtype: str) -> None:
    body = narrowed(op.tanh(op.add(product(), product())), dtype=dtype).body
    assert body.checked_type.dtype == dtype


def test_variables_and_constants_are_cast_for_what_follows() -> None:
    body = narrowed(op.add(product(), const(1.0))).body
    assert [arg.checked_type.dtype for arg in body.args] == ["float16"] * 2
    assert narrowed(op.add(x, w)).body.checked_type.dtype == "float16"


def test_what_is_wide_keeps_what_follows_it_wide() -> None:
    body = narrowed(op.add(op.exp(x), product())).body
    assert body.checked_type.dtype == "float32"
    assert body.args[1].op.name == "cast"


def test_sum_of_narrow_numbers_is_wide() -> None:
    body = narrowed(op.sum(product())).body
    assert (body.op.name, body.checked_type.dtype) == ("sum", "float32")
    assert body.args[0].attrs.dtype == "float32"


def test_casts_are_shared_and_never_go_back_and_forth() -> None:
    both = Tuple((op.exp(product()), op.sum(product())))
    shared = product()
    again = narrowed(Tuple((op.exp(shared), op.sum(shared), op.nn.relu(shared))))
    casts = [n for n in EXPRESSIONS.post_order(again) if type(n) is Call and n.op.name == "cast"]
    assert len(casts) == 3  # of x, of w, and one back for both that need it
    assert len(narrowed(both).body.fields) == 2
    assert narrowed(Tuple((product(), product()))).body.fields[0].args[0].op.name == "cast"


@pytest.mark.parametrize(
    ("low", "high", "dtype", "expected"),
    [
        (-128000.0, 128000.0, "float16", "float32"),
        (0.0, 65505.0, "float16", "float32"),
        (-65505.0, 0.0, "float16", "float32"),
        (-65504.0, 65504.0, "float16", "float16"),
        (0.0, float("inf"), "float16", "float32"),
        (-128000.0, 128000.0, "bfloat16", "bfloat16"),
    ],
)
def test_bounds_that_narrow_numbers_do_not_reach_stay_wide(
    low: float, high: float, dtype: str, expected: str
) -> None:
    body = narrowed(op.clip(product(), low, high), dtype=dtype).body
    assert body.checked_type.dtype == expected


def test_integers_are_left_alone() -> None:
    a = var("a", shape=(2, 2), dtype="int8")
    for body in (
        op.add(a, a),
        op.nn.dense(a, a, units=2, out_dtype="int32"),
        op.nn.dense(a, a, units=2),
        op.zeros((2,), dtype="int32"),
    ):
        func = infer_type(Function((a,), body))
        assert to_mixed_precision(func, missing_op_mode=2) is func


def test_double_precision_stays_where_precision_counts() -> None:
    wide = var("a", shape=(2, 2), dtype="float64")
    assert narrowed(op.exp(wide), wide).body.checked_type.dtype == "float64"
    total = narrowed(op.sum(op.nn.relu(wide)), wide).body
    assert total.checked_type.dtype == "float64"


def test_fields_of_a_tuple_are_cast_one_by_one() -> None:
    pair = Var("pair")
    body = Let(pair, Tuple((product(), op.exp(x))), op.concatenate(pair))
    joined = narrowed(body).body.body
    fields = joined.args[0].fields
    assert type(fields[0]) is TupleGetItem  # narrow already
    assert type(fields[1].args[0]) is TupleGetItem
    assert [field.checked_type.dtype for field in fields] == ["float16"] * 2


def test_local_variables_follow_their_values() -> None:
    y = Var("y")
    image = narrowed(Let(y, product(), op.nn.relu(y)))
    assert image.body.var.type_annotation.dtype == "float16"
    assert image.ret_type.dtype == "float16"


def test_names_of_names_follow_as_well() -> None:
    y, z, u = Var("y"), Var("z"), Var("u")
    image = narrowed(Let(y, product(), Let(z, y, Let(u, z, op.nn.relu(u)))))
    lets = [node for node in EXPRESSIONS.post_order(image) if type(node) is Let]
    assert [let.var.type_annotation.dtype for let in lets] == ["float16"] * 3
    assert image.ret_type.dtype == "float16"


def test_result_keeps_its_type_where_the_context_says_so() -> None:
    mod = IRModule.from_expr(Function((x, w), Tuple((product(), op.exp(x)))))
    for keep, expected in ((True, ["float32"] * 2), (False, ["float16", "float32"])):
        with PassContext(config={KEEP: keep}):
            out = ToMixedPrecision()(mod)
        assert [field.dtype for field in out["main"].ret_type.fields] == expected


def test_operators_nobody_spoke_of_are_told_by_mode() -> None:
    mod = IRModule.from_expr(Function((x,), op.sin(op.cos(op.cos(x)))))
    with pytest.raises(PassError, match=r"in float16: cos \(2\), sin \(1\); say so with"):
        ToMixedPrecision(missing_op_mode=0)(mod)
    with pytest.warns(UserWarning, match=r"cos \(2\), sin \(1\)"):
        warned = ToMixedPrecision(missing_op_mode=1)(mod)
    silent = ToMixedPrecision(missing_op_mode=2)(mod)
    assert warned["main"].ret_type.dtype == silent["main"].ret_type.dtype == "float16"


@pytest.mark.usefixtures("declarations")
def test_conversion_of_ones_own_counts_by_its_level() -> None:
    with pytest.raises(DuplicateNameError, match=r"level 10 already; .*; give a higher level"):
        register_mixed_precision_conversion("nn.dense", lambda *_: None)

    @register_mixed_precision_conversion("nn.dense", level=11)
    def accumulate_wide(call, dtype):
        assert call.op.name == "nn.dense"
        return MixedPrecision.ALWAYS, "float32", dtype

    register_mixed_precision_conversion("nn.dense", lambda *_: None, level=9)
    image = narrowed(op.nn.relu(product())).body
    assert image.args[0].attrs.dtype == "float16"
    assert image.args[0].args[0].attrs.out_dtype == "float32"


def test_conversion_that_answers_nonsense_is_named() -> None:
    said = r"of exp returned \('often', 'float32'\); expected"
    nonsense = TempOpAttr("exp", mixed_precision, lambda *_: ("often", "float32"))
    with nonsense, pytest.raises(PassError, match=said):
        narrowed(op.exp(x))


def test_spans_stay() -> None:
    mod = infer_type(parse(HEADER + "def @main(%x: Tensor[(2, 2), float32]) { sum(nn.relu(%x)) }"))
    out = ToMixedPrecision()(mod)["main"]
    assert all(
        n.span is not None for n in EXPRESSIONS.post_order(out) if type(n) in (Call, Constant)
    )


def test_each_node_is_typed_once_however_long_the_program() -> None:
    def grown(levels: int) -> int:
        body: Expr = product()
        for _ in range(levels):
            body = op.nn.relu(body)
        return count_nodes(narrowed(body))

    assert grown(200) - grown(100) == 100


def test_long_chains_of_lets_and_endless_paths_are_no_matter() -> None:
    names = [Var(f"v{at}") for at in range(8_000)]
    body: Expr = names[-1]
    for at in reversed(range(1, len(names))):
        body = Let(names[at], op.nn.relu(names[at - 1]), body)
    assert narrowed(Let(names[0], product(), body)).ret_type.dtype == "float16"
    twice: Expr = product()
    for _ in range(100):
        twice = op.add(twice, twice)
    assert narrowed(twice).ret_type.dtype == "float16"
