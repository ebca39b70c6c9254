from __future__ import annotations

import copy
import pickle
import typing
import weakref

import numpy as np
import pytest

from relayish.errors import DeclarationError, DuplicateNameError, FieldError, FrozenNodeError
from relayish.functor import ExprFunctor, ExprMutator, ExprVisitor, MixedModeMutator
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import first_mismatch, structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.fields.field import Field, Shape
from relayish.ir.nodes.node import Node, declared_temporarily, field, node, node_kinds
from relayish.ir.nodes.span import Span
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.relay.adt import Clause, Match
from relayish.ir.relay.expr import Call, Constant, Expr, Function, If, Let, Tuple, TupleGetItem, Var
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Any, FuncType, PrimOp, TensorType, TupleType, TypeVar
from tests.support import deep
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH

ADD = intern_op("add")
X = Var("x")
SPAN = Span("f", 1, 1, 2, 3)


# Declaration


def test_visit_name_that_is_taken_is_an_error_naming_both():
    with pytest.raises(DuplicateNameError, match=r"'call' is .* by .*expr\.Call and by .*Second;"):

        @node("call")
        class Second(Expr):
            pass


def test_abstract_base_without_slots_is_an_error():
    class Careless(Expr):
        pass

    with pytest.raises(DeclarationError, match="Careless, a base of the node Child, has no __slot"):

        @node("careless_child")
        class Child(Careless):
            pass

    assert "careless_child" not in node_kinds()


def test_kind_without_a_visit_name_is_refused():
    bare: typing.Any = node  # which checkers would not let pass
    with pytest.raises(DeclarationError, match=r"name by which handlers visit .* found Bare; "):

        @bare
        class Bare(Expr):
            pass


def test_concrete_node_cannot_be_subclassed():
    with pytest.raises(DeclarationError, match=r"Mine subclasses the concrete node Call; .* Expr"):

        class Mine(Call):
            pass


def test_concrete_node_without_fields_cannot_be_subclassed():
    with declared_temporarily():

        @node("nothing_held")
        class Bare(Expr):
            pass

        with pytest.raises(DeclarationError, match="Mine subclasses the concrete node Bare"):

            class Mine(Bare):
                held: int


def test_abstract_node_cannot_be_made():
    with pytest.raises(DeclarationError, match="abstract node class"):
        Expr._make()


def test_kinds_of_an_abstract_class_are_those_below_it():
    assert Call in Expr.kinds
    assert TensorType not in Expr.kinds
    assert {Call, TensorType} <= Node.kinds
    assert Call.kinds == {Call}


def test_fields_of_the_class_come_before_inherited_ones():
    assert Let.__match_args__ == ("var", "value", "body", "span", "checked_type")
    assert [f.name for f in Let.fields_ if f.binder] == ["var"]


def test_field_shows_name_and_shape():
    args = Call.fields_[1]
    assert repr(args) == "Field(args, many, operand)"
    assert args.holds_many
    assert not Call.fields_[0].holds_many


@pytest.mark.parametrize(
    ("hint", "shape", "accepts"),
    [
        (Expr, Shape.ONE, (Expr,)),
        (Expr | None, Shape.OPTIONAL, ()),
        (tuple[Expr, ...], Shape.MANY, (Expr,)),
        (tuple[int | Expr, ...], Shape.MIXED, (int, Expr)),
        (tuple[int, ...], Shape.LEAF, (tuple,)),
        (str, Shape.LEAF, (str,)),
        (str | None, Shape.LEAF, (str, type(None))),
        (int | str, Shape.LEAF, (int, str)),
        (object, Shape.LEAF, ()),
    ],
)
def test_annotation_is_classified(hint, shape, accepts):
    declared = Field("Kind", "f", hint, 0)
    assert (declared.shape, declared.accepts) == (shape, accepts)


@pytest.mark.usefixtures("declarations")
def test_fields_may_be_called_like_what_a_constructor_uses():
    @node("test_common_words")
    class Common(Expr):
        type: Expr
        tuple: Expr | None
        isinstance: tuple[Expr, ...] = ()
        self: int | str = 0
        cls: str = ""
        item: Expr | None = None
        values: str = ""

    built = Common(X, None, [X], self=1, cls="a", item=X, values="b")
    assert (built.type, built.isinstance, built.cls) == (X, (X,), "a")
    assert built.with_fields(self="changed", cls="b").self == "changed"
    with pytest.raises(FieldError, match=r"Common\.type must be Expr; found 3"):
        Common(3, None)
    with pytest.raises(FieldError, match=r"Common\.isinstance\[0\] must be Expr"):
        Common(X, X, (3,))
    assert copy.deepcopy(built).type.name_hint == "x"
    assert ExprMutator().visit(built) is built
    one = ExprMutator()
    one.memo_map[X] = X.with_fields(name_hint="y")
    assert one.visit(built).isinstance[0].name_hint == "y"
    assert structural_equal(built, Common(X, None, [X], 1, "a", X, "b"))


@pytest.mark.usefixtures("declarations")
@pytest.mark.parametrize(
    "name", ["with_fields", "fields_", "kinds", "visit_name", "_self", "_item"]
)
def test_field_called_like_what_every_node_has_is_an_error(name):
    kind = type("Shadow", (Expr,), {"__annotations__": {name: "int"}, "__slots__": ()})
    with pytest.raises(DeclarationError, match=f"a field of Shadow is called '{name}', which"):
        node("test_shadow")(kind)
    assert "test_shadow" not in node_kinds()


# Validation


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: TupleGetItem(1, 0),
            r"TupleGetItem.tuple_value must be Expr; found 1 \(int\); wra",
        ),
        (lambda: TupleGetItem(X, "0"), r"TupleGetItem.index must be int; found '0' \(str\)$"),
        (lambda: TupleGetItem(X, True), r"TupleGetItem.index must be int; found True \(bool\)$"),
        (lambda: TupleGetItem(X, 1.0), r"TupleGetItem.index must be int; found 1.0 \(float\)$"),
        (lambda: Var(1), r"Var.name_hint must be str; found 1 \(int\)$"),
        (lambda: Var(1.5), r"Var.name_hint must be str; found 1.5 \(float\)$"),
        (lambda: Var("x", "int32"), r"Var.type_annotation must be Type or None; found 'int32' \(s"),
        (lambda: Var("x", 3), r"Var.type_annotation must be Type or None; found 3 \(int\)$"),
        (lambda: Var("x", X), r"must be Type or None; found Var\(name_hint='x'"),
        (lambda: Call(ADD, (X, 2)), r"Call.args\[1\] must be Expr; found 2 \(int\); .*const\(2\)$"),
        (lambda: Call(ADD, X), r"Call.args must be a sequence of Expr; found Var\(name_hint='x'"),
        (lambda: Call(ADD, "ab"), r"Call.args must be a sequence of Expr; found 'ab' \(str\)"),
        (lambda: Call(ADD, None), r"Call.args must be a sequence of Expr; found None \(NoneType\)"),
        (lambda: Call(ADD, 3), r"Call.args must be a sequence of Expr; found 3 \(int\)"),
        (lambda: Call(ADD, (), {"axis": 1}), r"Call.attrs must be Attrs; found \{'axis': 1\}"),
        (lambda: Let(Constant(1), X, X), r"Let.var must be Var; found Constant\(data="),
        (lambda: Let(1, X, X), r"Let.var must be Var; found 1 \(int\)$"),
        (lambda: Function((Constant(1),), X), r"Function.params\[0\] must be Var; found Constant"),
        (lambda: Function((1,), X), r"Function.params\[0\] must be Var; found 1 \(int\)$"),
        (lambda: TupleType((1,)), r"TupleType.fields\[0\] must be Type; found 1 \(int\)$"),
        (lambda: Match(X, (), 2), r"Match.complete must be bool; found 2 \(int\)$"),
        (lambda: TypeVar("a", 0), r"TypeVar.kind must be TypeKind; found 0 \(int\)$"),
        (lambda: Constant(object()), r"Constant.data: a constant holds a number"),
        (lambda: Constant(2**31), r"Constant.data: 2147483648 does not fit int32.*'int64'"),
        (lambda: TensorType((1,), "flot"), r"'flot' names no element type; use a name such as"),
        (lambda: TensorType(3), r"TensorType.shape: a shape is a sequence of dimensions; found 3"),
        (lambda: TensorType("ab"), r"TensorType.shape: a shape is a sequence of dimensions"),
        (
            lambda: TensorType((1, 2.5)),
            r"dimension 1 must be an int, Any\(\) or a SizeVar; found 2.5",
        ),
        (lambda: TensorType((True,)), r"dimension 0 must be an int"),
        (
            lambda: TensorType((2, -3)),
            r"TensorType.shape: dimension 1 must not be negative; found -3",
        ),
        (lambda: TensorType(np.int64([-1])), r"dimension 0 must not be negative; found -1$"),
        (
            lambda: TensorType(()).with_fields(shape=(2, -1)),
            r"dimension 1 must not be negative; found -1$",
        ),
        (lambda: PrimOp("Mul", (1, "n")), r"PrimOp.args\[1\] must be int or PrimExpr; found 'n'"),
        (lambda: Clause(X, X), r"Clause.lhs must be Pattern; found Var\(name_hint='x'"),
        (lambda: If(X, X, None), r"If.false_branch must be Expr; found None \(NoneType\)$"),
    ],
)
def test_wrong_field_is_an_error_that_names_field_found_and_expected(make, message):
    with pytest.raises(FieldError, match=message):
        make()


def test_long_values_are_cut_in_messages():
    with pytest.raises(FieldError, match=r"found 'y{56}\.\.\. \(str\)$"):
        Let("y" * 500, X, X)


def test_missing_field_is_a_type_error():
    with pytest.raises(TypeError, match="missing 2 required positional arguments"):
        Let(X)


@pytest.mark.parametrize("items", [[X, X], (X, X), iter([X, X]), {X: 1, Var("y"): 2}.keys()])
def test_any_iterable_becomes_a_tuple(items):
    args = Call(ADD, items).args
    assert type(args) is tuple
    assert args[0] is X
    assert len(args) == 2


def test_mixed_sequence_accepts_a_list():
    dimension = Any()
    made = PrimOp("Mul", [2, dimension])
    assert made.args == (2, dimension)


def test_none_stands_for_a_tuple_that_is_empty_by_default():
    call = Call(ADD, (X,), None, None)
    assert call.type_args == ()
    assert Function((), X, None, None).type_params == ()


def test_numpy_integers_become_ints():
    item = TupleGetItem(X, np.int64(2))
    assert type(item.index) is int
    assert type(TensorType((np.int32(3), 4)).shape[0]) is int


def test_subclass_of_an_accepted_class_is_kept():
    attrs = DictAttrs({"a": 1})
    assert Call(ADD, (), attrs).attrs is attrs

    class Name(str):
        __slots__ = ()

    name = Name("n")
    assert Var(name).name_hint is name


def test_tuple_of_plain_values_takes_any_iterable_but_a_string(declarations):
    @node("of_numbers")
    class OfNumbers(Expr):
        numbers: tuple[int, ...] = ()
        label: str | None = None
        thing: object = None
        either: int | str = 0

    assert OfNumbers([1, 2]).numbers == (1, 2)
    assert OfNumbers(None).numbers == ()
    assert OfNumbers(range(2), "a", [1], "b").numbers == (0, 1)
    assert OfNumbers(thing=OfNumbers).thing is OfNumbers
    for wrong in ("12", 3):
        with pytest.raises(FieldError, match=r"OfNumbers.numbers must be tuple"):
            OfNumbers(wrong)
    with pytest.raises(FieldError, match=r"OfNumbers.label must be str; found 3 \(int\)$"):
        OfNumbers(label=3)
    with pytest.raises(FieldError, match=r"OfNumbers.either must be int or str"):
        OfNumbers(either=None)


def test_node_without_fields_takes_no_arguments(declarations):
    class Bare(Node):
        __slots__ = ()

    @node("nothing_at_all")
    class Nothing(Bare):
        pass

    assert repr(Nothing()) == "Nothing()"
    assert Nothing._make() != Nothing()
    with pytest.raises(TypeError):
        Nothing(1)


# Immutability and identity


@pytest.mark.parametrize("name", ["name_hint", "unknown", "__class__", "span"])
def test_node_refuses_assignment(name):
    with pytest.raises(FrozenNodeError, match=rf"cannot assign Var.{name}: .*with_fields\({name}="):
        setattr(X, name, "y")
    with pytest.raises(FrozenNodeError, match=f"cannot delete Var.{name}"):
        delattr(X, name)


def test_node_has_no_dictionary():
    assert not hasattr(X, "__dict__")
    assert not any(kind.__dictoffset__ for kind in Node.kinds)


def test_nodes_are_equal_and_hashed_by_identity():
    one, other = Tuple((X,)), Tuple((X,))
    assert one != other
    assert one == one  # noqa: PLR0124
    assert len({one, other, one}) == 2


def test_node_is_weakly_referable_and_freed():
    made = Tuple((X,))
    reference = weakref.ref(made)
    assert reference() is made
    del made
    assert reference() is None


def test_node_is_matched_by_position():
    match Let(X, Constant(1), X):
        case Let(var, Constant(data), body):
            assert (var, data, body) == (X, 1, X)
        case _:
            pytest.fail("did not match")


# Showing


def test_repr_shows_fields_and_names_but_not_what_is_below():
    call = Call(ADD, (X, Constant(1)))
    assert repr(call) == "Call(op=Op(add), args=(Var(x), <Constant>), attrs=None, type_args=())"


def test_repr_leaves_span_and_type_out():
    assert "span" not in repr(Var("x", span=SPAN))


def test_repr_cuts_wide_tuples_and_long_values():
    assert repr(Tuple((X,) * 100)).count("Var(x)") == 6
    assert repr(Tuple((X,))) == "Tuple(fields=(Var(x),))"
    assert len(repr(Constant(np.zeros((100, 100))))) < 200
    assert len(repr(Constant("y" * 10_000))) < 100


@pytest.mark.deep
@pytest.mark.parametrize("nest", deep.DEEP_NESTS)
def test_repr_of_deep_nodes_is_short(nest):
    assert len(repr(deep.DEEP_NESTS[nest](min(DEPTH, 20_000)))) < 200


@pytest.mark.deep
def test_repr_is_short_for_a_deep_nest():
    assert repr(deep.tuple_nest(DEPTH)) == "Tuple(fields=(<Tuple>,))"


# Update


def test_with_fields_returns_the_node_itself_when_nothing_changes():
    call = Call(ADD, (X, X), span=SPAN, checked_type=TensorType(()))
    assert call.with_fields() is call
    assert call.with_fields(op=ADD, args=[X, X], span=SPAN) is call
    assert call.with_fields(args=(X, X), checked_type=call.checked_type) is call


def test_with_fields_changes_what_is_given_and_keeps_the_span():
    call = Call(ADD, (X, X), span=SPAN)
    changed = call.with_fields(args=[X])
    assert changed is not call
    assert (changed.op, changed.args, changed.span) == (ADD, (X,), SPAN)
    assert call.args == (X, X)


def test_with_fields_clears_the_inferred_type_unless_given():
    ty, other = TensorType(()), TensorType((1,))
    call = Call(ADD, (X, X), checked_type=ty)
    assert call.with_fields(args=(X,)).checked_type is None
    assert call.with_fields(args=(X,), checked_type=ty).checked_type is ty
    assert call.with_fields(args=(X,), checked_type=other).checked_type is other
    assert call.with_fields(checked_type=other).checked_type is other


def test_with_fields_works_on_nodes_without_inferred_type():
    ty = TupleType((), span=SPAN)
    assert ty.with_fields(fields=(ty,)).span is SPAN


def test_with_fields_suggests_the_field_that_was_meant():
    with pytest.raises(FieldError, match="Call has no field 'arg'; did you mean args"):
        Call(ADD, ()).with_fields(arg=())


def test_with_fields_refuses_an_unknown_field_whatever_else_is_given():
    with pytest.raises(FieldError, match="Call has no field 'arg'"):
        Call(ADD, ()).with_fields(op=ADD, arg=())


def test_with_fields_keeps_the_tuple_whose_items_are_given_where_another_field_changes():
    call = Call(ADD, (X, X))
    changed = call.with_fields(op=X, args=[X, X])
    assert changed.op is X
    assert changed.args is call.args


def test_with_fields_makes_no_node_until_something_changes(declarations):
    made = []

    @node("counted")
    class Counted(Expr):
        first: Expr
        rank: int = field(convert=lambda value: made.append(value) or value)

    one = Counted(X, 1000)
    made.clear()
    for _ in range(3):
        assert one.with_fields(first=X, rank=one.rank) is one
    assert made == []
    assert one.with_fields(first=Var("y")).rank == 1000
    assert made == [1000]


def test_with_fields_says_the_same_of_every_kind():
    call = Call(ADD, ())
    assert call.with_fields() is call
    assert call.with_fields.__doc__ == Node.with_fields.__doc__


def test_with_fields_checks_what_it_is_given():
    with pytest.raises(FieldError, match=r"Call.args\[0\] must be Expr"):
        Call(ADD, ()).with_fields(args=(1,))


# A kind declared here works everywhere with its declaration alone


DECLARED = declared_temporarily()
with DECLARED:

    @node("test_loop")
    class Loop(Expr):
        """``count`` rounds of ``body`` for each ``index``, from ``start`` if there is one."""

        index: Var = field(binder=True, declares=True)
        start: Expr | None
        count: int
        body: Expr
        bounds: tuple[int | Expr, ...] = ()
        extra: tuple[Expr, ...] = ()


_kinds = known_in_tests(DECLARED)


def loop(leaf=1):
    var = Var("i")
    return Loop(var, Constant(leaf), 3, Call(ADD, (var, X)), [2, var, X], [var])


def test_new_kind_is_visited_in_order_of_its_fields():
    seen = []

    class Names(ExprVisitor):
        def visit_var(self, var):
            seen.append(var.name_hint)

        def visit_constant(self, const):
            seen.append(int(const.data))

    Names().visit(loop())
    assert seen == ["i", 1, "x"]


def test_new_kind_has_handlers_of_its_own():
    class Count(ExprFunctor[int]):
        def visit_test_loop(self, loop):
            return loop.count

    class Stop(ExprVisitor):
        def visit_test_loop(self, loop):
            return loop.count

    assert Count().visit(loop()) == 3
    assert Stop().visit(loop()) == 3


def test_new_kind_is_mutated_and_rewritten():
    y = Var("y")

    class Rename(ExprMutator):
        def visit_var(self, var):
            return y if var is X else var

    class Rewrite(MixedModeMutator):
        def rewrite_test_loop(self, pre, post):
            return post.body

    old = loop()
    new = Rename().visit(old)
    assert new.bounds == (2, old.index, y)
    assert new.body.args == (old.index, y)
    assert (new.index, new.start, new.count) == (old.index, old.start, 3)
    assert ExprMutator().visit(old) is old
    assert Rewrite().visit(Tuple((old,))).fields[0] is old.body
    without = Loop(old.index, None, 3, X)
    assert ExprMutator().visit(without) is without
    assert Rename().visit(without).body is y


def test_new_kind_is_compared_and_hashed():
    one, other = loop(), loop()
    assert structural_equal(one, other)
    assert structural_hash(one) == structural_hash(other)
    assert structural_hash(one) != structural_hash(loop(2))
    assert first_mismatch(one, loop(2)).path == "<root>.start.data"
    shorter = other.with_fields(bounds=(2,))
    assert "bounds" in first_mismatch(one, shorter).path


def test_new_kind_is_pickled_and_copied():
    one = loop()
    for other in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), copy.copy(one)):
        assert type(other) is Loop
        assert other is not one
        assert structural_equal(one, other, map_free_vars=True)


def test_new_kind_is_walked():
    one = loop()
    assert set(EXPRESSIONS.post_order(one)) == {one, one.index, one.start, one.body, ADD, X}
    assert EXPRESSIONS.children(one) == [
        one.index, one.start, one.body, one.index, X, one.index
    ]  # fmt: skip
    assert next(EVERYTHING.pre_order(one)) is one


def test_repr_of_a_function_type_shows_the_types_it_is_made_of():
    tensor = TensorType((2, 3), "float32")
    assert repr(FuncType((tensor,), TupleType((tensor,)))) == (
        "FuncType([TensorType(shape=(2, 3), dtype='float32')], <TupleType>)"
    )
    a = TypeVar("a")
    assert repr(FuncType((a,) * 9, a, (a,))) == (
        "FuncType([TypeVar(a), TypeVar(a), TypeVar(a), TypeVar(a), TypeVar(a), TypeVar(a), ...], "
        "TypeVar(a), type_params=(TypeVar(a),))"
    )
