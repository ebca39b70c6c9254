from __future__ import annotations

import pytest

from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Call
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op import get_op
from relayish.passes.relay.functions import full_inline
from relayish.transform import get_pass
from tests.support.typed_text import program

inline = get_pass("FullInline")


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


def test_nothing_is_lifted_where_functions_are_only_passed_on(monkeypatch: pytest.MonkeyPatch):
    mod = program("""
        def @f(%x: int32) -> int32 { %x }
        def @main(%x: int32) -> fn (int32) -> fn () -> int32 {
          fn (%y: int32) -> fn () -> int32 { fn () -> int32 { add(%x, @f(%y)) } }
        }
    """)
    after = program("""
        def @main(%x: int32) -> fn (int32) -> fn () -> int32 {
          fn (%y: int32) -> fn () -> int32 { fn () -> int32 { add(%x, %y) } }
        }
    """)
    monkeypatch.delattr(full_inline, "lambda_lift")
    assert structural_equal(inline(mod), after)
