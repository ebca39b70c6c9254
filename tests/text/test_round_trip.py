"""``parse(astext(p))`` is structurally equal to ``p``, also for programs one would not write."""

from __future__ import annotations

import json

import ml_dtypes
import numpy as np
import pytest

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.adt import (
    Clause,
    Constructor,
    Match,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
    TypeData,
)
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Tuple,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import (
    Any,
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    PrimOp,
    RefType,
    SizeVar,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeKind,
    TypeRelation,
    TypeVar,
)
from relayish.text import astext, parse, parse_expr, parse_pattern, parse_type
from tests.support.each import each
from tests.support.seeds import SOAK, many
from tests.support.text_cases import CASES, read_cases
from tests.support.typed_text import HEADER

ADD = intern_op("add")
ONE = Constant(1)
FLOAT = TensorType((2, 3), "float32")


def back(expr: Expr) -> Expr:
    """Check that ``expr`` comes back from its text, and return what came."""
    text = astext(expr)
    again = parse_expr(text, allow_unknown_ops=True)
    assert_structural_equal(expr, again, map_free_vars=True)
    assert astext(again) == text
    return again


def module_back(mod: IRModule) -> IRModule:
    text = astext(mod)
    again = parse(text, allow_unknown_ops=True)
    assert_structural_equal(mod, again, map_free_vars=True)
    return again


def calls(n: int, *args: Expr) -> Expr:
    return Call(intern_op(f"test.op{n}"), args)


FLOATS = [0.0, -0.0, 1 / 3, 1e-45, 1e38, 3.4e38, 16777217, 1e22, float("inf"), -float("inf")]


@each("dtype", [np.float16, np.float32, np.float64])
@each("value", FLOATS)
def test_float_constant_keeps_every_bit(dtype: type[np.floating], value: float) -> None:
    with np.errstate(over="ignore"):
        back(Constant(dtype(value)))


def test_float16_keeps_each_of_its_bit_patterns() -> None:
    patterns = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    fields = tuple(Constant(pattern) for pattern in patterns[:: many(13, soak=1)])
    back(Tuple(fields))


def test_float32_keeps_random_bit_patterns() -> None:
    patterns = (
        np.random.default_rng(SOAK).integers(0, 1 << 32, many(5_000), np.uint32).view(np.float32)
    )
    back(Tuple(tuple(Constant(pattern) for pattern in patterns)))


@pytest.mark.parametrize("bits", [0x7FC00000, 0xFFC00000, 0x7FC00001, 0x7F800001, 0xFFFFFFFF])
def test_nan_keeps_sign_and_payload(bits: int) -> None:
    back(Constant(np.array([bits], np.uint32).view(np.float32)[0]))


@pytest.mark.parametrize("value", [0, 1, -1, 2**31 - 1, -(2**31)])
def test_int32_literal_is_read_back(value: int) -> None:
    back(Constant(value))
    assert str(value) in astext(Constant(value))


DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
    *(np.dtype(t) for t in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)),
    *(np.dtype(t) for t in (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.float8_e4m3fnuz)),
    np.dtype(">i4"),
    np.dtype("<m8[s]"),
]


@each("dtype", DTYPES)
@each("shape", [(), (3,), (2, 0), (1, 2, 3)])
def test_tensor_constant_keeps_type_shape_and_bits(dtype: object, shape: tuple[int, ...]) -> None:
    size = int(np.prod(shape))
    array = (np.arange(size) % 2).reshape(shape).astype(dtype)  # type: ignore[call-overload]
    back(Constant(array))


@pytest.mark.parametrize(
    "value",
    ["", "plain", 'with "quotes" and \\', "line\nbreak\ttab\0nul", "日本語 🎉", "\ud800", "*/ //"],
)
def test_string_constant_attribute_and_name_are_read_back(value: str) -> None:
    again = back(Constant(value))
    assert isinstance(again, Constant)
    assert again.data == value
    call = back(Call(intern_op("test.text"), (ONE,), DictAttrs({"text": value, value: 1})))
    assert isinstance(call, Call)
    assert call.attrs == DictAttrs({"text": value, value: 1})
    var = Var(value)
    func = back(Function((var,), Let(Var(value), var, var)))
    assert isinstance(func, Function)
    assert func.params[0].name_hint == value
    mod = module_back(IRModule({value: Function((), Call(GlobalVar(value), ()))}))
    assert value in mod
    back(Call(intern_op(value or "x"), ()))


@pytest.mark.parametrize("value", [None, (), (1, 2.0, True), ("a", (None, np.arange(3)))])
def test_constant_of_any_value_is_read_back(value: object) -> None:
    back(Constant(value))


@each(
    "name", ["let", "fn", "x.y", "0", "0x", "a b", "a-b", "%", "nanf", "a.0.b", "if", "é", "_", "-"]
)
def test_odd_name_serves_for_everything(name: str) -> None:
    var, header, param = Var(name), GlobalTypeVar(name), TypeVar(name)
    constructor = Constructor(name, (param, TypeCall(header, (param,))), header)
    other = Constructor(name + "2", (), header)
    data = TypeData(header, (param,), (constructor, other))
    pattern = PatternConstructor(constructor, (PatternVar(var), PatternWildcard()))
    body = Match(Call(other, ()), (Clause(pattern, var),), complete=False)
    func = Function((Var(name),), body, param, (param,), DictAttrs({name: name}))
    mod = IRModule({name: Function((), Call(intern_op(f"{name}!"), (func,)))}, {header: data})
    module_back(mod)


def test_duplicate_names_give_distinct_variables() -> None:
    x, y = Var("x"), Var("x")
    again = back(Function((x, y), Tuple((y, x))))
    assert isinstance(again, Function)
    assert again.params[0] is not again.params[1]


PROGRAMS = read_cases(CASES / "round_trips.txt")


@each("name", PROGRAMS)
def test_program_is_written_as_it_is_read(name: str) -> None:
    (text,) = PROGRAMS[name]
    if "def @" in text:
        mod = parse(HEADER + text, allow_unknown_ops=True)
        assert astext(module_back(mod)) == f"{HEADER}{text}\n"
        return
    assert astext(back(parse_expr(text, allow_unknown_ops=True))) == text


def test_rebinding_of_one_variable_is_read_back_as_one_variable() -> None:
    x = Var("x")
    again = back(Let(x, ONE, Let(x, calls(0, x), Function((x,), x))))
    assert isinstance(again, Let)
    assert isinstance(again.body, Let)
    assert again.body.var is again.var


def test_variable_shared_by_two_functions_is_read_back_as_one() -> None:
    x, a = Var("x"), TypeVar("a")
    func = Function((x,), x, a, (a,))
    mod = module_back(IRModule({"f": func, "g": Function((x,), Tuple((x, x)), a, (a,))}))
    assert mod["f"].params[0] is mod["g"].params[0]


def test_variable_used_outside_of_its_scope_is_read_back_as_the_same() -> None:
    x = Var("x", FLOAT)
    again = back(Tuple((Let(x, ONE, x), x)))
    assert isinstance(again, Tuple)
    assert isinstance(again.fields[0], Let)
    assert again.fields[0].var is again.fields[1]


def test_value_of_a_let_sees_the_outer_variable_of_the_name() -> None:
    again = parse_expr("fn (%x) { let %x = (%x, 1); %x }")
    assert isinstance(again, Function)
    assert isinstance(again.body, Let)
    assert isinstance(again.body.value, Tuple)
    assert again.body.value.fields[0] is again.params[0]


def test_free_variables_are_declared_once() -> None:
    x = Var("x", FLOAT)
    text = astext(calls(0, x, x, Var("y", None, x)))
    assert text.count("free_var") == 2
    back(calls(0, x, x, Var("y", None, x)))


def test_may_share_is_read_back() -> None:
    a, b = Var("a"), Var("b")
    c = Var("c", FLOAT, b)
    again = back(Function((a, b), Let(c, calls(0, a), Tuple((c, b)))))
    assert isinstance(again, Function)
    assert isinstance(again.body, Let)
    assert again.body.var.may_share is again.params[1]


def test_node_shared_by_both_branches_is_written_before_the_if() -> None:
    x = Var("x")
    s = calls(0, x)
    text = astext(Function((x,), If(x, calls(1, s), calls(2, s))))
    assert text.index("test.op0") < text.index("if (")


def test_node_used_in_one_branch_is_written_there() -> None:
    x = Var("x")
    text = astext(Function((x,), If(x, calls(1, calls(0, x)), x)))
    assert text.index("test.op0") > text.index("if (")


def test_node_shared_by_two_definitions_is_kept_one() -> None:
    shared = Function((), Tuple((ONE,)))
    mod = module_back(
        IRModule({"f": Function((), shared), "g": Function((), Tuple((shared,))), "h": shared})
    )
    assert mod["f"].body is mod["h"]


def test_definition_that_is_no_function_is_read_back() -> None:
    module_back(IRModule({"main": Function((), ONE), "table": Constant(np.arange(5))}))


A, B = TypeVar("A"), TypeVar("B")
LIST = GlobalTypeVar("List")
N = SizeVar("n")
TYPES: list[Type] = [
    FLOAT,
    TensorType((), "bfloat16"),
    TensorType((), "float32x4"),
    TensorType((3,), "custom[posit]8"),
    TensorType((Any(), 3, N, N), "int4"),
    TensorType(
        (PrimOp("tir.Mul", (N, PrimOp("tir.FloorDiv", (N, 2)))), SizeVar("m", "int64", False))
    ),
    TupleType(()),
    TupleType((FLOAT,)),
    TupleType((FLOAT, RefType(RefType(FLOAT)))),
    FuncType((FLOAT,), TupleType(())),
    FuncType((A, FuncType((B,), A, (B,))), A, (A,)),
    FuncType((), A, (A,), (TypeRelation("Broadcast", (A, A), 1, DictAttrs({"axis": 1})),)),
    TypeRelation("odd name", (FLOAT,), 1),
    TypeCall(LIST, (FLOAT, TypeCall(LIST, ()))),
    LIST,
    A,
    TypeCall(A, (B,)),
    TypeVar("float32", TypeKind.ShapeVar),
    IncompleteType(),
    IncompleteType(TypeKind.Constraint),
    TypeCall(GlobalTypeVar("int32"), ()),
    FuncType((TypeVar("List"), TypeCall(LIST, ())), A, ()),
    TypeData(LIST, (A,), (Constructor("Nil", (), LIST), Constructor("Cons", (A, LIST), LIST))),
    TypeData(LIST, (), (), is_extern=True),
]


@each("type_", TYPES)
def test_type_is_read_back(type_: Type) -> None:
    assert_structural_equal(type_, parse_type(astext(type_)), map_free_vars=True)
    if not isinstance(type_, TypeData):
        back(Function((Var("x", type_),), Call(Var("f"), (ONE,), None, (type_,)), type_))


def test_shared_type_is_written_once() -> None:
    type_: Type = FLOAT
    for _ in range(100):
        type_ = TupleType((type_, type_))
    text = astext(type_)
    assert len(text) < 10_000
    assert_structural_equal(type_, parse_type(text))
    back(Function(tuple(Var("x", type_) for _ in range(100)), ONE, type_))


def test_shared_pattern_is_written_once() -> None:
    pattern = PatternTuple((PatternWildcard(), PatternWildcard()))
    for _ in range(100):
        pattern = PatternTuple((pattern, pattern))
    assert_structural_equal(pattern, parse_pattern(astext(pattern)))


@pytest.mark.parametrize(
    "attrs",
    [
        None,
        DictAttrs(),
        DictAttrs({"a": 1, "b": -1, "c": True, "d": None, "e": (), "f": (1, (2.5, "x"))}),
        DictAttrs({"a": 0.1, "b": -0.0, "c": float("inf"), "d": float("nan"), "e": 1e300}),
        DictAttrs({"a": {"b": {"c": (1,)}}, "odd key": 1, "let": 2, "": 3}),
        DictAttrs({"a": np.float32(1), "b": np.arange(3), "c": np.uint8(3)}),
        DictAttrs({"a": ONE, "b": ADD, "c": Any(), "d": N, "e": FLOAT, "f": (N, N)}),
        DictAttrs({"a": GlobalVar("f"), "b": TupleType((FLOAT, A))}),
        DictAttrs({"a": 10**30, "b": -(10**30)}),
    ],
    ids=str,
)
def test_attributes_are_read_back(attrs: DictAttrs | None) -> None:
    back(Call(intern_op("test.attrs"), (), attrs))
    back(Call(intern_op("test.attrs"), (ONE,), attrs))
    back(Call(ADD, (ONE, ONE), attrs))
    back(Call(Var("f"), (ONE,), attrs))
    back(Function((Var("x"),), ONE, None, (), attrs))


def test_module_attributes_are_read_back() -> None:
    attrs = DictAttrs({"executor": "graph", "n": 1})
    assert module_back(IRModule({"main": Function((), ONE)}, None, attrs)).attrs == attrs


def test_operator_called_like_a_constructor_is_told_apart() -> None:
    header = GlobalTypeVar("T")
    made = Constructor("Make", (), header)
    body = Tuple((Call(intern_op("Make"), ()), Call(made, ())))
    module_back(IRModule({"main": Function((), body)}, {header: TypeData(header, (), (made,))}))


def test_undefined_constructor_and_type_are_read_back() -> None:
    header = GlobalTypeVar("Elsewhere")
    made = Constructor("Make", (FLOAT,), header)
    x = Var("x", TypeCall(header, (FLOAT,)))
    body = Match(x, (Clause(PatternConstructor(made, (PatternWildcard(),)), Call(made, (ONE,))),))
    back(body)
    module_back(IRModule({"main": Function((x,), body)}))


def test_metadata_holds_one_entry_for_one_constant() -> None:
    table = Constant(np.arange(4))
    again = back(Tuple((table, table, Constant(np.arange(4)))))
    text = astext(again)
    assert text.count("meta[relay.Constant]") == 3
    section = json.loads(text.split("#[metadata]")[1])
    assert len(section["b64ndarrays"]) == 2


def test_metadata_is_left_out_when_not_wanted() -> None:
    text = astext(Constant(np.arange(4)), show_meta_data=False)
    assert "#[metadata]" not in text
    assert text.startswith("meta[relay.Constant][0]")


def test_annotation_stands_in_a_comment_behind_its_expression() -> None:
    expr = calls(0, calls(1))
    text = astext(expr, annotate=lambda node: f"{type(node).__name__} */ here")
    assert text == ("%0 = test.op1() /* Call * / here */;\ntest.op0(%0) /* Call * / here */")
    assert_structural_equal(parse_expr(text, allow_unknown_ops=True), expr)


def test_inferred_type_stands_in_a_comment() -> None:
    call = Call(ADD, (ONE, ONE), checked_type=TensorType((), "int32"))
    assert astext(call) == "add(1, 1) /* ty=int32 */"


def test_constructor_without_fields_keeps_its_type_arguments() -> None:
    text = """#[version = "0.0.5"]
type List[A] {
  Cons(A, List[A]),
  Nil,
}

def @main() {
  Nil /* type_args=[int32] */
}
"""
    mod = parse(text)
    assert str(mod["main"].body.type_args[0]) == "int32"
    assert astext(mod).split() == text.split()


def test_indentation_stops_growing() -> None:
    expr: Expr = ONE
    for _ in range(3000):
        expr = If(Constant(True), expr, ONE)
    assert len(astext(expr)) < 3000 * 400


def test_largest_number_is_spelt_below_its_limit():
    for dtype in (np.float16, np.float32, np.float64):
        largest = np.finfo(dtype).max
        text = str(Constant(largest))
        assert float(text.partition("f")[0]) <= float(largest)
        assert parse_expr(text).data == largest


def test_short_integers_have_literals():
    assert str(Constant(np.int16(42))) == "42i16"
    assert type(parse_expr("-42i16").data) is np.int16
