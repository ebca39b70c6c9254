"""Fusion into functions of at most so many arguments."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.errors import PassError
from relayish.interpreter import evaluate
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.passes.relay.fusion.fuse_ops import fuse_ops
from relayish.transform import FuseOps, InferType, PassContext
from relayish.tvm.target import Target
from tests.support.depth import DEPTH
from tests.support.random_networks import random_network, random_network_arguments
from tests.support.seeds import seeds
from tests.support.standing import check_random, close
from tests.support.work import lines_run

WHOLE = 5 * 300
"""So many nodes that nothing else stops fusion."""


def typed(func):
    return InferType()(relay.IRModule.from_expr(func))["main"]


def with_exp(name, shape):
    x = relay.var(name, shape=shape)
    return x, relay.exp(relay.add(x, relay.const(1.0)))


def sum_of(count, shape):
    params, parts = zip(*[with_exp(f"x{i}", shape) for i in range(count)], strict=True)
    total = parts[0]
    for part in parts[1:]:
        total = relay.add(total, part)
    return relay.Function(params, total)


def kernel(params, body):
    return relay.Function(params, body).with_attr("Primitive", 1)


def fused_by_hand(count, shape, inside):
    """Return that sum with ``inside`` of its parts in one kernel; each other operator is alone."""
    whole = sum_of(inside, shape)
    params = [relay.var(f"y{i}", shape=shape) for i in range(count)]
    total = relay.Call(whole.with_attr("Primitive", 1), params[:inside])
    for param in params[inside:]:
        x, part = with_exp("p", shape)
        a, b = relay.var("a", shape=shape), relay.var("b", shape=shape)
        value = relay.Call(kernel([x], part), [param])
        total = relay.Call(kernel([a, b], relay.add(a, b)), [total, value])
    return relay.Function(params, total)


@pytest.mark.parametrize(
    ("shape", "per_tensor", "result"),
    [((10, 20), 1, 1), ((relay.Any(), 20), 4, 2)],
    ids=["static", "dynamic"],
)
@pytest.mark.parametrize(("target", "most"), [("metal", 31), ("opencl", 128)])
def test_a_long_sum_is_fused_as_far_as_a_target_takes_arguments(
    shape, per_tensor, result, target, most
):
    with Target(target), PassContext(config={"relay.FuseOps.max_depth": WHOLE}):
        fused = FuseOps()(relay.IRModule.from_expr(typed(sum_of(300, shape))))["main"]
    expected = fused_by_hand(300, shape, (most - result) // per_tensor)
    assert relay.structural_equal(fused, typed(expected))


def kernels(func):
    called = [node.op for node in EXPRESSIONS.post_order(func) if isinstance(node, relay.Call)]
    return [op for op in dict.fromkeys(called) if isinstance(op, relay.Function)]


def arguments(func):
    """Return how many tensors a kernel is given, and the result."""
    total = 1
    for param in func.params:
        ty = param.type_annotation
        total += len(ty.fields) if isinstance(ty, relay.TupleType) else 1
    return total


def operators(func):
    return sum([isinstance(node, relay.Call) for node in EXPRESSIONS.post_order(func.body)])


@pytest.mark.parametrize("most", [2, 3, 5])
def test_no_kernel_of_several_operators_takes_more_and_values_stay(most):
    several = 0
    for seed in seeds(8):
        mod = InferType()(random_network(seed))
        func = mod["main"]
        fused = fuse_ops(func, max_function_args=most)
        for made in kernels(fused):
            several += operators(made) > 1
            assert operators(made) == 1 or arguments(made) <= most, (seed, str(made))
        args = random_network_arguments(mod, seed)
        assert close(evaluate(fused, mod, args), evaluate(func, mod, args), 1e-4)
    assert several


def test_a_negative_number_of_arguments_is_refused():
    mod = relay.IRModule.from_expr(typed(sum_of(2, (2,))))
    with (
        PassContext(config={"relay.FuseOps.max_function_args": -2}),
        pytest.raises(PassError, match="max_function_args is -2"),
    ):
        FuseOps()(mod)


def test_an_option_of_a_target_is_what_it_allows():
    mod = relay.IRModule.from_expr(typed(sum_of(4, (2,))))
    with Target("cuda"):
        assert len(kernels(FuseOps()(mod)["main"])) == 1
    with Target("cuda -max_function_args=2"):
        assert len(kernels(FuseOps()(mod)["main"])) > 4
        with PassContext(config={"relay.FuseOps.max_function_args": 10}):
            assert len(kernels(FuseOps()(mod)["main"])) == 1


def test_the_option_of_the_pass_comes_before_that_of_the_context():
    mod = relay.IRModule.from_expr(typed(sum_of(4, (2,))))
    with PassContext(config={"relay.FuseOps.max_function_args": 2}):
        assert len(kernels(FuseOps(max_function_args=0)(mod)["main"])) == 1


def test_looking_at_arguments_takes_linear_time():
    def work(parts):
        func = typed(sum_of(parts, (2,)))
        return lines_run(lambda: fuse_ops(func, max_function_args=16))

    assert work(400) < 2.3 * work(200)


def test_what_is_fused_once_functions_have_fewer_arguments_is_fused_at_once():
    check_random("FuseOps", 291758)  # a second application would put a tuple into a function


@pytest.mark.deep
def test_deep_programs_are_fused_into_kernels_of_few_arguments():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    body = x
    for _ in range(min(DEPTH, 20_000)):
        body = relay.add(body, y)
    fused = fuse_ops(typed(relay.Function([x, y], body)), max_function_args=4)
    assert all(arguments(made) <= 4 for made in kernels(fused))
