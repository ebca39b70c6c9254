"""How kinds that other packages declare are written in Python."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import pytest

import relayish as relay
from relayish.codegen import PYTHON_FORMS, PythonForm, run_as_python, to_python
from relayish.codegen.python.literals import literal
from relayish.errors import DeclarationError, DuplicateNameError, UnknownKindError
from relayish.interpreter import EVALUATORS, MATCHERS, evaluate
from relayish.ir.fields.roles import Atom, Role, Runs
from relayish.ir.nodes.node import Node, declared_temporarily, field, node
from relayish.ir.relay.adt import Clause, Match, Pattern, PatternTuple, PatternVar, PatternWildcard
from relayish.ir.relay.expr import Call, Expr, Function, If, Let, Var
from relayish.ir.relay.language import RELAY


class Kinds(NamedTuple):
    """Kinds from elsewhere."""

    term: type[Any]
    sum: type[Any]
    later: type[Any]
    host: type[Any]
    scoped: type[Any]
    typed: type[Any]


@pytest.fixture
def kinds():
    with declared_temporarily():
        yield _declare()


def _declare():
    @node("weighted")
    class Weighted(Node, language=RELAY, held_as=Role.PART):
        """``weight`` times ``value``."""

        weight: int
        value: Expr

    @node("sum_of_terms")
    class Sum(Expr):
        """``first``, if there is one, and all terms."""

        first: Expr | None
        terms: tuple[Node, ...] = field(part=True)

    @node("later")
    class Later(Node, language=RELAY, held_as=Role.PART):
        body: Expr = field(scope=Runs.ONCE)

    @node("host_value", atom=Atom.LITERAL)
    class Host(Expr):
        """Any value of Python's."""

        value: object

    @node("scoped")
    class Scoped(Expr):
        body: Expr = field(scope=Runs.ONCE)

    @node("pattern_typed")
    class Typed(Pattern):
        pattern: Pattern

    def evaluate_sum(total, *values):
        first = values[: total.first is not None]
        weights = [term.weight for term in total.terms]
        return sum(first) + sum(map(np.multiply, weights, values[len(first) :]))

    EVALUATORS.register(Sum, evaluate_sum)
    EVALUATORS.register(Host, lambda host: host.value)
    MATCHERS.register(Typed, lambda typed, value: [(typed.pattern, value)])
    return Kinds(Weighted, Sum, Later, Host, Scoped, Typed)


def _text_of_sum(total, of, _names):
    first = of[: total.first is not None]
    weights = [term.weight for term in total.terms]
    terms = [f"{weight} * {text}" for weight, text in zip(weights, of[len(first) :], strict=True)]
    return f"np.int32({' + '.join([*first, *terms])})"


def _chosen_sums(kinds, x):
    """Return a program in which sums stand below lets and branches, one of them shared."""
    y = Var("y")
    shared = kinds.sum(x, (kinds.term(3, x),))
    chosen = If(relay.less(x, relay.const(2)), shared, kinds.sum(None, (kinds.term(2, shared),)))
    return Let(y, chosen, kinds.sum(y, (kinds.term(5, shared), kinds.term(7, y))))


@pytest.mark.parametrize("value", [1, 2])
def test_kind_with_a_form_computes_what_it_evaluates_to(kinds, value):
    PYTHON_FORMS.register(kinds.sum, PythonForm(_text_of_sum))
    x = relay.var("x", "int32")
    program = Function([x], _chosen_sums(kinds, x))
    assert to_python(program).run()(value) == evaluate(program, args=(value,))


def test_kind_with_a_form_is_one_line_of_the_source(kinds):
    PYTHON_FORMS.register(kinds.sum, PythonForm(_text_of_sum))
    x = relay.var("x", "int32")
    program = Function([x], relay.exp(kinds.sum(x, (kinds.term(3, x),))))
    lines = str(to_python(program)).splitlines()[-2:]
    assert lines == ["    sum_of_terms = np.int32(x + 3 * x)", "    return np.exp(sum_of_terms)"]


@pytest.mark.parametrize("hint", ["total", lambda node: f"total_{len(node.terms)}"])
def test_value_of_a_kind_is_called_as_its_form_says(kinds, hint):
    PYTHON_FORMS.register(kinds.sum, PythonForm(_text_of_sum, hint=hint))
    program = relay.exp(kinds.sum(relay.const(1), (kinds.term(2, relay.const(2)),)))
    name = hint if isinstance(hint, str) else "total_1"
    assert f"    {name} = np.int32(np.int32(1) + 2 * np.int32(2))\n" in to_python(program).text


def test_atom_with_a_form_gives_what_no_text_says(kinds):
    PYTHON_FORMS.register(
        kinds.host, PythonForm(lambda host, _, names: names.give("host", host.value))
    )
    value = np.arange(100)
    program = to_python(relay.Tuple([kinds.host(value), relay.const(1)]))
    assert program.given == {"host": value}
    assert program.run()[0] is value


def test_kind_without_a_form_is_refused_by_an_error_that_says_what_to_call(kinds):
    with pytest.raises(UnknownKindError, match=r"codegen\.PYTHON_FORMS\.register\(Sum, \.\.\.\)"):
        to_python(kinds.sum(relay.const(1), ()))


def test_atom_without_a_form_is_refused(kinds):
    with pytest.raises(UnknownKindError, match=r"PYTHON_FORMS\.register\(Host, \.\.\.\)"):
        to_python(kinds.host(1))


def test_kind_with_scopes_is_refused_by_an_error_that_says_to_lower_it(kinds):
    with pytest.raises(UnknownKindError, match=r"Scoped .* evaluates scopes, .* lower it"):
        to_python(kinds.scoped(relay.const(1)))


def test_part_with_a_scope_is_refused_though_the_kind_has_a_form(kinds):
    PYTHON_FORMS.register(kinds.sum, PythonForm(_text_of_sum))
    with pytest.raises(UnknownKindError, match=r"Sum .* evaluates scopes, .* lower it"):
        to_python(kinds.sum(None, (kinds.later(relay.const(1)),)))


def test_form_for_a_kind_with_scopes_is_refused(kinds):
    with pytest.raises(DeclarationError, match="Scoped evaluates scopes or binds variables"):
        PYTHON_FORMS.register(kinds.scoped, PythonForm(lambda *_: ""))


def test_form_for_a_pattern_that_binds_is_refused(kinds):
    with pytest.raises(DeclarationError, match="Typed evaluates scopes or binds variables"):
        PYTHON_FORMS.register(kinds.typed, PythonForm(lambda *_: ""))


@pytest.mark.parametrize("kind", [Let, If, Function, Match])
def test_form_for_a_kind_of_relays_with_scopes_is_refused(kind):
    with pytest.raises(DeclarationError, match=r"scopes or binds|cannot be replaced"):
        PYTHON_FORMS.register(kind, PythonForm(lambda *_: ""), replace=True)


def test_form_for_a_kind_that_has_one_is_refused():
    with declared_temporarily(), pytest.raises(DuplicateNameError, match="replace=True"):
        PYTHON_FORMS.register(Call, PythonForm(lambda *_: ""))


@pytest.mark.parametrize("kind", [int, "Sum", None])
def test_form_for_what_is_no_kind_is_refused(kind):
    with pytest.raises(
        DeclarationError, match=r"PYTHON_FORMS\.register is given .* a class of nodes"
    ):
        PYTHON_FORMS.register(kind, PythonForm(lambda *_: ""))


def test_pattern_from_elsewhere_is_matched_by_its_evaluator(kinds):
    x = Var("x")
    inside = PatternTuple((kinds.typed(PatternVar(x)), PatternWildcard()))
    data = relay.Tuple([relay.const(3), relay.const(4)])
    program = Match(data, (Clause(inside, relay.add(x, x)),))
    assert run_as_python(program) == evaluate(program) == 6


class _Level(IntEnum):
    LOW = 1


@pytest.mark.parametrize("value", [_Level.LOW, np.str_("a"), {}, type("T", (tuple,), {})((1,))])
def test_values_that_are_only_like_those_of_python_have_no_literal(value):
    assert literal(value) is None
