"""Functions that other compilers own: made global, marked, taken back, and taken apart."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.dataflow_pattern import is_op, wildcard
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Call, Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.op import get_op
from relayish.transform import (
    InferType,
    InlineCompilerFunctionsBoundTo,
    InlineComposites,
    MarkCompilerFunctionsAsExtern,
    MergeComposite,
)
from tests.support.depth import DEPTH
from tests.support.typed_text import program

T = "Tensor[(2, 2), float32]"
OWNED = 'Inline=1, Compiler="cut", global_symbol="cut_0", Primitive=1'
OTHER = f"""fn (%r: {T}, Compiler="blas", global_symbol="blas_0") -> {T} {{ exp(%r) }}"""
GLOBAL = f"""def @cut_0(%p0: {T}, %p1: {T}, {OWNED}) -> {T} {{
      %9 = fn (%q0: {T}, %q1: {T}, Composite="cut.dense_tanh") -> {T} {{
        tanh(nn.dense(%q0, %q1, units=2)) }}; %9(%p0, %p1) }}"""


def same(found: IRModule, text: str) -> None:
    assert_structural_equal(found, program(text), map_free_vars=True)


OUTLINED = f"""def @main(%x: {T}, %w: {T}) {{
  %0 = @cut_0(%x, %w); %1 = {OTHER}; (%0, %1(%x)) }}
  {GLOBAL}"""


def test_marked_function_has_no_other_attribute():
    found = MarkCompilerFunctionsAsExtern("cut")(program(OUTLINED))
    assert found["cut_0"].attrs == DictAttrs({"Extern": 1})
    assert MarkCompilerFunctionsAsExtern("blas")(found) is found
    typed = InferType()(program(OUTLINED))
    assert MarkCompilerFunctionsAsExtern()(typed)["cut_0"].checked_type is not None


def test_function_is_taken_back_with_its_composites():
    mod = program(OUTLINED)
    expected = f"""def @main(%x: {T}, %w: {T}) {{
      %0 = tanh(nn.dense(%x, %w, units=2)); %1 = {OTHER}; (%0, %1(%x)) }}"""
    same(InlineCompilerFunctionsBoundTo([mod.get_global_var("cut_0")])(mod), expected)
    same(InlineCompilerFunctionsBoundTo(["cut_0"])(mod), expected)
    assert InlineCompilerFunctionsBoundTo([])(mod) is mod


def test_composites_of_patterns_are_taken_apart_again():
    table = [
        ("c.add", is_op("add")(wildcard(), wildcard())),
        ("c.relu", is_op("nn.relu")(wildcard())),
    ]
    mod = InferType()(
        program(f'def @main(%a: {T}, %b: {T}, Compiler="c") {{ nn.relu(add(%a, %b)) }}')
    )
    merged = MergeComposite(table)(IRModule({"main": mod["main"].without_attr("Compiler")}))
    owned = IRModule({"main": merged["main"].with_attr("Compiler", "c")})
    assert_structural_equal(InferType()(InlineComposites("c")(owned)), mod, map_free_vars=True)
    assert InlineComposites("other")(owned) is owned
    assert InlineComposites("")(merged) is merged


def test_shared_argument_stays_shared():
    x, p, q = Var("x"), Var("p"), Var("q")
    inner = Function((p, q), Tuple((p, q)), attrs=DictAttrs({"Composite": "d"}))
    shared = Call(get_op("exp"), (x,))
    func = Function((x,), Call(inner, (shared, shared)), attrs=DictAttrs({"Compiler": "c"}))
    first, second = InlineComposites("c")(IRModule({"main": func}))["main"].body.fields
    assert first is second is shared


@pytest.mark.deep
def test_composites_are_taken_apart_at_any_depth():
    depth = min(DEPTH, 20_000)
    x = Var("x")
    body: relay.Expr = x
    for _ in range(depth):
        p = Var("p")
        body = Call(Function((p,), Call(get_op("exp"), (p,)), attrs=COMPOSITE), (body,))
    q = Var("q")
    nested: relay.Expr = q
    for _ in range(depth):
        nested = Call(Function((q,), nested, attrs=COMPOSITE), (Var("q"),))
        (q,) = nested.args
    owned = DictAttrs({"Compiler": "c"})
    mod = IRModule(
        {"a": Function((x,), body, attrs=owned), "b": Function((q,), nested, attrs=owned)}
    )
    found = InlineComposites("c")(mod)
    tail, count = found["a"].body, 0
    while type(tail) is Call:
        (tail,), count = tail.args, count + 1
    assert (tail, count) == (x, depth)
    assert found["b"].body is q


COMPOSITE = DictAttrs({"Composite": "d"})
