"""A-normal form keeps what is said of the devices of values."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.analysis import is_a_normal_form, recover_virtual_device_map
from relayish.interpreter import evaluate
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Call, Expr, Function, Let, Var
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.op import get_op
from relayish.transform import InferType, ManifestLifetimes, PlanDevices, Sequential, ToANormalForm
from tests.support.depth import DEPTH

CPU, GPU = VirtualDevice(1, 0), VirtualDevice(2, 0)
SPELT = {"CPU": "VirtualDevice{device_type_int=1, virtual_device_id=0}"}
SPELT["GPU"] = SPELT["CPU"].replace("=1", "=2")


def read(text: str) -> relay.IRModule:
    for name, device in SPELT.items():
        text = text.replace(f"={name}", f"={device}")
    return relay.parse(f'#[version = "0.0.5"]\n{text}')


PLANNED = """def @main(%a {virtual_device=CPU}: int32, %b {virtual_device=GPU}: int32,
    virtual_device=GPU) {
  %0 = add(%a, multiply(%a, %a));
  %1 = on_device(%0, virtual_device=CPU, constrain_result=True);
  %2 = device_copy(%1, src_virtual_device=CPU, dst_virtual_device=GPU);
  subtract(%2, %b)
}"""
NORMAL = """def @main(%a {virtual_device=CPU}: int32, %b {virtual_device=GPU}: int32,
    virtual_device=GPU) {
  let %x = on_device(multiply(%a, %a), virtual_device=CPU, constrain_result=True);
  let %y = on_device(add(%a, %x), virtual_device=CPU, constrain_result=True);
  let %z = on_device(device_copy(%y, src_virtual_device=CPU, dst_virtual_device=GPU),
                     virtual_device=GPU, constrain_result=True);
  let %r = on_device(subtract(%z, %b), virtual_device=GPU, constrain_result=True);
  %r
}"""


def test_each_value_says_where_it_is():
    found = ToANormalForm()(read(PLANNED))
    assert_structural_equal(found, read(NORMAL), map_free_vars=True)
    assert is_a_normal_form(found["main"])
    assert ToANormalForm()(found) is found


def test_lets_of_a_plan_stay_as_they_are():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    t = Var("t")
    body = Let(t, relay.exp(x), relay.subtract(relay.on_device(t, CPU), y))
    planned = PlanDevices("gpu")(InferType()(relay.IRModule.from_expr(Function((x, y), body))))
    found = ToANormalForm()(planned)["main"]
    assert found.body.value is planned["main"].body.value
    devices = recover_virtual_device_map(None, found)
    copy, result = found.body.body, found.body.body.body
    assert [devices[let.var] for let in (found.body, copy, result)] == [CPU, GPU, GPU]


def test_branches_and_functions_keep_their_devices():
    text = """def @main(%c {virtual_device=GPU}: bool, %a {virtual_device=GPU}: int32,
        virtual_device=GPU) {
      let %f = fn (%p {virtual_device=CPU}: int32, virtual_device=CPU) { negative(abs(%p)) };
      %0 = if (%c) { negative(%a) } else { %a };
      %1 = on_device(%0, virtual_device=GPU, constrain_result=True);
      %2 = device_copy(%1, src_virtual_device=GPU, dst_virtual_device=CPU);
      %3 = on_device(%f(%2), virtual_device=CPU, constrain_result=True);
      device_copy(%3, src_virtual_device=CPU, dst_virtual_device=GPU)
    }"""
    main = ToANormalForm()(read(text))["main"]
    assert is_a_normal_form(main)
    devices = recover_virtual_device_map(None, main)
    found, tail = {}, main.body
    while type(tail) is Let:
        value = tail.value
        inner = value.args[0] if type(value) is Call and value.op is get_op("on_device") else value
        found[type(inner).__name__] = devices[tail.var]
        tail = tail.body
    assert found["Function"] == CPU
    assert found["If"] == GPU
    inside = main.body.value
    assert type(inside) is Function
    assert {devices[node] for node in (inside.body.var, inside.body.body.var)} == {CPU}


def test_marks_that_place_nothing_around_are_bound_as_other_calls():
    marked = "on_device(%a, virtual_device=CPU)"
    found = ToANormalForm()(read(f"def @main(%a: int32) {{ negative({marked}) }}"))["main"]
    assert found.body.value.op is get_op("on_device")
    assert found.body.body.value.args[0] is found.body.var


def test_lifetimes_of_a_planned_program_end_where_values_are_used_last():
    found = Sequential([ToANormalForm(), ManifestLifetimes()])(read(PLANNED))
    names, tail = [], found["main"].body
    while type(tail) is Let:
        if tail.value.op is get_op("memory.kill"):
            names.append(tail.value.args[0].name_hint)
        tail = tail.body
    assert len(names) == 5
    arguments = [np.int32(3), np.int32(4)]
    assert evaluate(found["main"], found, arguments) == 8


@pytest.mark.deep
def test_devices_are_kept_at_any_depth():
    depth = min(DEPTH, 20_000)
    x = Var("x", virtual_device=CPU)
    body: Expr = x
    for _ in range(depth):
        body = Call(get_op("negative"), (body,))
    mod = relay.IRModule.from_expr(Function((x,), body, virtual_device=CPU))
    found = ToANormalForm()(mod)
    assert ToANormalForm()(found) is found
    tail, count = found["main"].body, 0
    while type(tail) is Let:
        assert tail.value.attrs.virtual_device is CPU
        tail, count = tail.body, count + 1
    assert count == depth
