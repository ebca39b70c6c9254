"""Functions with other attributes, and modules put together."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.analysis.infer_type import infer_type


def func(**attrs: object) -> relay.Function:
    return relay.Function((), relay.const(1), attrs=relay.DictAttrs(attrs) if attrs else None)


def test_attribute_is_added_to_those_there_are() -> None:
    given = func(a=1)
    out = given.with_attr("b", [1, 2])
    assert out.attrs == relay.DictAttrs({"a": 1, "b": (1, 2)})
    assert given.attrs == relay.DictAttrs({"a": 1})
    assert func().with_attr("a", 1).attrs == relay.DictAttrs({"a": 1})


def test_several_attributes_are_given_as_a_mapping() -> None:
    assert func(a=1).with_attr({"a": 2, "b": 3}).attrs == relay.DictAttrs({"a": 2, "b": 3})
    given = func()
    assert given.with_attr({}) is given


@pytest.mark.parametrize("value", [1, "text", (1, 2), 0.5, None])
def test_attribute_that_is_there_already_leaves_the_function(value: object) -> None:
    given = func(a=value)
    assert given.with_attr("a", value) is given


@pytest.mark.parametrize(("old", "new"), [(1, True), (0.0, -0.0), (1, 1.0)])
def test_values_of_another_kind_are_others(old: object, new: object) -> None:
    given = func(a=old)
    out = given.with_attr("a", new)
    assert out is not given
    assert repr(out.attrs["a"]) == repr(new)


def test_attribute_is_taken_away() -> None:
    assert func(a=1, b=2).without_attr("a").attrs == relay.DictAttrs({"b": 2})
    assert func(a=1).without_attr("a").attrs is None
    for given in (func(), func(a=1)):
        assert given.without_attr("c") is given


def test_type_and_place_of_a_function_stay_when_its_attributes_change() -> None:
    x = relay.var("x", shape=(2,))
    span = relay.Span("here", 1, 1, 1, 2)
    mod = infer_type(relay.IRModule({"main": relay.Function((x,), x + x, span=span)}))
    main = mod["main"]
    for out in (main.with_attr("a", 1), main.with_attr("a", 1).without_attr("a")):
        assert out.checked_type is main.checked_type
        assert out.span == span
    assert infer_type(mod.with_function("main", main.with_attr("a", 1)))["main"].body is main.body


def test_modules_are_put_together() -> None:
    mine, theirs = func(), func()
    left = relay.IRModule({"a": mine, "b": mine})
    b = left.get_global_var("b")
    right = relay.IRModule({b: theirs, "c": theirs})
    out = left.with_module(right)
    assert [(key.name_hint, value) for key, value in out.functions_items()] == [
        *(("a", mine), ("b", theirs), ("c", theirs))
    ]
    assert left["b"] is mine
    assert out.with_module(right) is out
    assert left.with_module(relay.IRModule()) is left


def test_types_are_put_together_and_attributes_are_those_of_the_first() -> None:
    header = relay.GlobalTypeVar("T")
    data = relay.TypeData(header, (), ())
    left = relay.IRModule({"a": func()}, attrs=relay.DictAttrs({"mine": 1}))
    right = relay.IRModule(type_definitions={header: data}, attrs=relay.DictAttrs({"theirs": 1}))
    out = left.with_module(right)
    assert out.type_definitions == {header: data}
    assert out.attrs == relay.DictAttrs({"mine": 1})
    assert out.with_module(right) is out


def test_two_variables_of_one_name_are_not_put_together() -> None:
    left, right = (relay.IRModule({relay.GlobalVar("f"): func()}) for _ in range(2))
    with pytest.raises(relay.DuplicateNameError, match="@f is defined under another GlobalVar"):
        left.with_module(right)


def test_updating_in_place_is_refused_with_what_to_do() -> None:
    with pytest.raises(relay.FrozenNodeError, match=r"use mod = mod\.with_module\(other\)"):
        relay.IRModule().update(relay.IRModule())
