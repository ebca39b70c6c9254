from __future__ import annotations

import pytest

from relayish.errors import DeclarationError, DispatchError
from relayish.functor import (
    ExprFunctor,
    ExprMutator,
    ExprRewriter,
    ExprVisitor,
    MixedModeMutator,
    MixedModeVisitor,
    PatternFunctor,
    TypeMutator,
    TypeVisitor,
)
from relayish.functor.functor import Functor
from relayish.ir.nodes.node import Node, node
from relayish.ir.relay.adt import Clause, Match, PatternTuple, PatternVar, PatternWildcard
from relayish.ir.relay.expr import Call, Constant, Expr, Function, GlobalVar, Let, Tuple, Var
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import TensorType, TupleType, TypeVar

ADD = intern_op("add")
X = Var("x")
F32 = TensorType(())
ROOTS = [ExprFunctor, ExprVisitor, ExprMutator, MixedModeVisitor, MixedModeMutator, TypeVisitor]


# Names of handlers


@pytest.mark.parametrize("root", ROOTS)
def test_misspelt_handler_is_an_error_where_the_class_is_defined(root):
    with pytest.raises(
        DeclarationError,
        match=r"Folder.visit_tuple_getitm names no node kind; did you mean visit_tuple_getitem\?; "
        r"methods called visit_\* are handlers, helpers need another name",
    ):

        class Folder(root):
            def visit_tuple_getitm(self, node): ...


def test_misspelt_rewrite_is_an_error_where_the_class_is_defined():
    for root in (ExprRewriter, MixedModeMutator):
        with pytest.raises(DeclarationError, match="did you mean rewrite_let"):
            type("Wrong", (root,), {"rewrite_lett": lambda self, pre, post: post})


def test_misspelt_handler_of_a_mix_in_is_an_error():
    class Mixin:
        def visit_cal(self, call): ...

    with pytest.raises(DeclarationError, match=r"Mixin.visit_cal names no node kind; did you mean"):

        class Uses(Mixin, ExprVisitor):
            pass


def test_misspelt_rewrite_of_a_mix_in_is_an_error():
    class Mixin:
        def rewrite_cal(self, pre, post): ...

    with pytest.raises(DeclarationError, match=r"Mixin.rewrite_cal names no node kind"):

        class Uses(Mixin, ExprRewriter):
            pass


def test_misspelt_handler_given_as_a_lambda_is_an_error():
    with pytest.raises(DeclarationError, match=r"Wrong.visit_vra"):
        type("Wrong", (ExprVisitor,), {"visit_vra": lambda self, var: None})


def test_handlers_of_families_are_no_mistake():
    class Families(ExprVisitor):
        def visit_expr(self, expr): ...
        def visit_pattern(self, pattern): ...
        def visit_type(self, ty): ...
        def visit_node(self, node): ...
        def visit_dimension(self, dimension): ...
        def visit_clause(self, clause): ...

    assert Families().visit(X) is None


def test_names_that_are_no_methods_are_left_alone():
    class Counting(ExprVisitor):
        visit_depth = 3

    assert Counting.visit_depth == 3


# Finding the handler


def test_missing_handler_is_an_error_that_names_functor_kind_and_method():
    class Only(ExprFunctor[int]):
        def visit_var(self, var):
            return 1

    with pytest.raises(
        DispatchError,
        match=r"Only has no handler for Call, met at add\(\); "
        r"define visit_call\(\) or visit_node\(\)",
    ):
        Only().visit(Call(ADD, ()))
    assert Only().visit(X) == 1


@pytest.mark.parametrize("root", [ExprVisitor, ExprMutator, MixedModeVisitor, MixedModeMutator])
def test_node_of_another_family_is_an_error(root):
    with pytest.raises(DispatchError, match=r"TensorType|has no handler for TensorType"):
        root().visit(F32)
    with pytest.raises(DispatchError, match=r"got a Var; expected|no handler for Var"):
        TypeMutator().visit(X)


def test_handler_of_the_nearest_family_is_taken():
    class Named(PatternFunctor[str]):
        def visit_node(self, node):
            return "node"

        def visit_pattern(self, pattern):
            return "pattern"

        def visit_pattern_var(self, pattern):
            return "var"

    assert Named().visit(PatternVar(X)) == "var"
    assert Named().visit(PatternWildcard()) == "pattern"
    assert Named().visit(Clause(PatternWildcard(), X)) == "node"


def test_visit_expr_and_visit_node_catch_the_rest():
    class Catching(ExprFunctor[str]):
        def visit_expr(self, expr):
            return "rest"

        def visit_var(self, var):
            return "var"

    class Everything(ExprFunctor[str]):
        visit_node = lambda self, node: type(node).__name__  # noqa: E731

    assert Catching().visit(X) == "var"
    assert Catching().visit(Tuple(())) == "rest"
    assert Everything().visit(Constant(1)) == "Constant"
    assert Everything().visit(F32) == "TensorType"


def test_visitor_and_mutator_hand_the_rest_to_visit_expr():
    seen = []

    class Watching(ExprVisitor):
        def visit_expr(self, expr):
            seen.append(type(expr).__name__)
            self.visit_children(expr)

    class Wrapping(ExprMutator):
        def visit_expr(self, expr):
            return self.mutate_children(expr)

        def visit_constant(self, const):
            return Tuple(())

    expr = Call(ADD, (X, Constant(1)))
    Watching().visit(expr)
    assert seen == ["Call", "Op", "Var", "Constant"]
    assert type(Wrapping().visit(expr).args[1]) is Tuple


def test_subclass_of_a_subclass_overrides_and_inherits():
    class Base(ExprVisitor):
        def __init__(self):
            self.seen = []

        def visit_var(self, var):
            self.seen.append("base var")

        def visit_constant(self, const):
            self.seen.append("base constant")

    class Derived(Base):
        def visit_constant(self, const):
            self.seen.append("derived constant")
            super().visit_constant(const)

    class Restored(Derived):
        visit_constant = ExprVisitor.visit_constant

    for kind, expected in (
        (Base, ["base var", "base constant"]),
        (Derived, ["base var", "derived constant", "base constant"]),
        (Restored, ["base var"]),
    ):
        visitor = kind()
        visitor.visit(Tuple((X, Constant(1))))
        assert visitor.seen == expected


def test_handlers_of_mix_ins_are_found():
    class Vars:
        def visit_var(self, var):
            return [var]

    class Tuples:
        def visit_tuple(self, tup):
            return [v for f in tup.fields for v in self.visit(f)]

    class Both(Vars, Tuples, ExprFunctor[list]):
        pass

    class Late(Both):
        def visit_var(self, var):
            return [*super().visit_var(var), None]

    assert Both().visit(Tuple((X, X))) == [X, X]
    assert Late().visit(Tuple((X,))) == [X, None]


def test_kind_declared_after_the_functor_is_served(declarations):
    class Count(ExprFunctor[int]):
        def visit_expr(self, expr):
            return 5

    class Names(ExprVisitor):
        def __init__(self):
            self.names = []

        def visit_var(self, var):
            self.names.append(var.name_hint)

    assert Count().visit(X) == 5

    @node("declared_later")
    class Later(Expr):
        inner: Expr

    assert Count().visit(Later(X)) == 5
    names = Names()
    names.visit(Tuple((Later(X),)))
    assert names.names == ["x"]
    later = Later(X)
    assert ExprMutator().visit(later) is later
    with pytest.raises(DispatchError, match=r"define visit_declared_later\(\)"):
        ExprFunctor().visit(later)


def test_new_family_has_a_handler_name_of_its_own(declarations):
    class Statement(Node):
        __slots__ = ()
        visit_name = "statement"

    @node("skip_statement")
    class Skip(Statement):
        pass

    class Statements(Functor[Statement, str]):
        family = Statement

        def visit_statement(self, statement):
            return "statement"

    assert Statements().visit(Skip()) == "statement"


# Results and memo


def test_forgetting_to_call_the_constructor_is_no_mistake():
    class Careless(ExprVisitor):
        def __init__(self, something):
            self.something = something

        def visit_var(self, var):
            self.something.append(var)

    found = []
    visitor = Careless(found)
    visitor.visit(Tuple((X, X)))
    assert found == [X]
    assert visitor.visit_counter[X] == 2


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_extra_arguments_reach_the_handler_every_time(count):
    seen = []

    class Extra(ExprFunctor[int]):
        def visit_var(self, var, *extra):
            seen.append(extra)
            return len(extra)

    functor, extra = Extra(), tuple(range(count))
    assert functor.visit(X, *extra) == count
    assert functor.visit(X, *extra) == count
    assert seen == [extra, extra]
    assert not functor.memo_map


def test_extra_arguments_work_in_visitors_whose_handlers_take_them():
    class Depths(ExprVisitor):
        def visit_var(self, var, depth):
            return depth

        def visit_tuple(self, tup, depth):
            return [self.visit(f, depth + 1) for f in tup.fields]

    assert Depths().visit(Tuple((X, Tuple((X,)))), 0) == [1, [2]]

    class Mixed(MixedModeVisitor):
        visit_var = Depths.visit_var

    class Mutating(ExprMutator):
        def visit_var(self, var, other):
            return other

    y = Var("y")
    assert Mixed().visit(X, 3) == 3
    assert Mutating().visit(X, y) is y


def test_visitor_returns_what_the_handler_returned_on_every_visit():
    class Name(ExprVisitor):
        def visit_var(self, var):
            return var.name_hint

        def visit_tuple(self, tup):
            return [self.visit(f) for f in tup.fields]

    assert Name().visit(Tuple((X, X))) == ["x", "x"]


# What handlers of mutators may return


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (None, r"Wrong returned None for %x; .*handler for Var must return Expr"),
        (3, r"Wrong returned 3 \(int\) for %x"),
        (F32, r"Wrong returned TensorType\(.*\) \(TensorType\) for %x"),
    ],
)
@pytest.mark.parametrize("root", [ExprMutator, MixedModeMutator])
def test_handler_that_returns_no_expression_is_an_error(root, result, message):
    class Wrong(root):
        def visit_var(self, var):
            return result

    for expr in (X, Tuple((X,))):
        with pytest.raises(DispatchError, match=message):
            Wrong().visit(expr)


def test_rewriter_that_returns_no_expression_is_an_error():
    class Wrong(MixedModeMutator):
        def rewrite_tuple(self, pre, post):
            return None

        def rewrite_var(self, pre, post):
            return F32

    with pytest.raises(DispatchError, match=r"Wrong returned None for \(1,\)"):
        Wrong().visit(Tuple((Constant(1),)))
    with pytest.raises(DispatchError, match=r"Wrong returned TensorType.* for %x"):
        Wrong().visit(Tuple((X,)))


def test_handler_that_returns_the_wrong_kind_for_a_typed_field_is_an_error():
    class Wrong(ExprMutator):
        def visit_var(self, var):
            return Constant(1)

    with pytest.raises(TypeError, match=r"Let.var must be Var; found Constant"):
        Wrong().visit(Let(X, Constant(1), Constant(2)))
    with pytest.raises(TypeError, match=r"Function.params\[0\] must be Var; found Constant"):
        Wrong().visit(Function((X,), Constant(2)))


def test_type_functor_refuses_expressions():
    class Wrong(TypeMutator):
        def visit_tensor_type(self, ty):
            return X

    with pytest.raises(DispatchError, match=r"returned %x \(Var\) .*TensorType must return Type"):
        Wrong().visit(TupleType((F32,)))


# Types in expressions

TYPED = Function((Var("p", TupleType((F32,))),), GlobalVar("g"), F32, (TypeVar("t"),))


def test_types_are_not_entered_unless_a_handler_asks_for_them():
    visitor = ExprVisitor()
    visitor.visit(TYPED)
    assert F32 not in visitor.visit_counter

    class Everything(ExprVisitor):
        def visit_node(self, node):
            self.visit_children(node)

    class EverythingAndVars(Everything):
        def visit_var(self, var):
            self.visit_children(var)

    for kind in (Everything, EverythingAndVars):
        visitor = kind()
        visitor.visit(TYPED)
        assert F32 not in visitor.visit_counter


def test_visit_type_sees_the_types_of_a_program():
    seen = []

    class Types(ExprVisitor):
        def visit_type(self, ty):
            seen.append(type(ty).__name__)

    Types().visit(TYPED)
    assert seen == ["TupleType", "TensorType", "TypeVar"]


def test_handler_of_one_kind_of_type_is_called():
    for name, expected in (("tensor_type", [F32]), ("type_var", list(TYPED.type_params))):
        seen = []
        kind = type(
            "One", (ExprVisitor,), {f"visit_{name}": lambda self, ty, seen=seen: seen.append(ty)}
        )
        kind().visit(TYPED)
        assert seen == expected


def test_mutator_with_visit_type_changes_types_in_expressions():
    i8 = TensorType((), "int8")

    class Narrow(ExprMutator):
        def visit_tensor_type(self, ty):
            return i8

    image = Narrow().visit(TYPED)
    assert image.ret_type is i8
    assert image.params[0].type_annotation.fields == (i8,)
    untyped = Function((X,), X)
    assert Narrow().visit(untyped) is untyped


# Parts of a match


def test_clauses_and_patterns_have_handlers():
    y = Var("y")
    match_ = Match(X, (Clause(PatternTuple((PatternVar(y), PatternWildcard())), y),))
    seen = []

    class Parts(ExprVisitor):
        def visit_clause(self, clause):
            seen.append("clause")
            self.visit_children(clause)

        def visit_pattern(self, pattern):
            seen.append(type(pattern).__name__)
            self.visit_children(pattern)

    class Simplify(ExprMutator):
        def visit_pattern_tuple(self, pattern):
            return pattern.patterns[0]

    Parts().visit(match_)
    assert seen == ["clause", "PatternTuple", "PatternVar", "PatternWildcard"]
    assert type(Simplify().visit(match_).clauses[0].lhs) is PatternVar


def test_visitor_keeps_what_handlers_below_return():
    class Name(ExprVisitor):
        def visit_var(self, var):
            return var.name_hint

    visitor = Name()
    assert visitor.visit(Tuple((X, Tuple((X,))))) is None
    assert visitor.memo_map == {X: "x"}
