"""Building programs of core."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish import core
from relayish.core import GlobalScope
from relayish.errors import BuilderError, DuplicateNameError, FieldError, OperatorError
from tests.support.each import each

X, B = core.Var("x"), core.Var("b", "bool")
U = core.Var("u", "uint32")
F = core.Var("f", "float32")

BUILT = {
    "add(ld(%x), 1)": X + 1,
    "sub(1, ld(%x))": 1 - X,
    "sub(0, ld(%x))": -X,
    "mul(ld(%f), 0.5f)": F * 0.5,
    "div(2f, ld(%f))": 2 / F,
    "mod(ld(%x), 3)": X % 3,
    "shl(ld(%x), 2)": X << 2,
    "ashr(ld(%x), 2)": X >> 2,
    "lshr(ld(%u), 2u32)": U >> 2,
    "band(ld(%x), 7)": X & 7,
    "bor(ld(%x), ld(%x))": X | X,
    "bxor(ld(%x), 1)": X ^ 1,
    "bnot(ld(%x))": ~X,
    "lnot(ld(%b))": ~B,
    "lt(ld(%x), 3)": X < 3,
    "gt(ld(%x), 3)": 3 < X,  # noqa: SIM300 - the number stands first
    "ge(ld(%x), 3)": X >= 3,
    "eq(ld(%x), 3)": core.equal(X, 3),
    "ne(3, ld(%x))": core.not_equal(3, X),
    "land(ld(%b), True)": core.land(B, True),
    "lor(ld(%b), False)": core.lor(B, False),
    "ild(ld(%x))": core.load(core.as_expr(X)),
}


BAD_CONSTANTS = {
    "beyond int32": ([1, 2**40], None, "no values of type int32"),
    "beyond int8": ([300], "int8", "no values of type int8"),
    "below 0": ([-1], "uint64", "no values of type uint64"),
    "fraction": ([1.5], "int32", "no values of type int32"),
    "no truth": ([2], "bool", "no values of type bool"),
    "text": ("abc", "int8", "expected numbers of type int8"),
    "ragged": ([[1], [2, 3]], None, "rows of one length"),
}


@each("text", BUILT)
def test_operators_build_nodes(text):
    assert str(BUILT[text]) == text


def test_operators_refuse_two_types():
    with pytest.raises(OperatorError, match="both must have one type"):
        _ = X + F


def test_operators_refuse_numbers_out_of_range():
    with pytest.raises(FieldError, match="out of range of uint32"):
        _ = U + -1


def test_comparisons_have_no_truth():
    with pytest.raises(OperatorError, match="not known before it runs"):
        bool(X < 1)


def test_equality_is_identity():
    assert X == X  # noqa: PLR0124 - that is the question
    assert core.Var("x") != core.Var("x")


def test_elements_of_symbols_and_of_addresses():
    array, pointer = core.Var("a", "int32[2, 3]"), core.Var("p", "int32*")
    assert str(core.element(array, 1, X)) == "array(lda(%a), [1, ld(%x)])"
    assert str(core.element(pointer, 1)) == "array(ld(%p), [1])"


def build() -> relay.IRModule:
    scope = GlobalScope()
    node = scope.struct("node", {"value": "int32", "next": "struct node*"})
    table = scope.variable("table", "int32[8]")
    scope.constant("weights", [0.5, 1.5])
    log = scope.declare("log", ["int32"])
    with scope.function("sum", {"n": "int32"}, "int32") as f:
        i, total, local = f.local("i"), f.preg("int32", "total"), f.local("here", node)
        f.store(total, 0)
        f.store_field(local, "value", f.n)
        with f.do_loop(i, 0, i < f.n):
            f.store(core.element(table, i), f.field(local, "value"))
            with f.if_(core.equal(i, 3)):
                f.call(log, i)
            with f.else_():
                f.store(total, total + core.load(core.element(table, i)))
        with f.while_do(i > 0):
            f.store(i, i - 1)
        with f.do_while(i > 0):
            f.store(i, i - 1)
        again = f.call(f.self, i)
        f.retv(total + again)
    scope.entry("start", f.self, is_program=True)
    return scope.module()


def test_a_module_is_built_statement_by_statement():
    mod = build()
    assert core.verify(mod) == ()
    assert str(mod["sum"]).splitlines() == [
        "core_func (%n: int32) -> int32 {",
        "  var %i: int32, %here: struct node",
        "  reg %total: int32, %r: int32",
        '  global @table: int32[8], @log: "(int32) -> void", @sum: "(int32) -> int32"',
        "  stp(%total, 0)",
        '  stf(%here, "value", ld(%n))',
        "  do_loop(%i, 0, lt(ld(%i), ld(%n)), add(ld(%i), 1)) {",
        '    ist(array(lda(@table), [ld(%i)]), ldf(%here, "value", "int32"))',
        "    if(eq(ld(%i), 3)) {",
        "      call(@log, [ld(%i)])",
        "    } else {",
        "      stp(%total, add(ldp(%total), ild(array(lda(@table), [ld(%i)]))))",
        "    }",
        "  }",
        "  while_do(gt(ld(%i), 0)) {",
        "    st(%i, sub(ld(%i), 1))",
        "  }",
        "  do_while(gt(ld(%i), 0)) {",
        "    st(%i, sub(ld(%i), 1))",
        "  }",
        "  call(@sum, [ld(%i)], %r)",
        "  retv(add(ldp(%total), ldp(%r)))",
        "}",
    ]


def test_constants_are_of_the_types_that_numbers_have():
    mod = build()
    assert mod["weights"].type == "float32[2]"
    assert mod["weights"].is_const


@each("data", BAD_CONSTANTS)
def test_constants_that_change_by_their_type_are_refused(data):
    given, element, reason = BAD_CONSTANTS[data]
    with pytest.raises(FieldError, match=reason):
        GlobalScope().constant("c", given, element)


def test_conditions_and_functions_that_are_called_may_be_symbols():
    scope = GlobalScope()
    with scope.function("f", {"b": "bool", "p": "(() -> void)*"}) as f:
        with f.while_do(f.b):
            f.call(f.p)
        with f.do_while(f.b), f.if_(f.b):
            f.ret()
    assert core.verify(scope.module()) == ()


def test_scope_refuses_what_is_no_name_type_or_target():
    scope = GlobalScope()
    with pytest.raises(FieldError, match="goes by a name; found 3"):
        scope.variable(3, "int32")
    with pytest.raises(FieldError, match="parameters that have values"):
        scope.declare("f", ["void"])
    with (
        scope.function("f") as f,
        pytest.raises(BuilderError, match="expected a symbol or an address"),
    ):
        f.store(3, 4)
    assert len(scope.module().functions) == 1


def test_a_scope_goes_on_from_a_module():
    before = build()
    scope = GlobalScope(before)
    with scope.function("more") as f:
        f.store_field(f.local("here", "struct node"), "value", 1)
    made = scope.module()
    assert made["sum"] is before["sum"]
    assert core.verify(made) == ()


def test_scope_refuses_a_name_twice():
    scope = GlobalScope()
    scope.variable("x", "int32")
    with pytest.raises(DuplicateNameError, match="defines 'x' twice"):
        scope.declare("x", [])


def test_function_refuses_calls_with_other_numbers_of_arguments():
    scope = GlobalScope()
    with (
        scope.function("f", {"x": "int32"}) as f,
        pytest.raises(BuilderError, match="called with 0 arguments; expected 1"),
    ):
        f.call(f.self)


def test_function_refuses_an_else_without_an_if():
    scope = GlobalScope()
    with (
        scope.function("f") as f,
        pytest.raises(BuilderError, match="expected an if_"),
        f.else_(),
    ):
        pass


def test_function_tells_its_formals_where_another_is_asked_for():
    scope = GlobalScope()
    with (
        scope.function("f", {"count": "int32"}) as f,
        pytest.raises(AttributeError, match="did you mean count"),
    ):
        _ = f.cont


def test_fields_that_are_unknown_are_refused():
    scope = GlobalScope()
    point = scope.struct("point", {"x": "int32"})
    with scope.function("f") as f, pytest.raises(FieldError, match="no field 'y'"):
        f.field(f.local("p", point), "y")


@each("given", [3, ["a"], {3: "int32"}, {"": "int32"}])
def test_fields_and_formals_have_types_by_name(given):
    scope = core.GlobalScope()
    with pytest.raises(FieldError, match="the fields of structure 's'"):
        scope.struct("s", given)
    with pytest.raises(FieldError, match="the formals of @f"), scope.function("f", given):
        pass


def test_parameters_of_a_declaration_are_types():
    for given in (3, "int32"):
        with pytest.raises(FieldError, match="the parameters of @f"):
            core.GlobalScope().declare("f", given)


def test_what_a_module_defines_has_a_name():
    with pytest.raises(FieldError, match="goes by a name; found ''"):
        core.GlobalScope().variable("", "int32")
    with pytest.raises(FieldError, match="found an empty one"):
        core.Global("", "int32")
    name = core.Global("x", "int32")
    with pytest.raises(FieldError, match="found an empty one"):
        name.with_fields(name="")
