"""Names of variables as TVM writes them: with slashes, which are signs of division elsewhere."""

from __future__ import annotations

import pytest

from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Call, Function, Tuple, Var
from relayish.text import astext, parse_expr


def test_variable_with_slashes_is_written_as_tvm_writes_it() -> None:
    weight = var("block_1/conv/1", "int32")
    func = Function([weight], weight)
    assert astext(func).startswith("fn (%block_1/conv/1: int32) {\n  %block_1/conv/1\n")
    again = parse_expr(astext(func))
    assert isinstance(again, Function)
    assert again.params[0].name_hint == "block_1/conv/1"
    assert again.body is again.params[0]


@pytest.mark.parametrize("name", ["a//b", "a/", "/a", "a/b c", "1/a", "a/*b*/", "a/b.1"])
def test_other_names_with_slashes_are_quoted(name: str) -> None:
    func = Function([x := Var(name)], x)
    assert_structural_equal(parse_expr(astext(func)), func)
    assert '(%"' in astext(func)


def test_slash_behind_a_variable_divides_where_no_longer_name_is_known() -> None:
    func = parse_expr("fn (%x, %y, %x/2f) { (%x/%y, %x/4f, %x/nn.relu(%y), %x/2f, %x/2f/3f) }")
    assert isinstance(func, Function)
    x, _, odd = func.params
    assert isinstance(func.body, Tuple)
    over_y, over_four, over_relu, whole, over_three = func.body.fields
    assert whole is odd
    for quotient, dividend in ((over_y, x), (over_four, x), (over_relu, x), (over_three, odd)):
        assert isinstance(quotient, Call)
        assert quotient.args[0] is dividend


def test_unknown_variable_with_slashes_is_named_whole() -> None:
    with pytest.raises(Exception, match="unknown variable %a/b/c"):
        parse_expr("%a/b/c")
