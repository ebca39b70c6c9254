"""Dictionaries of attributes on nodes: written, read, compared, hashed, pickled and rebuilt."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from pyrsistent import pmap

from relayish.errors import FieldError
from relayish.functor import ExprMutator
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.nodes.node import declared_temporarily, node
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Expr, Function, Var
from relayish.text import astext, parse_expr
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH

DECLARED = declared_temporarily()
with DECLARED:

    @node("annotated_loop")
    class Annotated(Expr):
        body: Expr
        attrs: DictAttrs = DictAttrs()

    @node("open_box")
    class Box(Expr):
        held: object


known = known_in_tests(DECLARED)

GIVEN: dict[str, Any] = {
    "number": 1,
    "fraction": 0.1,
    "flag": True,
    "none": None,
    "text": 'a "b"\n%x',
    "numbers": (1, 2, 3),
    "texts": ("a", "b"),
    "nest": ((1, "a"), (), (2.5, (True,))),
    "inner": {"factor": 4, "axes": [0, 1], "deeper": {"a": "b"}},
    "odd key": 1,
    "": 2,
    "nan": float("nan"),
    "infinite": float("-inf"),
    "tensor": np.arange(4, dtype="int64"),
}


def made(**changes: Any) -> Annotated:
    return Annotated(const(1), {**GIVEN, **changes})


def test_dictionary_is_kept_as_attributes():
    attrs = made().attrs
    assert type(attrs) is DictAttrs
    assert attrs["inner"] == DictAttrs({"factor": 4, "axes": (0, 1), "deeper": {"a": "b"}})
    assert Annotated(const(1), pmap({"a": 1})).attrs == DictAttrs({"a": 1})


def test_dictionary_changed_later_changes_no_node():
    given: dict[str, Any] = {"sizes": [1]}
    loop = Annotated(const(1), given)
    given["sizes"].append(2)
    given["more"] = 1
    assert loop.attrs == DictAttrs({"sizes": (1,)})


def test_anything_but_a_dictionary_or_attributes_is_refused():
    with pytest.raises(FieldError, match=r"Annotated.attrs must be DictAttrs; found 3 \(int\)"):
        Annotated(const(1), 3)


@pytest.mark.parametrize("key", GIVEN)
def test_attribute_is_read_back_as_it_was_written(key):
    loop = Annotated(const(1), {key: GIVEN[key]})
    text = astext(loop)
    again = parse_expr(text)
    assert structural_equal(again, loop)
    assert astext(again) == text


def test_all_of_them_are_read_back():
    assert structural_equal(parse_expr(astext(made())), made())


def test_attributes_are_pickled_and_copied():
    loop = made()
    for again in (pickle.loads(pickle.dumps(loop)), copy.copy(loop), copy.deepcopy(loop)):
        assert structural_equal(again, loop)
        assert structural_hash(again) == structural_hash(loop)


@pytest.mark.parametrize(
    "changes",
    [
        {"number": 2},
        {"number": 1.0},
        {"number": True},
        {"fraction": 0.2},
        {"numbers": (1, 2)},
        {"inner": {"factor": 5}},
        {"inner": {"factor": 4, "axes": (0, 1), "deeper": {"a": "c"}}},
        {"tensor": np.arange(5, dtype="int64")},
        {"tensor": np.arange(4, dtype="int32")},
        {"more": 1},
    ],
    ids=str,
)
def test_other_attributes_are_another_program(changes):
    assert not structural_equal(made(), made(**changes))
    assert structural_hash(made()) != structural_hash(made(**changes))


def test_order_of_attributes_does_not_count():
    one, other = (
        Annotated(const(1), dict(items)) for items in (GIVEN.items(), [*GIVEN.items()][::-1])
    )
    assert structural_equal(one, other)
    assert structural_hash(one) == structural_hash(other)


def test_default_of_attributes_is_left_out_where_it_is_the_same_in_every_bit():
    assert astext(Annotated(const(1), {})) == "node annotated_loop(body=1)"
    assert DictAttrs({"a": 1}) != DictAttrs({"a": True})
    assert DictAttrs({"a": np.zeros(2)}) == DictAttrs({"a": np.zeros(2)})


def test_rebuilt_node_keeps_its_attributes():
    class Renamer(ExprMutator):
        def visit_var(self, var: Var) -> Expr:
            return const(2)

    x = Var("x")
    loop = Annotated(x, GIVEN)
    assert Renamer().visit(loop).attrs is loop.attrs
    assert loop.with_fields(attrs={"a": 1}).attrs == DictAttrs({"a": 1})
    assert structural_equal(Function((x,), loop), Function((x,), Annotated(x, GIVEN)))


@pytest.mark.parametrize("given", [{"a": [1, {"b": 2}]}, [1, [2]], (1, [2])], ids=str)
def test_field_of_any_value_keeps_no_list_or_dictionary(given):
    box = Box(given)
    again = parse_expr(astext(box))
    assert structural_equal(again, box)
    assert structural_hash(again) == structural_hash(box)


@pytest.mark.deep
def test_attributes_of_any_depth_are_kept():
    nest: Any = []
    for _ in range(DEPTH):
        nest = [nest]
    held = Box(nest).held
    assert type(held) is tuple
    assert DictAttrs({"nest": nest}) == DictAttrs({"nest": held})


def test_what_is_shared_in_attributes_stays_shared():
    nest: Any = [1]
    for _ in range(100):
        nest = [nest, nest]
    held = DictAttrs({"nest": nest})["nest"]
    assert held[0] is held[1]


def test_keys_that_are_no_names_are_refused():
    x = Var("x")
    with pytest.raises(FieldError, match=r"\(Var\) cannot name an attribute; expected a string"):
        Function((x,), x).with_attr("params", {x: const(1)})
    with pytest.raises(FieldError, match="cannot name an attribute"):
        DictAttrs({x: 1})  # type: ignore[dict-item]  # as above
    assert DictAttrs({"params": ((x, const(1)),)}).keys() == ("params",)


def test_attributes_that_differ_in_a_value_hash_otherwise():
    values = [*range(50), *map(np.float32, range(50)), *[np.array([0, i]) for i in range(50)]]
    assert len({hash(DictAttrs({"value": value})) for value in values}) == len(values)


@pytest.mark.parametrize(
    "value",
    [
        np.arange(20).reshape(4, 5).T,
        np.float32("nan"),
        float("nan"),
        (1, (2, 3), np.zeros(3)),
        "text",
        True,
        None,
    ],
)
def test_equal_attributes_hash_the_same(value):
    one, other = DictAttrs({"value": value}), DictAttrs({"value": copy.deepcopy(value)})
    assert one == other
    assert hash(one) == hash(other)


def test_attributes_are_gone_through_by_name():
    assert list(DictAttrs({"a": 1, "b": 2})) == ["a", "b"]
    assert dict(DictAttrs({"a": 1})) == {"a": 1}
