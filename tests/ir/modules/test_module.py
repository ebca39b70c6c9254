from __future__ import annotations

import copy
import pickle
import weakref

import pytest

from relayish import tir
from relayish.errors import DuplicateNameError, FieldError, FrozenNodeError, UnknownNameError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import Constructor, TypeData
from relayish.ir.relay.expr import Call, Constant, Function, GlobalVar, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import GlobalTypeVar, TypeVar

F, G, H = (Function((), Constant(i)) for i in range(3))


def lists(name="List"):
    header = GlobalTypeVar(name)
    a = TypeVar("a")
    return TypeData(
        header, (a,), (Constructor("Nil", (), header), Constructor("Cons", (a,), header))
    )


@pytest.fixture
def mod():
    data = lists()
    return IRModule({"main": F, GlobalVar("b"): G}, {data.header: data}, DictAttrs({"k": 1}))


def test_functions_are_had_by_name_and_by_global(mod):
    assert mod["main"] is F
    assert mod[mod.get_global_var("b")] is G
    assert mod[GlobalVar("main")] is F


def test_functions_come_in_order_of_name(mod):
    bigger = mod.with_functions({"zz": H, "a": H})
    names = ["a", "b", "main", "zz"]
    assert [g.name_hint for g in bigger.get_global_vars()] == names
    assert [g.name_hint for g in bigger] == names
    assert [g.name_hint for g in bigger.functions] == names
    assert len(bigger) == 4


def test_type_definitions_come_in_order_of_name(mod):
    bigger = mod.with_type(lists("Alpha"))
    assert [h.name_hint for h in bigger.type_definitions] == ["Alpha", "List"]
    assert len(mod.type_definitions) == 1


def test_containment_agrees_with_indexing(mod):
    assert "main" in mod
    assert GlobalVar("main") in mod
    assert "other" not in mod
    assert GlobalVar("other") not in mod
    assert 3 not in mod
    assert [] not in mod


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m: m["mian"], "defines no function @mian; did you mean main"),
        (lambda m: m[GlobalVar("mian")], "defines no function @mian; did you mean main"),
        (lambda m: m.get_global_var("qqq"), "defines no function @qqq$"),
        (lambda m: m.get_global_type_var("Lisst"), "defines no type Lisst; did you mean List"),
        (lambda m: m.get_constructor("Lisst", "Nil"), "defines no type Lisst; did you mean List"),
        (lambda m: m.get_constructor("List", "Con"), "has no constructor Con; did you mean Cons"),
        (lambda m: m.without_functions(["mian"]), "defines no function @mian; did you mean main"),
    ],
)
def test_unknown_name_is_an_error_with_a_suggestion(mod, ask, message):
    with pytest.raises(UnknownNameError, match=message):
        ask(mod)


def test_constructor_and_type_are_had_by_name(mod):
    assert mod.get_constructor("List", "Cons").name_hint == "Cons"
    assert mod.get_global_type_var("List") in mod.type_definitions


@pytest.mark.parametrize(
    "make",
    [
        lambda m: m[3],
        lambda m: m[Constant(1)],
        lambda m: IRModule({3: F}),
        lambda m: IRModule({"f": 3}),
        lambda m: m.with_function("f", None),
        lambda m: m.with_function(3, F),
    ],
)
def test_what_is_no_name_or_function_is_refused(mod, make):
    with pytest.raises(FieldError, match=r"a module|a function goes by a name"):
        make(mod)


def test_update_leaves_the_old_module_alone(mod):
    new = mod.with_function("main", H)
    assert mod["main"] is F
    assert new["main"] is H
    assert new["b"] is G
    assert new.get_global_var("main") is mod.get_global_var("main")
    assert (new.attrs, new.type_definitions) == (mod.attrs, mod.type_definitions)


def test_update_that_changes_nothing_returns_the_same_module(mod):
    assert mod.with_function("main", F) is mod
    assert mod.with_function(mod.get_global_var("b"), G) is mod
    assert mod.with_functions({}) is mod
    assert mod.with_functions({"main": F, "b": G}) is mod
    assert mod.without_functions([]) is mod
    assert mod.with_attrs(mod.attrs) is mod


def test_new_function_may_bring_its_own_global(mod):
    key = GlobalVar("new")
    assert mod.with_function(key, H).get_global_var("new") is key


def test_another_global_of_a_known_name_is_refused(mod):
    with pytest.raises(DuplicateNameError, match=r"@main is defined under another .*'main'"):
        mod.with_function(GlobalVar("main"), H)


def test_two_globals_of_one_name_in_one_update_are_refused(mod):
    with pytest.raises(DuplicateNameError, match="@new is defined under another GlobalVar"):
        mod.with_functions({"new": F, GlobalVar("new"): G})
    with pytest.raises(DuplicateNameError, match="@new is defined under another GlobalVar"):
        mod.with_functions({GlobalVar("new"): F, GlobalVar("new"): G})


def test_two_definitions_of_one_name_are_refused():
    with pytest.raises(DuplicateNameError, match="two function definitions go by the name 'f'"):
        IRModule({"f": F, GlobalVar("f"): G})
    one, other = lists(), lists()
    with pytest.raises(DuplicateNameError, match="two type definitions go by the name 'List'"):
        IRModule({}, {one.header: one, other.header: other})
    with pytest.raises(DuplicateNameError, match="already defines a type List"):
        IRModule({}, {one.header: one}).with_type(other)


def test_type_definition_may_be_replaced_under_its_header(mod):
    (data,) = mod.type_definitions.values()
    other = TypeData(data.header, (), ())
    assert mod.with_type(other).type_definitions[data.header] is other
    assert mod.type_definitions[data.header] is data


def test_functions_are_taken_out(mod):
    assert "main" not in mod.without_functions(["main"])
    assert len(mod.without_functions(["main", mod.get_global_var("b")])) == 0
    assert "main" in mod.without_functions([GlobalVar("b")])
    assert len(mod.without_functions(["main", "main", GlobalVar("main")])) == 1


@pytest.mark.parametrize("gone", [1, 9])
def test_the_others_stay_when_few_or_most_are_dropped(gone: int):
    mod = IRModule({f"f{index}": Tuple(()) for index in range(10)})
    left = mod.without_functions([f"f{index}" for index in range(gone)])
    assert {**left.functions} == {name: mod[name] for name in mod.get_global_vars()[gone:]}
    assert len(mod) == 10


def test_attributes_are_replaced(mod):
    attrs = DictAttrs({"other": 1})
    assert mod.with_attrs(attrs).attrs is attrs
    assert mod.with_attrs(None).attrs is None
    assert mod.with_attrs(attrs)["main"] is F


def test_module_is_frozen(mod):
    with pytest.raises(FrozenNodeError, match=r"use mod = mod.with_function\(name, func\)"):
        mod["main"] = H
    with pytest.raises(FrozenNodeError, match=r"use mod = mod.without_functions\(\[name\]\)"):
        del mod["main"]
    with pytest.raises(FrozenNodeError, match=r"cannot assign IRModule.attrs"):
        mod.attrs = None
    with pytest.raises(FrozenNodeError, match=r"cannot delete IRModule.attrs"):
        del mod.attrs
    assert mod["main"] is F


def test_module_shows_names_not_contents():
    data = lists()
    assert repr(IRModule({"main": F}, {data.header: data})) == "IRModule(@main; types List)"
    many = IRModule({f"f{i}": F for i in range(10)})
    assert repr(many).endswith("@f7, ...)")


def test_module_is_weakly_referable(mod):
    assert weakref.ref(mod)() is mod


@pytest.mark.parametrize("clone", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy])
def test_clone_is_structurally_equal_and_keeps_sharing(mod, clone):
    shared = Tuple((Constant(1),))
    cons = mod.get_constructor("List", "Cons")
    x = Var("x")
    bigger = mod.with_functions(
        {"f": Function((x,), Tuple((shared, Call(cons, (x,))))), "g": Function((), shared)}
    )
    other = clone(bigger)
    assert structural_equal(bigger, other)
    assert other["f"].body.fields[0] is other["g"].body
    assert other["f"].body.fields[1].op is other.get_constructor("List", "Cons")
    assert other["g"].body is not shared


def test_updating_a_large_module_many_times_keeps_all_versions():
    mod = IRModule({f"f{i}": F for i in range(1_000)})
    versions = [mod]
    for i in range(200):
        versions.append(versions[-1].with_function(f"f{i}", G))
    assert sum(versions[100][f"f{i}"] is G for i in range(1_000)) == 100


def test_module_is_made_of_an_expression():
    body = Constant(1)
    assert IRModule.from_expr(body)["main"].body is body
    assert IRModule.from_expr(F)["main"] is F
    named = Function((), body, None, (), DictAttrs({"global_symbol": "entry"}))
    mod = IRModule.from_expr(named, {"other": F})
    assert (mod["entry"], mod["other"]) == (named, F)


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found.__setitem__("f", None),
        lambda found: found.clear(),
        lambda found: found.update({}),
        lambda found: found.pop("f"),
    ],
)
def test_functions_are_not_changed_in_place(change):
    mod = IRModule({"f": Function((), Constant(1))})
    with pytest.raises(FrozenNodeError, match=r"use mod = mod\.with_function\(name, func\)"):
        change(mod.functions)
    assert len(mod.functions) == 1


def test_functions_may_be_copied_and_pickled():
    mod = IRModule({"f": Function((), Constant(1))})
    assert type(pickle.loads(pickle.dumps(mod.functions))) is dict
    assert type(copy.copy(mod.functions)) is dict
    assert dict(mod.functions) == mod.functions


def test_function_of_a_class_is_the_definition_where_it_is_of_that_class():
    loops = tir.LoweredFunc("loops", (), tir.Block())
    mod = IRModule({"main": Function((), Tuple(())), "loops": loops})
    assert mod.function_of(tir.LoweredFunc, "loops") is loops
    assert mod.function_of(Function, mod.get_global_var("main")) is mod["main"]
    assert mod.function_of(Node, "loops") is loops


def test_function_of_another_class_is_refused_by_name():
    mod = IRModule({"main": Function((), Tuple(()))})
    with pytest.raises(FieldError, match="@main is a Function; expected a LoweredFunc") as caught:
        mod.function_of(tir.LoweredFunc, "main")
    assert "functions_of(LoweredFunc)" in str(caught.value)
    with pytest.raises(FieldError, match="@main is a Function"):
        mod.function_of(tir.LoweredFunc, mod.get_global_var("main"))
