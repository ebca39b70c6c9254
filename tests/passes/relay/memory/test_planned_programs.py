"""Of random programs with random marks, the plan places everything, and the value stays."""

from __future__ import annotations

import random

import pytest

import relayish as relay
from relayish.analysis import recover_virtual_device_map, well_formed
from relayish.analysis.infer_type import infer_type
from relayish.errors import PassError
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Call, Expr, Function, If, Let, Op, Tuple
from relayish.ir.relay.function_attributes import is_transparent
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.op import get_op
from relayish.op.runtime.device import DeviceCopyAttrs
from relayish.passes.relay.memory.device_plan.rules import DEVICE_RULES
from relayish.transform import ManifestLifetimes, PlanDevices, Sequential, ToANormalForm
from tests.support.random_exprs import random_arguments, random_module, same_value
from tests.support.seeds import seeds

DEVICES = [
    *(VirtualDevice(1, 0), VirtualDevice(2, 0), VirtualDevice(2, 1), VirtualDevice(2)),
    VirtualDevice(1, 0, None, "shared"),
]
SEEDS = seeds(12)
MARKS = (get_op("on_device"), get_op("device_copy"))


class Marker(ExprRewriter):
    """Puts marks around some calls."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._often = rng.choice([0.05, 0.2, 0.5])

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if self._rng.random() > self._often:
            return post
        kind = self._rng.random()
        return relay.on_device(post, self._rng.choice(DEVICES), kind < 0.1, kind < 0.9)


def check_places(mod: relay.IRModule) -> None:
    """Check that what goes into an expression is where that is, or is copied there."""
    for func in mod.functions.values():
        assert isinstance(func, Function)
        assert well_formed(func)
        device = recover_virtual_device_map(mod, func)
        for node in EXPRESSIONS.post_order(func, is_transparent):
            held: list[Expr] = []
            if type(node) is Call and type(node.op) is Op and node.op not in DEVICE_RULES:
                held = [] if node.op in MARKS else list(node.args)
                if node.op is MARKS[1]:
                    assert isinstance(node.attrs, DeviceCopyAttrs)
                    assert device[node.args[0]] == node.attrs.src_virtual_device
                    assert device[node] == node.attrs.dst_virtual_device
            elif type(node) is Let:
                assert device[node.var] == device[node.value]
                held = [node.body]
            elif type(node) is If:
                held = [node.cond, node.true_branch, node.false_branch]
            elif type(node) is Tuple:
                held = list(node.fields)
            assert {device[each] for each in held} <= {device.get(node)}


@pytest.mark.parametrize("seed", SEEDS)
def test_plan_places_everything_and_keeps_the_value(seed: int) -> None:
    rng = random.Random(seed)
    mod = random_module(seed, 50)
    args = random_arguments(mod["main"], seed)
    marked = {name: post_order_rewrite(func, Marker(rng)) for name, func in mod.functions.items()}
    plan = PlanDevices(rng.choice([("cpu",), ("gpu",), ("cpu", "gpu")]))
    try:
        planned = plan(infer_type(mod.with_functions(marked)))
    except PassError as error:
        if "is to be on two devices" not in str(error):
            raise
        return
    assert plan(planned) is planned
    check_places(planned)
    check_places(ToANormalForm()(planned))
    killed = Sequential([ToANormalForm(), ManifestLifetimes()])(planned)
    expected = evaluate(mod["main"], mod, args)
    for made in (planned, killed):
        assert same_value(evaluate(made["main"], made, args), expected)
