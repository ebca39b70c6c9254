"""``expand_a_normal_form`` in handlers, with the bookkeeping of RAF's document and without."""

from __future__ import annotations

import pytest

from relayish.errors import RelayishError, UnvisitedNodeError
from relayish.functor import (
    ExprFunctor,
    ExprMutator,
    ExprVisitor,
    MixedModeMutator,
    MixedModeVisitor,
    expand_a_normal_form,
)
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Call, Constant, Expr, Let, Tuple, Var
from relayish.ir.relay.op import intern_op
from tests.support.depth import DEPTH

ADD = intern_op("add")
LETS = 2_000


def chain(lets, tail=None):
    """``let v0 = add(0, 0); let v1 = add(v0, v0); ...``."""
    bindings, last = [], Constant(0)
    for index in range(lets):
        var = Var(f"v{index}")
        bindings.append((var, Call(ADD, (last, last))))
        last = var
    body = tail if tail is not None else last
    for var, value in reversed(bindings):
        body = Let(var, value, body)
    return body


def program(lets=LETS):
    """A chain with lets in values, and one that two tuples share."""
    shared = chain(3)
    inner = Let(Var("a"), chain(2), Let(Var("b"), Tuple((shared, shared)), shared))
    return Tuple((chain(lets, inner), shared, inner.body))


@pytest.fixture(params=[True, False], ids=["with bookkeeping", "without"])
def books(request):
    return request.param


# The default of visitors


def walking(root, books):
    class Walk(root):
        pre_visits = 0
        bound: tuple = ()

        def visit_let(self, op):
            def pre_visit(op):
                self.pre_visits += 1
                self.visit(op.var)
                self.visit(op.value)

            def post_visit(op):
                self.visit(op.body)
                if books:
                    self.visit_counter[op] += 1

            expand_a_normal_form(op, pre_visit, post_visit)

    return Walk()


@pytest.mark.parametrize("root", [ExprVisitor, MixedModeVisitor])
def test_default_of_visitors_asks_for_each_let_once(root, books):
    expr = program()
    walk, plain = walking(root, books), root()
    walk.visit(expr)
    plain.visit(expr)
    assert walk.visit_counter.keys() == plain.visit_counter.keys()
    assert walk.pre_visits == sum(type(node) is Let for node in plain.visit_counter)


def test_visitor_without_bookkeeping_counts_as_one_without_a_handler():
    expr = program(50)
    walk, plain = walking(ExprVisitor, books=False), ExprVisitor()
    walk.visit(expr)
    plain.visit(expr)
    assert walk.visit_counter == plain.visit_counter


# The default of mutators


def rebuilding(root, books):
    class Rebuild(root):
        pre_visits = 0

        def visit_let(self, op):
            def pre_visit(op):
                self.pre_visits += 1
                self.visit(op.var)
                self.visit(op.value)

            def post_visit(op):
                var = self.visit(op.var)
                value = self.visit(op.value)
                body = self.visit(op.body)
                if var is op.var and value is op.value and body is op.body:
                    image = op
                else:
                    image = Let(var, value, body)
                if not books:
                    return image
                self.memo_map[op] = image
                return None

            expand_a_normal_form(op, pre_visit, post_visit)
            return self.memo_map[op]

    return Rebuild


@pytest.mark.parametrize("root", [ExprMutator, MixedModeMutator])
def test_default_of_mutators_returns_the_same_object(root, books):
    expr = program()
    rebuild = rebuilding(root, books)()
    assert rebuild.visit(expr) is expr
    assert rebuild.pre_visits == LETS + 7


def test_default_of_mutators_rebuilds_what_changes(books):
    class Replace(rebuilding(ExprMutator, books)):
        def visit_constant(self, const):
            return Constant(7)

    class Plain(ExprMutator):
        def visit_constant(self, const):
            return Constant(7)

    expr = program(50)
    assert structural_equal(Replace().visit(expr), Plain().visit(expr))


# Handlers made into expansions


def test_visitor_that_updates_before_it_visits(books):
    class Before(ExprVisitor):
        def __init__(self):
            self.updates, self.let_binding = [], {}

        def update(self, *nodes):
            self.updates += nodes

        def visit_let(self, op):
            self.update(op.var, op.value, op.body)
            self.let_binding[op.var] = op.value
            super().visit_let(op)

    class After(Before):
        def visit_let(self, op):
            def pre_visit(op):
                self.update(op.var, op.value, op.body)
                self.let_binding[op.var] = op.value
                self.visit(op.var)
                self.visit(op.value)

            def post_visit(op):
                self.visit(op.body)
                if books:
                    self.visit_counter[op] += 1

            expand_a_normal_form(op, pre_visit, post_visit)

    expr = program(300)
    before, after = Before(), After()
    before.visit(expr)
    after.visit(expr)
    assert after.updates == before.updates
    assert after.let_binding == before.let_binding


class Propagate(ExprMutator):
    """Puts constants and other variables in the place of variables bound to them."""

    def __init__(self):
        self.var_value_map = {}

    def visit_let(self, op):
        value = self.visit(op.value)
        if isinstance(value, Constant):
            self.memo_map[op.var] = value
            return self.visit(op.body)
        self.var_value_map[op.var] = self.var_value_map.get(value, value)
        return Let(op.var, value, self.visit(op.body))


def propagating(books):
    class After(Propagate):
        def visit_let(self, op):
            def pre_visit(op):
                value = self.visit(op.value)
                if isinstance(value, Constant):
                    self.memo_map[op.var] = value
                else:
                    self.var_value_map[op.var] = self.var_value_map.get(value, value)

            def post_visit(op):
                value = self.visit(op.value)
                body = self.visit(op.body)
                image = body if isinstance(value, Constant) else Let(op.var, value, body)
                if not books:
                    return image
                self.memo_map[op] = image
                return None

            expand_a_normal_form(op, pre_visit, post_visit)
            return self.memo_map[op]

    return After


def constants_and_calls(lets):
    last: Expr = Var("x")
    bound = []
    for index in range(lets):
        var = Var(f"v{index}")
        bound.append((var, Constant(index) if index % 3 == 0 else Call(ADD, (last, last))))
        last = var
    for var, value in reversed(bound):
        last = Let(var, value, last)
    return last


def test_mutator_that_visits_the_body_in_two_branches(books):
    expr = constants_and_calls(60)
    before, after = Propagate(), propagating(books)()
    assert structural_equal(before.visit(expr), after.visit(expr), map_free_vars=True)
    assert list(before.var_value_map) == list(after.var_value_map)


@pytest.mark.deep
def test_mutator_that_visits_the_body_in_two_branches_reaches_the_bottom(books):
    propagating(books)().visit(constants_and_calls(min(DEPTH, 50_000)))


def test_single_constant_let_becomes_its_body(books):
    x = Var("x")
    assert propagating(books)().visit(Let(Var("a"), Constant(1), x)) is x


def test_functor_with_results_of_its_own_keeps_them(books):
    class Lets(ExprFunctor[int]):
        asked = 0

        def visit_expr(self, expr):
            return 0

        def visit_let(self, op):
            def pre_visit(op):
                self.asked += 1

            def post_visit(op):
                count = 1 + self.visit(op.value) + self.visit(op.body)
                if not books:
                    return count
                self.memo_map[op] = count
                return None

            expand_a_normal_form(op, pre_visit, post_visit)
            return self.memo_map[op]

    functor = Lets()
    assert functor.visit(chain(LETS)) == LETS
    assert functor.asked == LETS


# What goes wrong, and what is none of its business


@pytest.mark.parametrize("lets", [1, 2, 1_000])
def test_mutator_that_says_nothing_of_a_let_is_told_so(lets):
    class Forgetful(ExprMutator):
        def visit_let(self, op):
            def post_visit(op):
                self.visit(op.body)

            expand_a_normal_form(op, lambda let: self.visit(let.value), post_visit)
            return self.memo_map[op]

    with pytest.raises(UnvisitedNodeError, match=r"nothing for let %v\d+ = .*post_visit.*return"):
        Forgetful().visit(chain(lets))
    assert issubclass(UnvisitedNodeError, KeyError)
    assert issubclass(UnvisitedNodeError, RelayishError)


def test_memo_put_in_by_post_visit_stands_whatever_it_returns():
    kept, returned = Var("kept"), Var("returned")

    class Both(ExprMutator):
        def visit_let(self, op):
            def post_visit(op):
                self.memo_map[op] = kept
                return returned

            expand_a_normal_form(op, lambda let: None, post_visit)
            return self.memo_map[op]

    assert Both().visit(chain(3)) is kept


def test_expansion_that_only_looks_leaves_the_visit_as_it_is():
    class Looking(ExprVisitor):
        def __init__(self):
            self.names, self.constants = [], 0

        def visit_let(self, op):
            if not self.names:
                expand_a_normal_form(
                    op, lambda let: self.names.append(let.var.name_hint), lambda let: None
                )
            super().visit_let(op)

        def visit_constant(self, const):
            self.constants += 1

    looking, expr = Looking(), chain(20)
    looking.visit(expr)
    assert looking.names == [f"v{index}" for index in range(20)]
    assert looking.constants == 1


def test_expansion_by_a_helper_leaves_the_functor_around_it_alone():
    def names(let):
        found = []
        expand_a_normal_form(let, lambda op: found.append(op.var), lambda op: None)
        return found

    class Outer(ExprMutator):
        def visit_let(self, let):
            assert len(names(let)) == self.left
            self.left -= 1
            return let.with_fields(value=self.visit(let.value), body=self.visit(let.body))

    outer, expr = Outer(), chain(20)
    outer.left = 20
    assert outer.visit(expr) is expr
    assert outer.left == 0


def test_functor_within_a_handler_of_another_expands_for_itself():
    class Counter(ExprVisitor):
        count = 0

        def visit_let(self, op):
            def pre_visit(op):
                self.count += 1

            expand_a_normal_form(op, pre_visit, lambda let: self.visit(let.body))

    class Outer(ExprVisitor):
        counts: tuple = ()

        def visit_let(self, op):
            def pre_visit(op):
                counter = Counter()
                counter.visit(op)
                self.counts += (counter.count,)

            expand_a_normal_form(op, pre_visit, lambda let: self.visit(let.body))

    outer = Outer()
    outer.visit(chain(10))
    assert outer.counts == tuple(range(10, 0, -1))


def test_lets_that_chains_share_are_expanded_once():
    shared = chain(500)
    asked = []

    class Count(ExprVisitor):
        def visit_let(self, op):
            expand_a_normal_form(op, asked.append, lambda let: self.visit(let.body))

    Count().visit(Tuple(tuple(Let(Var("x"), Constant(1), shared) for _ in range(500))))
    assert len(asked) == 1_000


def test_functor_works_on_after_a_callback_raised():
    class Failing(ExprMutator):
        fails = True

        def visit_let(self, op):
            def post_visit(op):
                body = self.visit(op.body)
                if self.fails and op is middle:
                    raise KeyError("middle")
                return op.with_fields(body=body)

            expand_a_normal_form(op, lambda let: None, post_visit)
            return self.memo_map[op]

    expr = chain(9)
    middle = expr.body.body.body
    failing = Failing()
    with pytest.raises(KeyError, match="middle"):
        failing.visit(expr)
    failing.fails = False
    assert failing.visit(expr) is expr


def test_handler_called_by_hand_expands_each_let_once_or_twice():
    walk = walking(ExprVisitor, books=False)
    walk.visit_let(chain(LETS))
    assert walk.pre_visits <= 2 * LETS


def test_chain_below_mutate_all_belongs_to_the_functor_that_was_asked():
    class Inner(ExprMutator):
        def visit_let(self, op):
            expand_a_normal_form(
                op,
                lambda let: self.visit(let.value),
                lambda let: let.with_fields(value=self.visit(let.value), body=self.visit(let.body)),
            )
            return self.memo_map[op]

    inner, let = Inner(), chain(3)
    assert inner.visit(let) is let

    class Outer(ExprMutator):
        def visit_tuple(self, tup):
            return tup.with_fields(fields=inner.mutate_all(tup.fields))

    outer, expr = Outer(), Tuple((let,))
    assert outer.visit(expr) is expr
    assert let in inner.memo_map
    assert let not in outer.memo_map
