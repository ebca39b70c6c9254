"""How constructors are named in text, one called ``None`` among them, as TVM's prelude has it."""

from __future__ import annotations

import pytest

from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.adt import Constructor, Match, PatternConstructor
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Tuple
from relayish.text import astext, parse, parse_expr

OPTION = """#[version = "0.0.5"]
type Option[A] {
  Some(A),
  None,
}

"""


def body(text: str) -> Expr:
    """Return the body of ``@main``, having checked that the module comes back from its text."""
    mod = parse(text)
    assert_structural_equal(parse(astext(mod)), mod, map_free_vars=True)
    main = mod["main"]
    assert isinstance(main, Function)
    return main.body


@pytest.mark.parametrize("text", ["None", "None()", "None/* type_args=[int32] */", "(None)"])
def test_none_is_the_constructor_of_the_module(text: str):
    call = body(f"{OPTION}def @main() {{ {text} }}")
    assert isinstance(call, Call)
    assert isinstance(call.op, Constructor)
    assert call.op.name_hint == "None"


def test_none_with_colons_is_the_constructor_itself():
    assert isinstance(body(f"{OPTION}def @main() {{ None:: }}"), Constructor)


def test_none_is_a_constant_where_nothing_is_called_so():
    constant = body('#[version = "0.0.5"]\ndef @main() { None }')
    assert isinstance(constant, Constant)
    assert constant.data is None
    assert astext(parse_expr("None")) == "None"


def test_constant_without_a_value_is_told_from_the_constructor():
    mod = parse(f"{OPTION}def @main() {{ None }}")
    call = mod["main"].body
    both = mod.with_function("both", Function((), Tuple((call, Constant(None)))))
    again = parse(astext(both))
    assert_structural_equal(again, both)
    fields = again["both"].body.fields
    assert [type(field) for field in fields] == [Call, Constant]


def test_none_is_written_as_tvm_reads_it():
    match = "match (%o) { Some(%x) => Some(%x), None => None, }"
    text = f"{OPTION}def @main(%o: Option[int32]) {{ {match} }}"
    expr = body(text)
    assert isinstance(expr, Match)
    assert isinstance(expr.clauses[1].lhs, PatternConstructor)
    shown = astext(parse(text))
    assert "    None => {\n      None\n    }" in shown
    assert '#"None"' not in shown


def test_none_of_several_types_is_told_by_the_type():
    expr = body(f"{OPTION}type Other {{ None, }} def @main() {{ (Option::None, Other::None) }}")
    assert isinstance(expr, Tuple)
    owners = [field.op.belong_to.name_hint for field in expr.fields]
    assert owners == ["Option", "Other"]
