from __future__ import annotations

from relayish.analysis import infer_type
from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Call
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op import get_op
from relayish.text import parse
from relayish.transform import get_pass
from tests.support.recorded import assert_same_program

HEADER = '#[version = "0.0.5"]\n'
inline = get_pass("FullInline")


def program(text: str) -> IRModule:
    return parse(HEADER + text)


def test_a_recursive_function_stays_and_the_others_are_inlined():
    """RAF leaves such a module alone."""
    mod = program("""
        def @even(%n: int32) -> bool { if (equal(%n, 0)) { True } else { @odd(@less(%n)) } }
        def @odd(%n: int32) -> bool { if (equal(%n, 0)) { False } else { @even(@less(%n)) } }
        def @less(%n: int32) -> int32 { subtract(%n, 1) }
        def @main(%n: int32) -> bool { @even(@less(%n)) }
    """)
    out = inline(mod)
    assert [name.name_hint for name in out] == ["even", "main", "odd"]
    assert not evaluate(out["main"], out, (4,))


def test_a_function_that_is_passed_on_ends_up_where_it_stood():
    mod = infer_type(
        program("def @main(%x: int32) -> fn () -> int32 { fn () -> int32 { add(%x, 1) } }")
    )
    assert inline(mod) is mod


def test_entry_functions_stay():
    mod = program("""
        def @other(%x: int32) -> int32 { @f(%x) }
        def @f(%x: int32) -> int32 { negative(%x) }
        def @main(%x: int32) -> int32 { @f(@f(%x)) }
    """)
    assert_same_program(
        inline(mod),
        HEADER
        + """
        def @other(%x: int32) -> int32 { negative(%x) }
        def @main(%x: int32) -> int32 { negative(negative(%x)) }
        """,
    )


def test_functions_of_other_compilers_stay_and_are_called():
    mod = infer_type(
        program("""
        def @theirs(%x: int32, Compiler="dnnl") -> int32 { %x }
        def @main(%x: int32) -> int32 { @theirs(%x) }
        """)
    )
    assert inline(mod) is mod


def test_functions_given_to_functions_are_inlined():
    mod = program("""
        def @twice(%f: fn (int32) -> int32, %x: int32) -> int32 { %f(%f(%x)) }
        def @main(%x: int32) -> int32 { @twice(fn (%y: int32) -> int32 { add(%y, %x) }, 1) }
    """)
    out = inline(mod)
    assert len(out) == 1
    assert evaluate(out["main"], out, (5,)) == 11


def test_the_module_given_stays():
    mod = program("""
        def @f(%x: int32) -> int32 { %x }
        def @main(%x: int32) -> int32 { @f(%x) }
    """)
    before = dict(mod.functions)
    inline(mod)
    assert mod.functions == before


def test_copies_call_the_same_operator_with_state():
    mod = program("""
        def @noisy(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { nn.dropout(%x).0 }
        def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { @noisy(@noisy(%x)) }
    """)
    dropout = get_op("nn.dropout")
    called = [n.op for n in EXPRESSIONS.post_order(inline(mod)["main"]) if isinstance(n, Call)]
    assert called == [dropout, dropout]
