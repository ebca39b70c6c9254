"""Lowered programs have the types and the values of the original ones, for every target."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import relayish as relay
from relayish.analysis import count_nodes, is_a_normal_form
from relayish.analysis.infer_type import infer_type
from relayish.domain import DefaultHandler, TransformCtx, Visitor, assemble
from relayish.errors import DeclarationError, DuplicateNameError, PassError, UnknownNameError
from relayish.interpreter import evaluate
from relayish.ir.nodes.span import Span
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Call, Expr, Function, Op
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op import list_ops
from relayish.passes.relay.lowering.module import lower_module
from relayish.passes.relay.lowering.nn.handler import LowerNN
from relayish.passes.relay.lowering.targets import (
    assemble_lowering,
    list_lowering_targets,
    register_lowering_target,
)
from relayish.passes.relay.lowering.vision.handler import LowerVision
from relayish.testing import mobilenet, resnet
from relayish.testing.op_checks.trial import is_close
from relayish.transform import Lower, ToANormalForm
from relayish.transform import LowerNN as LowerNNPass
from tests.support.depth import DEPTH
from tests.support.lowered import DOMAINS, lower_for, random_calls
from tests.support.seeds import seeds

SEEDS = seeds(100)
HEADER = '#[version = "0.0.5"]\n'
CONVOLUTION = """
def @layer(%x: Tensor[(1, 3, 6, 6), float32], %w: Tensor[(4, 3, 3, 3), float32]) {
  nn.relu(nn.conv2d(%x, %w, padding=[1, 1, 1, 1], strides=[2, 1]))
}
def @main(%x: Tensor[(1, 3, 6, 6), float32], %w: Tensor[(4, 3, 3, 3), float32]) {
  nn.softmax(@layer(%x, %w))
}
"""


def parsed(text: str) -> IRModule:
    return infer_type(relay.parse(HEADER + text))


def drawn(mod: IRModule) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    types = [param.type_annotation for param in mod["main"].params]
    return [np.asarray(rng.normal(size=ty.shape), ty.dtype) for ty in types]


def called(program: IRModule | Expr) -> set[str]:
    """Return the names of the operators that are called."""
    roots = program.functions.values() if isinstance(program, IRModule) else (program,)
    nodes = [node for root in roots for node in EXPRESSIONS.post_order(root)]
    return {n.op.name for n in nodes if type(n) is Call and type(n.op) is Op}


class TestRules:
    """Rules, by operator."""

    @pytest.mark.parametrize("target", ["einsum", "matmul", "sum"])
    def test_lowered_call_keeps_type_and_value_whatever_the_call(self, target: str) -> None:
        first = {"einsum": 0, "matmul": 1, "sum": 2}[target] * 1_000_000
        for seed, name, mod, args, value in random_calls(first + seed for seed in SEEDS):
            lowered = lower_for(mod, target).module
            found = evaluate(lowered["main"], lowered, args)
            assert is_close(found, value), f"seed {seed}, {name}: {value!r} became {found!r}"

    def test_every_operator_has_a_rule_or_a_reason(self) -> None:
        handlers = {"nn": LowerNN, "vision": LowerVision}
        for name in list_ops("relay"):
            domain, _, operator = name.partition(".")
            if name.startswith(DOMAINS):
                handler = handlers[domain]
                ruled = hasattr(handler, f"handle_{operator.replace('.', '_')}")
                assert ruled != (operator in handler.inexpressible), name

    def test_reductions_along_no_axes_are_none(self) -> None:
        mod = parsed(
            "def @main(%x: Tensor[(2, 3), float32]) { nn.l2_normalize(%x, eps=0.5f, axis=[]) }"
        )
        lowered = lower_for(mod, "einsum").module
        (x,) = drawn(mod)
        assert is_close(evaluate(lowered["main"], lowered, [x]), evaluate(mod["main"], mod, [x]))


class TestNetworks:
    """Whole networks of convolutions."""

    @pytest.mark.parametrize("target", ["einsum", "matmul"])
    def test_resnet_is_lowered_whole_and_keeps_its_value(self, target: str) -> None:
        mod, params = resnet.get_workload(num_layers=8, image_shape=(3, 16, 16), num_classes=5)
        assert_same_network(mod, params, target)

    @pytest.mark.parametrize("target", ["einsum", "sum"])
    def test_mobilenet_is_lowered_whole_and_keeps_its_value(self, target: str) -> None:
        mod, params = mobilenet.get_workload(image_shape=(3, 16, 16), num_classes=5)
        assert_same_network(mod, params, target)


def assert_same_network(mod: IRModule, params: dict[str, Any], target: str) -> None:
    lowered = Lower(target=target, unlowerable="refuse")(mod)
    left = {name for name in called(lowered) if name.startswith("nn.")}
    assert left <= ({"nn.dense", "nn.batch_matmul"} if target == "matmul" else set())
    rng = np.random.default_rng(1)
    args = [
        np.asarray(rng.normal(size=p.type_annotation.shape), "float32")
        if p.name_hint == "data"
        else np.asarray(rng.normal(0, 0.1, p.type_annotation.shape), "float32")
        if not p.name_hint.endswith("var")
        else np.asarray(params[p.name_hint])
        for p in mod["main"].params
    ]
    before = evaluate(mod["main"], mod, args)
    after = evaluate(lowered["main"], lowered, args)
    np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-5)
    assert np.ptp(np.asarray(before)) > 1e-3


class TestPlacing:
    """Where the parts of a lowered call go."""

    def test_parts_are_bound_by_lets_in_a_block(self) -> None:
        mod = ToANormalForm()(parsed(CONVOLUTION))
        lowered = LowerNNPass()(mod)
        assert all(is_a_normal_form(func) for func in lowered.functions.values())
        args = drawn(mod)
        found = evaluate(lowered["main"], lowered, args)
        assert is_close(found, evaluate(mod["main"], mod, args))

    def test_new_nodes_carry_the_span_of_the_call(self) -> None:
        x = relay.var("x", shape=(2, 3))
        span = Span("net", 3, 3, 1, 9)
        call = relay.nn.softmax(x).with_fields(span=span)
        lowered = lower_for(IRModule({"main": Function([x], call)}), "einsum").module
        nodes = EXPRESSIONS.post_order(lowered["main"].body)
        assert {node.span for node in nodes if type(node) is Call} == {span}

    def test_call_stays_when_arguments_would_act_in_another_order(self) -> None:
        text = """
        def @main(%r: ref(Tensor[(1, 3), float32]), %s: ref(Tensor[(2, 3), float32])) {
          nn.fifo_buffer(ref_read(%r), ref_read(%s), axis=0)
        }
        """
        mod = parsed(text)
        found = lower_for(mod, "einsum")
        assert [left.reason for left in found.left] == [
            "its arguments act, and would in another order"
        ]


class TestSymbols:
    """What became of functions and variables."""

    def test_symbols_stay_without_a_suffix(self) -> None:
        mod = parsed(CONVOLUTION)
        lowering = lower_for(mod, "einsum")
        assert all(old is new for old, new in lowering.symbols.global_vars.items())
        assert all(old is new for old, new in lowering.symbols.variables.items())

    def test_suffix_makes_new_functions_and_variables(self) -> None:
        mod = parsed(CONVOLUTION)
        lowering = lower_for(mod, "einsum", suffix="_low")
        names = {old.name_hint: new.name_hint for old, new in lowering.symbols.global_vars.items()}
        assert names == {"layer": "layer_low", "main": "main_low"}
        assert {var.name_hint for var in lowering.module.functions} == {"layer_low", "main_low"}
        main = lowering.module["main_low"]
        images = [lowering.symbols.variables[param] for param in mod["main"].params]
        assert all(one is other for one, other in zip(images, main.params, strict=True))
        assert not set(images) & set(mod["main"].params)
        args = drawn(mod)
        found = evaluate(main, lowering.module, args)
        assert is_close(found, evaluate(mod["main"], mod, args))

    def test_suffix_that_makes_a_known_name_is_refused(self) -> None:
        mod = parsed("def @f() { nn.relu(1f) } def @f2() { @f() }")
        with pytest.raises(PassError, match="choose another suffix"):
            lower_for(mod, "einsum", suffix="2")

    def test_functions_of_other_compilers_stay_and_call_by_new_names(self) -> None:
        text = """
        def @own(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { nn.relu(%x) }
        def @other(%x: Tensor[(2), float32], Compiler="c") -> Tensor[(2), float32] {
          nn.relu(@own(%x))
        }
        """
        lowered = lower_for(parsed(text), "einsum", suffix="_low").module
        assert called(lowered["other"]) == {"nn.relu"}
        assert "own_low" in str(lowered["other"])

    def test_functions_within_that_another_compiler_owns_stay(self) -> None:
        text = """
        def @main(%x: Tensor[(2), float32]) {
          %0 = fn (%y: Tensor[(2), float32], Compiler="c") { nn.relu(%y) };
          nn.softmax(%0(%x))
        }
        """
        assert {"nn.relu", "exp"} <= called(LowerNNPass()(parsed(text)))


class TestTargets:
    """Assemblies of handlers, one for each target."""

    def test_there_are_targets_of_three_kinds(self) -> None:
        assert {"einsum", "matmul", "sum"} <= set(list_lowering_targets())

    @pytest.mark.parametrize(
        ("target", "operator"),
        [("einsum", "einsum"), ("matmul", "nn.batch_matmul"), ("sum", "sum")],
    )
    def test_target_multiplies_by_its_own_operator(self, target: str, operator: str) -> None:
        assert operator in called(Lower(target=target)(parsed(CONVOLUTION)))

    def test_handler_that_overrides_in_part_serves_its_target(self) -> None:
        class Special(LowerNN):
            def handle_relu(self, visitor: Any, node: Call) -> Expr:
                return relay.clip(visitor.visit(node.args[0]), 0.0, 1e30)

        with declared_temporarily():
            register_lowering_target("clipping", Special)
            found = called(Lower(target="clipping")(parsed(CONVOLUTION)))
        assert {"clip", "einsum", "exp"} <= found
        assert "maximum" not in found

    def test_unknown_target_is_refused_and_the_known_are_named(self) -> None:
        with pytest.raises(UnknownNameError, match=r"there are .*einsum"):
            Lower(target="einsun")(parsed(CONVOLUTION))

    def test_target_of_what_is_no_handler_is_refused(self) -> None:
        with pytest.raises(DeclarationError, match="classes of handlers"):
            register_lowering_target("odd", int)  # type: ignore[arg-type]

    def test_target_with_two_handlers_of_a_domain_is_refused(self) -> None:
        with pytest.raises(DuplicateNameError, match="nn"):
            register_lowering_target("odd", LowerNN, LowerNN)

    def test_handlers_lower_in_any_context_that_transforms(self) -> None:
        mod = parsed("def @main(%x: Tensor[(2, 3), float32]) { nn.softmax(%x) }")
        image = assemble("lower", TransformCtx()).visit(mod["main"])
        assert called(image) == {"divide", "exp", "max", "subtract", "sum"}


class TestChecks:
    """What is refused, and what is found between levels."""

    def suppression(self) -> IRModule:
        boxes = relay.var("boxes", shape=(1, 4, 6))
        counts = relay.var("counts", shape=(1,), dtype="int32")
        places = relay.var("places", shape=(1, 4), dtype="int32")
        call = relay.vision.non_max_suppression(boxes, counts, places)
        body = call.tuple_value
        return infer_type(IRModule({"main": Function([boxes, counts, places], body)}))

    def test_what_cannot_be_lowered_is_kept_with_its_reason(self) -> None:
        mod = self.suppression()
        found = lower_for(mod, "einsum")
        assert found.module is mod
        (left,) = found.left
        assert str(left).startswith("'non_max_suppression' of domain 'vision' stays: which boxes")

    def test_what_cannot_be_lowered_is_refused_on_demand(self) -> None:
        with pytest.raises(PassError, match=r"non_max_suppression.*cannot be lowered: .* a loop"):
            Lower(unlowerable="refuse")(self.suppression())

    def test_rule_that_changes_a_type_is_found(self) -> None:
        class Wrong(LowerNN):
            def handle_relu(self, visitor: Any, node: Call) -> Expr:
                return relay.expand_dims(visitor.visit(node.args[0]), axis=0)

        mod = parsed("def @main(%x: Tensor[(2), float32]) { nn.relu(%x) }")

        def assembled(context: Any) -> Any:
            return Visitor(context, Wrong, DefaultHandler("relay"))

        with pytest.raises(PassError, match=r"does not hold together: .*expected"):
            lower_module(mod, assembled)

    def test_rule_that_leaves_a_variable_free_is_found(self) -> None:
        class Wrong(LowerNN):
            def handle_relu(self, visitor: Any, node: Call) -> Expr:
                return relay.var("free", shape=(2,))

        mod = parsed("def @main(%x: Tensor[(2), float32]) { nn.relu(%x) }")
        with pytest.raises(PassError, match="does not hold together"):
            lower_module(mod, lambda c: Visitor(c, Wrong, DefaultHandler("relay")))


class TestSize:
    """Depth, sharing, and how much a program grows."""

    @pytest.mark.deep
    def test_deep_nest_of_lowered_calls_is_lowered(self) -> None:
        x = relay.var("x", shape=(2,))
        expr: Expr = x
        for _ in range(min(DEPTH, 20_000)):
            expr = relay.nn.relu(expr)
        mod = infer_type(IRModule({"main": Function([x], expr)}))
        lowered = LowerNNPass()(mod)
        assert called(lowered) == {"maximum"}

    def test_shared_calls_are_lowered_once(self) -> None:
        expr: Expr = relay.var("x", shape=(2,))
        param = expr
        for _ in range(100):
            expr = relay.nn.relu(relay.add(expr, expr))
        mod = infer_type(IRModule({"main": Function([param], expr)}))
        lowered = lower_module(mod, lambda c: assemble_lowering("einsum", c)).module
        assert count_nodes(lowered["main"]) < 4 * count_nodes(mod["main"])

    def test_program_without_such_calls_is_the_same_object(self) -> None:
        mod = parsed("def @main(%x: Tensor[(2), float32]) { exp(%x) }")
        assert Lower()(mod) is mod
        assert Lower(suffix="_low")(mod) is mod
