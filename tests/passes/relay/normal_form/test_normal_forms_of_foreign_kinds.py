"""Normal forms of programs that hold kinds of other packages: what is bound, and where."""

from __future__ import annotations

import pytest

from relayish.analysis import free_vars, well_formed
from relayish.analysis.normal_form import check_a_normal_form, check_basic_block_normal_form
from relayish.errors import PassError
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import declared_temporarily, field, node
from relayish.ir.relay.expr import Expr, Function, If, Let, RefCreate, Tuple, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.passes.relay.normal_form.to_a_normal_form import to_a_normal_form
from relayish.passes.relay.normal_form.to_basic_block_normal_form import to_basic_block_normal_form
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.foreign_kinds import ForeignKinds

KINDS = ForeignKinds()
w, x, y, z = Var("w"), Var("x"), Var("y"), Var("z")


_kinds = known_in_tests(KINDS.declared())


def count(expr: Expr, kind: type) -> int:
    return sum(type(found) is kind for found in EXPRESSIONS.post_order(expr))


def chain(expr: Expr) -> list[Expr]:
    values = []
    while type(expr) is Let:
        values.append(expr.value)
        expr = expr.body
    return values


def test_operands_are_bound_before_the_node_in_order():
    first, second = KINDS.opaque(1, ()), KINDS.opaque(2, ())
    form = to_a_normal_form(KINDS.opaque(3, (first,), second))
    assert [value.tag for value in chain(form)] == [1, 2, 3]


def test_what_a_loop_repeats_is_bound_in_the_loop():
    value = Var("value")
    form = to_a_normal_form(KINDS.pure_while(value, x, y, Tuple((Tuple((value,)),))))
    (loop,) = chain(form)
    assert [type(bound) for bound in chain(loop.body)] == [Tuple, Tuple]
    check_a_normal_form(form)


def test_each_block_has_its_own_of_what_condition_and_body_share():
    value = Var("value")
    shared = Tuple((value,))
    form = to_a_normal_form(KINDS.pure_while(value, x, shared, Tuple((shared,))))
    (loop,) = chain(form)
    assert [len(chain(block)) for block in (loop.cond, loop.body)] == [1, 2]
    assert well_formed(form)


def test_a_copy_for_another_block_binds_variables_of_its_own():
    value, inner = Var("value"), Var("inner")
    shared = Let(inner, Tuple((value,)), Tuple((inner, inner)))
    form = to_a_normal_form(KINDS.pure_while(value, x, Tuple((shared,)), shared))
    bound = [found.var for found in EXPRESSIONS.post_order(form) if type(found) is Let]
    assert len(bound) == len(set(bound))


@pytest.mark.parametrize("make", [lambda: KINDS.opaque(1, ()), lambda: RefCreate(x)])
def test_what_acts_and_is_shared_by_statements_is_refused(make):
    shared = make()
    block = KINDS.do(y, x, (Tuple((shared,)), shared))
    with pytest.raises(PassError, match="shared by several statements of a Do"):
        to_a_normal_form(block)


def test_effect_shared_by_scopes_is_refused():
    shared = KINDS.opaque(1, (y,))
    with pytest.raises(PassError, match="shared by several scopes of a PureWhile"):
        to_a_normal_form(KINDS.pure_while(y, x, Tuple((shared,)), shared))


def test_each_statement_has_its_own_of_a_let_they_share_where_a_node_that_acts_is_bound():
    inner = Var("inner")
    shared = Let(inner, Tuple((x, x)), Tuple((inner, inner)))
    act = KINDS.opaque(1, (KINDS.do(y, x, (shared, shared)),))
    form = to_basic_block_normal_form(If(Tuple((act,)), x, act))
    (block,) = [found for found in EXPRESSIONS.post_order(form) if type(found) is KINDS.do]
    assert [len(chain(statement)) for statement in block.statements] == [1, 1]
    assert free_vars(form) == (x,)
    assert well_formed(form)


def test_what_acts_stays_in_the_statement_that_does_it():
    block = KINDS.do(y, x, (KINDS.opaque(1, ()), KINDS.opaque(2, (y,))))
    (form,) = chain(to_a_normal_form(block))
    assert [[v.tag for v in chain(statement)] for statement in form.statements] == [[1], [2]]


def test_a_statement_that_acts_twice_is_copied_once_with_its_block():
    with declared_temporarily():

        @node("test_first_then")
        class FirstThen(Expr):
            var: Var = field(binder=True)
            first: Expr = field(scope=Runs.ONCE)
            steps: tuple[Expr, ...] = field(scope=Runs.REPEATEDLY, block=True)

        shared = Tuple((y,))
        act = KINDS.opaque(1, (shared,))
        form = to_basic_block_normal_form(FirstThen(y, Tuple((shared,)), (act, x, act)))
        assert count(form, KINDS.opaque) == 1
        assert form.steps[0] is form.steps[2]


def test_what_two_cases_share_is_bound_once_in_basic_block_normal_form():
    shared = Tuple((x,))
    cases = tuple(KINDS.case(Var("i"), Tuple((shared,))) for _ in range(2))
    form = to_basic_block_normal_form(KINDS.switch(x, cases))
    assert form.value is shared
    check_basic_block_normal_form(form)


def test_an_operand_that_sees_what_the_node_binds_is_refused():
    with declared_temporarily():

        @node("foreign_fixpoint")
        class Fixpoint(Expr):
            var: Var = field(binder=True)
            value: Expr = field(recursive=True)
            body: Expr = field(scope=Runs.ONCE)

        with pytest.raises(PassError, match="Fixpoint"):
            to_a_normal_form(Fixpoint(x, Function((), x), Tuple((x,))))


def test_an_operand_that_shares_a_scope_with_several_statements_is_refused_by_name():
    with declared_temporarily():

        @node("foreign_where")
        class Where(Expr):
            var: Var = field(binder=True)
            value: Expr = field(recursive=True)
            body: tuple[Expr, ...] = field(scope=Runs.ONCE, block=True)

        inner = Let(y, Tuple(()), Tuple((y,)))
        with pytest.raises(PassError, match=r"a Where \(.*\) evaluates an operand"):
            to_a_normal_form(Where(x, Tuple((inner,)), (x, Tuple((x,)))))


def test_a_declaration_that_sees_what_it_declares_is_refused_by_name():
    with declared_temporarily():

        @node("foreign_fix")
        class Fix(Expr):
            var: Var = field(binder=True, declares=True)
            value: Expr = field(recursive=True)

        fix = Fix(z, Function((), Tuple((z,))))
        for program in (Tuple((fix, z)), KINDS.do(y, x, (fix, Tuple((z,))))):
            with pytest.raises(PassError, match=r"a Fix \(.*\) evaluates an operand"):
                to_a_normal_form(program)


@pytest.fixture
def declare():
    """A kind of statement that declares a variable for what follows it."""
    return KINDS.declare


def test_a_statement_that_declares_what_others_use_is_refused_where_a_let_would_hide_that(declare):
    block = KINDS.do(y, x, (declare(z, x), Tuple((z,))))
    with pytest.raises(
        PassError, match=r"a Declare .*, a statement of a Do \(.*\), .* or write Let"
    ):
        to_a_normal_form(block)


def test_a_statement_that_declares_what_it_uses_alone_is_bound(declare):
    form = to_a_normal_form(KINDS.do(y, x, (Tuple((declare(z, x), z)), Tuple((x,)))))
    assert count(form, declare) == 1
    assert well_formed(form)


def test_a_statement_that_declares_stays_where_nothing_of_it_is_bound(declare):
    shared = Tuple((z,))
    statement = declare(z, Tuple((x,)))
    form = to_basic_block_normal_form(
        KINDS.do(y, x, (Tuple((x,)), statement, If(z, shared, shared), shared))
    )
    assert form.statements[1] is statement
    assert well_formed(form)


def test_a_copy_of_a_block_declares_variables_of_its_own(declare):
    inner = KINDS.do(w, x, (x, declare(z, Tuple((x,))), Tuple((z,))))
    form = to_basic_block_normal_form(
        If(x, x, KINDS.do(y, x, (If(x, inner, inner), Tuple((inner,)))))
    )
    assert count(form, declare) == 2
    assert well_formed(form)


@pytest.mark.deep
def test_the_form_is_reached_at_any_depth():
    nest: Expr = x
    for _ in range(min(DEPTH, 20_000)):
        value = Var("value")
        nest = KINDS.pure_while(value, nest, y, Tuple((value,)))
    form = to_a_normal_form(nest)
    assert count(form, KINDS.pure_while) == min(DEPTH, 20_000)
    for _ in range(min(DEPTH, 20_000)):
        nest = KINDS.pure_while(Var("value"), x, y, nest)
    form = to_a_normal_form(nest)
    assert to_a_normal_form(form) is form


def in_branches(var, cond, first, second):
    """Return a program whose condition declares ``var``, which its branches share."""
    return If(KINDS.declare(var, cond), Tuple((first, second)), Tuple((second, first)))


@pytest.mark.parametrize("form", [to_a_normal_form, to_basic_block_normal_form])
def test_what_uses_a_variable_that_a_condition_declares_comes_behind_it(form):
    shared = Tuple((y, y))
    made = form(in_branches(y, x, shared, shared))
    assert free_vars(made) == (x,)
    assert well_formed(made)


@pytest.mark.parametrize("form", [to_a_normal_form, to_basic_block_normal_form])
def test_what_uses_a_variable_that_an_operand_declares_comes_behind_it(form):
    shared = Tuple((y, y))
    branches = If(x, shared, Tuple((shared,)))
    made = form(Tuple((KINDS.declare(y, x), branches)))
    assert free_vars(made) == (x,)
    assert well_formed(made)


def test_statement_that_declares_of_what_is_no_name_says_what_to_write():
    block = KINDS.do(z, x, (KINDS.declare(y, Tuple((Tuple((x,)),))), y))
    with pytest.raises(PassError, match=r"a Do .*, declares .* by a Let around a Do \(.*\), or"):
        to_a_normal_form(block)
