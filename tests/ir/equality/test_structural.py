from __future__ import annotations

import copy
import importlib
import os
import random
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from relayish.functor import ExprMutator
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import (
    StructuralMismatchError,
    assert_structural_equal,
    first_mismatch,
    structural_equal,
)
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import Span
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
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import (
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    RefType,
    SizeVar,
    TensorType,
    TupleType,
    TypeCall,
    TypeRelation,
    TypeVar,
)
from tests.support import deep
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.random_exprs import (
    LIST,
    random_expr,
    random_function,
    random_module,
    random_type,
)
from tests.support.seeds import seeds

ADD = intern_op("add")
F32 = TensorType((), "float32")
X, Y, Z = Var("x"), Var("y"), Var("z")


def same(left, right, map_free_vars=False):
    """Whether two things are equal; equality must be symmetric and agree with hashing."""
    found = structural_equal(left, right, map_free_vars)
    assert structural_equal(right, left, map_free_vars) == found
    assert (first_mismatch(left, right, map_free_vars) is None) == found
    if found:
        assert structural_hash(left) == structural_hash(right)
    return found


# Variables


def test_bound_variables_correspond_by_where_they_are_bound():
    assert same(Function((X, Y), X), Function((Y, X), Y))
    assert not same(Function((X, Y), X), Function((X, Y), Y))
    assert same(Let(X, Constant(1), X), Let(Y, Constant(1), Y))
    assert not same(Function((X,), X), Function((X, Y), X))


def test_free_variable_is_the_same_as_itself_only():
    assert same(Tuple((X,)), Tuple((X,)))
    assert not same(Tuple((X,)), Tuple((Y,)))
    assert not same(X, Y)


def test_free_variables_correspond_by_first_use_when_asked():
    assert same(X, Y, map_free_vars=True)
    assert same(Tuple((X, Y, X)), Tuple((Y, Z, Y)), map_free_vars=True)
    assert same(Tuple((X, Y)), Tuple((Y, X)), map_free_vars=True)
    assert not same(Tuple((X, Y)), Tuple((X, X)), map_free_vars=True)
    assert not same(Tuple((X, X)), Tuple((X, Y)), map_free_vars=True)


def test_free_variable_is_not_taken_for_a_bound_one():
    assert not same(Function((X,), X), Function((Y,), X))
    assert not same(Function((X,), Y), Function((Y,), Y))
    assert not same(Function((X,), Y), Function((Y,), Y), map_free_vars=True)
    assert not same(Tuple((X, Function((X,), X))), Tuple((X, Function((Y,), Y))))


def test_recursive_functions_are_equal_whatever_their_name():
    def loop(name):
        var, n = Var(name), Var("n")
        return Let(var, Function((n,), Call(var, (n,))), var)

    assert same(loop("f"), loop("g"))


def test_annotations_of_variables_count():
    ty = TensorType((1,), "float32")
    assert same(Function((Var("x", ty),), X), Function((Var("y", TensorType((1,))),), X))
    assert not same(Function((Var("x", ty),), X), Function((Var("y", F32),), X))
    assert not same(Function((Var("x", ty),), X), Function((Var("y"),), X))
    assert not same(Var("x", ty), Var("x", F32), map_free_vars=True)


def test_may_share_counts():
    def sharing(shared):
        one, two = Var("one"), Var("two")
        return Let(
            one, Constant(1), Let(two, Constant(2), Let(Var("z", None, shared(one, two)), X, X))
        )

    assert same(sharing(lambda one, two: one), sharing(lambda one, two: one))
    assert not same(sharing(lambda one, two: one), sharing(lambda one, two: two))


def test_variables_bound_by_patterns_correspond():
    def arm(var, used):
        return Match(
            Constant(1), (Clause(PatternTuple((PatternVar(var), PatternWildcard())), used),)
        )

    assert same(arm(X, X), arm(Y, Y))
    assert not same(arm(X, X), arm(Y, Z))


def test_type_parameters_correspond():
    a, b, c = TypeVar("a"), TypeVar("b"), TypeVar("c")
    assert same(FuncType((a,), b, (a, b)), FuncType((c,), a, (c, a)))
    assert not same(FuncType((a,), b, (a, b)), FuncType((c,), c, (c, a)))
    assert same(Function((Var("x", a),), X, a, (a,)), Function((Var("x", b),), X, b, (b,)))
    assert not same(Function((), X, a, (a,)), Function((), X, c, (b,)))
    assert not same(a, b)
    assert same(a, b, map_free_vars=True)


def test_dimensions_and_incomplete_types_are_variables():
    m, n = SizeVar("m"), SizeVar("n")
    assert same(TensorType((m, n)), TensorType((n, m)), map_free_vars=True)
    assert not same(TensorType((m, n)), TensorType((m, m)), map_free_vars=True)
    assert not same(TensorType((m,)), TensorType((n,)))
    assert not same(SizeVar("m", "int32"), SizeVar("m", "int64"), map_free_vars=True)
    assert not same(IncompleteType(), IncompleteType())
    assert same(IncompleteType(), IncompleteType(), map_free_vars=True)
    assert not same(TensorType((m,)), TensorType((1,)))


# Sharing


def copies(make):
    """Return a pair twice: once holding one node twice, once holding two copies."""
    one = make()
    return Tuple((one, one)), Tuple((make(), make()))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Call(ADD, (X,)),
        lambda: Tuple((X,)),
        lambda: Let(Var("v"), X, X),
        lambda: If(X, X, X),
        lambda: Function((), X),
        lambda: RefCreate(X),
        lambda: RefRead(X),
        lambda: RefWrite(X, X),
    ],
)
def test_graph_nodes_correspond_one_to_one(make):
    shared, copied = copies(make)
    assert same(*(copies(make)[0] for _ in range(2)))
    assert same(*(copies(make)[1] for _ in range(2)))
    assert not same(shared, copied)
    assert "shared on one side, copied on the other" in str(first_mismatch(shared, copied))


@pytest.mark.parametrize(
    "make",
    [
        lambda: TupleGetItem(X, 0),
        lambda: Constant(1),
        lambda: Tuple(()),
        lambda: GlobalVar("f"),
        lambda: Match(X, (Clause(PatternWildcard(), X),)),
    ],
)
def test_other_nodes_may_be_shared_on_one_side_only(make):
    shared, copied = copies(make)
    assert same(shared, copied)


def test_types_and_patterns_may_be_shared_on_one_side_only():
    ty, pattern = TupleType((F32,)), PatternTuple((PatternWildcard(),))
    assert same(TupleType((ty, ty)), TupleType((TupleType((F32,)), TupleType((TensorType(()),)))))
    assert same(
        PatternTuple((pattern, pattern)),
        PatternTuple((PatternTuple((PatternWildcard(),)), pattern)),
    )


def test_sharing_across_functions_of_a_module_counts():
    one = Tuple((Constant(1),))
    shared = IRModule({"f": Function((), one), "g": Function((), one)})
    copied = IRModule({n: Function((), Tuple((Constant(1),))) for n in ("f", "g")})
    assert not same(shared, copied)


# Literals and attributes


DIFFERENT = [
    Constant(1),
    Constant(1.0),
    Constant(True),
    Constant(np.int8(1)),
    Constant(np.int64(1)),
    Constant(np.float64(1)),
    Constant(0.0),
    Constant(-0.0),
    Constant(np.array([1], "int32")),
    Constant(np.array([[1]], "int32")),
    Constant(float("nan")),
    Constant(np.array(0x7FC00001, "uint32").view("float32")),
    Constant(None),
    Constant("1"),
    Constant(()),
    Constant((1,)),
    Constant((1.0,)),
    Constant((1, 2)),
    Tuple(()),
    Tuple((Constant(1),)),
    GlobalVar("f"),
    GlobalVar("g"),
    ADD,
    intern_op("subtract"),
    Call(ADD, ()),
    Call(ADD, (), DictAttrs({"a": 1})),
    Call(ADD, (), DictAttrs({"a": 1.0})),
    Call(ADD, (), DictAttrs({"a": True})),
    Call(ADD, (), DictAttrs({"b": 1})),
    Call(ADD, (), DictAttrs({"a": (1, 2)})),
    Call(ADD, (), DictAttrs({"a": F32})),
    Call(ADD, (), DictAttrs({"a": DictAttrs({"b": 1})})),
    TupleGetItem(Tuple(()), 0),
    TupleGetItem(Tuple(()), 1),
    Function((), Constant(1)),
    Function((), Constant(1), F32),
    Function((), Constant(1), None, (), DictAttrs({"Primitive": 1})),
    Match(Constant(1), (), True),
    Match(Constant(1), (), False),
    Match(Constant(1), (Clause(PatternWildcard(), Constant(1)),), False),
    Match(Constant(1), (Clause(PatternTuple(()), Constant(1)),), False),
    RefType(F32),
    F32,
    TensorType((), "float16"),
    TensorType((1,)),
    TupleType(()),
    TupleType((F32,)),
    FuncType((), F32),
    FuncType((F32,), F32),
    TypeCall(GlobalTypeVar("List"), (F32,)),
    TypeCall(GlobalTypeVar("Last"), (F32,)),
    TypeRelation("Broadcast", (F32,), 1),
    TypeRelation("Broadcast", (F32,), 0),
    Constructor("Nil", (), GlobalTypeVar("List")),
    Constructor("Nil", (), GlobalTypeVar("Last")),
    Constructor("Nul", (), GlobalTypeVar("List")),
    Constructor("Nil", (F32,), GlobalTypeVar("List")),
    DictAttrs({"a": 1}),
    (1, 2),
    (1,),
    1,
    "a",
    IRModule(),
    IRModule({"f": Constant(1)}),
    IRModule({"g": Constant(1)}),
    IRModule({}, None, DictAttrs({"a": 1})),
    IRModule({}, {LIST.header: LIST}),
]


@each("index", range(len(DIFFERENT)))
def test_different_things_are_different(index):
    for other, thing in enumerate(DIFFERENT):
        assert same(DIFFERENT[index], thing) == (index == other)


def test_different_things_mostly_have_different_hashes():
    assert len({structural_hash(thing) for thing in DIFFERENT}) >= len(DIFFERENT) - 2


def test_values_that_are_made_when_asked_for_are_told_apart_while_hashed():
    ops = Tuple(tuple(Op(f"op{place}", domain="elsewhere") for place in range(50)))
    assert len({structural_hash(ops) for _ in range(20)}) == 1


@each("thing", DIFFERENT)
def test_copy_is_equal(thing):
    assert same(thing, copy.deepcopy(thing))


def test_attributes_are_equal_whatever_their_order():
    one, other = DictAttrs({"a": 1, "b": 2}), DictAttrs({"b": 2, "a": 1})
    assert same(Call(ADD, (), one), Call(ADD, (), other))


def test_spans_types_inferred_and_names_of_variables_do_not_count():
    span = Span("f", 1, 1, 1, 1)
    assert same(Tuple((X,), span=span, checked_type=F32), Tuple((X,)))
    assert same(TupleType((), span=span), TupleType(()))
    assert same(PatternWildcard(span=span), PatternWildcard())


def test_type_arguments_of_operator_calls_do_not_count():
    assert same(Call(ADD, (), None, (F32,)), Call(ADD, ()))
    assert same(Call(Op("twin"), (), None, (F32,)), Call(Op("twin"), (), None, (F32, F32)))
    func = GlobalVar("f")
    assert not same(Call(func, (), None, (F32,)), Call(func, ()))
    assert not same(Call(func, (), None, (F32,)), Call(func, (), None, (TensorType((1,)),)))
    assert same(Call(func, (), None, (F32,)), Call(func, (), None, (TensorType(()),)))


def test_operators_are_equal_by_name():
    assert same(Op("twin"), Op("twin"))
    assert not same(Op("twin"), Op("other"))


def adt(name="List", variable="a", extra=(), field=None):
    header, a = GlobalTypeVar(name), TypeVar(variable)
    cons = Constructor(
        "Cons", (a if field is None else field, TypeCall(header, (a,)), *extra), header
    )
    return TypeData(header, (a,), (Constructor("Nil", (), header), cons))


def test_definitions_of_types_are_compared_to_their_last_field():
    assert same(adt(), adt(variable="b"))
    assert not same(adt(), adt("Other"))
    assert not same(adt(), adt(extra=(F32,)))
    assert not same(adt(), adt(field=F32))
    assert not same(adt(), TypeData(GlobalTypeVar("List"), (), ()))
    mismatch = first_mismatch(adt(), adt(field=F32))
    assert mismatch.path == "<root>.constructors[1][0]"


def test_constructors_in_programs_are_compared_by_name():
    def use(data):
        nil = data.constructors[0]
        return Match(Call(nil, ()), (Clause(PatternConstructor(nil), Constant(1)),))

    assert same(use(adt()), use(adt(variable="b")))
    assert not same(use(adt()), use(adt("Other")))


# Modules


def test_modules_are_equal_whatever_the_order_of_their_functions():
    f, g = Function((), Constant(1)), Function((), Constant(2))
    assert same(IRModule({"f": f, "g": g}), IRModule({"g": g, "f": f}))
    assert same(IRModule(attrs=DictAttrs()), IRModule())
    odd = first_mismatch(IRModule({"f": f}), IRModule({"f": f, "g": g}))
    assert "functions (g on one side only)" in odd.reason
    odd = first_mismatch(IRModule(), IRModule({}, {LIST.header: LIST}))
    assert "types (RandomList on one side only)" in odd.reason
    assert first_mismatch(IRModule({"f": f}), IRModule({"f": g})).path == "<root>.f.body.data"


# The first mismatch


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda: Function((X,), Call(ADD, (X, Constant(2)))), "<root>.body.args[1].data"),
        (lambda: Function((X,), Call(ADD, (X,))), "<root>.body"),
        (lambda: Function((X,), Call(ADD, (Constant(1), X))), "<root>.body.args[0]"),
        (lambda: Function((X,), Call(X, (X, Constant(1)))), "<root>.body.op"),
        (
            lambda: Function((Var("x", F32),), Call(ADD, (X, Constant(1)))),
            "<root>.params[0].type_a",
        ),
        (lambda: Function((X, Y), Call(ADD, (X, Constant(1)))), "<root>"),
        (lambda: Function((X,), Call(ADD, (X, Constant(1))), F32), "<root>.ret_type"),
        (lambda: Tuple((X,)), "<root>"),
        (
            lambda: Function((X,), Call(ADD, (X, Constant(1)), DictAttrs({"a": 1}))),
            "<root>.body.attrs",
        ),
    ],
)
def test_mismatch_says_where_it_is(change, path):
    found = first_mismatch(Function((X,), Call(ADD, (X, Constant(1)))), change())
    assert found.path.startswith(path)
    if not path.endswith("_a"):
        assert found.path == path


def test_mismatch_shows_both_sides_and_the_reason():
    found = first_mismatch(Tuple((Constant(1),)), Tuple((Constant(2),)))
    assert (found.lhs, found.rhs, found.reason) == (1, 2, "different values")
    with pytest.raises(
        StructuralMismatchError,
        match=r"not structurally equal at <root>.fields\[0\].data: different values: .*1.* against",
    ):
        assert_structural_equal(Tuple((Constant(1),)), Tuple((Constant(2),)))
    assert_structural_equal(X, X)
    assert_structural_equal(X, Y, map_free_vars=True)


def test_mismatch_is_the_first_in_program_order():
    left = Tuple((Constant(1), Constant(2), Constant(3)))
    right = Tuple((Constant(1), Constant(5), Constant(6)))
    assert first_mismatch(left, right).path == "<root>.fields[1].data"


# Against an oracle: canonical forms


class Canonical:
    """Writes a program as nested tuples: variables numbered, shared nodes written once."""

    def __init__(self, map_free_vars):
        self.map_free_vars = map_free_vars
        self.numbers = {}
        self.shared = {}

    def of(self, thing):
        if isinstance(thing, Node):
            return self.of_node(thing)
        if isinstance(thing, Attrs):
            return ("attrs", *sorted((k, self.of(v)) for k, v in thing.items()))
        if isinstance(thing, tuple):
            return ("items", *map(self.of, thing))
        if isinstance(thing, (np.ndarray, np.generic)):
            return (str(thing.dtype), thing.shape, thing.tobytes())
        return (type(thing).__name__, repr(thing))

    def of_node(self, node):
        kind = type(node).__name__
        if kind in ("Var", "TypeVar", "SizeVar", "IncompleteType"):
            return self.of_variable(node)
        if kind in ("GlobalVar", "GlobalTypeVar"):
            return (kind, node.name_hint)
        if kind == "Op":
            return (kind, node.name)
        if kind == "Constructor":
            return (kind, node.name_hint, node.belong_to.name_hint, len(node.inputs))
        graph = ("Call", "Let", "If", "Function", "RefCreate", "RefRead", "RefWrite")
        if kind in graph or (kind == "Tuple" and node.fields):
            if node in self.shared:
                return ("again", self.shared[node])
            self.shared[node] = len(self.shared)
        declared = [f for f in node.fields_ if f.compared]
        for f in declared:
            if f.binder:
                value = getattr(node, f.name)
                for var in value if isinstance(value, tuple) else (value,):
                    self.numbers.setdefault(var, len(self.numbers))
        ordered = [f for f in declared if f.binder] + [f for f in declared if not f.binder]
        if kind == "Call" and type(node.op) is Op:
            ordered = [f for f in ordered if f.name != "type_args"]
        return (kind, *[(f.name, self.of(getattr(node, f.name))) for f in ordered])

    def of_variable(self, var):
        if var not in self.numbers and not self.map_free_vars:
            return ("free", id(var))
        number = self.numbers.setdefault(var, len(self.numbers))
        told = [getattr(var, f, None) for f in ("type_annotation", "may_share", "kind", "dtype")]
        return (type(var).__name__, number, *map(self.of, told))


def oracle(left, right, map_free_vars):
    return Canonical(map_free_vars).of(left) == Canonical(map_free_vars).of(right)


class Tamper(ExprMutator):
    """Changes one thing somewhere in a program, or nothing that counts."""

    def __init__(self, root, seed):
        chance = random.Random(seed)
        nodes = [n for n in EXPRESSIONS.post_order(root) if isinstance(n, Expr)]
        parents = [n for n in nodes if type(n) in (Call, Tuple, Let, If, TupleGetItem, RefRead)]
        self.target = chance.choice(parents or nodes)
        self.way = chance.choice(("copy child", "constant", "swap", "span", "rename", "free"))

    def visit_expr(self, expr):
        image = self.mutate_children(expr)
        if expr is not self.target:
            return image
        children = {f.name: getattr(image, f.name) for f in image.fields_ if f.kind is not None}
        if self.way == "span":
            return image.with_fields(span=Span("f", 1, 1, 1, 1))
        if self.way == "swap" and type(image) in (Call, Tuple):
            name = "args" if type(image) is Call else "fields"
            return image.with_fields(**{name: children[name][::-1]})
        if self.way == "constant":
            return Constant(12345)
        if self.way == "free":
            return X
        if self.way == "rename":
            return copy.copy(image) if type(image) is not Var else image
        for name, child in children.items():
            if isinstance(child, Expr) and type(child) not in (Var, Op):
                return image.with_fields(**{name: copy.copy(child)})
        return image


def renamed(expr):
    """Return a copy with other variables of other names."""

    class Rename(ExprMutator):
        def visit_var(self, var):
            return Var(var.name_hint + "'", var.type_annotation)

    return Rename().visit(copy.deepcopy(expr))


@pytest.mark.parametrize("map_free_vars", [False, True])
def test_equality_agrees_with_canonical_forms(map_free_vars):
    outcomes = set()
    for seed in seeds(100):
        left = random_expr(seed, 12)
        right = Tamper(left, seed).visit(left)
        expected = oracle(left, right, map_free_vars)
        outcomes.add(expected)
        assert structural_equal(left, right, map_free_vars) == expected, seed
        assert structural_equal(renamed(left), right, map_free_vars) == oracle(
            renamed(left), right, map_free_vars
        ), seed
        if expected:
            assert structural_hash(left) == structural_hash(right), seed
    assert outcomes == {True, False}


def test_renamed_copies_are_equal_and_have_equal_hashes():
    for seed in seeds(50):
        expr = random_expr(seed)
        other = renamed(expr)
        assert structural_equal(expr, other), seed
        assert structural_hash(expr) == structural_hash(other), seed
        func = random_function(seed)
        assert structural_hash(func) == structural_hash(renamed(func)), seed


def test_different_programs_have_different_hashes():
    exprs = [random_function(seed) for seed in seeds(80, soak=300)]
    classes = []
    for expr in exprs:
        if not any(structural_equal(expr, other) for other in classes):
            classes.append(expr)
    assert len({structural_hash(expr) for expr in exprs}) == len(classes)


def test_copies_of_types_and_modules_are_equal():
    for seed in seeds(100):
        assert same(random_type(seed), copy.deepcopy(random_type(seed)))
    for seed in seeds(10):
        assert same(random_module(seed), copy.deepcopy(random_module(seed)))


FEW = seeds(10)
HASHING = """
    import sys
    sys.path.insert(0, {root!r})
    from tests.support.random_exprs import random_expr, random_module, random_type
    from relayish.ir.equality.structural_hash import structural_hash
    for seed in {few!r}:
        print(structural_hash(random_expr(seed)), structural_hash(random_type(seed)))
        print(structural_hash(random_module(seed)))
"""


def test_hash_is_the_same_in_another_process(request):
    script = textwrap.dedent(HASHING.format(root=str(request.config.rootpath), few=FEW))
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert len(outputs.pop().split()) == 3 * len(FEW)


# Size


@pytest.mark.deep
@pytest.mark.parametrize("nest", deep.DEEP_NESTS)
def test_deep_programs_are_compared_and_hashed(nest):
    make = deep.DEEP_NESTS[nest]
    one, other = make(DEPTH), make(DEPTH)
    assert structural_equal(one, other)
    del other
    if nest in ("call_chain", "let_body", "let_value", "projection_nest"):
        assert structural_hash(one) == structural_hash(copy.copy(one))


@pytest.mark.deep
@pytest.mark.parametrize("nest", deep.DEEP_NESTS)
def test_mismatch_deep_down_is_found_and_changes_the_hash(nest):
    make = deep.DEEP_NESTS[nest]
    levels = min(DEPTH, 8_000)
    one, odd = make(levels), make(levels, Constant(77))
    assert structural_hash(one) == structural_hash(make(levels))
    assert structural_hash(one) != structural_hash(odd)
    found = first_mismatch(one, odd)
    assert found.path.endswith(".data")
    assert found.path.count(".") > levels or nest == "let_body"


@pytest.mark.deep
def test_deep_types_and_patterns_are_compared_and_hashed():
    for nest in (deep.type_nest, deep.pattern_nest):
        one, other = nest(DEPTH), nest(DEPTH)
        assert structural_equal(one, other)
        assert structural_hash(one) == structural_hash(other)
        assert not structural_equal(one, nest(DEPTH - 1))


def test_doublings_are_compared_and_hashed_in_linear_time():
    one, other = deep.doublings(100), deep.doublings(100)
    assert structural_equal(one, other)
    assert structural_hash(one) == structural_hash(other)
    assert not structural_equal(one, deep.doublings(99))


def ladder(width, levels, seed):
    """Return layers of matches, each of two of the layer below, all of a layer equal."""
    chance = random.Random(seed)
    layer = [Match(Constant(0), ()) for _ in range(width)]
    for _ in range(levels):
        layer = [
            Match(chance.choice(layer), (Clause(PatternWildcard(), chance.choice(layer)),))
            for _ in range(width)
        ]
    return layer[0]


@pytest.mark.parametrize("shapes", [(1, 1), (1, 60), (60, 1), (60, 60)])
def test_matches_shared_differently_are_compared_in_linear_time(monkeypatch, shapes):
    left, right = (ladder(width, 30, seed) for seed, width in enumerate(shapes))
    count = 0
    module = importlib.import_module("relayish.ir.equality.structural_equal")
    expand = module._EXPAND[Match]

    def counting(*arguments):
        nonlocal count
        count += 1
        return expand(*arguments)

    monkeypatch.setitem(module._EXPAND, Match, counting)
    assert structural_equal(left, right)
    assert structural_hash(left) == structural_hash(right)
    assert count <= sum(shapes) * 31


@pytest.mark.parametrize(
    "around",
    [
        lambda call: TupleGetItem(call, 0),
        lambda call: Match(call, (Clause(PatternWildcard(), Constant(1)),)),
        lambda call: Match(Constant(1), (Clause(PatternWildcard(), call),)),
    ],
    ids=["projection", "match", "clause"],
)
def test_sharing_counts_inside_what_both_programs_hold(around):
    one, two = Call(ADD, (X,)), Call(ADD, (X,))
    held = around(one)
    shared, copied = Tuple((held, one)), Tuple((held, two))
    assert not same(shared, copied)
    assert not same(copied, shared)
    assert not same(Tuple((held, held)), Tuple((around(two), held)))
    assert same(shared, Tuple((held, one)))


def test_names_that_are_no_text_are_hashed():
    mods = [IRModule({name: Function((), Tuple(()))}) for name in ("\ud800", "\ud800", "\ud801")]
    same, other, different = map(structural_hash, mods)
    assert same == other
    assert same != different


class TestNamedDimensions:
    """Dimensions in annotations of bound variables correspond, as the variables do."""

    n, m, k = (SizeVar(name) for name in "nmk")

    @staticmethod
    def function(first, second, ret_type=None):
        x, y = Var("x", TensorType((first,))), Var("y", TensorType((second, 2)))
        return Function((x, y), Tuple((y, x)), ret_type)

    def same(self, lhs, rhs):
        found = structural_equal(lhs, rhs)
        assert not found or structural_hash(lhs) == structural_hash(rhs)
        assert found is structural_equal(rhs, lhs)
        return found

    def test_those_of_parameters_correspond_by_first_use(self):
        assert self.same(self.function(self.n, self.m), self.function(self.m, self.k))
        assert self.same(self.function(self.n, self.m), self.function(self.m, self.n))

    def test_one_does_not_correspond_to_two(self):
        assert not self.same(self.function(self.n, self.n), self.function(self.n, self.m))
        assert not self.same(self.function(self.n, self.n), self.function(self.m, self.k))

    def test_those_of_a_result_type_are_those_of_the_parameters(self):
        def promising(size, promised):
            return self.function(size, size, TensorType((promised,)))

        assert self.same(promising(self.n, self.n), promising(self.m, self.m))
        assert not self.same(promising(self.n, self.n), promising(self.m, self.n))

    def test_those_of_lets_and_patterns_correspond(self):
        def bound(size):
            x, y = Var("x", TensorType((size,))), Var("y", TensorType((size,)))
            return Let(x, Constant(1), Match(x, (Clause(PatternVar(y), y),)))

        assert self.same(bound(self.n), bound(self.m))

    def test_those_in_a_type_that_both_sides_hold_are_themselves(self):
        held = TensorType((self.n,))

        def function(other):
            x, y = Var("x", held), Var("y", TensorType((other,)))
            return Function((x, y), y)

        assert self.same(function(self.m), function(self.k))
        assert not self.same(function(self.m), function(self.n))

    def test_those_in_a_type_that_both_sides_hold_are_themselves_if_free_ones_are_mapped(self):
        held = TensorType((self.n,))

        def function(other, free):
            x, y = Var("x", held), Var("y", TensorType((other,)))
            return Function((x, y), Tuple((y, free)))

        lhs, rhs = function(self.m, Var("a")), function(self.n, Var("b"))
        assert not structural_equal(lhs, rhs, map_free_vars=True)
        assert structural_equal(lhs, function(self.k, Var("b")), map_free_vars=True)

    def test_those_of_free_variables_are_themselves(self):
        free, other = Var("x", TensorType((self.n,))), Var("x", TensorType((self.m,)))
        assert not self.same(free, other)
        assert structural_equal(free, other, map_free_vars=True)

    def test_those_of_a_free_variable_do_not_correspond_to_others(self):
        free = Var("z", TensorType((self.n,)))

        def function(size):
            return Function((Var("x", TensorType((size,))),), free)

        assert self.same(function(self.m), function(self.k))
        assert not self.same(function(self.n), function(self.m))

    def test_type_variables_correspond_too(self):
        def function(variable):
            return Function((Var("x", TupleType((variable, variable))),), Constant(1))

        assert self.same(function(TypeVar("A")), function(TypeVar("B")))

    def test_what_a_variable_may_share_does_not_correspond(self):
        def function(shared):
            y = Var("y", None, shared)
            return Let(y, Constant(1), y)

        assert not self.same(function(Var("a")), function(Var("b")))


def test_lists_are_sequences_as_tuples_are():
    x, y = Var("x"), Var("y")
    assert structural_equal([Tuple([x, y])], (Tuple([x, y]),))
    assert not structural_equal((x, y), [x])
