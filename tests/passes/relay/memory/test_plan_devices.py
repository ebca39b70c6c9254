"""Devices are planned as Relay plans them."""

from __future__ import annotations

import re

import numpy as np
import pytest

import relayish as relay
from relayish.analysis import recover_virtual_device_map
from relayish.analysis.infer_type import infer_type
from relayish.errors import OperatorError, PassError
from relayish.interpreter import evaluate
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.passes.relay.memory.plan_devices import make_compilation_config
from relayish.transform import InferType, Inline, PassContext, PlanDevices, parse_pipeline
from tests.support.goldens import CASES, Golden, read_goldens

DEVICES = {
    "CPU": "VirtualDevice{device_type_int=1, virtual_device_id=0}",
    "GPU": "VirtualDevice{device_type_int=2, virtual_device_id=0}",
    "CPU_A": 'VirtualDevice{device_type_int=1, virtual_device_id=0, memory_scope="a"}',
    "CPU_B": 'VirtualDevice{device_type_int=1, virtual_device_id=0, memory_scope="b"}',
}
MARKS = {
    "cpu": ("on_device", "virtual_device=CPU"),
    "gpu": ("on_device", "virtual_device=GPU"),
    "on_cpu": ("on_device", "virtual_device=CPU, constrain_result=True"),
    "on_gpu": ("on_device", "virtual_device=GPU, constrain_result=True"),
    "may_copy": ("on_device", "constrain_body=False"),
    "to_gpu": ("device_copy", "src_virtual_device=CPU, dst_virtual_device=GPU"),
    "to_cpu": ("device_copy", "src_virtual_device=GPU, dst_virtual_device=CPU"),
}
"""How marks are written here: ``cpu(%x)`` places ``%x``, ``on_cpu(%x)`` both sides of the mark."""
MARK = re.compile(rf"(?<![\w.%@])({'|'.join(MARKS)})\(")


def read(text: str) -> IRModule:
    """Read a program: ``%x@CPU`` is a variable on a device, ``@CPU)`` a result on one."""
    text = text if "def @" in text else f"def @main{text}"
    while (found := MARK.search(text)) is not None:
        name, attrs = MARKS[found[1]]
        end, depth = found.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        text = f"{text[: found.start()]}{name}({text[found.end() : end - 1]}, {attrs}){text[end:]}"
    text = re.sub(r"(%\w+)@(\w+)", r"\1 {virtual_device=\2}", text)
    text = re.sub(r"@(CPU_A|CPU_B|CPU|GPU)\)", r"virtual_device=\1)", text)
    text = re.sub(r"=(CPU_A|CPU_B|CPU|GPU)\b", lambda found: "=" + DEVICES[found[1]], text)
    text = re.sub(r"\bT\b", "Tensor[(2, 3), float32]", text)
    return relay.parse(f'#[version = "0.0.5"]\n{text}')


def planned(text: str, config: object = ("gpu",)) -> IRModule:
    return PlanDevices(config)(InferType()(read(text)))


PLANS = read_goldens(CASES / "plan_devices.relay")
"""What becomes of programs, both written as ``read`` takes them."""


@pytest.mark.parametrize("case", PLANS.values(), ids=PLANS)
def test_devices_are_planned_and_a_plan_stays_as_it_is(case: Golden) -> None:
    plan, expected = parse_pipeline(case.pipeline), infer_type(read(case.after))
    found = plan(InferType()(read(case.before)))
    assert_structural_equal(found, expected, map_free_vars=True)
    assert plan(found) is found
    assert_structural_equal(plan(expected), expected, map_free_vars=True)


def test_primitive_functions_are_where_they_say_and_stay_as_they_are():
    text = """(%p{p}: T, @CPU_A) {{
      %0 = fn (%u: T, Primitive=1) -> T {{ exp(%u) }}; %1 = %0(%p);
      %2 = fn (%v@CPU_B: T, @CPU_A, Primitive=1) -> T {{ log(%v) }}; %2(%1) }}"""
    text = text.replace("@CPU_A, Primitive=1", "virtual_device=CPU_A, Primitive=1")
    found = planned(text.format(p=""), ("cpu",))["main"]
    assert found.params[0].virtual_device == found.virtual_device
    assert found.virtual_device.memory_scope == "a"
    assert found.body.args[0].args[0].op.params[0].virtual_device is None


def test_contradiction_names_what_puts_the_value_where():
    with pytest.raises(PassError) as caught:
        planned("(%p@CPU: T, %q@GPU: T) { add(%p, %q) }")
    message = str(caught.value)
    assert "is to be on two devices" in message
    assert "VirtualDevice(device_type=1, virtual_device_id=0), where a Var" in message
    assert "VirtualDevice(device_type=2, virtual_device_id=0), where a Var" in message
    assert "by on_device or device_copy" in message


def test_contradiction_of_a_function_and_its_call_is_refused():
    with pytest.raises(PassError, match="is to be on two devices"):
        planned("(%p@CPU: T) { let %f = fn (%u@GPU: T) { exp(%u) }; %f(%p) }")


def test_targets_are_written_into_devices_of_their_kind():
    cpu, gpu = VirtualDevice(1, 0, "llvm"), VirtualDevice(2, 0, "cuda")
    main = planned("(%p: T, %q: T) { add(cpu(exp(%p)), %q) }", (gpu, cpu))["main"]
    assert [param.virtual_device for param in main.params] == [cpu, cpu]
    with PassContext(config={"relay.fallback_device_type": 2}):
        main = planned("(%p: T, %q: T) { add(cpu(exp(%p)), %q) }", (gpu, cpu))["main"]
    assert [param.virtual_device for param in main.params] == [cpu, gpu]
    assert main.virtual_device == gpu


def test_default_is_the_one_kind_or_the_fallback_or_the_cpu():
    def default(targets: object, **config: object) -> int:
        ctx = PassContext(config={f"relay.{key}": value for key, value in config.items()})
        made = make_compilation_config(ctx, targets)
        return made.default_primitive_virtual_device.device_type_int

    assert default("cuda") == 2
    assert default(["cuda", "llvm"]) == 1
    assert default(["cuda", "llvm"], fallback_device_type=2) == 2
    assert make_compilation_config(None, "cuda").host_virtual_device == VirtualDevice(1, 0)
    assert make_compilation_config(None, "cuda", "cpu:1").host_virtual_device == VirtualDevice(1, 1)
    with pytest.raises(PassError, match="_type is 4, but devices of the kinds"):
        default(["cuda"], fallback_device_type=4)
    with pytest.raises(PassError, match="for one at least"):
        default([])
    with pytest.raises(OperatorError, match="is no device"):
        default("cdua")


def test_devices_of_the_same_kind_by_number_are_told_apart():
    main = planned(
        "(%p: T) { exp(on_device(log(%p), virtual_device=ONE)) }".replace(
            "ONE", "VirtualDevice{device_type_int=2, virtual_device_id=1}"
        )
    )["main"]
    assert main.params[0].virtual_device == VirtualDevice(2, 1)
    assert main.body.args[0].op.name == "device_copy"


def test_value_stays_what_it_is():
    mod = read("""(%p: T, %q: T) { let %f = fn (%u: T) { cpu(exp(%u)) };
      %0 = %f(%p); %1 = gpu(add(cpu(%0), %q)); (%1, cpu(tanh(%1))) }""")
    arguments = [np.linspace(-1, 1, 6, dtype="float32").reshape(2, 3)] * 2
    mods = (mod, PlanDevices("gpu")(InferType()(mod)))
    values = [evaluate(each["main"], each, arguments) for each in mods]
    for one, other in zip(*values, strict=True):
        assert np.array_equal(one, other)


def test_functions_of_other_compilers_stay_as_they_are():
    mod = InferType()(
        read("""def @f(%u: T, Compiler="other", global_symbol="f") -> T { exp(%u) }
    def @main(%p: T) -> T { cpu(@f(%p)) }""")
    )
    found = PlanDevices("gpu")(mod)
    assert found["f"] is mod["f"]
    assert found["main"].virtual_device == VirtualDevice(1, 0)


def test_inlined_function_stays_on_its_device():
    mod = planned(
        """def @f(%u: T, Inline=1) -> T { cpu(exp(%u)) }
        def @main(%p: T, %q: T) -> T { add(cpu(@f(%p)), %q) }"""
    )
    found = Inline()(mod)["main"]
    assert found.body.args[0].op.name == "device_copy"
    (marked,) = found.body.args[0].args
    device = recover_virtual_device_map(None, found)
    while marked.op.name == "on_device":
        (marked,) = marked.args
    assert marked.op.name == "exp"
    assert device[marked] == VirtualDevice(1, 0)
