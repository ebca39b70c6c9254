"""What a second language has by its declarations alone."""

from __future__ import annotations

import copy
import pickle

import pytest

from relayish.errors import DeclarationError, DuplicateNameError
from relayish.functor import ExprVisitor
from relayish.functor.functor import Functor
from relayish.functor.mutator import Mutator
from relayish.functor.visitor import Visitor
from relayish.ir.domains.domain import get_domain
from relayish.ir.equality.structural_equal import first_mismatch, structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.nodes.node import node
from relayish.ir.relay.expr import Call, Let, Var
from relayish.ir.scopes.def_use import uses
from relayish.ir.scopes.scoping import binders, free_variables, operands, scopes
from tests.support import mini
from tests.support.mini import sum_of_squares


class TestDeclaration:
    def test_kinds_of_two_languages_share_visit_names(self):
        assert (mini.Let.visit_name, mini.Call.visit_name) == (Let.visit_name, Call.visit_name)
        assert mini.Var.visit_name == Var.visit_name

    def test_visit_name_taken_within_the_language_is_refused(self):
        with pytest.raises(DuplicateNameError, match=r"'let' is claimed by .*mini\.Let and by"):

            @node("let")
            class Again(mini.MiniExpr):
                pass

    def test_second_language_of_a_name_is_refused(self):
        class Other(mini.Node, language=mini.Language("mini")):
            __slots__ = ()

        class Thing(Other):
            pass

        with pytest.raises(DeclarationError, match="language 'mini' of"):
            node("thing")(Thing)

    def test_kinds_belong_to_a_domain_of_their_language(self):
        assert get_domain("mini").kinds["let"].num_children == 3
        assert get_domain("mini") is not get_domain("relay")


class TestScoping:
    def test_binders_and_free_variables_follow_the_roles(self):
        func = sum_of_squares()
        assert binders(func) == func.params
        assert free_variables(func) == ()
        assert free_variables(func.body) == func.params

    def test_operands_are_what_is_evaluated_before(self):
        let = sum_of_squares().body
        assert operands(let) == (let.value,)
        assert [scope.roots for scope in scopes(let)] == [(let.body,)]
        assert uses(let.value) == (let.value.args[0], let.value.args[0])


class TestComparison:
    def test_equal_up_to_names_of_its_variables(self):
        assert structural_equal(sum_of_squares(), sum_of_squares("x", "y"))
        assert structural_hash(sum_of_squares()) == structural_hash(sum_of_squares("x", "y"))

    def test_other_fields_of_variables_count(self):
        narrow, wide = mini.Var("a", 8), mini.Var("a", 32)
        found = first_mismatch(mini.Function((narrow,), narrow), mini.Function((wide,), wide))
        assert found is not None
        assert found.path.endswith("bits")

    def test_swapped_variables_differ(self):
        a, b = mini.Var("a"), mini.Var("b")
        straight = mini.Function((a, b), mini.Call("sub", (a, b)))
        assert not structural_equal(straight, mini.Function((a, b), mini.Call("sub", (b, a))))

    def test_free_variables_correspond_when_asked(self):
        a, b = mini.Var("a"), mini.Var("b")
        assert not structural_equal(mini.Say(a), mini.Say(b))
        assert structural_equal(mini.Say(a), mini.Say(b), map_free_vars=True)

    def test_sharing_counts_where_evaluation_may_do_something(self):
        x = mini.Var("x")
        said, again = mini.Say(x), mini.Say(x)
        assert not structural_equal(mini.Call("add", (said, said)), mini.Call("add", (said, again)))
        pure, copied = mini.Call("f", (x,)), mini.Call("f", (x,))
        assert structural_equal(mini.Call("add", (pure, pure)), mini.Call("add", (pure, copied)))

    def test_same_kind_name_of_another_language_differs(self):
        x = Var("x")
        assert not structural_equal(mini.Function((), mini.Number(1)), Let(x, x, x))


class TestStorage:
    def test_pickled_program_is_equal(self):
        func = sum_of_squares()
        assert structural_equal(pickle.loads(pickle.dumps(func)), func)

    def test_copied_program_is_equal_and_keeps_sharing(self):
        func = copy.deepcopy(sum_of_squares())
        let = func.body
        assert let.body.args[1] is let.var
        assert structural_equal(func, sum_of_squares())


class TestFunctors:
    def test_visitor_calls_handlers_of_its_language(self):
        class Callees(Visitor[mini.MiniExpr]):
            family = mini.MiniExpr

            def __init__(self):
                self.found = []

            def visit_call(self, call):
                self.found.append(call.callee)
                super().visit_call(call)

        visitor = Callees()
        visitor.visit(sum_of_squares())
        assert visitor.found == ["mul", "add", "add"]

    def test_mutator_rebuilds_what_changed_and_nothing_else(self):
        class Double(Mutator[mini.MiniExpr]):
            family = mini.MiniExpr

            def visit_number(self, number):
                return number.with_fields(value=2 * number.value)

        func = sum_of_squares()
        doubled = Double().visit(func)
        assert doubled.body.value is func.body.value
        assert doubled.body.body.args[0].what.args[1].value == 2

    def test_mutator_without_handlers_returns_the_same_node(self):
        class Nothing(Mutator[mini.MiniExpr]):
            family = mini.MiniExpr

        func = sum_of_squares()
        assert Nothing().visit(func) is func

    def test_misspelt_handler_is_refused_against_its_kinds(self):
        with pytest.raises(DeclarationError, match=r"visit_functoin.*did you mean visit_function"):

            class Misspelt(Visitor[mini.MiniExpr]):
                family = mini.MiniExpr

                def visit_functoin(self, function):
                    pass

    def test_handler_of_a_kind_of_another_language_is_refused(self):
        with pytest.raises(DeclarationError, match="visit_tuple_getitem names no node kind"):

            class OfRelay(Functor[mini.MiniExpr, int]):
                family = mini.MiniExpr

                def visit_tuple_getitem(self, item):
                    return 1

    def test_expr_visitor_refuses_handlers_of_the_second_language(self):
        with pytest.raises(DeclarationError, match="visit_number names no node kind"):

            class OfMini(ExprVisitor):
                def visit_number(self, number):
                    pass
