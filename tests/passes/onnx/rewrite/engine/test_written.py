"""What rules write that no schema defines: it is not applied, and told."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pytest

pytest.importorskip("onnx")

from relayish.errors import PassError, RuleWarning
from relayish.ir.relay.expr import Call, Constant, Expr, Tuple, TupleGetItem, Var
from relayish.onnx import find_operator, make_call
from relayish.passes.onnx.opset.adapters import ADAPTERS
from relayish.passes.onnx.opset.convert_opset import convert_opset
from relayish.passes.onnx.opset.step import Step
from relayish.passes.onnx.rewrite.engine import Rewriter, rewrite_module, rewriter, rule
from relayish.passes.onnx.rewrite.engine.written import find_fault
from tests.passes.onnx.graphs import operators, read

pytestmark = pytest.mark.references

NEG = find_operator("Neg", 13)
Write = Callable[[Call, Rewriter], Expr]

TWO = "g (float[2,3] x, int64[2,3] k) => (float[2,3] y) { z = Neg(x) y = Abs(z) }"


def call_of(operator: str, since: int, **attributes: object) -> Write:
    """Return a rule that writes an operator, in whatever version, on the inputs of the call."""
    return lambda call, _graph: make_call(find_operator(operator, since), call.args, attributes)


def mix(call: Call, graph: Rewriter) -> Expr:
    """Add integers to floats."""
    return graph.call("Add", [call.args[0], graph.function.params[1]])


def emit_mix(call: Call, graph: Rewriter) -> Expr:
    """Let what is wrong stand before what is returned."""
    return graph.call("Neg", [graph.emit("mixed", mix(call, graph))])


def nest_mix(call: Call, graph: Rewriter) -> Expr:
    """Let what is wrong stand within what is returned."""
    return graph.call("Neg", [mix(call, graph)])


def project(call: Call, graph: Rewriter) -> Expr:
    """Return one of two results, which is of another shape."""
    found = graph.call("Split", call.args, {"axis": 1, "num_outputs": 2}, outputs=2)
    return TupleGetItem(found, 0)


@pytest.mark.parametrize(
    ("write", "told"),
    [
        (call_of("Gelu", 13), "Gelu .version 13. does not exist"),
        (call_of("Gelu", 20), "Gelu .version 20. is not in version 18 of the operator set"),
        (call_of("Cast", 13), "required attribute 'to' is missing"),
        (call_of("Relu", 14, slope=2.0), "unrecognized attribute: slope"),
        (call_of("Softmax", 13, axis=2), "'axis' must be in"),
        (call_of("Concat", 13, axis="x"), "mismatched attribute type"),
        (call_of("Add", 14), "has 1 inputs; expected 2"),
        (call_of("Not", 1), "expected one of tensor.bool."),
        (mix, "A has type tensor.float., B tensor.int64."),
        (emit_mix, "A has type tensor.float., B tensor.int64."),
        (nest_mix, "A has type tensor.float., B tensor.int64."),
        (call_of("Cast", 13, to=7), "it is of type .*int64.*, and not of .*float32"),
        (call_of("Transpose", 13, perm=[1, 0]), "type .*3, 2.*, and not of .*2, 3"),
        (call_of("Unsqueeze", 11, axes=[0]), "type .*1, 2, 3.*, and not of .*2, 3"),
        (project, "type .*2, 2.*, and not of .*2, 3"),
        (lambda _call, graph: graph.function.params[1], "it is of type .*int64"),
        (lambda _call, _graph: Constant(np.zeros((2, 3))), "it is of type .*float64"),
        (lambda _call, _graph: Var("q"), "%q is bound nowhere in the function"),
        (lambda _call, graph: graph.call("Neg", [Var("q")]), "%q is bound nowhere"),
        (lambda _call, graph: Tuple([graph.emit("n", make_call(NEG, [Var("q")]))]), "%q is bound"),
        (lambda _call, graph: graph.call("Neg", [graph.current]), "computed from itself"),
        (lambda _call, graph: graph.current, "%y would be computed from itself"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_rule_that_writes_what_is_not_defined_is_not_applied(write: Write, told: str) -> None:
    mod = read(TWO, opset=18)
    with pytest.warns(RuleWarning, match=f"rule spoil is not applied to %y: .*{told}"):
        image = rewrite_module(mod, [rule("Abs")(_named(write))])
    assert image is mod


def _named(write: Write) -> Write:
    def spoil(call: Call, graph: Rewriter) -> Expr:
        return write(call, graph)

    return spoil


def test_what_a_rule_asked_about_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[Expr] = []

    def judge(var: Var, new: Expr, graph: Rewriter, before: Iterable[Expr]) -> str | None:
        judged.append(new)
        return find_fault(var, new, graph, before)

    monkeypatch.setattr(rewriter, "find_fault", judge)

    @rule("Abs")
    def turn(call: Call, graph: Rewriter) -> Expr:
        made = graph.call("Sign", call.args)
        assert graph.find_fault(made) is None
        return made

    assert operators(rewrite_module(read(TWO), [turn])) == ["Neg", "Sign"]
    assert len(judged) == 1


def test_what_is_written_after_a_rule_asked_is_judged() -> None:
    @rule("Abs")
    def spoil(call: Call, graph: Rewriter) -> Expr:
        made = graph.call("Sign", call.args)
        assert graph.find_fault(made) is None
        graph.emit("mixed", mix(call, graph))
        return made

    with pytest.warns(RuleWarning, match="rule spoil is not applied to %y"):
        image = rewrite_module(read(TWO), [spoil])
    assert operators(image) == ["Neg", "Abs"]


def test_several_variables_are_bound_anew_together_or_not_at_all() -> None:
    mod = read(TWO)

    @rule("Abs")
    def spoil(call: Call, graph: Rewriter) -> Expr | None:
        inner = call.args[0]
        images = {
            inner: graph.call("Relu", [graph.function.params[0]]),
            graph.current: mix(call, graph),
        }
        graph.rebind(images, "spoil")
        return None

    with pytest.warns(RuleWarning, match="rule spoil is not applied to %y"):
        image = rewrite_module(mod, [spoil])
    assert operators(image) == ["Neg", "Abs"]


def test_nothing_is_asked_of_what_stands_for_a_call_that_breaks_a_rule() -> None:
    mod = read("g (float[2] x, int64[2] k) => (y) { z = Add(x, k) y = Abs(z) }")

    @rule("Add")
    def turn(call: Call, graph: Rewriter) -> Expr:
        return graph.call("Sub", call.args)

    assert operators(rewrite_module(mod, [turn])) == ["Sub", "Abs"]


def test_only_results_that_are_used_have_to_be_as_they_were() -> None:
    mod = read("g (float[4] x) => (float[2] y) { y, z = Split(x) }", opset=13)

    @rule("Split")
    def halve(call: Call, graph: Rewriter) -> Expr:
        half = graph.emit("half", graph.call("Slice", [
            call.args[0], graph.emit_constant("begin", [0]), graph.emit_constant("end", [2])
        ]))  # fmt: skip
        return Tuple([half, Tuple(())])

    assert operators(rewrite_module(mod, [halve])) == ["Slice"]


def test_a_conversion_that_is_not_defined_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def forget_axes(step: Step) -> Expr:
        step.pop("axes")
        return step.finish()

    monkeypatch.setitem(ADAPTERS, ("Unsqueeze", 13), forget_axes)  # type: ignore[arg-type]
    mod = read("g (float[2] x) => (float[1,2] y) { y = Unsqueeze<axes=[0]>(x) }", opset=11)
    told = (
        r"cannot convert Unsqueeze .*1 to version 13.* is not defined: .*has 1 inputs; expected 2"
    )
    with pytest.raises(PassError, match=told):
        convert_opset(mod, version=17)
