"""Fusion: what comes into one function, what stays out, and what it costs."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import PassError
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType
from relayish.passes.relay.fusion.fuse_ops import fuse_ops
from relayish.passes.relay.fusion.graph import FusionGraph
from relayish.passes.relay.fusion.groups import FusionGroups
from relayish.text import parse
from relayish.transform import PassContext, get_pass
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.random_exprs import random_module
from tests.support.random_networks import random_network
from tests.support.seeds import seeds

HEADER = '#[version = "0.0.5"]\n'
PAIR = TensorType((2,), "float32")
ADD, EXP = intern_op("add"), intern_op("exp")


def fused(text: str, **config: object) -> IRModule:
    with PassContext(opt_level=2, config=config):
        return get_pass("FuseOps")(parse(HEADER + text))


def kernels(mod: IRModule) -> list[Function]:
    return [
        node
        for node in EXPRESSIONS.post_order(mod["main"])
        if type(node) is Function and node.attrs is not None and "Primitive" in node.attrs
    ]


def sizes(mod: IRModule) -> list[int]:
    """Return how many calls each fused function makes, in order."""
    bodies = [EXPRESSIONS.post_order(kernel.body) for kernel in kernels(mod)]
    return sorted(sum(type(node) is Call for node in body) for body in bodies)


VECTOR = "%x: Tensor[(2), float32]"


def test_no_more_than_max_depth_operators_come_into_one_function() -> None:
    text = f"def @main({VECTOR}) {{ exp(exp(exp(exp(exp(%x))))) }}"
    assert sizes(fused(text)) == [5]
    assert sizes(fused(text, **{"relay.FuseOps.max_depth": 2})) == [1, 2, 2]
    assert sizes(fused(text, **{"relay.FuseOps.max_depth": 1})) == [1] * 5


def test_max_depth_below_one_is_refused() -> None:
    with pytest.raises(PassError, match="max_depth is 0"):
        fused(f"def @main({VECTOR}) {{ exp(%x) }}", **{"relay.FuseOps.max_depth": 0})


def test_link_params_leaves_tensor_constants_inside() -> None:
    x = Var("x", PAIR)
    body = Call(ADD, (x, Constant(np.zeros(2, "float32"))))
    mod = infer_type(IRModule.from_expr(Function((x,), body)))
    assert len(kernels(get_pass("FuseOps")(mod))[0].params) == 2
    with PassContext(config={"relay.FuseOps.link_params": True}):
        assert len(kernels(get_pass("FuseOps")(mod))[0].params) == 1


def test_level_zero_of_the_context_fuses_nothing() -> None:
    with PassContext(opt_level=0):
        mod = get_pass("FuseOps")(parse(HEADER + f"def @main({VECTOR}) {{ exp(exp(%x)) }}"))
    assert sizes(mod) == [1, 1]


@each("seed", seeds(20))
def test_what_was_fused_comes_apart_again(seed: int) -> None:
    for mod in (infer_type(random_module(seed, 60)), infer_type(random_network(seed))):
        with PassContext(opt_level=2):
            flat = get_pass("DefuseOps")(mod)  # functions that were called there before
            back = get_pass("DefuseOps")(get_pass("FuseOps")(flat))
        assert_structural_equal(back, flat)


# Cost


def typed(body: Expr, param: Var) -> Expr:
    return infer_type(IRModule.from_expr(Function((param,), body)))["main"]


def chain(count: int) -> Expr:
    expr: Expr = (param := Var("x", PAIR))
    for _ in range(count):
        expr = Call(EXP, (expr,))
    return typed(expr, param)


def nested_skips(count: int) -> Expr:
    """``add(f(add(f(x), x)), x)`` the other way round: the outermost skip spans everything."""
    expr: Expr = (param := Var("x", PAIR))
    skipped = []
    for _ in range(count // 2):
        expr = Call(EXP, (expr,))
        skipped.append(expr)
    for skip in reversed(skipped):
        expr = Call(ADD, (expr, skip))
    return typed(expr, param)


def used_everywhere(count: int) -> Expr:
    expr: Expr = (param := Var("x", PAIR))
    shared = Call(EXP, (param,))
    for _ in range(count):
        expr = Call(ADD, (expr, shared))
    return typed(expr, param)


def fan(count: int) -> Expr:
    param = Var("x", PAIR)
    shared = Call(EXP, (param,))
    level: list[Expr] = [Call(EXP, (shared,)) for _ in range(count // 2)]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [Call(ADD, pair) for pair in pairs] + level[len(level) & ~1 :]
    return typed(level[0], param)


@pytest.mark.parametrize("make", [chain, nested_skips, used_everywhere, fan])
def test_few_steps_are_taken_between_a_node_and_its_dominator(make: object) -> None:
    assert callable(make)
    for count in (500, 5000):
        groups = FusionGroups(FusionGraph(make(count)), 256)
        groups.fuse()
        assert groups.steps <= 3 * count


TYPED_NESTS = sorted(DEEP_NESTS.keys() - {"function_nest"})  # its parameters could be anything


@pytest.mark.deep
@pytest.mark.parametrize("nest", TYPED_NESTS)
def test_depth_is_no_limit(nest: str) -> None:
    func = typed(DEEP_NESTS[nest](min(DEPTH, 30_000)), Var("x", PAIR))
    calls = nest in ("call_chain", "projection_nest")
    assert (fuse_ops(func) is func) != calls


@pytest.mark.deep
def test_depth_of_functions_is_no_limit() -> None:
    expr: Expr = (param := Var("x", PAIR))
    for _ in range(min(DEPTH, 30_000)):
        expr = Function((Var("y", PAIR),), Call(EXP, (expr,)) if expr is param else expr)
    assert fuse_ops(typed(expr, param)) is not expr


def test_sharing_is_kept() -> None:
    x = Var("x", PAIR)
    func = typed(doublings(100, x), x)
    assert len(EXPRESSIONS.post_order(fuse_ops(func))) < 250


@each("view", [True, False])
def test_functions_of_one_sort_have_one_object_of_attributes(view):
    last = "reshape(%a, newshape=[4])" if view else "exp(%a)"
    mod = fused(
        f"""
        def @main(%x: Tensor[(2, 2), float32], %y: Tensor[(2, 2), float32]) {{
          let %a = %x; ({last}, {last.replace("%a", "%y")})
        }}
        """
    )
    one, other = (kernel.attrs for kernel in kernels(mod))
    assert one is other
    assert ("relay.reshape_only" in one) is view
