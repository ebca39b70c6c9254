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
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.ir.structural_equal import assert_structural_equal
from relayish.passes.memory.plan_devices import make_compilation_config
from relayish.transform import InferType, Inline, PassContext, PlanDevices

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


def check(before: str, after: str, config: object = ("gpu",)) -> None:
    """Check that ``before`` becomes ``after``, which stays as it is."""
    expected = infer_type(read(after))
    found = planned(before, config)
    assert_structural_equal(found, expected, map_free_vars=True)
    assert PlanDevices(config)(found) is found
    assert_structural_equal(PlanDevices(config)(expected), expected, map_free_vars=True)


def test_everything_is_on_the_default_device():
    check(
        "(%p: T, %q: T) { multiply(%p, exp(%q)) }",
        "(%p@GPU: T, %q@GPU: T, @GPU) { multiply(%p, exp(%q)) }",
    )


def test_marked_value_is_copied_and_what_it_is_made_of_follows_it():
    check(
        "(%p: T, %q: T, %r: T) { %0 = maximum(%p, %q); divide(cpu(%0), tanh(%r)) }",
        """(%p@CPU: T, %q@CPU: T, %r@GPU: T, @GPU) {
          %0 = maximum(%p, %q); %1 = on_cpu(%0); %2 = to_gpu(%1); divide(%2, tanh(%r)) }""",
    )


def test_copies_written_by_hand_place_what_is_around_them():
    after = """(%p@CPU: T, %q@CPU: T, %r@GPU: T, @GPU) {
      %0 = maximum(%p, %q); %1 = on_cpu(%0); %2 = to_gpu(%1); divide(%2, %r) }"""
    check("(%p: T, %q: T, %r: T) { %0 = maximum(%p, %q); divide(to_gpu(%0), %r) }", after)


def test_copy_to_the_same_device_goes():
    before = """(%p: T) { device_copy(exp(%p), src_virtual_device=CPU, dst_virtual_device=CPU) }"""
    check(before, "(%p@CPU: T, @CPU) { exp(%p) }")


def test_copies_in_a_row_become_one():
    check(
        "(%p: T) { %0 = exp(%p); %1 = to_gpu(%0); %2 = to_cpu(%1); exp(%2) }",
        "(%p@CPU: T, @CPU) { %0 = exp(%p); exp(%0) }",
    )
    first = "device_copy(%0, src_virtual_device=CPU_B, dst_virtual_device=GPU)"
    second = "device_copy(%1, src_virtual_device=GPU, dst_virtual_device=CPU_A)"
    whole = "device_copy(%1, src_virtual_device=CPU_B, dst_virtual_device=CPU_A)"
    check(
        f"(%p: T) {{ %0 = exp(%p); %1 = {first}; %2 = {second}; exp(%2) }}",
        f"""(%p@CPU_B: T, @CPU_A) {{ %0 = exp(%p);
        %1 = on_device(%0, virtual_device=CPU_B, constrain_result=True);
        %2 = {whole}; exp(%2) }}""",
    )


def test_each_marked_operand_is_copied():
    check(
        "(%p: T, %q: T) { %0 = exp(%p); %1 = log(%q); add(cpu(%0), cpu(%1)) }",
        """(%p@CPU: T, %q@CPU: T, @GPU) { %0 = exp(%p); %1 = on_cpu(%0); %2 = log(%q);
        %3 = on_cpu(%2); %4 = to_gpu(%1); %5 = to_gpu(%3); add(%4, %5) }""",
    )


def test_value_marked_twice_is_copied_for_each_mark():
    check(
        "(%p: T) { %0 = exp(%p); %1 = cpu(%0); %2 = cpu(%0); add(%1, %2) }",
        """(%p@CPU: T, @GPU) { %0 = exp(%p); %1 = on_cpu(%0); %2 = on_cpu(%0);
        %3 = to_gpu(%1); %4 = to_gpu(%2); add(%3, %4) }""",
    )


def test_one_mark_used_twice_is_copied_once():
    check(
        "(%p: T) { %0 = exp(%p); %1 = cpu(%0); add(%1, %1) }",
        "(%p@CPU: T, @GPU) { %0 = exp(%p); %1 = on_cpu(%0); %2 = to_gpu(%1); add(%2, %2) }",
    )


def test_value_of_a_let_is_where_its_variable_is_used():
    check(
        "(%p: T, %q: T) { let %u = exp(%p); let %v = log(%q); %0 = cpu(%u); add(%0, %v) }",
        """(%p@CPU: T, %q@GPU: T, @GPU) { let %u = on_cpu(exp(%p)); let %v = on_gpu(log(%q));
        %0 = to_gpu(%u); add(%0, %v) }""",
    )


def test_mark_on_the_result_of_a_function_counts_for_its_calls():
    check(
        """(%p: T, %q: T) {
          let %f = fn (%u: T) { %0 = exp(%u); cpu(%0) }; %1 = %f(%p); add(%1, %q) }""",
        """(%p@CPU: T, %q@CPU: T, @CPU) {
          let %f = fn (%u@CPU: T, @CPU) { exp(%u) }; %0 = %f(%p); add(%0, %q) }""",
    )


def test_mark_on_a_call_counts_for_the_result_of_the_function():
    check(
        """(%p: T, %q: T) {
          let %f = fn (%u: T) { exp(%u) }; %0 = %f(%p); %1 = cpu(%0); add(%1, %q) }""",
        """(%p@CPU: T, %q@GPU: T, @GPU) {
          let %f = fn (%u@CPU: T, @CPU) { exp(%u) };
          %0 = %f(%p); %1 = on_cpu(%0); %2 = to_gpu(%1); add(%2, %q) }""",
    )


def test_devices_go_through_functions_of_functions():
    check(
        """(%p: T, %q: T) {
          let %twice = fn (%f: fn (T) -> T) {
            fn (%u: T) { %0 = cpu(%u); %1 = %f(%0); add(%1, %p) } };
          let %g = fn (%v: T) { exp(%v) };
          %2 = %twice(%g); %3 = %2(%q); add(%p, %3) }""",
        """(%p@GPU: T, %q@CPU: T, @GPU) {
          let %twice = fn (%f@GPU: fn (T) -> T, @GPU) {
            fn (%u@CPU: T, @GPU) { %0 = to_gpu(%u); %1 = %f(%0); add(%1, %p) } };
          let %g = fn (%v@GPU: T, @GPU) { exp(%v) };
          %2 = %twice(%g); %3 = %2(%q); add(%p, %3) }""",
    )


def test_function_in_a_tuple_is_on_one_device():
    check(
        """(%p: T, %q: T) {
          let %f = fn (%u: T, %v: T) { %0 = cpu(%v); add(%u, %0) };
          let %t = (%p, %f);
          %1 = %t.1; %2 = %t.0; %1(%2, %q) }""",
        """(%p@CPU: T, %q@CPU: T, @CPU) {
          let %f = fn (%u@CPU: T, %v@CPU: T, @CPU) { add(%u, %v) };
          let %t = on_cpu((%p, %f));
          %0 = %t.1; %1 = %t.0; %0(%1, %q) }""",
    )


def test_functions_of_two_branches_are_on_the_device_of_the_condition():
    check(
        """(%c: bool, %p: T, %q: T) {
          let %f = fn (%u: T) { %0 = on_cpu(%q); add(%u, %0) };
          let %g = fn (%v: T) { subtract(%v, %q) };
          let %h = (if (%c) { %f } else { %g });
          %h(%p) }""",
        """(%c@CPU: bool, %p@CPU: T, %q@CPU: T, @CPU) {
          let %f = fn (%u@CPU: T, @CPU) { add(%u, %q) };
          let %g = fn (%v@CPU: T, @CPU) { subtract(%v, %q) };
          let %h = on_cpu(if (%c) { %f } else { %g });
          %h(%p) }""",
    )


def test_global_functions_have_the_devices_of_their_calls():
    check(
        """def @f(%u: T, %v: T) -> T { %0 = cpu(%v); add(%u, %0) }
        def @main(%p: T, %q: T) -> T { @f(%q, %p) }""",
        """def @f(%u@GPU: T, %v@CPU: T, @GPU) -> T { %0 = to_gpu(%v); add(%u, %0) }
        def @main(%p@CPU: T, %q@GPU: T, @GPU) -> T { @f(%q, %p) }""",
    )


def test_polymorphic_function_takes_functions_on_one_device():
    check(
        """def @id[A](%a: A) -> A { %a }
        def @main(%p: T) -> T { let %f = fn (%u: T) { cpu(exp(%u)) }; %0 = @id(%f); %0(%p) }""",
        """def @id[A](%a@CPU: A, @CPU) -> A { %a }
        def @main(%p@CPU: T, @CPU) -> T {
          let %f = fn (%u@CPU: T, @CPU) { exp(%u) }; %0 = @id(%f); %0(%p) }""",
    )


def test_references_are_where_what_they_hold_is():
    check(
        """(%p: T, %q: T) { let %r = ref(%p); %0 = cpu(%q); ref_write(%r, %0);
          %1 = ref_read(%r); add(%p, %1) }""",
        """(%p@GPU: T, %q@CPU: T, @GPU) {
          let %r = on_gpu(ref(%p)); %0 = to_gpu(%q);
          on_gpu(ref_write(%r, %0)); %1 = ref_read(%r); add(%p, %1) }""",
    )


def test_data_are_where_their_fields_are():
    types = "type List[A] { Cons(A, List[A]), Nil, }"
    check(
        types
        + """def @main(%p: T, %q: T) {
          %0 = on_cpu(%q); let %l = Cons(%p, Cons(%0, Nil)); match? (%l) { Cons(%h, _) => %h } }""",
        types
        + """def @main(%p@CPU: T, %q@CPU: T, @CPU) {
          let %l = on_cpu(Cons(%p, Cons(%q, Nil))); match? (%l) { Cons(%h, _) => %h } }""",
    )


def test_field_is_copied_and_not_the_tuple():
    check(
        """(%p: Tensor[(4, 3), float32]) { let %t = split(%p, indices_or_sections=2);
          %0 = cpu(%t); %1 = cpu(%t); %2 = %0.0; %3 = %1.1; %4 = subtract(%2, %3); gpu(%4) }""",
        """(%p@CPU: Tensor[(4, 3), float32], @GPU) {
          let %t = on_cpu(split(%p, indices_or_sections=2));
          %0 = %t.0; %1 = on_cpu(%0); %2 = %t.1; %3 = on_cpu(%2);
          %4 = to_gpu(%1); %5 = to_gpu(%3); subtract(%4, %5) }""",
    )


def test_result_that_is_marked_needs_no_mark():
    check(
        "(%p: T, %q: T) { %0 = exp(%p); %1 = cpu(%0); %2 = add(%1, %q); cpu(%2) }",
        "(%p@CPU: T, %q@CPU: T, @CPU) { %0 = exp(%p); add(%0, %q) }",
    )
    check(
        "(%p: T, %q: T) { %0 = exp(%p); %1 = gpu(%0); %2 = add(%1, %q); cpu(%2) }",
        """(%p@GPU: T, %q@CPU: T, @CPU) {
          %0 = exp(%p); %1 = on_gpu(%0); %2 = to_cpu(%1); add(%2, %q) }""",
    )


def test_devices_may_change_again_and_again():
    check(
        """(%p: T) { %0 = exp(%p); %1 = cpu(%0); %2 = log(%1); %3 = gpu(%2); %4 = tanh(%3);
          %5 = gpu(%4); %6 = exp(%5); cpu(%6) }""",
        """(%p@CPU: T, @CPU) {
          %0 = exp(%p); %1 = on_cpu(%0); %2 = to_gpu(%1); %3 = log(%2); %4 = tanh(%3);
          %5 = on_gpu(%4); %6 = to_cpu(%5); exp(%6) }""",
    )


def test_value_is_used_where_it_is_and_copied_elsewhere():
    check(
        """(%p: T) { %0 = exp(%p); %1 = gpu(%0); %2 = log(%1); %3 = cpu(%2); %4 = tanh(%0);
          %5 = add(%3, %4); gpu(%5) }""",
        """(%p@GPU: T, @GPU) { %0 = exp(%p); %1 = log(%0); %2 = tanh(%0); add(%1, %2) }""".replace(
            "%1 = log(%0); %2 = tanh(%0); add(%1, %2)",
            """%1 = on_gpu(%0); %2 = to_cpu(%1); %3 = log(%2); %4 = on_cpu(%3);
            %5 = to_gpu(%4); %6 = tanh(%0); add(%5, %6)""",
        ),
    )


def test_shapes_are_on_the_host():
    check(
        """(%p: Tensor[(?, ?), float32]) { %0 = on_gpu(%p); vm.shape_of(%0, dtype="int64") }""",
        """(%p@GPU: Tensor[(?, ?), float32], @CPU) { vm.shape_of(%p, dtype="int64") }""",
        ("cpu", "gpu"),
    )
    check(
        """(%p: T, %s: Tensor[(1), int64]) { vm.reshape_tensor(%p, %s, newshape=[6]) }""",
        """(%p@GPU: T, %s@CPU: Tensor[(1), int64], @GPU) {
          vm.reshape_tensor(%p, %s, newshape=[6]) }""",
    )


def test_memory_is_allocated_by_sizes_on_the_host():
    types = "extern type Storage "
    check(
        types
        + """def @main(%n: int64, %s: Tensor[(1), int64], %a: int64) {
          memory.alloc_storage(%n, %s, %a, virtual_device=GPU) }""",
        types
        + """def @main(%n@CPU: int64, %s@CPU: Tensor[(1), int64], %a@CPU: int64, @GPU) {
          memory.alloc_storage(%n, %s, %a, virtual_device=GPU) }""",
        ("cpu", "gpu"),
    )
    text = "memory.alloc_tensor(%s, %o, %n, const_shape=None, assert_shape=[2, 3])"
    check(
        types + f"def @main(%s: Storage[], %n: Tensor[(2), int64]) {{ let %o = 0i64; {text} }}",
        types
        + f"""def @main(%s@GPU: Storage[], %n@CPU: Tensor[(2), int64], @GPU) {{
          let %o = on_cpu(0i64); {text} }}""",
    )


def test_free_mark_lets_devices_through_where_they_agree():
    check(
        """def @b(%u@CPU_B: T, @CPU_B) -> T { %u }
        def @main(%p@CPU: T, %q@CPU_A: T, @CPU_A) -> T {
          %0 = @b(may_copy(%p)); %1 = @b(may_copy(%q)); %2 = add(%0, %1); may_copy(%2) }""",
        """def @b(%u@CPU_B: T, @CPU_B) -> T { %u }
        def @main(%p@CPU_B: T, %q@CPU_A: T, @CPU_A) -> T {
          %0 = @b(%p);
          %1 = device_copy(%q, src_virtual_device=CPU_A, dst_virtual_device=CPU_B);
          %2 = @b(%1); %3 = add(%0, %2);
          %4 = on_device(%3, virtual_device=CPU_B, constrain_result=True);
          device_copy(%4, src_virtual_device=CPU_B, dst_virtual_device=CPU_A) }""",
        ("cpu",),
    )


def test_primitive_functions_are_where_they_say_and_stay_as_they_are():
    text = """(%p{p}: T, @CPU_A) {{
      %0 = fn (%u: T, Primitive=1) -> T {{ exp(%u) }}; %1 = %0(%p);
      %2 = fn (%v@CPU_B: T, @CPU_A, Primitive=1) -> T {{ log(%v) }}; %2(%1) }}"""
    text = text.replace("@CPU_A, Primitive=1", "virtual_device=CPU_A, Primitive=1")
    found = planned(text.format(p=""), ("cpu",))["main"]
    assert found.params[0].virtual_device == found.virtual_device
    assert found.virtual_device.memory_scope == "a"
    assert found.body.args[0].args[0].op.params[0].virtual_device is None


def test_value_needed_on_two_devices_is_copied_for_the_second():
    check(
        """(%p: T, %q: T) { %0 = add(%p, %q); %1 = cpu(%0); %2 = exp(%q); %3 = gpu(%2);
          add(%1, %3) }""",
        """(%p@CPU: T, %q@CPU: T, @GPU) {
          %0 = add(%p, %q); %1 = on_cpu(%0); %2 = to_gpu(%1); %3 = to_gpu(%q); %4 = exp(%3);
          add(%2, %4) }""",
    )


def test_mark_in_a_mark_copies_from_the_inner_to_what_is_around():
    check(
        "(%p: T, %q: T) { %0 = exp(%p); %1 = cpu(%0); %2 = gpu(%1); add(%2, %q) }",
        """(%p@CPU: T, %q@GPU: T, @GPU) {
          %0 = exp(%p); %1 = on_cpu(%0); %2 = to_gpu(%1); add(%2, %q) }""",
    )


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
