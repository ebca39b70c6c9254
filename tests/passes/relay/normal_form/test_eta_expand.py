from __future__ import annotations

import pytest

from relayish.analysis import count_nodes
from relayish.ir.relay.expr import Call, Constant, Function, GlobalVar, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.transform import get_pass
from tests.support.deep import let_body, match_clause
from tests.support.depth import DEPTH
from tests.support.typed_text import program

LIST = "type List[A] { Cons(A, List[A]), Nil }\n"
expand_all = get_pass("EtaExpand{expand_constructor=true, expand_global_var=true}")


def test_nothing_is_expanded_unless_it_is_asked_for():
    mod = program(LIST + "def @f() { (Cons, @f) } def @main() { 1 }")
    assert get_pass("EtaExpand")(mod) is mod


def test_a_name_that_is_called_and_used_is_expanded_where_it_is_used():
    f, x = GlobalVar("f"), Var("x")
    body = Tuple((Call(f, (x,)), f))
    out = expand_all(IRModule({f: Function((x,), x), "main": Function((x,), body)}))
    called, used = out["main"].body.fields
    assert called is body.fields[0]
    assert used.body.op is f


def test_a_name_that_is_an_argument_of_its_own_call_is_expanded():
    f, x = GlobalVar("f"), Var("x")
    call = Call(f, (f,))
    out = expand_all(IRModule({f: Function((x,), x), "main": Function((), call)}))
    assert out["main"].body.op is f
    assert isinstance(out["main"].body.args[0], Function)


@pytest.mark.deep
@pytest.mark.parametrize("nest", [let_body, match_clause])
def test_deep_functions_are_expanded(nest):
    f, x = GlobalVar("f"), Var("x")
    leaf = Tuple((f, f))
    mod = IRModule({f: Function((x,), Constant(1)), "main": Function((), nest(DEPTH, leaf))})
    out = expand_all(mod)
    assert count_nodes(out["main"]) == count_nodes(mod["main"]) + 3
