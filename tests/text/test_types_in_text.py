"""How types are named in text: unknown types, type arguments, and variables of definitions."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.adt import Constructor, TypeData
from relayish.ir.relay.expr import Call, Function, GlobalVar, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import GlobalTypeVar, IncompleteType, TupleType, TypeCall, TypeVar
from relayish.text import astext, parse, parse_expr

LIST = """#[version = "0.0.5"]
type List[A] {
  Cons(A, List[A]),
  Nil,
}

"""


def unknown_list() -> TypeCall:
    return TypeCall(GlobalTypeVar("List"), (IncompleteType(),))


def reads_back(thing: IRModule | Function) -> str:
    text = astext(thing)
    again = parse(text) if isinstance(thing, IRModule) else parse_expr(text)
    assert_structural_equal(thing, again, map_free_vars=True)
    return text


def test_unknown_type_that_is_written_once_has_no_label():
    assert reads_back(Function((Var("x", unknown_list()),), Tuple(()))).startswith(
        "fn (%x: List[_])"
    )


def test_unknown_types_are_told_apart_where_one_is_written_twice():
    one, other = IncompleteType(), IncompleteType()
    func = Function((Var("x", TupleType((one, other))), Var("y", TupleType((one,)))), Tuple(()))
    assert reads_back(func).startswith("fn (%x: (_ /* #0 */, _), %y: (_ /* #0 */,))")


def test_unknown_type_in_a_shared_type_is_told_apart():
    once = unknown_list()
    func = Function((Var("x", once), Var("y", once)), Tuple(()))
    assert reads_back(func).startswith("fn (%x: List[_ /* #0 */], %y: List[_ /* #0 */])")


def test_annotation_by_an_unknown_type_is_not_read_as_none():
    func = Function((Var("x", IncompleteType()),), Tuple(()))
    assert reads_back(func).startswith("fn (%x: _ /* #0 */)")


def test_type_arguments_stand_in_a_comment_that_tvm_reads_past():
    mod = parse(
        f"{LIST}def @f[B](%x: B) -> B {{ %x }}"
        "def @main(%x: int8) { (@f(%x), Nil, Cons(%x, Nil)) }"
    )
    text = reads_back(relay.transform.InferType()(mod))
    assert "@f /* type_args=[int8] */(%x1)" in text
    assert "Cons /* type_args=[int8] */(%x1, %" in text
    assert "= Nil /* type_args=[int8] */ /* ty=List[int8] */;" in text


@pytest.mark.parametrize(
    ("text", "name", "count"),
    [
        ("@f[int32](1)", "f", 1),
        ("@f/* type_args=[int32] */(1)", "f", 1),
        ("@f/* type_args=[int32, (int8, bool),]*/ (1)", "f", 2),
        ("@f /* type_args=[int32] */(1)", "f", 1),
        ("@f  /* type_args=[int32] */(1)", "f", 0),  # a comment like others
        ("Nil /* type_args=[int32] */", "Nil", 1),
        ("Nil/* type_args=[int32] */()", "Nil", 1),
        ("Nil::[int32]()", "Nil", 1),
    ],
)
def test_type_arguments_are_read_directly_behind_the_callee(text: str, name: str, count: int):
    main = parse(f"{LIST}def @f[B](%x: B) -> B {{ %x }} def @main() {{ {text} }}")["main"]
    assert isinstance(main, Function)
    call = main.body
    assert isinstance(call, Call)
    assert isinstance(call.op, (GlobalVar, Constructor))
    assert (call.op.name_hint, len(call.type_args)) == (name, count)


def test_type_arguments_that_are_not_closed_are_refused():
    with pytest.raises(relay.ParseError, match=r"expected '\*/' after the type arguments"):
        parse(f"{LIST}def @main() {{ Nil/* type_args=[int32] }}")


def test_variables_of_definitions_leave_their_names_to_functions():
    mod = parse(f"{LIST}def @f[A](%x: A) -> A {{ %x }} def @g[A](%x: A) -> A {{ %x }}")
    text = reads_back(mod)
    assert "def @f[A](%x: A) -> A" in text
    assert "def @g[A1](%x1: A1) -> A1" in text


def test_variable_bound_in_a_definition_and_in_functions_keeps_its_name():
    shared, own = TypeVar("A"), TypeVar("A")
    header = GlobalTypeVar("L")
    data = TypeData(header, (shared,), (Constructor("C", (shared,), header),))
    mod = IRModule(
        {
            GlobalVar("f"): Function((x := Var("x", own),), x, own, (own,)),
            GlobalVar("g"): Function((y := Var("y", shared),), y, shared, (shared,)),
        },
        {header: data},
    )
    reads_back(mod)


def test_comments_name_type_variables_as_the_text_does():
    mod = parse(
        f"{LIST}def @f[A](%x: A) -> A {{ %x }}"
        "def @g[A](%l: List[A], %d: A) -> A { match (%l) { Cons(%h, _) => %h, Nil => %d, } }"
    )
    assert "/* ty=A1 */" in astext(relay.transform.InferType()(mod))
    assert "/* ty=A */" not in astext(relay.transform.InferType()(mod))


def test_labels_of_unknown_types_stand_in_comments_that_tvm_reads_past():
    func = parse_expr("fn (%x: (_ /* #3 */, _ /* #3 */, _), %y: _ /* #4 */, %z: _) { () }")
    assert isinstance(func, Function)
    first, again, other = func.params[0].type_annotation.fields
    assert first is again
    assert first is not other
    assert isinstance(func.params[1].type_annotation, IncompleteType)
    assert func.params[2].type_annotation is None


def test_label_of_another_type_is_refused_for_an_unknown_one():
    with pytest.raises(relay.ParseError, match="#0 is no unknown type"):
        parse_expr("fn (%x: #0=(int32, int32), %y: _ /* #0 */) { () }")
