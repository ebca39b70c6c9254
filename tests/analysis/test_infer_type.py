"""The types of programs of every kind."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.analysis import infer_type
from relayish.analysis.infer_type import infer_type_local
from relayish.errors import TypeInferenceError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import declared_temporarily, node
from relayish.ir.relay.adt import Constructor, TypeData
from relayish.ir.relay.expr import Call, Constant, Function, GlobalVar, If, Let, Op, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import (
    Any,
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    PrimExpr,
    RefType,
    SizeVar,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
    scalar_type,
)
from relayish.passes import erase_type
from relayish.text import astext, parse
from tests.support.each import each
from tests.support.goldens import CASES, read_goldens
from tests.support.random_exprs import call

INT, FLOAT = scalar_type("int32"), scalar_type("float32")
HEADER = '#[version = "0.0.5"]\n'
LISTS = "type List[A] { Cons(A, List[A]), Nil, }\ntype Both[A, B] { Two(A, B), }\n"

BODIES = read_goldens(CASES / "types.relay")
"""Bodies of ``@main``, with the types they have."""


def body_of(text):
    mod = infer_type(parse(f"{HEADER}{LISTS}def @main() {{ {text} }}"))
    return mod, mod["main"].body


def every_type(expr):
    return {node: node.checked_type for node in EXPRESSIONS.post_order(expr)}


@each("name", BODIES)
def test_program_has_the_type(name):
    mod, body = body_of(BODIES[name].before)
    assert " ".join(astext(body.checked_type).split()) == BODIES[name].answer
    assert infer_type(mod) is mod
    assert infer_type(mod, fresh=True) is mod


@each("name", BODIES)
def test_program_has_the_same_type_from_its_own_text(name):
    mod, _ = body_of(BODIES[name].before)
    again = infer_type(parse(astext(mod)))
    assert structural_equal(again, mod)


@each("name", BODIES)
def test_program_without_its_types_has_them_again(name):
    mod, body = body_of(BODIES[name].before)
    erased = mod.with_function("main", erase_type(mod["main"]))
    assert all(
        node.checked_type is None
        for node in EXPRESSIONS.post_order(erased["main"])
        if hasattr(node, "checked_type")
    )
    assert structural_equal(infer_type(erased)["main"].body.checked_type, body.checked_type)


def test_type_arguments_are_put_on_calls_of_polymorphic_functions():
    _, body = body_of("let %id = fn [A](%x: A) -> A { %x }; %id((1, 2f))")
    assert [astext(ty) for ty in body.body.type_args] == ["(int32, float32)"]


def test_given_type_argument_is_used():
    ty = TypeVar("t")
    x, y = Var("x", ty), Var("y")
    same = Function((x,), x, ty, (ty,))
    typed = infer_type(Function((y,), Call(same, (y,), None, (FLOAT,))))
    assert structural_equal(typed.params[0].checked_type, FLOAT)


def test_size_that_is_told_is_put_into_types_of_other_packages():
    with declared_temporarily():

        @node("boxed")
        class Boxed(Type):
            sizes: tuple[int | PrimExpr, ...]

        n, anything = SizeVar("n"), TypeVar("a")
        some, three = Var("some", TensorType((n,))), Var("three", TensorType((3,)))
        box, cond = Var("box", Boxed((n,))), Var("cond", TensorType((), "bool"))
        x = Var("x", anything)
        same = Function((x,), x, anything, (anything,))
        body = Tuple((If(cond, some, three), Call(same, (box,))))
        typed = infer_type(Function((some, three, box, cond), body))
        _, found = typed.checked_type.ret_type.fields
        assert found.sizes == (3,)


def test_return_type_that_holds_a_relation_is_not_written_into_the_function():
    typed = infer_type(Function((), intern_op("add")))
    assert typed.checked_type.ret_type.type_constraints
    assert typed.ret_type is None


def test_weight_has_the_type_that_data_demands():
    data, weight = Var("data", TensorType((1, 3, 8, 8), "float32")), Var("weight")
    conv = call("nn.conv2d", data, weight, channels=4, kernel_size=(3, 3))
    typed = infer_type(Function((data, weight), conv))
    assert structural_equal(typed.params[1].type_annotation, TensorType((4, 3, 3, 3), "float32"))
    assert structural_equal(typed.ret_type, TensorType((1, 4, 6, 6), "float32"))


def test_bias_and_weight_are_told_through_a_chain_of_pending_relations():
    data, weight, bias = Var("data"), Var("weight"), Var("bias")
    dense = call("nn.dense", data, weight, units=5)
    body = call("nn.bias_add", dense, bias, axis=1)
    inner = Function((data,), body)
    given = Var("given", TensorType((2, 3), "float32"))
    typed = infer_type(Function((given, weight, bias), Call(inner, (given,))))
    shapes = [param.checked_type.shape for param in typed.params]
    assert shapes == [(2, 3), (5, 3), (5,)]


def test_moments_of_batch_norm_have_the_type_of_a_channel():
    data = Var("data", TensorType((2, 7, 4), "float32"))
    others = [Var(name) for name in ("gamma", "beta", "mean", "variance")]
    typed = infer_type(Function((data, *others), call("nn.batch_norm", data, *others)))
    assert {param.checked_type.shape for param in typed.params[1:]} == {(7,)}


UNKNOWN = Any()


@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [
        ((3,), (UNKNOWN,), (UNKNOWN,)),
        ((UNKNOWN,), (3,), (UNKNOWN,)),
        ((3, UNKNOWN), (UNKNOWN, 4), (UNKNOWN, UNKNOWN)),
        ((3, 4), (3, 4), (3, 4)),
    ],
)
def test_branches_of_unknown_size_join(one, other, joined):
    x, y = (Var(name, TensorType(shape, "float32")) for name, shape in (("x", one), ("y", other)))
    typed = infer_type(Function((x, y), If(Constant(True), x, y)))
    assert structural_equal(typed.ret_type, TensorType(joined, "float32"))


def test_branches_join_inside_tuples_and_functions():
    static, dynamic = (TensorType(shape, "float32") for shape in ((3,), (UNKNOWN,)))
    sides = [
        Var(name, TupleType((ty, RefType(ty)))) for name, ty in (("x", static), ("y", dynamic))
    ]
    typed = infer_type(Function(tuple(sides), If(Constant(True), *sides)))
    assert structural_equal(typed.ret_type, TupleType((dynamic, RefType(dynamic))))


def test_named_sizes_are_made_equal():
    size, other = SizeVar("n"), SizeVar("m")
    x, y = Var("x", TensorType((size,), "float32")), Var("y", TensorType((other,), "float32"))
    z = Var("z", TensorType((3,), "float32"))
    body = If(Constant(True), If(Constant(True), x, y), z)
    assert infer_type(Function((x, y, z), body)).ret_type.shape == (3,)


def test_named_size_that_would_be_two_numbers_is_refused():
    x = Var("x", TensorType((SizeVar("n"),), "float32"))
    y, z = (Var("v", TensorType((size,), "float32")) for size in (3, 4))
    branches = Tuple((If(Constant(True), x, y), If(Constant(True), x, z)))
    with pytest.raises(TypeInferenceError, match="branches"):
        infer_type(Function((x, y, z), branches))


def test_size_found_in_one_function_says_nothing_of_another():
    size = SizeVar("n")
    ty = TensorType((size,), "float32")
    functions = {}
    for name, length in (("f", 3), ("g", 4)):
        x, y = Var("x", ty), Var("y", TensorType((length,), "float32"))
        functions[name] = Function((x, y), call("exp", If(Constant(True), x, y)))
    mod = infer_type(IRModule(functions))
    assert [mod[name].ret_type.shape for name in ("f", "g")] == [(3,), (4,)]


def test_parameter_found_to_be_wider_later_is_wider_everywhere():
    dynamic = TensorType((UNKNOWN,), "float32")
    vector, anything = Constant(np.zeros(3, "float32")), Var("x", dynamic)
    param, early = Var("p"), Var("early")
    last = If(Constant(True), param, anything)
    steps = Let(Var("fixed"), If(Constant(True), param, vector), Tuple((early, last)))
    inner = Function((param,), Let(early, call("exp", param), steps))
    typed = infer_type(Function((anything,), Call(inner, (vector,))))
    assert structural_equal(typed.ret_type, TupleType((dynamic, dynamic)))
    assert infer_type(typed, fresh=True) is typed


def test_annotation_with_something_unknown_is_filled_in():
    hole = IncompleteType()
    x = Var("x", TupleType((hole, FLOAT)))
    typed = infer_type(
        Function(
            (x,), call("add", Call(Var("f", FuncType((hole,), INT)), (Constant(1),)), Constant(1))
        )
    )
    assert structural_equal(typed.params[0].type_annotation, TupleType((INT, FLOAT)))


def test_result_annotation_with_something_unknown_is_filled_in():
    x = Var("x", INT)
    typed = infer_type(Function((x,), Tuple((x, x)), TupleType((INT, IncompleteType()))))
    assert structural_equal(typed.ret_type, TupleType((INT, INT)))


def test_annotation_that_says_all_is_kept_as_it_is():
    annotation = TupleType((INT, FLOAT))
    x = Var("x", annotation)
    typed = infer_type(Function((x,), x, annotation))
    assert typed.params[0].type_annotation is annotation
    assert typed.ret_type is annotation


def test_expression_may_mention_what_a_module_defines():
    mod = parse(f"{HEADER}{LISTS}def @f(%x: int32) -> List[int32] {{ Cons(%x, Nil) }}")
    typed = infer_type(Call(mod.get_global_var("f"), (Constant(1),)), mod)
    assert astext(typed.checked_type) == "List[int32]"
    assert typed.op is mod.get_global_var("f")


def test_expression_may_mention_a_function_whose_type_is_not_said():
    mod = parse(f"{HEADER}def @f(%x: int32) {{ (%x, %x) }}")
    typed = infer_type(Call(mod.get_global_var("f"), (Constant(1),)), mod)
    assert astext(typed.checked_type) == "(int32, int32)"


def test_local_type_is_that_of_parts_that_are_typed():
    typed = infer_type(Function((Var("x", FLOAT),), Constant(1.0))).params[0]
    assert infer_type_local(typed) is typed.checked_type
    assert structural_equal(infer_type_local(Tuple((typed, Constant(1)))), TupleType((FLOAT, INT)))


def test_constant_tuple_has_a_tuple_type():
    value = (np.zeros((2, 3), "float32"), (np.int64(1), ()))
    expected = TupleType(
        (TensorType((2, 3), "float32"), TupleType((scalar_type("int64"), TupleType(()))))
    )
    assert structural_equal(infer_type(Constant(value)).checked_type, expected)


def test_names_stay_the_same_objects_and_carry_no_type():
    mod = parse(
        f"{HEADER}{LISTS}def @f(%x: int32) {{ Cons(add(%x, 1), Nil) }}\ndef @main() {{ @f(1) }}"
    )
    typed = infer_type(mod)
    for name in ("f", "main"):
        before, after = (
            [
                n
                for n in EXPRESSIONS.post_order(m[name])
                if type(n).__name__ in ("Op", "GlobalVar", "Constructor")
            ]
            for m in (mod, typed)
        )
        assert before
        assert all(a is b for a, b in zip(before, after, strict=True))
        assert all(node.checked_type is None for node in after)


def test_spans_attributes_and_names_are_kept():
    mod = parse(
        f"{HEADER}def @main(%x: Tensor[(2, 3), float32]) {{ sum(%x, axis=[1], keepdims=True) }}"
    )
    typed = infer_type(mod)
    nodes = [EXPRESSIONS.post_order(m["main"]) for m in (mod, typed)]
    for before, after in zip(*nodes, strict=True):
        assert type(before) is type(after)
        assert before.span == after.span
    assert typed["main"].body.attrs is mod["main"].body.attrs
    assert typed["main"].params[0].name_hint == "x"


def test_shared_nodes_stay_shared():
    x = Var("x", FLOAT)
    one = call("exp", x)
    typed = infer_type(Function((x,), Tuple((one, call("add", one, one)))))
    first, second = typed.body.fields
    assert second.args == (first, first)


def test_error_in_one_function_hides_none_in_another_and_brings_no_others():
    text = (
        "def @bad(%x: int32) { add(%x, 1f) }\n"
        "def @uses(%x: int32) { let %a = @bad(%x); add(%a, exp((%a, %a).0)) }\n"
        "def @worse(%x: int32) { %x.0 }\n"
        "def @good(%x: int32) { %x }"
    )
    with pytest.raises(TypeInferenceError) as raised:
        infer_type(parse(HEADER + text))
    assert sorted(d.definition for d in raised.value.diagnostics) == ["@bad", "@worse"]


def test_first_error_brings_no_others_after_it():
    text = "def @main(%x: int32) { let %a = add(%x, 1f); let %b = exp(%a); (%b.0, %b(%a)) }"
    with pytest.raises(TypeInferenceError) as raised:
        infer_type(parse(HEADER + text))
    assert len(raised.value.diagnostics) == 1


def test_mutual_recursion_of_globals_without_annotations():
    text = (
        "def @even(%n) { if (equal(%n, 0)) { True } else { @odd(subtract(%n, 1)) } }\n"
        "def @odd(%n: int32) { if (equal(%n, 0)) { False } else { @even(subtract(%n, 1)) } }"
    )
    mod = infer_type(parse(HEADER + text))
    assert astext(mod["even"].checked_type) == "fn (int32) -> bool"
    assert astext(mod["odd"].checked_type) == "fn (int32) -> bool"


def test_global_that_is_polymorphic_is_used_at_two_types():
    text = "def @main() { (@id(1), @id(1f)) }\ndef @id[A](%x: A) -> A { %x }"
    assert astext(infer_type(parse(HEADER + text))["main"].ret_type) == "(int32, float32)"


def test_operator_stays_the_operator_that_is_known_by_its_name():
    x = Var("x", FLOAT)
    typed = infer_type(Function((x,), call("exp", x)))
    assert isinstance(typed.body.op, Op)
    assert every_type(typed)[typed.body] is not None


def test_unknown_global_is_an_error_of_type():
    with pytest.raises(TypeInferenceError, match="@f is not defined"):
        infer_type(Call(GlobalVar("f"), ()), IRModule())


def test_type_definition_that_mentions_an_undefined_type_is_refused():
    header = GlobalTypeVar("Box")
    boxed = Constructor("Boxed", (TypeCall(GlobalTypeVar("Nowhere"), ()),), header)
    mod = IRModule({"main": Function((), Constant(1))}, {header: TypeData(header, (), (boxed,))})
    with pytest.raises(TypeInferenceError) as raised:
        infer_type(mod)
    assert str(raised.value) == (
        "type Box: field of Boxed: type Nowhere is not defined in the module; put its definition "
        "there: mod.with_type(...)"
    )
