"""Declarations, and values of fields, that would hide nodes or could not be named or written."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pyrsistent import PMap, PVector

from relayish.analysis import TYPE_RULES
from relayish.errors import DeclarationError, FieldError
from relayish.functor import ExprMutator
from relayish.functor.vtable import is_default
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.domains.language import RESERVED
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Atom, Role, Runs
from relayish.ir.nodes.node import Node, field, node
from relayish.ir.relay.adt import Clause
from relayish.ir.relay.expr import Expr, Var
from relayish.ir.relay.language import RELAY
from relayish.ir.relay.type import Type, TypeVar

x = Var("x")


pytestmark = pytest.mark.usefixtures("declarations")


def holding(annotated: Any) -> type[Any]:
    """Return a kind with one field, of that annotation."""
    return node("test_box")(type("Box", (Expr,), {"__annotations__": {"held": annotated}}))


@pytest.mark.parametrize(
    "annotated",
    [
        tuple[tuple[Expr, ...], ...],
        tuple[Expr | tuple[Expr, ...], ...],
        tuple[Expr | Type, ...],
        tuple[Expr, ...] | None,
        tuple[int | tuple[Expr, ...], ...],
    ],
)
def test_annotation_that_hides_nodes_is_refused(annotated: Any) -> None:
    with pytest.raises(DeclarationError, match="would not be seen"):
        holding(annotated)


@pytest.mark.parametrize(
    ("annotated", "value"),
    [
        (object, x),
        (tuple, (1, (x,))),
        (tuple[object, ...], (x,)),
        (tuple[int, ...], (x,)),
        (tuple[int, ...] | None, (x,)),
        (object, [x]),
        (object, {"a": [x]}),
        (Any, {x: 1}),
        (DictAttrs, {"a": [x]}),
    ],
)
def test_value_that_hides_a_node_is_refused(annotated: Any, value: object) -> None:
    box = holding(annotated)
    with pytest.raises(FieldError, match=r"Box.held holds Var.*annotate the field with Var"):
        box(value)


def test_values_shared_many_times_are_looked_at_once() -> None:
    value: tuple[object, ...] = ()
    for _ in range(100):
        value = (value, value)
    assert holding(object)(value).held is value


@pytest.mark.parametrize("value", [(1, 2), None, ()])
def test_tuple_or_nothing_is_taken(value: object) -> None:
    assert holding(tuple[int, ...] | None)(value).held == value


def test_list_becomes_a_tuple_where_nothing_could_stand_as_well() -> None:
    assert holding(tuple[int, ...] | None)([1]).held == (1,)


def test_value_of_another_class_is_refused_by_what_is_expected() -> None:
    with pytest.raises(FieldError, match=r"Box.held must be tuple; found 3"):
        holding(tuple[int, ...] | None)(3)


@pytest.mark.parametrize("visit", ["", "Up.per", "two words", "1st", "größe", *sorted(RESERVED)])
def test_visit_name_that_no_handler_could_have_is_refused(visit: str) -> None:
    with pytest.raises(DeclarationError, match="expected an identifier"):

        @node(visit)
        class Kind(Expr):
            pass


def test_reserved_visit_names_are_all_that_functors_have_beside_handlers() -> None:
    class Hand(ExprMutator):
        """Asked for what stands in the library's classes."""

    members = {
        name for base in Hand.__mro__ for name in (*vars(base), *inspect.get_annotations(base))
    }
    written = {name for name in members if name.startswith("visit_")}
    handlers = {name for name in written if is_default(getattr(Hand, name, None))}
    assert {name.removeprefix("visit_") for name in written - handlers} <= RESERVED


def test_binder_that_may_hold_nothing_among_others_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"Block.vars is declared a binder, but annotated"):

        @node("test_block")
        class Block(Expr):
            vars: tuple[Var | None, ...] = field(binder=True)
            body: Expr = field(scope=Runs.ONCE)


def test_type_with_a_scope_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"Forall.body is declared a scope or part, but"):

        @node("test_forall")
        class Forall(Type):
            var: TypeVar = field(binder=True)
            body: Type = field(scope=Runs.ONCE)


def test_binder_known_in_no_scope_but_those_of_parts_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"Choose.var is declared a binder, but Choose has"):

        @node("test_choose", effect=Effect.NONE)
        class Choose(Expr):
            var: Var = field(binder=True)
            arms: Clause = field(part=True)


def test_binder_without_a_scope_is_refused() -> None:
    said = (
        r"Repeat.var is declared a binder, but Repeat has no scope in which it would be known, .*; "
        r"declare a field of Repeat with field\(scope=Runs...\), or where .* behind a Repeat, "
        r"declare var with field\(binder=True, declares=True\)"
    )
    with pytest.raises(DeclarationError, match=said):

        @node("test_repeat")
        class Repeat(Expr):
            var: Var = field(binder=True)
            init: Expr
            body: Expr


class Arms(Node, language=RELAY, held_as=Role.PART):
    __slots__ = ()
    visit_name = "test_arms"


def test_part_that_binds_and_has_no_scope_is_refused() -> None:
    said = r"Arm.var is declared a binder, .* or let what holds a Arm bind it"
    with pytest.raises(DeclarationError, match=said):

        @node("test_arm", effect=Effect.NONE)
        class Arm(Arms):
            var: Var = field(binder=True)
            value: Expr


def test_declaration_of_a_part_of_a_scope_or_of_nothing_is_refused() -> None:
    said = "nothing stands behind a Arm, which is a part of a node"
    with pytest.raises(DeclarationError, match=f"Arm.var is said to declare .*, but {said}"):

        @node("test_arm", effect=Effect.NONE)
        class Arm(Arms):
            var: Var = field(binder=True, declares=True)
            value: Expr

    with pytest.raises(DeclarationError, match=r"Within.var is said .* in which alone it is known"):

        @node("test_within", effect=Effect.NONE)
        class Within(Expr):
            var: Var = field(binder=True, declares=True)
            body: Expr = field(scope=Runs.ONCE)

    with pytest.raises(DeclarationError, match=r"Nothing.value is said .* it binds nothing"):

        @node("test_nothing", effect=Effect.NONE)
        class Nothing(Expr):
            value: Expr = field(declares=True)


def test_operand_declared_after_a_part_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"Choose.other is declared after arms, but operand"):

        @node("test_choose", effect=Effect.NONE)
        class Choose(Expr):
            value: Expr
            arms: tuple[Clause, ...]
            other: Expr | None = None


def test_annotation_that_names_what_is_not_defined_is_refused() -> None:
    class Local(Expr):
        __slots__ = ()

    with pytest.raises(DeclarationError, match=r"an annotation of Box names 'Local', which"):

        @node("test_box")
        class Box(Expr):
            held: Local


def test_class_that_was_not_declared_makes_no_node() -> None:
    class Forgotten(Expr):
        value: Expr

    for args in ((), (x,)):
        with pytest.raises(DeclarationError, match=r"Forgotten is no kind of node; write @node"):
            Forgotten(*args)


def test_a_required_field_after_one_with_a_default_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"Late.body has no default, but value before it"):

        @node("late")
        class Late(Expr):
            value: Expr | None = None
            body: Expr


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"effect": "none"}, r"the effect of Loose is given as 'none'; .* Effect.NONE"),
        ({"atom": "variable"}, r"the atom of Loose is given as 'variable'; .* Atom.VARIABLE"),
    ],
)
def test_traits_are_members_of_their_enumerations(said: dict[str, Any], problem: str) -> None:
    with pytest.raises(DeclarationError, match=problem):

        @node("loose", **said)
        class Loose(Expr):
            name: str


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"scope": "repeatedly"}, r"scope of Loose.body is given as 'repeatedly'; .*REPEATEDLY"),
        ({"access": "write"}, r"access of Loose.body is given as 'write'; .* Access.WRITE"),
        ({"block": True}, r"Loose.body is declared a block, but annotated .*; a block is a tuple"),
    ],
)
def test_what_is_said_of_a_field_fits_it(said: dict[str, Any], problem: str) -> None:
    with pytest.raises(DeclarationError, match=problem):

        @node("loose")
        class Loose(Expr):
            body: Expr = field(**said)


def test_an_atom_has_no_operand() -> None:
    with pytest.raises(DeclarationError, match=r"its field size is an operand; an atom has none"):

        @node("sized", atom=Atom.VARIABLE)
        class Sized(Expr):
            name: str = field(hint=True)
            size: Expr


def test_what_is_registered_is_registered_of_a_class_of_nodes() -> None:
    with pytest.raises(DeclarationError, match=r"TYPE_RULES.register is given <class 'int'>; exp"):
        TYPE_RULES.register(int, lambda _node, _infer: None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("annotated", "instead"),
    [
        (dict[str, int], "annotate it DictAttrs, which takes a dict"),
        (dict[str, int] | None, "annotate it DictAttrs, which takes a dict"),
        (dict, "annotate it DictAttrs, which takes a dict"),
        (Mapping[str, int], "annotate it DictAttrs, which takes a dict"),
        (PMap[str, int], "annotate it DictAttrs, which takes a dict"),
        (tuple[dict[str, int], ...], "annotate it DictAttrs, which takes a dict"),
        (dict[str, Expr], r"annotate it tuple\[Expr, ...\] beside the names as tuple\[str, ...\]"),
        (Mapping[str, tuple[Expr, ...]], r"or with nodes of a kind of part that holds a name"),
        (list[int], r"annotate it tuple\[item, ...\], which takes a list"),
        (Sequence[str], r"annotate it tuple\[item, ...\], which takes a list"),
        (frozenset[int], r"annotate it tuple\[item, ...\], which takes a list"),
        (set, r"annotate it tuple\[item, ...\], which takes a list"),
        (PVector, r"annotate it tuple\[item, ...\], which takes a list"),
        (list[Expr], r"annotate it tuple\[Expr, ...\], which takes a list"),
    ],
    ids=str,
)
def test_annotation_with_a_container_that_nodes_do_not_keep_is_refused(annotated, instead) -> None:
    with pytest.raises(DeclarationError, match=rf"Box.held is annotated .* keep no .*{instead}"):
        holding(annotated)


def test_list_that_contains_itself_is_refused() -> None:
    items: list[object] = []
    items.append({"again": items})
    with pytest.raises(FieldError, match=r"Box.held: a (list|dict) that contains itself"):
        holding(object)(items)
