"""Annotating, merging and partitioning, one after the other, on random programs."""

from __future__ import annotations

import random

import numpy as np
import pytest

import relayish as relay
from relayish import transform
from relayish.analysis import free_vars, well_formed
from relayish.analysis.infer_type import infer_type
from relayish.interpreter import evaluate
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op.declaration.registry import get_op
from relayish.op.declaration.target import register_target_support
from relayish.passes.relay.offload.annotate_target import annotate_target
from relayish.passes.relay.offload.annotations import begin, end, is_begin
from relayish.passes.relay.offload.contraction import Contraction
from relayish.passes.relay.offload.merge_compiler_regions import (
    merge_compiler_regions,
    merge_regions,
)
from relayish.passes.relay.offload.regions import Regions
from relayish.passes.relay.offload.scope_marks import mark_between_scopes
from relayish.text import parse
from tests.support.deep import DEEP_NESTS
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.random_exprs import random_arguments, random_module, same_value
from tests.support.random_networks import random_network, random_network_arguments
from tests.support.seeds import seeds
from tests.support.standing import close

HEADER = '#[version = "0.0.5"]\n'
PAIR = relay.TensorType((2,), "float32")
PIPELINES = (
    "AnnotateTarget{targets=[random_a, random_b]}",
    "AnnotateTarget{targets=[random_b, random_a], include_non_call_ops=false}",
)


def offloaded(mod: relay.IRModule, pipeline: str, merge: bool) -> relay.IRModule:
    """Return the module partitioned, checked on the way."""
    text = f"{pipeline}{',MergeCompilerRegions' if merge else ''},PartitionGraph"
    for pass_ in transform.parse_pipeline(text).passes:
        with transform.PassContext(opt_level=3):
            out = pass_(mod)
        assert all(well_formed(func) for func in out.functions.values())
        infer_type(out, fresh=True)
        with transform.PassContext(opt_level=3):
            assert not pass_.info.idempotent or pass_(out) is out
        mod = out
    assert "compiler_begin" not in str(mod)
    return mod


def count(mod: relay.IRModule) -> int:
    return sum(
        isinstance(func, relay.Function) and func.attrs is not None and "Compiler" in func.attrs
        for func in mod.functions.values()
    )


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_programs_keep_their_value(pipeline: str) -> None:
    found = merged = 0
    for seed in seeds(10):
        mod = random_module(seed, 60)
        args = random_arguments(mod["main"], seed)
        expected = evaluate(mod["main"], mod, args)
        for merge in (False, True):
            out = offloaded(infer_type(mod), pipeline, merge)
            assert same_value(evaluate(out["main"], out, args), expected), seed
            found, merged = found + (not merge) * count(out), merged + merge * count(out)
    assert found > merged > 0


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_networks_keep_their_value(pipeline: str) -> None:
    found = merged = 0
    for seed in seeds(10):
        mod = random_network(seed)
        args = random_network_arguments(mod, seed)
        expected = evaluate(mod["main"], mod, args)
        for merge in (False, True):
            out = offloaded(infer_type(mod), pipeline, merge)
            assert close(evaluate(out["main"], out, args), expected, 0.0), seed
            found, merged = found + (not merge) * count(out), merged + merge * count(out)
    assert found > merged > 0


# Targets


def test_target_takes_what_it_was_registered_for() -> None:
    register_target_support(
        "nn.relu", "some", lambda call: len(call.args[0].checked_type.shape) == 1
    )
    mod = annotated("def @main(%x: Tensor[(2), float32]) { nn.relu(%x) }", "some")
    assert str(mod).count('compiler="some"') == 2
    mod = annotated("def @main(%x: Tensor[(2, 2), float32]) { nn.relu(%x) }", "some")
    assert str(mod).count('compiler="default"') == 2
    with pytest.raises(relay.DuplicateNameError):
        register_target_support("nn.relu", "some")
    register_target_support("nn.relu", "some", replace=True)
    with pytest.raises(relay.UnknownNameError):
        register_target_support("nn.rellu", "some")
    with pytest.raises(relay.FieldError):
        register_target_support("nn.relu", "default")


def annotated(text: str, *targets: str) -> relay.IRModule:
    return transform.AnnotateTarget(targets)(parse(HEADER + text))


COMPOSITE = """
def @main(%x: Tensor[(2), float32]) {
  %0 = fn (%y: Tensor[(2), float32], Composite="some.pair") { exp(tanh(%y)) };
  %0(%x)
}
"""


def test_composite_function_is_for_the_target_in_its_name() -> None:
    mod = annotated(COMPOSITE, "random_a", "some")
    assert str(mod).count('compiler="some"') == 2
    out = transform.PartitionGraph()(mod)
    assert "Composite" in str(out["tvmgen_default_some_main_0"])
    with pytest.warns(relay.IgnoredNameWarning, match="no operator is registered for .*'other'"):
        assert str(annotated(COMPOSITE, "other")).count('compiler="default"') == 2


@pytest.mark.parametrize("others", [1, 2, 5])
def test_composite_function_is_found_in_a_module_of_several(others: int) -> None:
    helpers = [f"def @f{at}(%a: Tensor[(2), float32]) {{ exp(%a) }}" for at in range(others)]
    assert str(annotated("\n".join([*helpers, COMPOSITE]), "some")).count('compiler="some"') == 2


def test_marks_of_the_default_give_way_and_others_stay() -> None:
    text = "def @main(%x: Tensor[(2), float32]) { exp(%x) }"
    with pytest.warns(
        relay.IgnoredNameWarning, match="the target 'nothing', .* takes nothing over"
    ):
        unknown = annotated(text, "nothing")
    assert str(unknown).count('compiler="default"') == 2
    taken = transform.AnnotateTarget("random_b")(unknown)
    assert str(taken).count('compiler="random_b"') == 2
    with pytest.warns(relay.IgnoredNameWarning, match="the target 'nothing'"):
        assert transform.AnnotateTarget("nothing")(taken) is taken


def test_target_that_is_misspelt_is_warned_of_with_a_suggestion() -> None:
    mod = annotated("def @main(%x: Tensor[(2), float32]) { exp(%x) }", "random_b")
    with pytest.warns(relay.IgnoredNameWarning, match=r"'randm_b'.*; did you mean random_b\?;"):
        transform.AnnotateTarget(["randm_b"])(mod)


def test_what_was_merged_for_one_target_is_not_taken_by_another() -> None:
    text = """def @main(%x: Tensor[(2), float32]) {
      %0 = exp(negative(%x));
      nn.relu(tanh(nn.relu(%0)))
    }"""
    merge = transform.MergeCompilerRegions()
    for name in ("exp", "negative"):
        register_target_support(name, "first", replace=True)
    for name in ("exp", "nn.relu", "tanh"):
        register_target_support(name, "second", replace=True)
    first = merge(annotated(text, "first"))
    assert str(first).count('compiler="first"') == 2
    both = merge(transform.AnnotateTarget("second")(first))
    assert str(both).count('compiler="first"') == str(both).count('compiler="second"') == 2
    x = np.array([-1.5, 2.0], "float32")
    out = transform.PartitionGraph()(both)
    assert len(out.functions) == 3
    assert same_value(evaluate(out["main"], out, [x]), evaluate(first["main"], first, [x]))


REFERENCE = "def @main(%x: float32) { ref_read(ref(exp(%x))) }"


def test_references_are_never_taken_over() -> None:
    for non_calls in (False, True):
        marked = transform.AnnotateTarget("random_b", include_non_call_ops=non_calls)(
            parse(HEADER + REFERENCE)
        )
        mod = transform.PartitionGraph()(transform.MergeCompilerRegions()(marked))
        assert isinstance(mod["main"].body, relay.RefRead)
        assert type(mod["main"].body.ref) is relay.RefCreate


@pytest.mark.parametrize("non_calls", [False, True])
def test_references_are_marked_for_the_default_if_asked_to(non_calls: bool) -> None:
    """As TVM marks them; the relu alone is for another compiler."""
    register_target_support("nn.relu", "only_relu", replace=True)
    before = "def @main() { %0 = ref(1f); ref_write(%0, nn.relu(ref_read(%0))) }"
    marks = {
        name: f'annotation.compiler_{kind}({{}}, compiler="{target}")'.format
        for name, kind, target in (
            ("begin", "begin", "default"),
            ("end", "end", "default"),
            ("enter", "begin", "only_relu"),
            ("leave", "end", "only_relu"),
        )
    }
    begin, end = (marks[n] if non_calls else str for n in ("begin", "end"))
    enter, leave = marks["enter"], marks["leave"]
    ref = begin(end("%0"))
    read = end(f"ref_read({ref})")
    written = begin(leave(f"nn.relu({enter(read)})"))
    write = end(f"ref_write({ref}, {written})")
    after = f"def @main() {{ %0 = ref({begin('1f')}); {write} }}"
    found = transform.AnnotateTarget("only_relu", include_non_call_ops=non_calls)(
        parse(HEADER + before)
    )
    assert_structural_equal(infer_type(found), infer_type(parse(HEADER + after)))
    assert transform.AnnotateTarget("only_relu", include_non_call_ops=non_calls)(found) is found


BRANCHES = """def @main(%x: Tensor[(2), float32], %c: bool) {{
  %0 = {};
  if (%c) {{ annotation.compiler_end(exp(%0), compiler="some") }}
  else {{ annotation.compiler_end(tanh(%0), compiler="some") }}
}}"""


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize(
    ("shared", "functions"),
    [
        ('annotation.compiler_begin(%x, compiler="some")', 2),
        ('nn.relu(annotation.compiler_begin(%x, compiler="some"))', 3),
    ],
)
def test_what_branches_share_is_computed_before_and_they_only_if_taken(
    shared: str, functions: int, merge: bool
) -> None:
    """TVM merges it with both branches into one region, of which one function computes both."""
    mod = infer_type(parse(HEADER + BRANCHES.format(shared)))
    marked = transform.MergeCompilerRegions()(mod) if merge else mod
    out = transform.PartitionGraph()(marked)
    assert len(out) == 1 + functions
    called = EXPRESSIONS.post_order(out["main"].body)
    branch = next(node for node in called if isinstance(node, relay.If))
    assert isinstance(branch.true_branch, relay.Call)
    assert isinstance(branch.false_branch, relay.Call)
    assert branch.true_branch.op is not branch.false_branch.op
    x = np.array([-1.5, 2.0], "float32")
    for taken in (np.bool_(True), np.bool_(False)):
        args = [x, taken]
        assert same_value(evaluate(out["main"], out, args), evaluate(mod["main"], mod, args))


@pytest.mark.deep
def test_what_nested_branches_share_enters_each_once() -> None:
    depth = min(DEPTH, 20_000)
    x, cond, relu, exp = relay.Var("x"), relay.Var("c"), get_op("nn.relu"), get_op("exp")
    shared = relay.Call(relu, (begin(x, "some"),))
    nest: relay.Expr = end(relay.Call(exp, (shared,)), "some")
    for _ in range(depth):
        nest = relay.If(cond, nest, end(relay.Call(exp, (shared,)), "some"))
    marked = mark_between_scopes(relay.Function((x, cond), nest))
    assert sum(map(is_begin, EXPRESSIONS.post_order(marked))) == 1 + depth + 1
    assert mark_between_scopes(marked) is marked


# What goes wrong


@pytest.mark.parametrize("pass_", ["MergeCompilerRegions", "PartitionGraph"])
def test_marks_that_were_fused_are_refused(pass_: str) -> None:
    mod = annotated("def @main(%x: Tensor[(2), float32]) { exp(%x) }", "random_b")
    with pytest.raises(relay.PassError, match=r"inside a primitive function.*FuseOps after"):
        transform.parse_pipeline(f"FuseOps,{pass_}")(mod)


def test_constants_that_enter_are_bound_unless_told_otherwise() -> None:
    text = "def @main(%x: Tensor[(2), float32]) { add(%x, 1f) }"
    mod = annotated(text, "random_a")
    assert len(transform.PartitionGraph()(mod)["tvmgen_default_random_a_main_0"].params) == 1
    out = transform.PartitionGraph("lib", bind_constants=False)(mod)
    assert len(out["tvmgen_lib_random_a_main_0"].params) == 2


def test_name_that_is_taken_is_not_taken_twice() -> None:
    mod = annotated("def @main(%x: Tensor[(2), float32]) { exp(%x) }", "random_b")
    taken = mod.with_functions({"tvmgen_default_random_b_main_0": mod["main"]})
    out = transform.PartitionGraph()(taken)
    assert "tvmgen_default_random_b_main_0_1" in out


# Cost and depth


def chain(count: int) -> relay.Expr:
    expr: relay.Expr = (param := relay.Var("x", PAIR))
    for level in range(count):
        expr = relay.Call(get_op("exp" if level % 5 else "nn.softmax"), (expr,))
    return relay.Function((param,), expr)


def one_region(count: int) -> relay.Expr:
    expr: relay.Expr = (param := relay.Var("x", PAIR))
    for _ in range(count):
        expr = relay.Call(get_op("add"), (expr, relay.Call(get_op("exp"), (relay.Var("w", PAIR),))))
    return relay.Function((param, *free_vars(expr)[1:]), expr)


def nested_skips(count: int) -> relay.Expr:
    expr: relay.Expr = (param := relay.Var("x", PAIR))
    skipped = []
    for level in range(count // 3):
        expr = relay.Call(get_op("exp" if level % 2 else "nn.softmax"), (expr,))
        skipped.append(expr)
    for skip in reversed(skipped):
        expr = relay.Call(get_op("add"), (relay.Call(get_op("nn.softmax"), (expr,)), skip))
    return relay.Function((param,), expr)


@pytest.mark.parametrize("make", [chain, one_region, nested_skips])
def test_few_steps_are_taken_to_tell_whether_regions_may_be_merged(make: object) -> None:
    assert callable(make)
    for count in (300, 3000):
        regions = Regions(annotate_target(make(count), targets="random_b"))
        assert merge_regions(regions).steps <= 2 * count


def test_what_is_computed_by_one_compiler_becomes_one_region() -> None:
    func = annotate_target(one_region(1000), targets="random_b")
    merged = merge_compiler_regions(func)
    assert len(Regions(merged).regions) == 1


@pytest.mark.deep
@pytest.mark.parametrize("nest", DEEP_NESTS)
def test_depth_is_no_limit(nest: str) -> None:
    func = relay.Function((), DEEP_NESTS[nest](min(DEPTH, 10_000)))
    merged = merge_compiler_regions(annotate_target(func, targets="random_b"))
    assert isinstance(merged, relay.Function)


@each("seed", seeds(60))
def test_contraction_merges_exactly_what_makes_no_cycle(seed: int) -> None:
    choose = random.Random(seed)
    count = 14
    edges = [(a, b) for a in range(count) for b in range(a + 1, count) if choose.random() < 0.2]
    graph = Contraction([[b for a, b in edges if a == vertex] for vertex in range(count)])
    group = list(range(count))
    for one, other in choose.sample(edges, len(edges)):
        wanted = [group[other] if g == group[one] else g for g in group]
        apart = group[one] != group[other] and acyclic(wanted, edges)
        assert graph.merge(one, other) == apart
        group = wanted if apart else group


def acyclic(group: list[int], edges: list[tuple[int, int]]) -> bool:
    left = {(group[a], group[b]) for a, b in edges if group[a] != group[b]}
    vertices = set(group)
    while sources := vertices - {b for _, b in left}:
        vertices -= sources
        left = {(a, b) for a, b in left if a not in sources}
    return not vertices
