"""Virtual devices, and what nodes say of them."""

import itertools
import pickle

import pytest

import relayish as relay
from relayish.errors import FieldError
from relayish.ir.equality.structural_equal import first_mismatch, structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.relay.expr import Function, Var
from relayish.ir.relay.virtual_device import (
    ANY_DEVICE,
    VirtualDevice,
    default_device,
    is_unconstrained,
    join_devices,
)
from relayish.transform import EtaExpand, InferType, LambdaLift, PartialEvaluate, ToANormalForm

CPU, GPU = VirtualDevice(1, 0), VirtualDevice(2, 0)
SOME = [
    *(ANY_DEVICE, CPU, GPU, VirtualDevice(1), VirtualDevice(virtual_device_id=0)),
    *(VirtualDevice(2, 1), VirtualDevice(1, 0, "llvm"), VirtualDevice(1, 0, "llvm", "global")),
    *(VirtualDevice(memory_scope="global"), VirtualDevice(memory_scope="texture")),
]


def parts(device: VirtualDevice) -> list[object]:
    return [value for _, value in device.items()]


def test_join_is_least_of_what_both_describe():
    for lhs, rhs in itertools.product(SOME, repeat=2):
        joined = join_devices(lhs, rhs)
        columns = list(zip(parts(lhs), parts(rhs), parts(ANY_DEVICE), strict=True))
        if any(
            left != right and open_part not in (left, right) for left, right, open_part in columns
        ):
            assert joined is None
            continue
        assert joined is not None
        expected = [right if left == open_part else left for left, right, open_part in columns]
        assert parts(joined) == expected


def test_join_returns_a_device_it_was_given_where_that_says_all():
    assert join_devices(VirtualDevice(1), CPU) is CPU
    assert join_devices(CPU, ANY_DEVICE) is CPU


def test_default_fills_what_is_open():
    assert default_device(VirtualDevice(1), GPU) == CPU
    assert default_device(VirtualDevice(memory_scope="a"), CPU) == VirtualDevice(1, 0, None, "a")
    assert default_device(CPU, GPU) is CPU


def test_default_takes_no_target_of_another_kind_of_device():
    cuda = VirtualDevice(2, 0, "cuda")
    assert default_device(VirtualDevice(1), cuda) == CPU
    assert default_device(VirtualDevice(2), cuda) == cuda


def test_device_that_leaves_all_open_is_unconstrained():
    assert is_unconstrained(None)
    assert is_unconstrained(VirtualDevice())
    assert not is_unconstrained(VirtualDevice(memory_scope="a"))


@pytest.mark.parametrize("device", [None, CPU])
def test_devices_of_parameters_and_results_are_compared(device):
    one = Function((Var("x", virtual_device=device),), Var("y"))
    x = Var("x", virtual_device=GPU)
    assert not structural_equal(one, Function((x,), one.body))
    found = first_mismatch(Function((x,), x), Function((x,), x, virtual_device=CPU))
    assert found is not None
    assert found.path == "<root>.virtual_device"


def test_equal_devices_are_equal_and_hash_alike():
    x, y = Var("x", virtual_device=CPU), Var("y", virtual_device=VirtualDevice(1, 0))
    one, other = Function((x,), x, virtual_device=GPU), Function((y,), y, virtual_device=GPU)
    assert structural_equal(one, other)
    assert structural_hash(one) == structural_hash(other)


def test_devices_are_pickled():
    x = Var("x", virtual_device=CPU)
    func = Function((x,), x, virtual_device=GPU)
    assert structural_equal(pickle.loads(pickle.dumps(func)), func)


def test_device_of_another_type_is_refused():
    with pytest.raises(FieldError, match=r"Var\.virtual_device must be VirtualDevice"):
        Var("x", virtual_device="cpu")


PLANNED = """#[version = "0.0.5"]
def @main(%x {virtual_device=VirtualDevice{device_type_int=1}}: int32,
          virtual_device=VirtualDevice{device_type_int=2}) -> int32 {
  let %f = fn (%y {virtual_device=VirtualDevice{device_type_int=4}}: int32,
               virtual_device=VirtualDevice{device_type_int=5}) -> int32 { add(%x, %y) };
  %f(%x)
}
"""


@pytest.mark.parametrize("make", [InferType, EtaExpand, PartialEvaluate])
def test_pass_keeps_devices_of_parameters_and_results(make):
    main = make()(InferType()(relay.parse(PLANNED)))["main"]
    assert main.virtual_device == VirtualDevice(2)
    assert main.params[0].virtual_device == VirtualDevice(1)


def test_lifted_functions_keep_devices():
    mod = LambdaLift()(relay.parse(PLANNED))
    [lifted] = [func for name, func in mod.functions.items() if name.name_hint != "main"]
    assert lifted.params[0].virtual_device == VirtualDevice(1)
    assert lifted.body.params[0].virtual_device == VirtualDevice(4)
    assert lifted.body.virtual_device == VirtualDevice(5)


def test_a_normal_form_keeps_devices_of_functions_inside():
    inner = ToANormalForm()(relay.parse(PLANNED))["main"].body.value
    assert inner.virtual_device == VirtualDevice(5)
