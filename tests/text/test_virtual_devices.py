"""Devices of parameters, variables and results in text."""

import pytest

import relayish as relay
from relayish.errors import ParseError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Function, Let, Var
from relayish.ir.relay.type import TensorType
from relayish.ir.relay.virtual_device import VirtualDevice

CPU, GPU = VirtualDevice(1, 0), VirtualDevice(2, 0, None, "global")
TWICE = "virtual_device=VirtualDevice{device_type_int=1}"
INT = TensorType((), "int32")


def round_trip(func: Function) -> None:
    assert_structural_equal(relay.parse_expr(relay.astext(func)), func, map_free_vars=True)


def test_devices_stand_where_tvm_writes_them():
    x, y = Var("x", INT, virtual_device=CPU), Var("y", virtual_device=GPU)
    func = Function((x, y), x, INT, attrs=DictAttrs({"Primitive": 1}), virtual_device=CPU)
    place = "{virtual_device=meta[VirtualDevice][%d]}"
    assert relay.astext(func).splitlines()[0] == (
        f"fn (%x {place % 0}: int32, %y {place % 1}, Primitive=1, "
        "virtual_device=meta[VirtualDevice][0]) -> int32 {"
    )
    round_trip(func)


def test_devices_of_lets_free_variables_and_patterns_round_trip():
    x, y, z = (Var(name, virtual_device=GPU) for name in "xyz")
    round_trip(Function((), Let(x, y, x)))
    match = relay.Match(y, [relay.Clause(relay.PatternTuple([relay.PatternVar(z)]), z)])
    round_trip(Function((), match))


def test_readable_text_shows_devices_as_tvm_does():
    x = Var("x", virtual_device=GPU)
    assert str(Function((x,), x, virtual_device=CPU)).splitlines()[0] == (
        "fn (%x {virtual_device=VirtualDevice(device_type=2, virtual_device_id=0, "
        "memory_scope='global')}, "
        "virtual_device=VirtualDevice(device_type=1, virtual_device_id=0)) {"
    )


def test_unconstrained_device_is_none():
    func = relay.parse_expr(
        "fn (%x {virtual_device=VirtualDevice{}}, virtual_device=VirtualDevice{}) { %x }"
    )
    assert isinstance(func, Function)
    assert func.virtual_device is None
    assert func.params[0].virtual_device is None
    assert func.attrs is None


@pytest.mark.parametrize("value", [CPU, "cpu", 1])
def test_attribute_of_the_same_name_round_trips(value):
    x = Var("x")
    round_trip(Function((x,), x, attrs=DictAttrs({"virtual_device": value, "A": 1})))
    round_trip(Function((x,), x, attrs=DictAttrs({"virtual_device": value}), virtual_device=GPU))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fn (%x {device=1}) { %x }", "expected virtual_device of a variable; found device"),
        ("fn (%x {virtual_device=1}) { %x }", "must be a VirtualDevice; found 1"),
        ("fn (%x {}) { %x }", r"expected virtual_device=\.\.\."),
        (f"fn (%x, {TWICE}, {TWICE}) {{ %x }}", "virtual_device is given twice"),
    ],
)
def test_text_that_is_no_device_is_refused(text, message):
    with pytest.raises(ParseError, match=message):
        relay.parse_expr(text)
