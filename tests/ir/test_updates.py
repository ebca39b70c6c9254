"""Functions with other attributes, and modules put together."""

from __future__ import annotations

import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import DuplicateNameError, FrozenNodeError
from relayish.ir.attrs import DictAttrs
from relayish.ir.relay.adt import TypeData
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Function, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import GlobalTypeVar
from relayish.ir.span import Span


def func(**attrs: object) -> Function:
    return Function((), const(1), attrs=DictAttrs(attrs) if attrs else None)


def test_attribute_is_added_to_those_there_are() -> None:
    given = func(a=1)
    out = given.with_attr("b", [1, 2])
    assert out.attrs == DictAttrs({"a": 1, "b": (1, 2)})
    assert given.attrs == DictAttrs({"a": 1})
    assert func().with_attr("a", 1).attrs == DictAttrs({"a": 1})


def test_several_attributes_are_given_as_a_mapping() -> None:
    assert func(a=1).with_attr({"a": 2, "b": 3}).attrs == DictAttrs({"a": 2, "b": 3})
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
    assert func(a=1, b=2).without_attr("a").attrs == DictAttrs({"b": 2})
    assert func(a=1).without_attr("a").attrs is None
    for given in (func(), func(a=1)):
        assert given.without_attr("c") is given


def test_type_and_place_of_a_function_stay_when_its_attributes_change() -> None:
    x = var("x", shape=(2,))
    span = Span("here", 1, 1, 1, 2)
    mod = infer_type(IRModule({"main": Function((x,), x + x, span=span)}))
    main = mod["main"]
    for out in (main.with_attr("a", 1), main.with_attr("a", 1).without_attr("a")):
        assert out.checked_type is main.checked_type
        assert out.span == span
    assert infer_type(mod.with_function("main", main.with_attr("a", 1)))["main"].body is main.body


def test_modules_are_put_together() -> None:
    mine, theirs = func(), func()
    left = IRModule({"a": mine, "b": mine})
    b = left.get_global_var("b")
    right = IRModule({b: theirs, "c": theirs})
    out = left.with_module(right)
    assert [(key.name_hint, value) for key, value in out.functions_items()] == [
        *(("a", mine), ("b", theirs), ("c", theirs))
    ]
    assert left["b"] is mine
    assert out.with_module(right) is out
    assert left.with_module(IRModule()) is left


def test_types_are_put_together_and_attributes_are_those_of_the_first() -> None:
    header = GlobalTypeVar("T")
    data = TypeData(header, (), ())
    left = IRModule({"a": func()}, attrs=DictAttrs({"mine": 1}))
    right = IRModule(type_definitions={header: data}, attrs=DictAttrs({"theirs": 1}))
    out = left.with_module(right)
    assert out.type_definitions == {header: data}
    assert out.attrs == DictAttrs({"mine": 1})
    assert out.with_module(right) is out


def test_two_variables_of_one_name_are_not_put_together() -> None:
    left, right = (IRModule({GlobalVar("f"): func()}) for _ in range(2))
    with pytest.raises(DuplicateNameError, match="@f is defined under another GlobalVar"):
        left.with_module(right)


def test_updating_in_place_is_refused_with_what_to_do() -> None:
    with pytest.raises(FrozenNodeError, match=r"use mod = mod\.with_module\(other\)"):
        IRModule().update(IRModule())
