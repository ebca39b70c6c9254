from __future__ import annotations

import numpy as np
import pytest

from relayish.analysis import infer_type
from relayish.errors import PassError
from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Call, Constant, Expr, Function, GlobalVar, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import FuncType, TensorType
from relayish.ir.traversal import EVERYTHING
from relayish.prelude import Prelude
from relayish.text import astext, parse
from relayish.transform import get_pass
from tests.support.depth import DEPTH

HEADER = '#[version = "0.0.5"]\n'
LIST = "type List[A] { Cons(A, List[A]), Nil }\n"
LEVELS = min(DEPTH, 20_000)
INT = TensorType((), "int32")
add = intern_op("add")
defunctionalize = get_pass("Defunctionalization")


def program(text: str) -> IRModule:
    return parse(HEADER + text)


def is_first_order(mod: IRModule) -> bool:
    """Return whether no function stands inside another, and no type of functions anywhere."""
    nodes = [n for f in mod.functions.values() for n in EVERYTHING.post_order(f) if n is not f]
    inputs = [t for d in mod.type_definitions.values() for c in d.constructors for t in c.inputs]
    parts = [part for ty in inputs for part in EVERYTHING.post_order(ty)]
    return not any(type(node) in (Function, FuncType) for node in [*nodes, *parts])


def check(text: str, *args: object) -> IRModule:
    """Return what becomes of a program, which computes what it did and is of first order."""
    mod = program(text)
    out = defunctionalize(mod)
    assert is_first_order(out)
    assert not any(func.type_params for func in out.functions.values())
    before = evaluate(mod["main"], mod, args)
    assert str(evaluate(out["main"], out, args)) == str(before)
    assert defunctionalize(out) is out
    assert infer_type(parse(astext(out)), fresh=True)
    return out


def test_types_of_functions_are_told_apart_by_structure():
    state = f"({', '.join(['Tensor[(2, 3), float32]'] * 16)})"  # the text of which shares parts
    out = check(
        f"""
        def @apply[A](%f: fn (A) -> A, %x: A) -> A {{ %f(%x) }}
        def @main(%x: {state}) -> {state} {{ @apply(fn (%t: {state}) -> {state} {{ %t }}, %x) }}
        """,
        tuple([np.full((2, 3), n, "float32") for n in range(16)]),
    )
    assert len(out.type_definitions) == 1


def test_polymorphic_function_of_the_module_is_passed_on_at_several_types():
    out = check(
        """
        def @id[A](%x: A) -> A { %x }
        def @apply[A](%f: fn (A) -> A, %x: A) -> A { %f(%x) }
        def @main(%x: int32, %y: bool) {
          (@apply(@id, %x), @apply(@id, %y), @apply(@id, (%x, %y)))
        }
        """,
        1,
        True,
    )
    assert len(out.type_definitions) == 3


def test_functions_given_to_a_polymorphic_function_become_data():
    out = check(
        LIST
        + """
        def @map[A, B](%f: fn (A) -> B, %xs: List[A]) -> List[B] {
          match (%xs) { Cons(%x, %rest) => { Cons(%f(%x), @map(%f, %rest)) }, Nil => { Nil } }
        }
        def @main(%y: int32) -> (List[int32], List[bool]) {
          let %xs = Cons(1, Cons(2, Nil));
          (@map(fn (%x: int32) -> int32 { add(%x, %y) }, %xs),
           @map(fn (%x: int32) -> bool { less(%x, %y) }, %xs))
        }
        """,
        2,
    )
    assert {"map_1", "map_2", "apply_0", "apply_1"} <= {name.name_hint for name in out}


def test_a_closure_of_a_closure_is_applied():
    out = check(
        LIST
        + """
        def @sum(%f: fn (int32) -> int32, %xs: List[int32]) -> int32 {
          match (%xs) {
            Cons(%x, %rest) => { @sum(fn (%n: int32) -> int32 { add(%x, %f(%n)) }, %rest) },
            Nil => { %f(0) },
          }
        }
        def @id[A](%x: A) -> A { %x }
        def @main() -> int32 { @sum(@id, Cons(1, Cons(2, Cons(3, Nil)))) }
        """
    )
    assert len(out.get_type("fn_0")) == 3


def test_constructors_and_global_functions_are_values_too():
    check(
        LIST
        + """
        def @fold[A, B](%f: fn (A, B) -> B, %z: B, %xs: List[A]) -> B {
          match (%xs) { Cons(%x, %rest) => { %f(%x, @fold(%f, %z, %rest)) }, Nil => { %z } } }
        def @plus(%x: int32, %y: int32) -> int32 { add(%x, %y) }
        def @main() -> (int32, List[int32]) {
          let %xs = Cons(1, Cons(2, Nil));
          let %p = @plus;
          (@fold(%p, 0, %xs), @fold(Cons, Nil, %xs))
        }
        """
    )


def test_functions_in_data_tuples_and_references_are_found():
    check(
        LIST
        + """
        def @apply_all(%fs: List[fn (int32) -> int32], %x: int32) -> int32 {
          match (%fs) { Cons(%f, %rest) => { @apply_all(%rest, %f(%x)) }, Nil => { %x } } }
        def @main(%x: int32) -> (int32, int32) {
          let %add = fn (%n: int32) -> int32 { add(%n, %x) };
          let %r = ref(%add);
          let %pair = (%add, 1);
          let %u = ref_write(%r, fn (%n: int32) -> int32 { negative(%n) });
          let %f = ref_read(%r);
          (@apply_all(Cons(%add, Cons(%f, Nil)), 10), %pair.0(%pair.1))
        }
        """,
        3,
    )


def test_functions_that_return_functions_and_take_functions_are_applied():
    check(
        """
        def @compose[A, B, C](%f: fn (B) -> C, %g: fn (A) -> B) -> fn (A) -> C {
          fn (%x: A) -> C { %f(%g(%x)) } }
        def @curry(%f: fn (int32, int32) -> int32) -> fn (int32) -> fn (int32) -> int32 {
          fn (%x: int32) { fn (%y: int32) -> int32 { %f(%x, %y) } } }
        def @main(%x: int32) -> bool {
          let %plus = @curry(fn (%a: int32, %b: int32) -> int32 { add(%a, %b) });
          @compose(fn (%n: int32) -> bool { less(%n, 5) }, %plus(2))(%x)
        }
    """,
        2,
    )


def test_a_recursive_function_that_is_passed_on_is_applied():
    check(
        """
        def @twice(%f: fn (int32) -> int32, %x: int32) -> int32 { %f(%f(%x)) }
        def @main(%k: int32) -> int32 {
          let %down = fn (%n: int32) -> int32 {
            if (less(%n, %k)) { %n } else { %down(subtract(%n, %k)) } };
          @twice(%down, 17)
        }
    """,
        5,
    )


def test_a_choice_between_functions_is_a_choice_between_data():
    check(
        """
        def @main(%c: bool, %x: int32) -> int32 {
          let %f = if (%c) { fn (%n: int32) -> int32 { add(%n, %x) } }
                   else { fn (%n: int32) -> int32 { multiply(%n, %n) } };
          %f(3)
        }
    """,
        False,
        4,
    )


def test_an_effect_happens_where_it_did():
    check("""
        def @main() -> int32 {
          let %r = ref(1);
          let %next = fn () -> int32 {
            let %n = ref_read(%r); let %u = ref_write(%r, add(%n, %n)); %n };
          let %both = (%next, %next);
          let %a = %both.0();
          let %b = %both.1();
          add(multiply(%a, 10), %b)
        }
    """)


def test_a_type_of_functions_without_any_is_left_empty():
    out = check(
        LIST
        + """
        def @first(%fs: List[fn (int32) -> int32]) -> int32 {
          match (%fs) { Cons(%f, _) => { %f(1) }, Nil => { 0 } } }
        def @main() -> int32 { @first(Nil) }
        """
    )
    assert len(out.get_type("fn_0")) == 1


def test_a_primitive_function_is_called_as_before():
    mod = program("""
        def @main(%x: int32) -> int32 {
          let %f = fn (%a: int32, Primitive=1) -> int32 { add(%a, 1) };
          (fn (%g: fn (int32) -> int32) -> int32 { %g(%x) })(fn (%b: int32) -> int32 { %f(%b) })
        }
    """)
    with pytest.raises(PassError, match="a primitive function is used as a value"):
        defunctionalize(
            program("""
            def @main(%x: int32) -> int32 {
              let %f = fn (%a: int32, Primitive=1) -> int32 { add(%a, 1) };
              (%f, 1).0(%x)
            }
        """)
        )
    out = defunctionalize(mod)
    assert evaluate(out["main"], out, (3,)) == 4


def test_names_that_are_taken_are_passed_over():
    out = check(
        """
        type fn_0 { closure_0 }
        def @apply_0(%x: fn_0) -> int32 { match (%x) { closure_0 => { 1 } } }
        def @main(%x: int32) -> int32 {
          let %f = (fn (%n: int32) -> int32 { add(%n, %x) }, 1);
          %f.0(@apply_0(closure_0))
        }
    """,
        5,
    )
    assert {"apply_0", "apply_0_1"} <= {name.name_hint for name in out}


def test_a_program_of_first_order_stays():
    mod = infer_type(
        program("def @f(%x: int32) -> int32 { %x } def @main(%x: int32) -> int32 { @f(%x) }")
    )
    assert defunctionalize(mod) is mod


def test_the_entry_may_be_another_function_and_what_it_does_not_need_goes():
    mod = program("""
        def @main(%f: fn (int32) -> int32) -> int32 { %f(1) }
        def @other(%x: int32) -> int32 { @main(fn (%n: int32) -> int32 { add(%n, %x) }) }
        def @unused(%x: int32) -> int32 { %x }
    """)
    out = get_pass("Defunctionalization{entry=other}")(mod)
    assert is_first_order(out)
    assert "unused" not in out
    assert evaluate(out["other"], out, (4,)) == 5


def test_a_polymorphic_function_captured_under_a_variable_of_its_type_has_one_type():
    mod = parse(
        HEADER
        + """
        def @main(%v: int32) -> int32 {
          let %id: fn [t](t) -> t = fn [u](%y: u) -> u { %y };
          let %p: fn (int32) -> int32 = fn (%z: int32) -> int32 { %id(%z) };
          %p(%v)
        }
        """
    )
    out = defunctionalize(infer_type(mod))
    assert is_first_order(out)
    assert evaluate(out["main"], out, (3,)) == 3


def test_the_prelude_is_defunctionalized_as_far_as_it_is_used():
    prelude = Prelude(IRModule())
    mod = parse(
        HEADER
        + """
        def @main(%x: int32) -> int32 {
          @foldl(fn (%a: int32, %b: int32) -> int32 { add(%a, %b) }, 0,
            @map(fn (%n: int32) -> int32 { multiply(%n, %x) }, @rev(Cons(1, Cons(2, Nil)))))
        }
        """,
        init_module=prelude.mod,
    )
    out = defunctionalize(mod)
    assert is_first_order(out)
    assert evaluate(out["main"], out, (3,)) == 9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def @main(%f: fn () -> int32) -> int32 { %f() }", "takes functions as its parameter %f"),
        ("def @main() -> fn () -> int32 { fn () -> int32 { 1 } }", "returns functions"),
        ("def @main[A](%x: A) -> A { %x }", "is polymorphic"),
        (
            "def @main() -> (int32, bool) { let %f = fn[A](%x: A) -> A { %x }; (%f(1), %f(True)) }",
            "a function inside another one is used at several types",
        ),
        (
            """type Box { Box(fn () -> int32) }
            def @main() -> int32 { match (Box(fn () -> int32 { 1 })) { Box(%f) => { %f() } } }""",
            "constructor Box holds functions by its definition",
        ),
        (
            """def @theirs(%f: fn () -> int32, Compiler="dnnl") -> int32 { %f() }
            def @main() -> int32 { @theirs(fn () -> int32 { 1 }) }""",
            "@theirs takes functions, and is none of ours",
        ),
        (
            """def @grow[A](%n: int32, %x: A) -> int32 {
              if (less(%n, 1)) { 0 } else { @grow(subtract(%n, 1), (%x, %x)) } }
            def @main() -> int32 { @grow(3, 1) }""",
            "@grow is needed at more than 256 types",
        ),
    ],
)
def test_what_cannot_be_defunctionalized_is_refused(text, message):
    with pytest.raises(PassError, match=message):
        defunctionalize(program(text))


def test_the_module_given_stays():
    mod = program("""
        def @twice[A](%f: fn (A) -> A, %x: A) -> A { %f(%f(%x)) }
        def @main(%x: int32) -> int32 { @twice(fn (%a: int32) -> int32 { add(%a, %x) }, 1) }
    """)
    before = dict(mod.functions)
    defunctionalize(mod)
    assert mod.functions == before
    assert not mod.type_definitions


@pytest.mark.deep
def test_long_chains_of_lets_are_defunctionalized():
    f, x = Var("f"), Var("x", INT)
    names = [Var(f"y{index}") for index in range(LEVELS)]
    expr: Expr = names[-1]
    for index in reversed(range(LEVELS)):
        expr = Let(names[index], Call(f, (names[index - 1] if index else x,)), expr)
    n, apply = Var("n", INT), GlobalVar("apply")
    func = Function((n,), Call(add, (n, Constant(1))))
    g, z = Var("g", FuncType((INT,), INT)), Var("z", INT)
    functions = {
        apply: Function((g, z), Call(g, (z,)), INT),
        "main": Function((x,), Let(f, func, Call(apply, (f, expr))), INT),
    }
    out = defunctionalize(IRModule(functions))
    assert is_first_order(out)
