from __future__ import annotations

import json

import pytest

from relayish import tvm
from relayish.errors import FieldError, OptionError
from relayish.tvm import relay
from relayish.tvm.target import Target


def test_text_gives_kind_and_options():
    target = Target("llvm -mcpu=skylake -num-cores=4 -system-lib")
    assert target.kind.name == "llvm"
    assert dict(target.attrs) == {"mcpu": "skylake", "num-cores": "4", "system-lib": True}


def test_mapping_gives_kind_options_and_host():
    target = Target({"kind": "cuda", "arch": "sm_80", "host": "llvm -mcpu=x"})
    assert (target.kind.name, target.attrs["arch"]) == ("cuda", "sm_80")
    assert str(target.host) == "llvm -mcpu=x"


def test_host_that_is_given_counts():
    assert Target(Target("cuda"), host="c").host == Target("c")
    assert Target("cuda", host="llvm").with_host("c") == Target("cuda", host="c")


def test_keys_are_those_given_or_the_kind():
    assert Target("llvm -keys=arm_cpu,cpu").keys == ("arm_cpu", "cpu")
    assert Target({"kind": "llvm", "keys": ["a", "b"]}).keys == ("a", "b")
    assert Target("cuda").keys == ("cuda",)


def test_text_of_a_target_makes_the_same_target():
    target = Target("llvm -mcpu=skylake -keys=cpu")
    assert Target(str(target)) == target
    assert hash(Target(str(target))) == hash(target)
    assert target != Target("llvm")
    assert target != "llvm"


def test_innermost_target_is_the_current_one():
    outer, inner = Target("llvm"), Target("cuda")
    with outer:
        with inner, inner:
            assert Target.current() is inner
        assert Target.current() is outer
    assert Target.current() is None


def test_current_target_that_must_be_there_is_asked_for():
    with pytest.raises(FieldError, match="there is no target here"):
        Target.current(allow_none=False)


@pytest.mark.parametrize("text", ["", "-mcpu=x", {}])
def test_target_without_a_kind_is_refused(text):
    with pytest.raises(FieldError, match="a target begins with its kind"):
        Target(text)


def test_function_of_legalize_reads_the_current_target():
    x = relay.var("x", shape=(2,))
    mod = relay.transform.InferType()(relay.IRModule.from_expr(relay.Function([x], relay.exp(x))))

    def legalize(attrs, inputs, types):
        target = Target.current()
        return relay.fast_exp(inputs[0]) if target is not None else None

    with relay.testing.TempOpAttr("exp", "FTVMLegalize", legalize):
        assert "fast_exp" not in relay.transform.Legalize()(mod).astext()
        with tvm.target.Target("llvm"):
            assert "fast_exp" in relay.transform.Legalize()(mod).astext()


def test_sizes_of_te_are_those_of_relay():
    assert tvm.te.size_var("n").nonnegative
    assert not tvm.te.var("n").nonnegative
    assert tvm.te.var("n", "int64").dtype == "int64"


def test_devices_with_targets_are_planned_and_written():
    llvm, cuda = Target("llvm -mcpu=x", host="llvm"), Target("cuda -keys=cuda,gpu", host="llvm")
    cpu = tvm.target.VirtualDevice(tvm.device("cpu"), llvm)
    gpu = tvm.target.VirtualDevice("cuda", cuda)
    ctx = tvm.transform.PassContext(config={"relay.fallback_device_type": gpu.device_type_int})
    config = tvm.target.make_compilation_config(ctx, [llvm, cuda])
    a, b = relay.var("a", shape=(2,)), relay.var("b", shape=(2,))
    body = relay.subtract(relay.annotation.on_device(relay.exp(a), "cpu"), b)
    mod = relay.transform.InferType()(tvm.IRModule.from_expr(relay.Function([a, b], body)))
    planned = relay.transform.PlanDevices(config)(mod)
    assert [param.virtual_device for param in planned["main"].params] == [cpu, gpu]
    assert planned["main"].virtual_device == gpu
    again = relay.parse(planned.astext())
    assert relay.structural_equal(relay.transform.InferType()(again), planned)
    assert tvm.target.VirtualDevice() == tvm.VirtualDevice()
    assert tvm.target.VirtualDevice(memory_scope="a").memory_scope == "a"


class TestTargetsOfTests:
    def test_there_is_one_the_cpu(self):
        assert tvm.testing.enabled_targets() == [("llvm", tvm.cpu(0))]

    def test_devices_of_other_kinds_are_not_enabled(self):
        assert tvm.testing.device_enabled("llvm -mcpu=x")
        assert not tvm.testing.device_enabled("cuda")
        assert not tvm.testing.device_enabled("no_such_kind")

    @tvm.testing.parametrize_targets
    def test_bare_decorator_gives_each_target(self, target, dev):
        assert (target, dev) == ("llvm", tvm.cpu(0))

    @tvm.testing.parametrize_targets("c", "cuda")
    def test_decorator_gives_targets_named_that_are_there(self, target, dev):
        assert (target, dev) == ("c", tvm.cpu(0))


def test_build_config_is_a_pass_context():
    config = relay.build_config(opt_level=3, required_pass={"FoldConstant"})
    assert isinstance(config, relay.transform.PassContext)
    assert (config.opt_level, tuple(config.required_pass)) == (3, ("FoldConstant",))


def test_build_config_with_a_trace_says_what_watches_passes():
    with pytest.raises(OptionError, match=r"write PassContext\(instruments="):
        relay.build_config(trace=print)


def test_targets_are_read_as_tvm_writes_them():
    nodes = [
        {"type_key": ""},
        {"type_key": "Map", "keys": ["VirtualDevice"], "data": [2]},
        {"type_key": "Array", "data": [3]},
        {"type_key": "VirtualDevice", "attrs": DEVICE},
        {"type_key": "Target", "attrs": TARGET},
        {"type_key": "TargetKind", "attrs": KIND},
        {"type_key": "runtime.String", "repr_str": "llvm"},
        {"type_key": "Array", "data": [8]},
        {"type_key": "runtime.String", "repr_str": "cpu"},
        {"type_key": "runtime.String"},
        {"type_key": "Map", "keys": ["mcpu"], "data": [11]},
        {"type_key": "runtime.String", "repr_str": "x"},
        {"type_key": "Map"},
    ]
    section = json.dumps({"root": 1, "nodes": nodes, "b64ndarrays": [], "attrs": {}})
    func = relay.parse_expr(
        f"fn (%x {{virtual_device=meta[VirtualDevice][0]}}) {{ %x }}\n#[metadata]\n{section}"
    )
    device = func.params[0].virtual_device
    assert device == tvm.target.VirtualDevice("cpu", Target("llvm -mcpu=x -keys=cpu"))


DEVICE = {"device_type_int": "1", "memory_scope": "9", "target": "4", "virtual_device_id": "0"}
TARGET = {"attrs": "10", "features": "12", "host": "0", "keys": "7", "kind": "5", "tag": "9"}
KIND = {"default_device_type": "1", "default_keys": "7", "name": "6"}
