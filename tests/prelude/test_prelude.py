from __future__ import annotations

import pytest

from relayish.analysis import well_formed
from relayish.errors import DuplicateNameError, UnknownNameError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.adt import Constructor, TypeData
from relayish.ir.relay.expr import Call, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import GlobalTypeVar
from relayish.prelude import Prelude, import_from_std
from relayish.text import astext, parse
from relayish.transform import InferType
from tests.support.recorded_prelude import recorded_prelude, type_of


def test_the_module_given_stays_as_it_was():
    x = Var("x")
    mod = IRModule({"main": Function((x,), x)})
    p = Prelude(mod)
    assert len(mod) == 1
    assert p.mod["main"] is mod["main"]
    assert "map" in p.mod


def test_two_preludes_mean_the_same_lists():
    assert Prelude().mod.get_type("List") == Prelude().mod.get_type("List")
    assert Prelude().map is Prelude().map


def test_a_module_with_the_prelude_is_given_back():
    mod = Prelude().mod
    assert Prelude(mod).mod is mod


def test_what_was_transformed_since_stays():
    mod = Prelude().mod
    x = Var("xs")
    changed = mod.with_function("length", Function((x,), x)).without_functions(["map"])
    again = Prelude(changed).mod
    assert again["length"] is changed["length"]
    assert again["map"] is mod["map"]


def test_the_prelude_comes_back_from_text():
    mod = Prelude().mod
    back = parse(astext(mod))
    assert structural_equal(back, mod)
    p = Prelude(back)
    assert p.mod is back
    assert p.get_type("List") is back.get_global_type_var("List")


def test_every_function_is_well_formed():
    mod = Prelude().mod
    assert all(well_formed(mod[name]) for name in mod)


def test_type_and_constructors_come_together():
    mod = Prelude().mod
    for name, constructors in {
        "List": ["Cons", "Nil"],
        "Option": ["Some", "None"],
        "Tree": ["Rose"],
        "nat": ["zero", "succ"],
    }.items():
        header, *found = mod.get_type(name)
        assert header is mod.get_global_type_var(name)
        assert [c.name_hint for c in found] == constructors
        assert all(c.belong_to is header for c in found)


def test_get_type_of_an_unknown_type_is_an_error():
    with pytest.raises(UnknownNameError, match="did you mean List"):
        Prelude().mod.get_type("Lisst")


def test_constructor_is_found_by_name_in_any_case():
    p = Prelude()
    _, cons, nil = p.mod.get_type("List")
    assert p.get_ctor("List", "cons") is p.get_ctor("List", "Cons") is cons
    assert p.get_ctor("List", "nil") is nil
    with pytest.raises(UnknownNameError, match="has no constructor snoc"):
        p.get_ctor("List", "snoc")


def test_constructor_is_found_by_exact_name_where_two_differ_in_case():
    header = GlobalTypeVar("T")
    upper, lower = Constructor("Make", (), header), Constructor("make", (), header)
    p = Prelude(IRModule({}, {header: TypeData(header, (), (upper, lower))}))
    assert p.get_ctor("T", "make") is lower
    assert p.get_ctor("T", "Make") is upper


def test_functions_are_attributes():
    p = Prelude()
    assert p.foldl is p.get_global_var("foldl") is p.mod.get_global_var("foldl")
    with pytest.raises(AttributeError, match="did you mean foldl"):
        _ = p.foldll


def test_attributes_are_those_of_the_present_module():
    p = Prelude()
    x = Var("x")
    p.mod = p.mod.with_function("mine", Function((x,), Call(p.length, (x,))))
    assert p.mine is p.mod.get_global_var("mine")


def test_natural_numbers_bring_lists_along():
    mod = import_from_std(IRModule(), "nat.rly")
    assert "nat_nth" in mod
    assert "hd" in mod


def test_the_prelude_alone_has_no_natural_numbers():
    mod = import_from_std(IRModule(), "prelude.rly")
    assert "nat_add" not in mod
    assert import_from_std(mod, "prelude") is mod


def test_an_unknown_module_is_an_error():
    with pytest.raises(UnknownNameError, match="did you mean prelude"):
        import_from_std(IRModule(), "prelud.rly")


def test_a_type_of_the_same_name_is_an_error():
    header = GlobalTypeVar("Option")
    mod = IRModule({}, {header: TypeData(header, (), ())})
    with pytest.raises(DuplicateNameError, match="a type Option of its own, and no List"):
        Prelude(mod)


def test_a_function_of_the_same_name_is_an_error():
    x = Var("x")
    with pytest.raises(DuplicateNameError, match="a function @map of its own"):
        Prelude(IRModule({"map": Function((x,), x)}))


def test_types_are_those_that_were_recorded():
    recorded = recorded_prelude()
    mod = Prelude().mod
    compared = [var.name_hint for var in mod if var.name_hint in recorded]
    assert {"map", "foldr1", "unfoldl", "tmap", "nat_update"} <= set(compared)
    for name in compared:
        assert astext(type_of(mod[name])) == astext(type_of(recorded[name])), name
    for header in mod.type_definitions:
        ours, theirs = mod.get_type(header.name_hint), recorded.get_type(header.name_hint)
        for one, other in zip(ours[1:], theirs[1:], strict=True):
            assert one.name_hint == other.name_hint
            assert list(map(astext, one.inputs)) == list(map(astext, other.inputs))
    assert len(compared) == len(mod)


def test_types_are_inferred_as_they_are_written():
    mod = Prelude().mod
    typed = InferType()(mod)
    for name in mod:
        assert astext(typed[name].checked_type) == astext(type_of(mod[name])), name
