"""Until when values are needed in programs that hold kinds of other packages."""

from __future__ import annotations

import pytest

from relayish.analysis import analyse_liveness
from relayish.errors import PassError
from relayish.ir.relay.expr import Call, Function, Let, Tuple, Var
from relayish.op.declaration.registry import get_op
from tests.support.declared import known_in_tests
from tests.support.foreign_kinds import ForeignKinds

KINDS = ForeignKinds()
a, b, c, o, p, q, v, w, x = (Var(name) for name in "abcopqvwx")
exp = get_op("exp")


_kinds = known_in_tests(KINDS.declared())


def of(var):
    return Call(exp, (var,))


def lets(*bindings, result):
    for var, value in reversed(bindings):
        result = Let(var, value, result)
    return result


def liveness(*bindings, result):
    return analyse_liveness(Function((x,), lets(*bindings, result=result)))


def test_what_a_pure_kind_is_given_is_needed_as_long_as_its_value():
    bindings = (a, of(x)), (o, KINDS.pure((a,))), (b, of(x))
    assert liveness(*bindings, result=o).is_needed_after(a, b)
    assert not liveness(*bindings, result=b).is_needed_after(a, b)


def test_what_an_unknown_kind_is_given_is_needed_ever_after():
    found = liveness((a, of(x)), (o, KINDS.opaque(0, (a,))), (b, of(x)), result=b)
    assert found.is_needed_after(a, b)
    assert found.needed_after(b) >= {a, b}


def test_the_value_of_a_foreign_kind_is_not_overwritten():
    found = liveness((a, of(x)), (o, KINDS.pure((a,))), (b, of(o)), result=b)
    assert not found.is_needed_after(o, b)
    assert not found.may_overwrite(b, o)
    assert liveness((a, of(x)), (o, of(a)), (b, of(o)), result=b).may_overwrite(b, o)


def test_what_a_loop_uses_is_needed_in_all_of_it():
    body = lets((p, Tuple((a, v))), (q, of(x)), result=q)
    found = liveness((a, of(x)), (b, of(x)), (o, KINDS.pure_while(v, b, v, body)), result=o)
    assert found.is_needed_after(a, q)
    assert found.is_needed_after(v, q)
    assert found.is_needed_after(b, q)
    assert not found.is_needed_after(p, q)


def test_what_the_condition_uses_is_needed_in_the_body():
    cond, body = lets((c, of(a)), result=c), lets((q, of(v)), result=q)
    found = liveness((a, of(x)), (o, KINDS.pure_while(v, x, cond, body)), result=o)
    assert found.is_needed_after(a, q)
    assert not found.may_overwrite(q, a)


def test_what_a_loop_uses_is_not_needed_behind_it():
    body = lets((q, of(a)), result=q)
    loop = KINDS.pure_while(v, x, x, body)
    found = liveness((a, of(x)), (o, loop), (b, of(x)), (c, of(b)), result=c)
    assert not found.is_needed_after(a, c)


def test_the_value_of_a_loop_holds_on_to_what_its_body_gives():
    loop = KINDS.pure_while(v, x, x, lets((q, Tuple((a, v))), result=q))
    found = liveness((a, of(x)), (o, loop), (b, of(x)), result=o)
    assert found.is_needed_after(a, b)


def test_a_deferred_body_holds_on_to_what_it_uses():
    thunk = KINDS.thunk(v, lets((q, Tuple((a, v))), result=q))
    bindings = (a, of(x)), (o, thunk), (b, of(x))
    assert liveness(*bindings, result=o).is_needed_after(a, b)
    assert not liveness(*bindings, result=b).is_needed_after(a, b)
    assert not liveness(*bindings, result=b).may_overwrite(q, a)


def test_statements_need_what_later_ones_use():
    statements = (lets((p, of(x)), result=p), lets((q, of(a)), result=q))
    found = liveness((a, of(x)), (o, KINDS.do(v, x, statements)), result=o)
    assert found.is_needed_after(a, p)


def test_variables_of_cases_hold_on_to_what_is_looked_at():
    case = KINDS.case(v, v)
    found = liveness((a, of(x)), (o, KINDS.switch(a, (case,))), (b, of(x)), result=o)
    assert found.is_needed_after(a, b)


def test_an_operand_of_a_foreign_kind_that_is_no_atom_is_refused():
    with pytest.raises(PassError, match=r"is an operand of .*; run ToANormalForm before"):
        liveness((o, KINDS.pure((of(x),))), result=o)
