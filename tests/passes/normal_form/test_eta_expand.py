from __future__ import annotations

import pytest

from relayish.analysis import count_nodes, well_formed
from relayish.errors import UnknownNameError
from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Call, Constant, Function, GlobalVar, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.text import parse
from relayish.transform import get_pass
from tests.support.deep import let_body, match_clause
from tests.support.depth import DEPTH
from tests.support.recorded import assert_same_program

HEADER = '#[version = "0.0.5"]\n'
LIST = "type List[A] { Cons(A, List[A]), Nil }\n"
expand_all = get_pass("EtaExpand{expand_constructor=true, expand_global_var=true}")


def program(text: str) -> IRModule:
    return parse(HEADER + text)


def test_nothing_is_expanded_unless_it_is_asked_for():
    mod = program(LIST + "def @f() { (Cons, @f) } def @main() { 1 }")
    assert get_pass("EtaExpand")(mod) is mod


def test_what_is_called_and_what_stands_in_patterns_stays():
    mod = program(
        LIST
        + """
        def @sum(%xs: List[int32]) -> int32 {
          match (%xs) { Cons(%x, %rest) => { add(%x, @sum(%rest)) }, Nil => { 0 } } }
        def @main() -> int32 { @sum(Cons(1, Cons(2, Nil()))) }
        """
    )
    assert expand_all(mod) is mod


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


def test_a_constructor_without_fields_becomes_a_function_without_parameters():
    mod = program("type Unit { Only } def @main() -> fn () -> Unit { fn () -> Unit { Only() } }")
    assert expand_all(mod) is mod


def test_polymorphic_functions_and_constructors_keep_their_types():
    mod = program(
        LIST
        + """
        def @id[A](%x: A) -> A { %x }
        def @apply[A, B](%f: fn (A) -> B, %x: A) -> B { %f(%x) }
        def @prepend[A](%f: fn (A, List[A]) -> List[A], %x: A) -> List[A] { %f(%x, Nil) }
        def @main() -> (int32, bool, List[int32]) {
          (@apply(@id, 3), @apply(@id, True), @prepend(Cons, 7))
        }
        """
    )
    out = get_pass("EtaExpand{expand_constructor=true, expand_global_var=true}")(mod)
    assert str(evaluate(out["main"], out, ())) == str(evaluate(mod["main"], mod, ()))
    assert well_formed(out)
    assert len({param for f in out.functions.values() for param in f.type_params}) == 4


def test_attributes_of_the_function_are_not_taken_over():
    mod = program("""
        def @fused(%x: int32, Primitive=1) -> int32 { add(%x, 1) }
        def @main() -> fn (int32) -> int32 { @fused }
    """)
    assert_same_program(
        expand_all(mod),
        HEADER
        + """
        def @fused(%x: int32, Primitive=1) -> int32 { add(%x, 1) }
        def @main() -> fn (int32) -> int32 { fn (%p: int32) -> int32 { @fused(%p) } }
        """,
    )


def test_a_name_that_is_not_defined_is_an_error():
    with pytest.raises(UnknownNameError, match="no function @gone"):
        expand_all(IRModule({"main": Function((), GlobalVar("gone"))}))


def test_the_module_given_and_untouched_functions_stay():
    mod = program("def @f(%x: int32) -> int32 { %x } def @main() -> fn (int32) -> int32 { @f }")
    before = dict(mod.functions)
    out = expand_all(mod)
    assert mod.functions == before
    assert out["f"] is mod["f"]


@pytest.mark.deep
@pytest.mark.parametrize("nest", [let_body, match_clause])
def test_deep_functions_are_expanded(nest):
    f, x = GlobalVar("f"), Var("x")
    leaf = Tuple((f, f))
    mod = IRModule({f: Function((x,), Constant(1)), "main": Function((), nest(DEPTH, leaf))})
    out = expand_all(mod)
    assert count_nodes(out["main"]) == count_nodes(mod["main"]) + 3
