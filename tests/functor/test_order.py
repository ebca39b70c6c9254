"""The engine against a hand-written natural recursion: same calls, same order, same results."""

from __future__ import annotations

import functools
import random

import pytest

from relayish.functor import (
    ExprMutator,
    ExprVisitor,
    MixedModeMutator,
    MixedModeVisitor,
    PatternMutator,
    PatternVisitor,
    TypeMutator,
    TypeVisitor,
    post_order_rewrite,
)
from relayish.functor.relay.rewriter import ExprRewriter
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.adt import Clause, Match, Pattern, PatternTuple, PatternVar, PatternWildcard
from relayish.ir.relay.expr import Call, Constant, Expr, If, Let, Tuple, TupleGetItem, Var
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, RefType, TensorType, TupleType
from tests.support import random_exprs
from tests.support.seeds import SOAK, seeds

ADD = intern_op("add")
random_expr = functools.cache(random_exprs.random_expr)

KINDS = [
    "call",
    "let",
    "if",
    "function",
    "tuple",
    "tuple_getitem",
    "var",
    "global_var",
    "constant",
    "op",
    "constructor",
    "match",
    "ref_create",
    "ref_read",
    "ref_write",
    "clause",
    "pattern_wildcard",
    "pattern_var",
    "pattern_constructor",
    "pattern_tuple",
]
SEEDS = seeds(20)
SIZED = seeds(6)


def children(node):
    """Return the children of a node from its fields, by the rules and not by the engine."""
    found = []
    for field in node.fields_:
        value = getattr(node, field.name)
        if field.compared and field.kind and issubclass(field.kind, (Expr, Pattern, Clause)):
            found += value if isinstance(value, tuple) else [] if value is None else [value]
    return found


class NaiveVisitor:
    """Every handler called for every node, by recursion."""

    def __init__(self, overridden, descend):
        self.overridden, self.descend = overridden, descend
        self.events, self.visits = [], {}

    def visit(self, node):
        self.visits[node] = self.visits.get(node, 0) + 1
        if self.visits[node] > 1:
            return
        if node.visit_name not in self.overridden:
            for child in children(node):
                self.visit(child)
            return
        self.events.append(("enter", node))
        if self.descend(node):
            for child in children(node):
                self.visit(child)
        self.events.append(("leave", node))


def visitor_class(overridden, descend, through_super, root=ExprVisitor):
    def handler(self, node):
        self.events.append(("enter", node))
        if descend(node):
            own = getattr(super(made, self), f"visit_{node.visit_name}", None)
            if through_super and own is not None:
                own(node)
            else:
                for child in children(node):
                    self.visit(child)
        self.events.append(("leave", node))

    made = type("Made", (root,), {f"visit_{kind}": handler for kind in overridden})
    return made


def combinations():
    chance = random.Random(SOAK + 5)
    yield ()
    yield tuple(KINDS)
    for kind in KINDS:
        yield (kind,)
    for size in (2, 3, 5, 8, 12):
        for _ in range(6):
            yield tuple(chance.sample(KINDS, size))


PRUNINGS = {
    "never": lambda node: True,
    "always": lambda node: False,
    "ifs and functions": lambda node: node.visit_name not in ("if", "function"),
}


@pytest.mark.parametrize("through_super", [False, True])
@pytest.mark.parametrize("pruning", PRUNINGS)
def test_visitor_calls_handlers_as_a_natural_recursion_would(pruning, through_super):
    descend = PRUNINGS[pruning]
    exprs = [random_expr(seed, 60) for seed in SIZED]
    for overridden in combinations():
        made = visitor_class(overridden, descend, through_super)
        for expr in exprs:
            visitor, naive = made(), NaiveVisitor(overridden, descend)
            visitor.events = []
            visitor.visit(expr)
            naive.visit(expr)
            assert visitor.events == naive.events, overridden
            assert dict(visitor.visit_counter) == naive.visits, overridden


def test_overridden_visit_sees_every_edge_in_order():
    for seed in SEEDS:
        events, expected = [], []

        class Watching(ExprVisitor):
            def visit(self, node, events=events):
                events.append(node)
                return super().visit(node)

        def walk(node, expected=expected):
            first = node not in expected
            expected.append(node)
            if first:
                for child in children(node):
                    walk(child)

        expr = random_expr(seed)
        Watching().visit(expr)
        walk(expr)
        assert events == expected


def test_overridden_visit_may_prune_and_replace():
    class Skipping(ExprVisitor):
        def visit(self, node):
            if type(node) is not Tuple:
                super().visit(node)

    x = Var("x")
    visitor = Skipping()
    visitor.visit(Call(ADD, (Tuple((Var("y"),)), x)))
    assert set(visitor.visit_counter) >= {ADD, x}
    assert len(visitor.visit_counter) == 3

    class Replacing(ExprMutator):
        def visit(self, node):
            return x if type(node) is Constant else super().visit(node)

    image = Replacing().visit(Tuple((Constant(1), Tuple((Constant(2),)))))
    assert image.fields == (x, image.fields[1])
    assert image.fields[1].fields == (x,)


# Mutators


class NaiveMutator:
    """Rebuilds by recursion, with a memo, asking ``change`` in the overridden kinds."""

    def __init__(self, overridden, change):
        self.overridden, self.change = overridden, change
        self.memo, self.events = {}, []

    def visit(self, node):
        if node not in self.memo:
            if node.visit_name in self.overridden:
                self.events.append(("enter", node))
                image = self.change(node, self.rebuild(node))
                self.events.append(("leave", node))
            else:
                image = self.rebuild(node)
            self.memo[node] = image
        return self.memo[node]

    def rebuild(self, node):
        changes = {}
        for field in node.fields_:
            value = getattr(node, field.name)
            if not field.compared or not field.kind:
                continue
            if not issubclass(field.kind, (Expr, Pattern, Clause)) or value is None:
                continue
            if isinstance(value, tuple):
                changes[field.name] = tuple([self.visit(item) for item in value])
            else:
                changes[field.name] = self.visit(value)
        return node.with_fields(**changes)


def mutator_class(overridden, change, through_super):
    def handler(self, node):
        self.events.append(("enter", node))
        own = getattr(super(made, self), f"visit_{node.visit_name}", self.mutate_children)
        image = change(node, own(node) if through_super else self.mutate_children(node))
        self.events.append(("leave", node))
        return image

    made = type("Made", (ExprMutator,), {f"visit_{kind}": handler for kind in overridden})
    return made


def simplify(node, image):
    """Change something of many kinds; what is not changed must come back as it is."""
    if type(image) is TupleGetItem and type(image.tuple_value) is Tuple:
        return image.tuple_value.fields[image.index]
    if type(image) is If:
        return image.true_branch
    if type(image) is Let and type(image.value) is Constant:
        return image.body
    return image


CHANGES = {"nothing": lambda node, image: image, "simplify": simplify}


@pytest.mark.parametrize("through_super", [False, True])
@pytest.mark.parametrize("change", CHANGES)
def test_mutator_calls_handlers_as_a_natural_recursion_would(change, through_super):
    exprs = [random_expr(seed, 60) for seed in SIZED]
    for overridden in combinations():
        made = mutator_class(overridden, CHANGES[change], through_super)
        for expr in exprs:
            mutator, naive = made(), NaiveMutator(overridden, CHANGES[change])
            mutator.events = []
            image, expected = mutator.visit(expr), naive.visit(expr)
            assert mutator.events == naive.events, overridden
            assert structural_equal(image, expected, map_free_vars=True), overridden
            assert (image is expr) == (expected is expr), overridden


def test_mutator_keeps_everything_that_does_not_change():
    for seed in SEEDS:
        expr = random_expr(seed)
        nodes = EXPRESSIONS.post_order(expr)
        target = random.Random(seed).choice(nodes)
        mutator = ExprMutator()
        mutator.memo_map[target] = Var("new") if type(target) is Var else target
        mutator.visit(expr)
        above = {target}
        for node in nodes:
            if not above.isdisjoint(EXPRESSIONS.children(node)):
                above.add(node)
            if node not in above and node in mutator.memo_map:
                assert mutator.memo_map[node] is node


def test_mutator_maps_each_node_to_one_image():
    class Copying(ExprMutator):
        def visit_constant(self, const):
            return Constant(const.data)

    for seed in SEEDS:
        expr = random_expr(seed)
        image = Copying().visit(expr)
        assert structural_equal(expr, image)
        assert len(EXPRESSIONS.post_order(image)) == len(EXPRESSIONS.post_order(expr))


def test_mutated_nodes_lose_their_type_and_keep_their_span():
    class Rename(ExprMutator):
        def visit_var(self, var):
            return Var("y")

    ty = TensorType(())
    expr = Tuple((Var("x"), Constant(1, checked_type=ty)), checked_type=ty)
    image = Rename().visit(expr)
    assert image.checked_type is None
    assert image.fields[1] is expr.fields[1]


def test_mutate_all_returns_the_same_tuple_when_nothing_changes():
    x, y = Var("x"), Var("y")
    mutator = ExprMutator()
    nodes = (x, Constant(1))
    assert mutator.mutate_all(nodes) is nodes
    assert mutator.mutate_all(list(nodes)) == nodes
    assert type(mutator.mutate_all([])) is tuple
    mutator.memo_map[x] = y
    assert mutator.mutate_all(nodes) == (y, nodes[1])
    assert mutator.mutate_children(x) is x
    assert mutator.mutate(x) is y


# Post-order


def post_order(root):
    done = []

    def walk(node):
        if node not in done:
            for child in children(node):
                walk(child)
            if node not in done:
                done.append(node)

    walk(root)
    return done


def test_rewriter_is_called_once_a_node_children_first():
    rewrites = [k for k in KINDS if "pattern" not in k and k != "clause"]

    def rewrite(self, pre, post):
        self.events.append(pre)
        assert post is pre
        return post

    handlers = {f"rewrite_{kind}": rewrite for kind in rewrites}
    for root in (ExprRewriter, MixedModeMutator):
        made = type("Made", (root,), handlers)
        for seed in SEEDS:
            expr, rewriter = random_expr(seed), made()
            rewriter.events = []
            if root is ExprRewriter:
                assert post_order_rewrite(expr, rewriter) is expr
            else:
                assert rewriter.visit(expr) is expr
            assert rewriter.events == [n for n in post_order(expr) if isinstance(n, Expr)]


def test_rewriter_agrees_with_a_natural_recursion():
    def rewrite(self, pre, post):
        return simplify(pre, post)

    kinds = ("if", "let", "tuple_getitem", "call")
    made = type("Made", (ExprRewriter,), {f"rewrite_{kind}": rewrite for kind in kinds})
    mixed = type("Mixed", (MixedModeMutator,), {f"rewrite_{kind}": rewrite for kind in kinds})
    for seed in SEEDS:
        expr = random_expr(seed)
        expected = NaiveMutator(kinds, simplify).visit(expr)
        for image in (post_order_rewrite(expr, made()), mixed().visit(expr)):
            assert structural_equal(image, expected, map_free_vars=True)
            assert (image is expr) == (expected is expr)


# Relay's order in mixed mode


class NaiveMixedMode:
    """Relay's rules: calls, tuples and projections from a stack, the rest by recursion.

    A node is handled when it is reached, at most ``limit`` times; a call, tuple or projection when
    what is below it was handled.
    """

    def __init__(self, limit, overridden):
        self.limit, self.overridden = limit, overridden
        self.counter, self.events = {}, []

    def visit(self, node):
        self.counter[node] = self.counter.get(node, 0) + 1
        if self.counter[node] > self.limit:
            return
        dataflow = node.visit_name in ("call", "tuple", "tuple_getitem")
        if node.visit_name in self.overridden and not dataflow:
            self.events.append(node)
        for child in children(node):
            self.visit(child)
        if dataflow and node.visit_name in self.overridden:
            self.events.append(node)


@pytest.mark.parametrize("limit", range(1, 10))
def test_mixed_mode_visitor_handles_leaves_first_as_often_as_allowed(limit):
    def handler(self, node):
        self.events.append(node)
        if node.visit_name not in ("call", "tuple", "tuple_getitem"):
            self.visit_children(node)

    chance = random.Random(SOAK + limit)
    for seed in SIZED:
        overridden = chance.sample(KINDS, 6)
        made = type("M", (MixedModeVisitor,), {f"visit_{kind}": handler for kind in overridden})
        expr = random_expr(seed, 30)
        visitor, naive = made(limit), NaiveMixedMode(limit, overridden)
        visitor.events = []
        visitor.visit(expr)
        naive.visit(expr)
        assert visitor.events == naive.events
        assert dict(visitor.visit_counter) == naive.counter


def test_mixed_mode_visitor_with_visit_overridden_goes_through_it():
    class Watching(MixedModeVisitor):
        def visit(self, node):
            self.reached.append(node)
            return super().visit(node)

        def visit_call(self, call):
            self.handled.append(call)

        def visit_if(self, if_):
            self.handled.append(if_)
            self.visit_children(if_)

    for seed in SEEDS:
        expr, visitor = random_expr(seed), Watching()
        visitor.reached, visitor.handled = [], []
        visitor.visit(expr)
        naive = NaiveMixedMode(1, ("call", "if"))
        naive.visit(expr)
        assert visitor.handled == naive.events
        assert {n: visitor.reached.count(n) for n in visitor.reached} == naive.counter


def test_mixed_mode_mutator_with_visit_overridden_rewrites_once_a_node():
    class Watching(MixedModeMutator):
        def visit(self, node):
            self.reached.add(node)
            return super().visit(node)

        def rewrite_call(self, pre, post):
            self.rewritten.append(pre)
            return post

    for seed in SEEDS:
        expr, mutator = random_expr(seed), Watching()
        mutator.reached, mutator.rewritten = set(), []
        assert mutator.visit(expr) is expr
        assert mutator.reached == set(EXPRESSIONS.post_order(expr))
        assert mutator.rewritten == [n for n in post_order(expr) if type(n) is Call]


# Types and patterns


def test_types_are_visited_once_in_order_and_rebuilt_where_they_change():
    f32, i8 = TensorType(()), TensorType((), "int8")
    ty = FuncType((TupleType((f32, f32)), RefType(f32)), TupleType((i8,)))
    seen = []

    class Watching(TypeVisitor):
        def visit_type(self, ty):
            seen.append(type(ty).__name__)
            self.visit_children(ty)

    class Narrow(TypeMutator):
        def visit_tensor_type(self, ty):
            return i8

    Watching().visit(ty)
    assert seen == ["FuncType", "TupleType", "TensorType", "RefType", "TupleType", "TensorType"]
    image = Narrow().visit(ty)
    assert image.arg_types[0].fields == (i8, i8)
    assert image.ret_type is ty.ret_type
    assert TypeMutator().visit(ty) is ty


def test_patterns_are_visited_once_in_order_and_rebuilt_where_they_change():
    x = Var("x")
    pattern = PatternTuple((PatternVar(x), PatternTuple((PatternWildcard(),))))
    seen = []

    class Watching(PatternVisitor):
        def visit_pattern(self, pattern):
            seen.append(type(pattern).__name__)
            self.visit_children(pattern)

    class Forget(PatternMutator):
        def visit_pattern_var(self, pattern):
            return PatternWildcard()

    Watching().visit(pattern)
    assert seen == ["PatternTuple", "PatternVar", "PatternTuple", "PatternWildcard"]
    image = Forget().visit(pattern)
    assert type(image.patterns[0]) is PatternWildcard
    assert image.patterns[1] is pattern.patterns[1]
    assert PatternMutator().visit(pattern) is pattern


def test_match_is_visited_data_first_then_clause_by_clause():
    x, y = Var("x"), Var("y")
    expr = Match(x, (Clause(PatternVar(y), y), Clause(PatternWildcard(), Constant(1))))
    order = [type(n).__name__ for n in EXPRESSIONS.pre_order(expr)]
    assert order == [
        "Match",
        "Var",
        "Clause",
        "PatternVar",
        "Var",
        "Clause",
        "PatternWildcard",
        "Constant",
    ]
