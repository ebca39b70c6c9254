"""What declarations say of fields and kinds, and which are refused."""

from __future__ import annotations

import pytest

from relayish.errors import DeclarationError
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access, Atom, Role, Runs
from relayish.ir.nodes.node import ATOMS, GRAPH_NODES, NAMES, VARIABLES, Node, field
from relayish.ir.nodes.node import node as declare
from relayish.ir.relay.adt import Clause, Match, PatternVar
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Var,
)
from relayish.ir.relay.type import FuncType, Type

pytestmark = pytest.mark.usefixtures("declarations")


def roles(kind: type[Node]) -> dict[str, Role]:
    return {f.name: f.role for f in kind.fields_ if f.name not in ("span", "checked_type")}


class TestRelay:
    def test_call_evaluates_callee_and_arguments(self):
        assert roles(Call) == {
            "op": Role.OPERAND,
            "args": Role.OPERAND,
            "attrs": Role.LEAF,
            "type_args": Role.ANNOTATION,
        }

    def test_let_binds_before_its_body_runs_once(self):
        var, value, body = Let.fields_[:3]
        assert (var.role, value.role, body.role) == (Role.BINDER, Role.OPERAND, Role.SCOPE)
        assert value.recursive
        assert body.runs is Runs.ONCE

    def test_branches_are_one_of_two(self):
        assert [f.runs for f in If.fields_[:3]] == [None, Runs.ONE_OF, Runs.ONE_OF]

    def test_body_of_a_function_is_deferred(self):
        body = next(f for f in Function.fields_ if f.name == "body")
        assert body.runs is Runs.DEFERRED

    def test_clause_is_part_of_a_match_and_holds_its_scope(self):
        assert roles(Match)["clauses"] is Role.PART
        assert roles(Clause) == {"lhs": Role.BINDER, "rhs": Role.SCOPE}
        assert roles(PatternVar) == {"var": Role.BINDER}

    def test_types_are_annotations(self):
        assert roles(Var) == {
            "name_hint": Role.LEAF,
            "type_annotation": Role.ANNOTATION,
            "may_share": Role.ANNOTATION,
            "virtual_device": Role.LEAF,
        }
        assert set(roles(FuncType).values()) == {Role.ANNOTATION, Role.BINDER}

    def test_references_are_read_and_written(self):
        assert RefRead.fields_[0].access == Access.READ | Access.INDIRECT
        assert RefWrite.fields_[0].access == Access.WRITE | Access.INDIRECT
        assert (RefRead.traits_.effect, RefWrite.traits_.effect) == (Effect.READS, Effect.WRITES)
        assert RefCreate.traits_.allocates

    def test_atoms_are_sorted(self):
        assert {Var, GlobalVar, Op, Constant} <= ATOMS
        assert Constant not in NAMES | VARIABLES
        assert GlobalVar in NAMES
        assert Var in VARIABLES
        assert Call not in ATOMS


class TestDefaults:
    def test_kind_that_says_nothing_may_do_anything_and_its_sharing_counts(self):
        @declare("mystery")
        class Mystery(Expr):
            inside: Expr

        assert Mystery.traits_.effect is Effect.UNKNOWN
        assert Mystery in GRAPH_NODES
        assert Mystery not in ATOMS

    def test_kind_without_effect_is_not_counted(self):
        @declare("pure", effect=Effect.NONE)
        class Pure(Expr):
            inside: Expr

        assert Pure not in GRAPH_NODES

    def test_kind_that_allocates_is_counted_though_it_does_nothing(self):
        @declare("cell", effect=Effect.NONE, allocates=True)
        class Cell(Expr):
            inside: Expr

        assert Cell in GRAPH_NODES

    def test_kind_of_type_does_nothing(self):
        @declare("stream")
        class Stream(Type):
            element: Type

        assert Stream.traits_.effect == Effect.NONE
        assert Stream not in GRAPH_NODES

    def test_atom_does_nothing(self):
        @declare("hole", atom=Atom.NAME)
        class Hole(Expr):
            label: str

        assert Hole.traits_.effect == Effect.NONE
        assert Hole in NAMES


class TestRefused:
    def test_field_with_two_roles(self):
        with pytest.raises(
            DeclarationError, match=r"Bad\.body is declared binder and scope; a field has one role"
        ):

            @declare("bad")
            class Bad(Expr):
                body: Expr = field(binder=True, scope=Runs.ONCE)

    @pytest.mark.parametrize("said", ["binder", "part", "annotation", "recursive", "block"])
    def test_role_of_a_field_without_nodes(self, said):
        class Bad(Expr):
            count: int = field(**{said: True})

        with pytest.raises(DeclarationError, match=f"holds no nodes, so it cannot be .* {said}"):
            declare("bad")(Bad)

    def test_binder_that_may_hold_what_is_no_variable(self):
        with pytest.raises(
            DeclarationError, match=r"Bad\.index is declared a binder, but may hold \w+, which is"
        ):

            @declare("bad")
            class Bad(Expr):
                index: Expr = field(binder=True, declares=True)

    def test_operand_that_is_recursive_where_nothing_is_bound(self):
        with pytest.raises(DeclarationError, match="recursive, but Bad binds nothing"):

            @declare("bad")
            class Bad(Expr):
                value: Expr = field(recursive=True)

    def test_scope_that_is_declared_recursive(self):
        with pytest.raises(DeclarationError, match="which is for operands; it is a scope"):

            @declare("bad")
            class Bad(Expr):
                var: Var = field(binder=True)
                value: Expr = field(scope=Runs.ONCE, recursive=True)

    def test_atom_with_a_scope(self):
        with pytest.raises(DeclarationError, match="declared an atom, but its field body is a sco"):

            @declare("bad", atom=Atom.NAME)
            class Bad(Expr):
                body: Expr = field(scope=Runs.ONCE)

    @pytest.mark.parametrize(
        "annotated",
        [list[Expr], dict[str, Expr], tuple[Expr, Expr], str | Expr, RefWrite | Var, None | Expr],
        ids=str,
    )
    def test_annotation_in_which_nodes_would_not_be_seen(self, annotated):
        class Bad(Expr):
            pass

        Bad.__annotations__ = {"held": annotated}
        with pytest.raises(
            DeclarationError, match=r"Bad\.held is annotated .* (would not be seen|keep no)"
        ):
            declare("bad")(Bad)

    def test_inferred_field_with_a_default(self):
        with pytest.raises(DeclarationError, match="inferred, so its default must be None"):

            @declare("bad")
            class Bad(Expr):
                size: int = field(default=0, inferred=True)

    def test_field_called_as_one_of_its_family(self):
        with pytest.raises(DeclarationError, match="'span', as one of its family is"):

            @declare("bad")
            class Bad(Expr):
                span: Expr
