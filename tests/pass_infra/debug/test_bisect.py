"""Which pass is at fault, and the least program that shows it."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.errors import ContradictionError, PassError
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.nodes.node import declared_temporarily
from relayish.ir.relay.expr import Call, Expr, Function, Op, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op import get_op, register_op
from relayish.pass_infra.debug.bisect import bisect
from relayish.pass_infra.debug.shrink import shrink
from relayish.text import parse
from relayish.transform import PassContext, Sequential, function_pass, get_pass
from tests.support.random_exprs import random_module
from tests.support.seeds import seeds

HEADER = '#[version = "0.0.5"]\n'
PROGRAM = parse(
    HEADER
    + """
    def @helper(%z: Tensor[(2), float32]) { tanh(%z) }
    def @main(%x: Tensor[(2), float32], %y: Tensor[(2), float32], %c: bool) {
      let %a = add(%x, %y);
      let %b = if (%c) { exp(negative(%a)) } else { @helper(%a) };
      (multiply(%b, %b), sqrt(%a))
    }
    """
)


def calls(mod: IRModule, name: str) -> int:
    """Return how many calls of an operator there are."""
    return sum(
        isinstance(node, Call) and node.op is get_op(name)
        for func in mod.functions.values()
        for node in EXPRESSIONS.post_order(func)
    )


class Swap(ExprRewriter):
    """Puts ``log`` where ``exp`` is."""

    def rewrite_op(self, pre: Op, post: Expr) -> Expr:
        return get_op("log") if pre.name == "exp" else post


@function_pass(opt_level=0)
def Wrong(func, mod, ctx):
    return post_order_rewrite(func, Swap())


@function_pass(opt_level=0)
def Raising(func, mod, ctx):
    if any(node is get_op("tanh") for node in EXPRESSIONS.post_order(func)):
        raise KeyError("tanh")
    return func


def has_log(before: IRModule, after: IRModule) -> str | None:
    return "there is a log" if calls(after, "log") else None


def test_stepwise_no_pass_is_at_fault_for_what_several_did_together() -> None:
    @function_pass(opt_level=0)
    def More(func, mod, ctx):
        return Function(func.params, Call(get_op("exp"), [func.body]), func.ret_type)

    def grew(before: IRModule, after: IRModule) -> str | None:
        more = calls(after, "exp") - calls(before, "exp")
        return f"{more} more" if more > 1 else None

    program = parse(f"{HEADER}def @main(%x: Tensor[(2), float32]) {{ exp(%x) }}")
    twice = Sequential([More, More])
    found = bisect(twice, program, grew)
    assert found is not None
    assert (found.position, found.message, found.function) == (1, "2 more", "main")
    assert bisect(twice, program, grew, is_stepwise=True) is None

    @function_pass(opt_level=0)
    def Most(func, mod, ctx):
        return More.transform_function(More.transform_function(func, mod, ctx), mod, ctx)

    found = bisect(Sequential([More, Most]), program, grew, is_stepwise=True)
    assert found is not None
    assert (found.name, found.position, found.message) == ("Most", 1, "2 more")
    assert found.function == "main"


def test_the_first_pass_after_which_something_is_wrong_is_named() -> None:
    found = bisect(Sequential(["FoldConstant", Wrong, "DeadCodeElimination"]), PROGRAM, has_log)
    assert found is not None
    assert (found.name, found.message) == ("Wrong", "there is a log")
    assert found.position == len(Sequential(["FoldConstant"]).plan())


def test_the_program_that_shows_the_fault_is_shrunk_to_its_cause() -> None:
    found = bisect(Sequential([Wrong]), PROGRAM, has_log)
    assert found is not None
    expected = parse(HEADER + "def @main(%cut: Tensor[(2), float32]) { exp(%cut) }")
    assert_structural_equal(untyped(found.shrunk), untyped(expected))


def untyped(mod: IRModule) -> IRModule:
    return IRModule({var: func.with_fields(ret_type=None) for var, func in mod.functions.items()})


def test_a_pass_that_raises_is_at_fault() -> None:
    found = bisect(Sequential(["InferType", Raising]), PROGRAM, lambda before, after: None)
    assert found is not None
    assert (found.name, found.message) == ("Raising", "KeyError: 'tanh'")
    assert calls(found.shrunk, "tanh") == 1
    assert sum(len(EXPRESSIONS.post_order(f)) for f in found.shrunk.functions.values()) <= 4


def test_pass_that_computes_with_a_faulty_operator_is_not_at_fault() -> None:
    with declared_temporarily():
        register_op(
            "tests.grow",
            arguments=("data",),
            rule=lambda _, data: data,
            evaluate=lambda _, data: np.concatenate([data, data]),
        )
        call = relay.add(relay.tests.grow(relay.const([1.0, 2.0])), relay.const([1.0, 2.0]))
        mod = IRModule.from_expr(Function([], call))
        told = r"evaluate of tests\.grow returned float32\[4\]"
        with pytest.raises(ContradictionError, match=told) as caught:
            bisect(Sequential(["InferType", "FoldConstant"]), mod, lambda before, after: None)
        assert "in pass FoldConstant" in caught.value.__notes__


def test_a_pass_is_traced_once_though_it_is_run_again_on_smaller_programs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = bisect(Sequential([Wrong.with_common(trace_ir_after=True)]), PROGRAM, has_log)
    assert found is not None
    assert found.shrunk is not found.before
    assert capsys.readouterr().out.count("// after Wrong\n") == 1


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    assert bisect(Sequential(["FoldConstant"]), PROGRAM, has_log) is None


def test_a_program_at_fault_from_the_start_is_refused() -> None:
    with pytest.raises(PassError, match="at fault before any pass: there is a log"):
        bisect(Sequential([]), Wrong(PROGRAM), has_log)


def test_passes_inside_others_are_looked_at_one_by_one() -> None:
    nested = Sequential([Sequential(["FoldConstant", Wrong]), "DeadCodeElimination"])
    found = bisect(nested, PROGRAM, has_log, most_tries=0)
    assert found is not None
    assert found.name == "Wrong"
    assert found.shrunk is found.before


def test_passes_the_context_disables_are_not_run() -> None:
    with PassContext(disabled_pass=["Wrong"]):
        assert bisect(Sequential([Wrong]), PROGRAM, has_log) is None


def test_shrinking_stops_after_so_many_tries() -> None:
    tries = []

    def still(mod: IRModule) -> bool:
        tries.append(mod)
        return bool(calls(mod, "exp"))

    shrink(PROGRAM, still, most_tries=3)
    assert len(tries) <= 3


def test_shrinking_leaves_a_definition_though_none_is_needed() -> None:
    assert len(shrink(PROGRAM, lambda _: True)) == 1


def test_shrinking_keeps_what_is_used_though_the_program_is_broken() -> None:
    mod = parse(HEADER + "def @g() { @f() } def @main() { (@g(), 1) } def @f() { 1 }")
    broken = mod.with_function("f", Function((), Var("free")))
    tried = []

    def uses_main(mod: IRModule) -> bool:
        tried.append(mod)
        return "main" in mod

    shrink(broken, uses_main)
    assert all("f" in mod for mod in tried if "g" in mod)


def test_shrunk_programs_still_show_it_and_are_no_larger() -> None:
    for seed in seeds(15):
        mod = random_module(seed, 60)
        if not calls(mod, "add"):
            continue
        small = shrink(mod, lambda made: calls(made, "add") > 0, most_tries=300)
        assert calls(small, "add") >= 1
        assert size(small) <= size(mod)


def size(mod: IRModule) -> int:
    return sum(len(EXPRESSIONS.post_order(func)) for func in mod.functions.values())


def test_an_error_raised_elsewhere_does_not_show_the_same_fault() -> None:
    @function_pass(opt_level=0)
    def Picky(func, mod, ctx):
        if len(func.params) < 2:
            raise PassError("too few parameters")
        if calls(mod, "exp"):
            raise PassError("no exponentials")
        return func

    mod = parse(
        """#[version = "0.0.5"]
        def @main(%x: float32, %y: float32) { add(tanh(exp(%x)), log(%y)) }"""
    )
    found = bisect(Picky, mod, lambda _before, _after: None)
    assert found is not None
    assert found.message == "PassError: no exponentials"
    assert calls(found.shrunk, "exp") == 1
    assert calls(found.shrunk, "log") == 0


def test_bisect_refuses_a_pipeline_in_text():
    with pytest.raises(PassError, match=r"takes a pass; found 'FoldConstant'; .* parse_pipeline"):
        bisect("FoldConstant", IRModule(), lambda _before, _after: None)


def test_fault_that_answers_yes_or_no_is_refused():
    with pytest.raises(PassError, match="as a str, or None; found False"):
        bisect(get_pass("FoldConstant"), IRModule(), lambda _before, _after: False)
