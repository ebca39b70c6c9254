"""The device of each expression of a planned program."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.analysis import recover_virtual_device_map
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Let, Var
from relayish.ir.relay.virtual_device import ANY_DEVICE, VirtualDevice
from relayish.op import get_op
from relayish.transform import InferType, PlanDevices
from tests.support.depth import DEPTH

CPU, GPU = VirtualDevice(1, 0), VirtualDevice(2, 0)


def test_devices_are_told_by_scoping():
    a, b, c = (relay.var(name, shape=(2,)) for name in "abc")
    body = relay.subtract(relay.on_device(relay.add(a, b), CPU), relay.exp(c))
    mod = PlanDevices("gpu")(InferType()(relay.IRModule.from_expr(Function((a, b, c), body))))
    main = mod["main"]
    found = recover_virtual_device_map(mod, main)
    copy, second = main.body.args
    (marked,) = copy.args
    assert [found[param] for param in main.params] == [CPU, CPU, GPU]
    assert [found[node] for node in (marked, marked.args[0])] == [CPU, CPU]
    assert [found[node] for node in (copy, second, main.body, main)] == [GPU] * 4
    assert get_op("add") not in found


def test_variables_of_lets_are_where_their_values_are():
    x, y, z = Var("x", virtual_device=CPU), Var("y"), Var("z")
    on_gpu = relay.on_device(relay.exp(x), GPU, constrain_result=True)
    func = Function((x,), Let(y, on_gpu, Let(z, y, relay.tanh(z))), virtual_device=CPU)
    found = recover_virtual_device_map(None, func)
    assert (found[x], found[y], found[z], found[func.body]) == (CPU, GPU, GPU, CPU)


def test_functions_and_names_are_where_their_results_are():
    x, p = Var("x", virtual_device=CPU), Var("p")
    kernel = Function((p,), relay.exp(p)).with_attr("Primitive", 1)
    name = GlobalVar("f")
    defined = Function((p,), p, virtual_device=GPU)
    func = Function((x,), Call(kernel, (Call(name, (x,)),)), virtual_device=CPU)
    found = recover_virtual_device_map(relay.IRModule({name: defined}), func)
    assert (found[name], found[kernel]) == (GPU, CPU)
    assert recover_virtual_device_map(None, func)[name] is ANY_DEVICE


@pytest.mark.deep
def test_devices_are_told_at_any_depth():
    x = Var("x", virtual_device=CPU)
    body: Expr = x
    for _ in range(DEPTH):
        body = Call(get_op("exp"), (body,))
    found = recover_virtual_device_map(None, Function((x,), body, virtual_device=GPU))
    assert found[body] is GPU
    assert len(found) == DEPTH + 2
