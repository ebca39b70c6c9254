"""The engine of rewrite rules: what it visits, what it keeps, when it ends."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from relayish.analysis import free_vars  # noqa: E402
from relayish.dataflow_pattern import rule as relay_rule  # noqa: E402
from relayish.errors import DeclarationError, PassError  # noqa: E402
from relayish.ir.equality.structural_equal import structural_equal  # noqa: E402
from relayish.ir.relay.expr import (  # noqa: E402
    Call,
    Constant,
    Expr,
    Function,
    If,
    Let,
    Tuple,
    Var,
)
from relayish.ir.relay.module import IRModule  # noqa: E402
from relayish.ir.relay.type import TensorType  # noqa: E402
from relayish.onnx import find_operator, make_call  # noqa: E402
from relayish.onnx.calls import captures_of, graphs_of  # noqa: E402
from relayish.passes.onnx.rewrite.engine import (  # noqa: E402
    Rewriter,
    rewrite_function,
    rewrite_module,
    rule,
)
from relayish.rewriting import Unchanged, rewrite_rules, why_not  # noqa: E402
from tests.passes.onnx.graphs import operators, read  # noqa: E402
from tests.support.depth import DEPTH  # noqa: E402

pytestmark = pytest.mark.references

RELU, NEG, ADD, IDENTITY = (
    find_operator(name, since)
    for name, since in (("Relu", 14), ("Neg", 13), ("Add", 14), ("Identity", 16))
)


@rule("Identity")
def forward(call: Call, graph: Rewriter) -> Expr | None:
    return call.args[0]


def main(mod: IRModule) -> Function:
    found = mod["main"]
    assert type(found) is Function
    return found


def bindings(func: Expr) -> list[tuple[str, Expr]]:
    assert type(func) is Function
    found, tail = [], func.body
    while type(tail) is Let:
        found.append((tail.var.name_hint, tail.value))
        tail = tail.body
    return found


def chain(length: int, *ops: Callable[[Expr], Expr]) -> Function:
    x = Var("x", TensorType((3,), "float32"))
    lets: list[tuple[Var, Expr]] = []
    last = x
    for index in range(length):
        var = Var(f"v{index}")
        lets.append((var, ops[index % len(ops)](last)))
        last = var
    body: Expr = last
    for var, value in reversed(lets):
        body = Let(var, value, body)
    return Function((x,), body)


def test_a_function_without_matches_is_returned_identically() -> None:
    func = chain(5, lambda x: make_call(RELU, [x]))
    assert rewrite_function(func, [forward]) is func
    mod = IRModule.from_expr(func)
    assert rewrite_module(mod, [forward]) is mod


def test_a_program_without_operators_of_onnx_is_returned_identically() -> None:
    x = Var("x")
    func = Function((x,), Let(Var("y"), Tuple((x, x)), x))
    assert rewrite_function(func, [forward]) is func
    assert rewrite_function(x, [forward]) is x


@pytest.mark.parametrize("length", [1_000, 4_000])
def test_each_call_is_tried_a_constant_number_of_times(length: int) -> None:
    tried = 0

    @rule("Identity", "Neg")
    def count(call: Call, graph: Rewriter) -> Expr | None:
        nonlocal tried
        tried += 1
        return call.args[0] if graph.operator(call) == "Identity" else None

    func = chain(length, lambda x: make_call(IDENTITY, [x]), lambda x: make_call(NEG, [x]))
    image = rewrite_function(func, [count])
    assert len(bindings(image)) == length // 2
    assert tried <= 3 * length


@pytest.mark.deep
def test_long_chains_and_deep_nests_are_rewritten() -> None:
    func = chain(DEPTH, lambda x: make_call(IDENTITY, [x]))
    assert rewrite_function(func, [forward]).body is func.params[0]
    nest: Expr = func.params[0]
    for _ in range(DEPTH):
        nest = make_call(NEG, [make_call(IDENTITY, [nest])])
    image = rewrite_function(Function(func.params, nest), [forward])
    assert len(bindings(image)) == DEPTH
    values: Expr = func.params[0]
    for index in range(DEPTH):
        var = Var(f"v{index}")
        values = Let(var, values, make_call(IDENTITY, [var]))
    assert rewrite_function(Function(func.params, values), [forward]).body is func.params[0]


def test_shared_operands_are_bound_once() -> None:
    x = Var("x")
    both: Expr = x
    for _ in range(40):
        both = make_call(ADD, [both, make_call(IDENTITY, [both])])
    image = rewrite_function(Function((x,), both), [forward])
    assert len(bindings(image)) == 40


def test_a_rewritten_call_keeps_its_variable_and_its_span() -> None:
    mod = read("g (float[2] x) => (float[2] z) { y = Neg(x) z = Relu(y) }")
    named = main(mod)

    @rule("Neg")
    def negate(call: Call, graph: Rewriter) -> Expr | None:
        return graph.call("Abs", [call.args[0]])

    image = rewrite_function(named, [negate], mod)
    assert [name for name, _ in bindings(image)] == ["y", "z"]
    ((_, before), _) = bindings(named)
    ((_, after), _) = bindings(image)
    assert after.span is before.span


def test_a_new_binding_stands_before_the_call_under_a_name_of_its_own() -> None:
    mod = read("g (float[2] x, float[2] y_1) => (float[2] z) { y = Neg(x) z = Relu(y) }")

    @rule("Relu")
    def expand(call: Call, graph: Rewriter) -> Expr | None:
        first = graph.emit("y", graph.call("Abs", [call.args[0]], like=call))
        return graph.call("Neg", [first], like=call)

    image = rewrite_function(main(mod), [expand], mod)
    assert [name for name, _ in bindings(image)] == ["y", "y_2", "z"]


def test_what_a_rule_emits_for_nothing_is_dropped() -> None:
    mod = read("g (float[2] x) => (float[2] y) { y = Neg(x) }")

    @rule("Neg")
    def emit(call: Call, graph: Rewriter) -> Expr | None:
        graph.emit("unused", graph.call("Abs", [call.args[0]]))
        return None

    assert rewrite_module(mod, [emit]) is mod


def test_unused_calls_go_with_what_used_them_unless_they_act() -> None:
    mod = read("g (float[2] x) => (float[2] z) { a = Exp(x) b = Neg(a) c = Add(b, a) z = Relu(c) }")

    @rule("Add")
    def take_input(call: Call, graph: Rewriter) -> Expr | None:
        return graph.function.params[0]

    assert operators(rewrite_module(mod, [take_input])) == ["Relu"]
    custom = find_operator("Custom", 1, "some.domain")
    x, a, c = Var("x"), Var("a"), Var("c")
    value = make_call(custom, [x])
    func = Function((x,), Let(a, value, Let(c, make_call(ADD, [a, x]), c)))
    image = rewrite_function(func, [take_input])
    assert bindings(image) == [("a", value)]


def test_rules_that_undo_one_another_are_an_error() -> None:
    mod = read("g (float[2] x) => (float[2] y) { y = Neg(x) }")

    @rule("Neg")
    def to_abs(call: Call, graph: Rewriter) -> Expr | None:
        return graph.call("Abs", call.args)

    @rule("Abs")
    def to_neg(call: Call, graph: Rewriter) -> Expr | None:
        return graph.call("Neg", call.args)

    with pytest.raises(PassError, match=r"rule to_(abs|neg) was still applied .* %y"):
        rewrite_module(mod, [to_abs, to_neg])


def test_producers_and_uses_are_seen_through_aliases() -> None:
    x, a, b, c = (Var(name) for name in "xabc")
    func = Function(
        (x,),
        Let(a, make_call(NEG, [x]), Let(b, a, Let(c, make_call(RELU, [b]), Tuple((c, a))))),
    )
    seen: list[object] = []

    @rule("Relu")
    def look(call: Call, graph: Rewriter) -> Expr | None:
        data = call.args[0]
        seen.extend(
            [
                graph.producer(data, "Neg") is not None,
                graph.producer(data, "Abs"),
                graph.is_used_once(data),
                graph.count_uses(a),
                graph.is_result(a),
                [graph.operator(each) for each in graph.users(a)],
                graph.is_result(c),
            ]
        )
        return None

    assert rewrite_function(func, [look]) is func
    assert seen == [True, None, False, 2, True, ["Relu"], True]


def test_constants_are_seen_wherever_they_stand() -> None:
    text = """
        g (float[2] x, bool p) => (float[2] y) <float[2] w = {1, 2}> {
            n = Constant<value_floats = [3.0, 4.0]>()
            y = If (p) <
                then_branch = t () => (float[2] a) { a = Sum(x, w, n) },
                else_branch = e () => (float[2] b) { b = Neg(x) }
            >
        }"""
    seen: list[object] = []

    @rule("Sum")
    def look(call: Call, graph: Rewriter) -> Expr | None:
        values = [graph.constant(arg) for arg in (*call.args, Constant(np.float32(5)))]
        seen.append([None if value is None else value.tolist() for value in values])
        seen.append([graph.shape_of(arg) for arg in call.args])
        return None

    mod = read(text)
    assert rewrite_module(mod, [look]) is mod
    assert seen == [[None, [1, 2], [3, 4], 5], [(2,), (2,), (2,)]]


def test_a_captured_value_that_becomes_constant_is_known_in_graphs() -> None:
    text = """
        g (float[2] x, bool p) => (float[2] y) <float[2] w = {1, 2}> {
            v = Neg(w)
            y = If (p) <
                then_branch = t () => (float[2] a) { b = Neg(v) a = Add(x, b) },
                else_branch = e () => (float[2] b) { b = Neg(x) }
            >
        }"""

    @rule("Neg")
    def fold(call: Call, graph: Rewriter) -> Expr | None:
        value = graph.constant(call.args[0])
        return None if value is None else Constant(-value)

    mod = rewrite_module(read(text), [fold])
    assert operators(mod) == ["If", "Add", "Neg"]
    call = bindings(main(mod))[-1][1]
    assert type(call) is Call
    assert [each.name_hint for each in captures_of(call) if type(each) is Var] == ["x"]
    assert all(len(each.params) == 1 for each in graphs_of(call).values() if type(each) is Function)


def test_projections_of_tuples_are_resolved() -> None:
    text = "g (float[4] x) => (float[2] y) { a, b = Split(x) y = Add(a, b) }"

    @rule("Split")
    def take(call: Call, graph: Rewriter) -> Expr | None:
        first = graph.emit("first", graph.call("Neg", [call.args[0]], like=call))
        return Tuple((first, first))

    assert operators(rewrite_module(read(text, opset=13), [take])) == ["Neg", "Add"]


def test_which_outputs_are_used_is_told() -> None:
    text = "g (float[4] x) => (float[2] y) { a, b = Split(x) c = Neg(a) y = Relu(b) }"
    mod = read(text, opset=13)
    seen: list[object] = []

    @rule("Split")
    def look(call: Call, graph: Rewriter) -> Expr | None:
        seen.append(graph.used_outputs(graph.current))
        return None

    rewrite_module(mod, [look])
    assert seen == [{0, 1}]


def test_operators_are_those_of_the_version_that_the_module_says() -> None:
    mod = read("g (float[2,3] x) => (float[2,3] y) { y = Neg(x) }", opset=12)

    @rule("Neg")
    def to_softmax(call: Call, graph: Rewriter) -> Expr | None:
        assert graph.function_opset == 12
        assert graph.has_operator("Softmax")
        assert not graph.has_operator("Gelu")
        return graph.call("Softmax", call.args)

    image = rewrite_module(mod, [to_softmax])
    ((_, call),) = bindings(main(image))
    assert type(call) is Call
    assert call.op is find_operator("Softmax", 11)


def test_types_of_new_variables_follow_from_what_they_are_bound_to() -> None:
    mod = read("g (float[n,3] x) => (float[3,n] y) { z = Neg(x) y = Transpose<perm=[1,0]>(z) }")
    seen: list[object] = []

    @rule("Transpose")
    def look(call: Call, graph: Rewriter) -> Expr | None:
        new = graph.emit("new", graph.call("Concat", [call.args[0]] * 2, {"axis": 1}))
        seen.append((graph.shape_of(new), graph.dtype_of(new), graph.rank_of(graph.current)))
        return None

    assert rewrite_module(mod, [look]) is mod
    param = main(mod).params[0].type_annotation
    assert isinstance(param, TensorType)
    ((shape, dtype, rank),) = seen
    assert shape == (param.shape[0], 6)
    assert (dtype, rank) == ("float32", 2)


def test_a_rewritten_program_is_structurally_what_the_same_rules_make_of_its_copy() -> None:
    text = "g (float[2] x) => (float[2] y) { a = Identity(x) b = Neg(a) y = Identity(b) }"
    left, right = (rewrite_module(read(text), [forward]) for _ in range(2))
    assert structural_equal(left, right)


def test_what_no_rule_looks_into_keeps_the_variables_that_it_uses() -> None:
    x, a, b = Var("x", TensorType((3,), "float32")), Var("a"), Var("b")
    within = If(Var("c"), make_call(NEG, [a]), a)
    func = Function((x,), Let(a, make_call(IDENTITY, [x]), Let(b, make_call(ADD, [within, a]), b)))
    image = rewrite_function(func, [forward])
    assert set(free_vars(image)) == {within.cond}
    assert structural_equal(
        image, Function((x,), Let(a, x, Let(b, make_call(ADD, [within, x]), b)))
    )


def test_a_rule_says_why_it_leaves_a_call_and_where_it_fails() -> None:
    func = main(read("g (float[2] x) => (float[2] y) { y = Relu(x) }"))

    @rule("Relu")
    def leave(call: Call, graph: Rewriter) -> Expr | None:
        return Unchanged("of no use")  # type: ignore[return-value]  # as rules of other languages

    @rule("Relu")
    def fail(call: Call, graph: Rewriter) -> Expr | None:
        raise ZeroDivisionError

    @rule("Relu")
    def forget(call: Call, graph: Rewriter) -> Expr | None:
        return 3  # type: ignore[return-value]  # that is what is wrong

    assert rewrite_function(func, [leave]) is func
    with pytest.raises(ZeroDivisionError) as caught:
        rewrite_function(func, [fail])
    assert "by rule fail" in caught.value.__notes__[0]
    with pytest.raises(PassError, match="rule forget returned 3"):
        rewrite_function(func, [forget])


@pytest.mark.parametrize("names", [(), (3,), (len,)])
def test_a_rule_is_for_operators_by_name(names) -> None:
    with pytest.raises(DeclarationError, match=r"by name, as in @rule\('Relu'\); found "):
        rule(*names)
    with pytest.raises(DeclarationError, match="a rule for Relu does 3; expected a function of a"):
        rule("Relu")(3)


def test_rules_of_another_engine_are_refused() -> None:
    mod = read("g (float[2] x) => (float[2] y) { y = Identity(x) }")
    of_relay = relay_rule("nn.relu")(lambda call, _: call)
    with pytest.raises(DeclarationError, match=r"is for Op\(.*; this OnnxRules takes rules for op"):
        rewrite_module(mod, [of_relay])
    with pytest.raises(
        DeclarationError, match=r"rule forward is for \('', 'Identity'\); this Rule"
    ):
        rewrite_rules([forward], main(mod), mod)
    with pytest.raises(PassError, match="a rule for ONNX is asked about functions; found onnx::"):
        why_not(forward, bindings(main(mod))[0][1])
