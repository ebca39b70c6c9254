"""Paths into programs, and those to the first place where two programs differ."""

from __future__ import annotations

import pytest

from relayish.errors import UnknownNameError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import get_first_structural_mismatch
from relayish.ir.modules import object_path
from relayish.ir.modules.object_path import ObjectPath
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Op, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from tests.support.depth import DEPTH

ROOT = ObjectPath.root()
STEPS = {
    "<root>": (ROOT, object_path.RootPath),
    "model": (ObjectPath.root("model"), object_path.RootPath),
    "<root>.foo": (ROOT.attr("foo"), object_path.AttributeAccessPath),
    "<root>.<unknown attribute>": (ROOT.attr(None), object_path.UnknownAttributeAccessPath),
    "<root>[2]": (ROOT.array_index(2), object_path.ArrayIndexPath),
    "<root>[<missing element #2>]": (
        ROOT.missing_array_element(2),
        object_path.MissingArrayElementPath,
    ),
    '<root>["foo"]': (ROOT.map_value("foo"), object_path.MapValuePath),
    "<root>[3]": (ROOT.map_value(3), object_path.MapValuePath),
    "<root>[<missing entry>]": (ROOT.missing_map_entry(), object_path.MissingMapEntryPath),
}


@pytest.mark.parametrize("text", STEPS)
def test_step_is_shown_as_tvm_shows_it(text: str) -> None:
    path, kind = STEPS[text]
    assert type(path) is kind
    assert str(path) == repr(path) == text
    assert bool(path)


def test_steps_tell_what_they_go_by() -> None:
    assert object_path.AttributeAccessPath(ROOT, "foo").attr_key == "foo"
    assert object_path.ArrayIndexPath(ROOT, 5).index == 5
    assert object_path.MissingArrayElementPath(ROOT, 6).index == 6
    assert object_path.MapValuePath(ROOT, "key").key == "key"
    assert object_path.RootPath(None, "name").name == "name"
    assert ROOT.attr("foo").parent is ROOT
    assert ROOT.parent is None


def test_paths_are_equal_where_their_steps_are() -> None:
    path = ROOT.attr("args").array_index(1)
    assert path == ROOT.attr("args").array_index(1)
    assert hash(path) == hash(ROOT.attr("args").array_index(1))
    others = (path.parent, ROOT.attr("args").array_index(2), ROOT.attr("args").map_value(1))
    assert not any(path == other for other in (*others, ROOT.attr("x").array_index(1), "args"))
    assert ObjectPath.root("a") != ROOT


def test_unknown_attribute_equals_no_other() -> None:
    path = ROOT.attr(None)
    assert path == path  # noqa: PLR0124 - one object
    assert path != ROOT.attr(None)


def test_prefixes_are_as_long_as_they_are_asked_for() -> None:
    path = ROOT.attr("args").array_index(1).attr("data")
    assert len(path) == 4
    assert str(path.get_prefix(2)) == "<root>.args"
    assert path.get_prefix(4) is path
    assert ROOT.attr("args").is_prefix_of(path)
    assert path.is_prefix_of(path)
    assert not ROOT.attr("op").is_prefix_of(path)
    assert not path.is_prefix_of(path.get_prefix(3))
    for length in (0, 5, -1):
        with pytest.raises(IndexError, match="a path of length 4 has no prefix"):
            path.get_prefix(length)


def add(*args: Expr) -> Call:
    return Call(Op("add"), args)


def test_path_leads_through_nodes_modules_and_attributes() -> None:
    x = Var("x")
    func = Function((x,), add(x, Constant(3)), attrs=DictAttrs({"a": (1, 2)}))
    mod = IRModule({"main": func})
    main = ROOT.attr("functions").map_value("main")
    assert main.follow(mod) is func
    assert main.attr("body").attr("args").array_index(0).follow(mod) is x
    assert main.attr("attrs").map_value("a").array_index(1).follow(mod) == 2
    assert main.attr("attrs").attr("a").follow(mod) == (1, 2)
    assert ROOT.follow(mod) is mod


@pytest.mark.parametrize(
    "path",
    [
        ROOT.attr("colour"),
        ROOT.attr("args").array_index(2),
        ROOT.attr("args").map_value("x"),
        ROOT.attr("op").array_index(0),
        ROOT.attr("args").missing_array_element(0),
        ROOT.missing_map_entry(),
        ROOT.attr(None),
    ],
)
def test_path_that_leads_to_nothing_says_so(path: ObjectPath) -> None:
    with pytest.raises(UnknownNameError, match=r"^<root>.* leads to nothing"):
        path.follow(add(Constant(1), Constant(2)))


def paths(lhs: object, rhs: object) -> tuple[str, str] | None:
    found = get_first_structural_mismatch(lhs, rhs)
    return None if found is None else (str(found[0]), str(found[1]))


def both(path: str) -> tuple[str, str]:
    return path, path


def test_programs_that_are_equal_have_no_mismatch() -> None:
    assert get_first_structural_mismatch(add(Constant(1)), add(Constant(1))) is None
    x, y = Var("x"), Var("y")
    assert get_first_structural_mismatch(x, y) is not None
    assert get_first_structural_mismatch(x, y, map_free_vars=True) is None


def test_mismatch_is_where_both_differ() -> None:
    one, other = add(Constant(1), Constant(2)), add(Constant(1), Constant(3))
    assert paths(one, other) == both("<root>.args[1].data")
    assert paths(one, Constant(1)) == both("<root>")
    mods = [IRModule({"main": Function((), body)}) for body in (one, other)]
    assert paths(*mods) == both('<root>.functions["main"].body.args[1].data')
    types = [Var("x", TensorType(shape)) for shape in ((2, 3), (2, 4))]
    assert paths(*[Function((x,), x) for x in types]) == both(
        "<root>.params[0].type_annotation.shape[1]"
    )


def test_mismatch_leads_to_an_item_that_one_side_has_not() -> None:
    short, long = add(Constant(1)), add(Constant(1), Constant(2))
    assert paths(short, long) == ("<root>.args[<missing element #1>]", "<root>.args[1]")
    assert paths(long, short) == ("<root>.args[1]", "<root>.args[<missing element #1>]")
    nests = [
        Function((), Tuple(()), attrs=DictAttrs({"a": ((1,), held)})) for held in ((2,), (2, 3))
    ]
    assert paths(*nests) == (
        '<root>.attrs["a"][1][<missing element #1>]',
        '<root>.attrs["a"][1][1]',
    )


def test_mismatch_leads_to_an_entry_that_one_side_has_not() -> None:
    func = Function((), Constant(1))
    one, other = IRModule({"f": func}), IRModule({"f": func, "g": func})
    assert paths(one, other) == ("<root>.functions[<missing entry>]", '<root>.functions["g"]')
    left = func.with_attr("a", 1)
    assert paths(left, left.with_attr("b", 1)) == (
        "<root>.attrs[<missing entry>]",
        '<root>.attrs["b"]',
    )
    assert paths(func, left) == both("<root>.attrs")


def test_mismatch_in_attributes_of_a_module_is_no_function_of_that_name() -> None:
    func = Function((), Constant(1))
    one, other = (IRModule({"attrs": func}, attrs=DictAttrs({"a": n})) for n in (1, 2))
    assert paths(one, other) == both('<root>.attrs["a"]')
    other = IRModule({"attrs": Function((), Constant(2))}, attrs=one.attrs)
    assert paths(one, other) == both('<root>.functions["attrs"].body.data')


@pytest.mark.deep
def test_mismatch_at_depth_is_found_and_followed() -> None:
    def nest(innermost: int) -> Expr:
        expr: Expr = Constant(innermost)
        for _ in range(DEPTH):
            expr = Tuple((expr,))
        return expr

    one, other = nest(1), nest(2)
    found = get_first_structural_mismatch(one, other)
    assert found is not None
    left, right = found
    assert len(left) == 2 * DEPTH + 2
    assert left == right
    assert (left.follow(one), right.follow(other)) == (1, 2)
