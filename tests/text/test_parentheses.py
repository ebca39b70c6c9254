"""What gets a name stands in parentheses where TVM reads it nowhere else."""

from __future__ import annotations

import pytest

from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.adt import Clause, Match, PatternWildcard
from relayish.ir.relay.expr import Constant, Expr, If, Let, Tuple, Var
from relayish.text import astext, parse_expr

ONE = Constant(1)
Y = Var("y")
NAMED: dict[str, Expr] = {
    "let": Let(Y, ONE, Tuple((Y, ONE))),
    "if": If(Constant(True), ONE, Constant(2)),
    "match": Match(ONE, (Clause(PatternWildcard(), ONE),)),
}


@pytest.mark.parametrize("name", NAMED)
def test_what_gets_a_name_stands_in_parentheses(name: str) -> None:
    value = NAMED[name]
    twice, bound = Tuple((value, value)), Let(Var("x"), value, ONE)
    for expr, head in ((twice, "%0 = ("), (bound, "let %x = (")):
        text = astext(expr)
        assert text.startswith(head)
        assert "\n);\n" in text or "});\n" in text
        assert_structural_equal(parse_expr(text), expr)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("(%0 = add(1, 2); multiply(%0, %0))", "%0 = add(1, 2); multiply(%0, %0)"),
        ("(%0 = ref(1); let %x = %0; %x)", "%0 = ref(1); let %x = %0; %x"),
        ("(let %x = 1; %x, 2).0", "%0 = (let %x = 1; %x); (%0, 2).0"),
        ("add((let %x = 1; %x), (%0 = 3; %0))", "%0 = { let %x = 1; %x }; add(%0, 3)"),
        ("((let %x = 1; %x))", "let %x = 1; %x"),
        ("(%0 = 1;\n %1 = (%0,); %1,)", "((1,),)"),
    ],
)
def test_statements_stand_in_parentheses(text: str, same: str) -> None:
    assert_structural_equal(parse_expr(text), parse_expr(same))


def test_projection_of_a_numbered_node_in_parentheses_is_no_statement() -> None:
    found = parse_expr("%0 = (1, 2); (%0.0 == 1, %0)")
    assert_structural_equal(found, parse_expr("%0 = (1, 2); (equal(%0.0, 1), %0)"))
