"""Defusing: which functions are dissolved, and which are not."""

from __future__ import annotations

import pytest

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Tuple, Var
from relayish.ir.relay.op import intern_op
from relayish.passes.relay.fusion.defuse_ops import defuse_ops
from relayish.text import parse_expr
from tests.support.deep import DEEP_NESTS
from tests.support.depth import DEPTH

HEADER = '#[version = "0.0.5"]\n'
PRIMITIVE = DictAttrs({"Primitive": 1})


@pytest.mark.parametrize(
    "kept",
    [
        "%0 = fn [A](%a: A) { @f[A](%a) }; %0(%x)",
        "%0 = fn (%a: int32, Primitive=1) { 1 }; %0(ref_write(%r, %x))",
    ],
)
def test_function_stays(kept: str) -> None:
    expr = parse_expr(f"{HEADER}fn (%x: int32, %r: ref(int32)) {{ {kept} }}")
    assert defuse_ops(expr) is expr


def test_function_that_is_a_value_as_well_keeps_what_acts() -> None:
    func = Function((), Call(intern_op("nn.dropout"), (Constant(1.0),)))
    both = Tuple((Call(func, ()), func))
    assert defuse_ops(both) is both


def test_parameters_are_told_by_what_they_are_and_not_by_their_names() -> None:
    before = parse_expr(
        f"{HEADER}fn (%x: int32, %y: int32) {{ "
        "%0 = fn (%p1: int32, %q: int32, Primitive=1) { subtract(%p1, %q) }; %0(%x, %y) }"
    )
    after = parse_expr(f"{HEADER}fn (%x: int32, %y: int32) {{ subtract(%x, %y) }}")
    assert_structural_equal(defuse_ops(before), after)


def test_function_called_twice_gives_two_bodies() -> None:
    a, x, y = Var("a"), Var("x"), Var("y")
    func = Function((a,), Call(intern_op("exp"), (a,)), attrs=PRIMITIVE)
    out = defuse_ops(Tuple((Call(func, (x,)), Call(func, (y,)))))
    assert isinstance(out, Tuple)
    assert [field.args for field in out.fields] == [(x,), (y,)]  # type: ignore[attr-defined]


def test_effect_without_parameters_is_not_shared_between_calls() -> None:
    state = Call(intern_op("nn.dropout"), (Constant(1.0),))
    func = Function((), state, attrs=PRIMITIVE)
    once, twice = Call(func, ()), Tuple((Call(func, ()), Call(func, ())))
    assert defuse_ops(once) is state
    assert defuse_ops(twice) is twice


def test_fused_function_in_a_fused_function_is_dissolved_as_well() -> None:
    a, b, x = Var("a"), Var("b"), Var("x")
    inner = Function((a,), Call(intern_op("exp"), (a,)), attrs=PRIMITIVE)
    outer = Function((b,), Call(inner, (b,)), attrs=PRIMITIVE)
    out = defuse_ops(Call(outer, (x,)))
    assert_structural_equal(out, Call(intern_op("exp"), (x,)), map_free_vars=False)


@pytest.mark.deep
@pytest.mark.parametrize("nest", DEEP_NESTS)
def test_depth_is_no_limit(nest: str) -> None:
    a = Var("a")
    func = Function((a,), Call(intern_op("exp"), (a,)), attrs=PRIMITIVE)
    expr = DEEP_NESTS[nest](DEPTH, Call(func, (Constant(True),)))
    assert defuse_ops(expr) is not expr


@pytest.mark.deep
def test_chain_of_fused_calls_is_dissolved_in_one_go() -> None:
    expr: Expr = Var("x")
    for _ in range(min(DEPTH, 10_000)):
        a = Var("a")
        expr = Call(Function((a,), Call(intern_op("exp"), (a,)), attrs=PRIMITIVE), (expr,))
    out = defuse_ops(expr)
    assert isinstance(out, Call)
    assert out.op is intern_op("exp")
