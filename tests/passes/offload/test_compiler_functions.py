"""Functions that other compilers own: made global, marked, taken back, and taken apart."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.analysis import well_formed
from relayish.dataflow_pattern import is_op, wildcard
from relayish.errors import PassError, UnknownNameError
from relayish.interpreter import evaluate
from relayish.ir.attrs import DictAttrs
from relayish.ir.relay.expr import Call, Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.structural_equal import assert_structural_equal
from relayish.op import get_op
from relayish.transform import (
    InferType,
    InlineCompilerFunctionsBoundTo,
    InlineComposites,
    MarkCompilerFunctionsAsExtern,
    MergeComposite,
    OutlineCompilerFunctionsWithExistingGlobalSymbols,
)
from tests.support.depth import DEPTH

T = "Tensor[(2, 2), float32]"
OWNED = 'Inline=1, Compiler="cut", global_symbol="cut_0", Primitive=1'
CUT = f"""fn (%p0: {T}, %p1: {T}, {OWNED}) -> {T} {{
      %9 = fn (%q0: {T}, %q1: {T}, Composite="cut.dense_tanh") -> {T} {{
        tanh(nn.dense(%q0, %q1, units=2)) }};
      %9(%p0, %p1) }}"""
OTHER = f"""fn (%r: {T}, Compiler="blas", global_symbol="blas_0") -> {T} {{ exp(%r) }}"""
GLOBAL = f"""def @cut_0(%p0: {T}, %p1: {T}, {OWNED}) -> {T} {{
      %9 = fn (%q0: {T}, %q1: {T}, Composite="cut.dense_tanh") -> {T} {{
        tanh(nn.dense(%q0, %q1, units=2)) }}; %9(%p0, %p1) }}"""


def read(text: str) -> IRModule:
    return relay.parse(f'#[version = "0.0.5"]\n{text}')


def same(found: IRModule, text: str) -> None:
    assert_structural_equal(found, read(text), map_free_vars=True)


OUTLINED = f"""def @main(%x: {T}, %w: {T}) {{
  %0 = @cut_0(%x, %w); %1 = {OTHER}; (%0, %1(%x)) }}
  {GLOBAL}"""


@pytest.mark.parametrize("bound", [f"%2 = {CUT};", f"let %f = {CUT};"])
def test_function_of_a_compiler_is_outlined_by_its_name(bound):
    callee = "%2" if bound.startswith("%") else "%f"
    mod = read(f"""def @main(%x: {T}, %w: {T}) {{
      {bound} %0 = {callee}(%x, %w); %1 = {OTHER}; (%0, %1(%x)) }}""")
    outlined = OutlineCompilerFunctionsWithExistingGlobalSymbols("cut")(mod)
    same(outlined, OUTLINED)
    assert OutlineCompilerFunctionsWithExistingGlobalSymbols("cut")(outlined) is outlined
    everything = OutlineCompilerFunctionsWithExistingGlobalSymbols()(mod)
    assert {name.name_hint for name in everything} == {"main", "cut_0", "blas_0"}


def test_equal_functions_of_one_name_become_one():
    mod = read(f"def @main(%x: {T}) {{ %0 = {OTHER}; %1 = {OTHER}; add(%0(%x), %1(%x)) }}")
    found = OutlineCompilerFunctionsWithExistingGlobalSymbols()(mod)
    assert {name.name_hint for name in found} == {"main", "blas_0"}
    first, second = found["main"].body.args
    assert first.op is second.op


def test_functions_of_one_name_that_differ_are_refused():
    other = OTHER.replace("exp", "log")
    mod = read(f"def @main(%x: {T}) {{ %0 = {OTHER}; %1 = {other}; add(%0(%x), %1(%x)) }}")
    with pytest.raises(PassError, match="two functions have the global_symbol 'blas_0' and differ"):
        OutlineCompilerFunctionsWithExistingGlobalSymbols()(mod)


def test_function_without_a_name_is_refused():
    mod = read('def @main(%x: int32) { %0 = fn (%a: int32, Compiler="c") { %a }; %0(%x) }')
    with pytest.raises(PassError, match="has no global_symbol"):
        OutlineCompilerFunctionsWithExistingGlobalSymbols()(mod)


def test_function_that_captures_is_refused():
    mod = read("""def @main(%x: int32) {
      %0 = fn (%a: int32, Compiler="c", global_symbol="s") { add(%a, %x) }; %0(%x) }""")
    with pytest.raises(PassError, match="'s' uses %x, which is bound outside of it"):
        OutlineCompilerFunctionsWithExistingGlobalSymbols()(mod)


def test_marked_function_has_no_other_attribute():
    found = MarkCompilerFunctionsAsExtern("cut")(read(OUTLINED))
    assert found["cut_0"].attrs == DictAttrs({"Extern": 1})
    assert MarkCompilerFunctionsAsExtern("blas")(found) is found
    typed = InferType()(read(OUTLINED))
    assert MarkCompilerFunctionsAsExtern()(typed)["cut_0"].checked_type is not None


def test_function_is_taken_back_with_its_composites():
    mod = read(OUTLINED)
    expected = f"""def @main(%x: {T}, %w: {T}) {{
      %0 = tanh(nn.dense(%x, %w, units=2)); %1 = {OTHER}; (%0, %1(%x)) }}"""
    same(InlineCompilerFunctionsBoundTo([mod.get_global_var("cut_0")])(mod), expected)
    same(InlineCompilerFunctionsBoundTo(["cut_0"])(mod), expected)
    assert InlineCompilerFunctionsBoundTo([])(mod) is mod


def test_function_that_nothing_calls_goes_and_a_recursive_one_stays():
    text = """def @a(%x: int32, Compiler="c") -> int32 { %x }
    def @b(%x: int32, Compiler="c") -> int32 { @b(%x) }
    def @main(%x: int32) -> int32 { @b(%x) }"""
    found = InlineCompilerFunctionsBoundTo(["a", "b"])(read(text))
    same(found, text[text.index("def @b") :])


def test_function_of_no_compiler_is_refused():
    mod = read("def @f(%x: int32) { %x } def @main(%x: int32) { @f(%x) }")
    with pytest.raises(PassError, match="@f belongs to no other compiler"):
        InlineCompilerFunctionsBoundTo(["f"])(mod)
    with pytest.raises(UnknownNameError, match="g"):
        InlineCompilerFunctionsBoundTo(["g"])(mod)


def test_outlined_and_taken_back_is_the_same_value():
    mod = read(f"def @main(%x: {T}, %w: {T}) {{ %0 = {CUT}; %0(%0(%x, %w), %w) }}")
    args = [np.eye(2, dtype="float32"), np.array([[1, 2], [3, 4]], "float32") / 10]
    outlined = OutlineCompilerFunctionsWithExistingGlobalSymbols()(mod)
    inlined = InlineCompilerFunctionsBoundTo(["cut_0"])(outlined)
    for made in (outlined, inlined):
        assert np.array_equal(evaluate(made["main"], made, args), evaluate(mod["main"], mod, args))


def test_composites_of_patterns_are_taken_apart_again():
    table = [
        ("c.add", is_op("add")(wildcard(), wildcard())),
        ("c.relu", is_op("nn.relu")(wildcard())),
    ]
    mod = InferType()(read(f'def @main(%a: {T}, %b: {T}, Compiler="c") {{ nn.relu(add(%a, %b)) }}'))
    merged = MergeComposite(table)(IRModule({"main": mod["main"].without_attr("Compiler")}))
    owned = IRModule({"main": merged["main"].with_attr("Compiler", "c")})
    assert_structural_equal(InferType()(InlineComposites("c")(owned)), mod, map_free_vars=True)
    assert InlineComposites("other")(owned) is owned
    assert InlineComposites("")(merged) is merged


def test_argument_that_acts_is_bound_where_the_body_evaluates_it_otherwise():
    text = """def @main(%r: ref(int32), %c: bool, Compiler="c") {
      %0 = fn (%a: (), %b: bool, Composite="d") { if (%b) { %a } else { () } };
      %1 = ref_write(%r, 2);
      %0(%1, %c) }"""
    found = InlineComposites("c")(read(text))["main"]
    assert type(found.body) is relay.Let
    assert type(found.body.value) is relay.RefWrite


def test_composite_with_variables_of_its_own_may_be_called_twice():
    text = f"""def @main(%x: {T}, Compiler="c") {{
      %0 = fn (%a: {T}, Composite="d") {{ let %t = exp(%a); add(%t, %t) }}; %0(%0(%x)) }}"""
    mod = read(text)
    found = InlineComposites("c")(mod)
    assert well_formed(found["main"])
    data = [np.eye(2, dtype="float32")]
    assert np.array_equal(evaluate(found["main"], found, data), evaluate(mod["main"], mod, data))


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
