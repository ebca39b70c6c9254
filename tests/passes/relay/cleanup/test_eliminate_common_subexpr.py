"""Equal calls become one."""

from __future__ import annotations

import numpy as np
import pytest

import relayish.passes.relay.cleanup.eliminate_common_subexpr as module
from relayish.analysis import count_nodes, free_vars
from relayish.errors import PipelineError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.exact_key import make_exact_key
from relayish.ir.relay.expr import Call, Constant, Expr, Function, If, Let, Tuple, Var
from relayish.ir.relay.expr import TupleGetItem as Item
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import SizeVar, TensorType
from relayish.op.declaration import properties, registry
from relayish.op.declaration.registry import get_op
from relayish.passes.relay.cleanup.eliminate_common_subexpr import eliminate_common_subexpr
from relayish.transform import get_pass
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.depth import DEPTH

ADD = get_op("add")


def merged(left: Expr, right: Expr) -> bool:
    image = eliminate_common_subexpr(Tuple((left, right)))
    return image.fields[0] is image.fields[1]


def twice(name: str, *values: object) -> bool:
    x = Var("x")
    op = get_op(name)
    kind = properties.attrs_type.get(op)
    return merged(*(Call(op, (x,), kind(**value)) for value in values))


def test_chains_of_equal_calls_become_one_chain() -> None:
    x = Var("x")
    left = right = x
    for _ in range(50):
        left, right = Call(ADD, (left, x)), Call(ADD, (right, x))
    assert merged(left, right)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1, True),
        (1, 2, False),
        (1, np.int64(1), False),
        (1, True, False),
        (1, 1.0, False),
        (0.0, -0.0, False),
        (float("nan"), float("nan"), True),
        (np.ones(2, "float32"), np.ones(2, "float32"), False),
        ("a", "a", False),
    ],
)
def test_scalars_count_by_type_and_bits_and_tensors_by_identity(
    left: object, right: object, same: bool
) -> None:
    x = Var("x")
    calls = [Call(ADD, (x, Constant(value))) for value in (left, right)]
    assert merged(*calls) is same
    assert merged(*(Call(ADD, (Tuple((x, Constant(v))),)) for v in (left, right))) is same


def test_fields_of_a_tuple_within_a_tuple_count_by_identity() -> None:
    x = Var("x")
    calls = [Call(ADD, (Tuple((x, Tuple((x,)))),)) for _ in range(2)]
    assert not merged(*calls)


def test_tuple_is_not_a_call_of_its_fields() -> None:
    x = Var("x")
    assert not merged(Call(ADD, (x, Tuple((x, x)))), Call(ADD, (x, x, x)))
    assert not merged(Call(ADD, (Tuple(()), x)), Call(ADD, (x,)))


def test_attributes_count_by_their_bits() -> None:
    assert not twice("clip", {"a_min": 0.0, "a_max": 1.0}, {"a_min": -0.0, "a_max": 1.0})
    nan = float("nan")
    assert twice("clip", {"a_min": nan, "a_max": 1.0}, {"a_min": float("nan"), "a_max": 1.0})
    x = Var("x")
    assert not merged(Call(ADD, (x,)), Call(ADD, (x,), DictAttrs()))


def test_attributes_nobody_declared_count_by_name_type_and_value() -> None:
    assert make_exact_key(DictAttrs({"a": 1, "b": 2})) == make_exact_key(
        DictAttrs({"b": 2, "a": 1})
    )
    for other in ({"a": True}, {"a": 1.0}, {"b": 1}, {"a": (1,)}, {}):
        assert make_exact_key(DictAttrs({"a": 1})) != make_exact_key(DictAttrs(other))


def test_types_in_attributes_count_by_structure() -> None:
    one, other = TensorType((2, 3), "int8"), TensorType((2, 3), "int8")
    assert make_exact_key(one) == make_exact_key(other)
    assert make_exact_key(one) != make_exact_key(TensorType((2, 4), "int8"))
    assert make_exact_key(SizeVar("n")) != make_exact_key(SizeVar("n"))


def test_what_has_state_is_unknown_or_takes_nothing_stays() -> None:
    x, f = Var("x"), Var("f")
    stateful = [
        name for name in registry.list_ops("relay") if properties.stateful.get(get_op(name))
    ]
    assert stateful
    ops: list[Expr] = [*map(get_op, stateful), f, Function((Var("y"),), x), intern_op("not.known")]
    for op in ops:
        assert not merged(Call(op, (x,)), Call(op, (x,)))
    assert not merged(Call(get_op("ones"), ()), Call(get_op("ones"), ()))
    assert not merged(Tuple((x,)), Tuple((x,)))


def test_variable_bound_in_a_branch_does_not_reach_the_other() -> None:
    c, x, a, b = Var("c"), Var("x"), Var("a"), Var("b")
    expr = If(c, Let(a, Call(ADD, (x, x)), a), Let(b, Call(ADD, (x, x)), b))
    image = eliminate_common_subexpr(expr)
    assert free_vars(image) == (c, x)


def test_variable_with_another_type_or_that_shares_memory_stays() -> None:
    x, number, vector = Var("x"), TensorType((), "int32"), TensorType((1,), "int32")
    for ty, other, shared in ((None, number, None), (vector, number, None), (None, None, x)):
        a, b = Var("a", ty), Var("b", other, may_share=shared)
        expr = Let(a, Call(ADD, (x, x)), Let(b, Call(ADD, (x, x)), Tuple((a, b))))
        assert eliminate_common_subexpr(expr).body.var is b


def test_fskip_keeps_calls_and_projections() -> None:
    x = Var("x")
    pair = Call(get_op("split"), (x,))
    expr = Tuple((Call(ADD, (x, x)), Call(ADD, (x, x)), Item(pair, 0), Item(pair, 0)))
    assert eliminate_common_subexpr(expr, fskip=lambda _: True) is expr
    image = eliminate_common_subexpr(expr, fskip=lambda node: isinstance(node, Call))
    assert image.fields[0] is not image.fields[1]
    assert image.fields[2] is image.fields[3]


def test_fskip_sees_what_is_below_merged() -> None:
    x = Var("x")
    seen: list[Expr] = []
    inner = Call(ADD, (x, x))
    expr = Tuple((inner, Call(ADD, (Call(ADD, (x, x)), x))))
    eliminate_common_subexpr(expr, fskip=lambda node: bool(seen.append(node)))
    assert seen[-1].args[0] is inner


def test_fskip_cannot_be_written_in_a_pipeline() -> None:
    with pytest.raises(PipelineError, match="'fskip'"):
        get_pass("EliminateCommonSubexpr{fskip=add}")


def test_pass_is_registered_as_in_relay() -> None:
    info = get_pass("EliminateCommonSubexpr").info
    assert (info.opt_level, info.required) == (3, ("InferType",))


def test_each_call_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = 0

    def counting(value: object) -> object:
        nonlocal keys
        keys += 1
        return make_exact_key(value)

    monkeypatch.setattr(module, "make_exact_key", counting)
    x = Var("x")
    kind = properties.attrs_type.get(get_op("clip"))
    calls = [Call(get_op("clip"), (x,), kind(0.0, float(n))) for n in range(1000)]
    eliminate_common_subexpr(Tuple(tuple(calls)))
    assert keys == 1000


def test_doublings_finish() -> None:
    left, right = doublings(100, x := Var("x")), doublings(100, x)
    image = eliminate_common_subexpr(Tuple((left, right)))
    assert image.fields[0] is image.fields[1]
    assert count_nodes(image) == 103


@pytest.mark.deep
@pytest.mark.parametrize("kind", sorted(DEEP_NESTS))
def test_nest_of_100_000_levels_is_merged(kind: str) -> None:
    nest = DEEP_NESTS[kind](DEPTH)
    assert eliminate_common_subexpr(nest) is nest or kind == "projection_nest"
