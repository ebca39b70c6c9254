"""What a functor that is asked several times remembers, and what it does not."""

from __future__ import annotations

import copy
import threading

import pytest

import relayish as relay
from relayish.ir.relay.op import intern_op
from tests.support import deep

ADD = intern_op("add")
X, Y, Z = relay.Var("x"), relay.Var("y"), relay.Var("z")
ONE = relay.Constant(1)
SUM = relay.Call(ADD, (X, ONE))


class CallChecker(relay.ExprVisitor):
    """The first example of Relay's document on passes."""

    def visit_call(self, call):
        self.result = True

    def check(self, expr):
        self.result = False
        self.visit(expr)
        return self.result


class Names(relay.ExprVisitor):
    def __init__(self):
        self.names = []

    def visit_var(self, var):
        self.names.append(var.name_hint)


class Replacing(relay.ExprMutator):
    """Replaces constants by what it is set to."""

    image: relay.Expr = ONE

    def visit_constant(self, const):
        return self.image


# A question is answered by itself


def test_call_checker_asked_twice_says_the_same_twice():
    checker = CallChecker()
    assert [checker.check(SUM), checker.check(X), checker.check(SUM)] == [True, False, True]
    assert checker.check(relay.Tuple((X, SUM)))
    assert checker.check(relay.Tuple((X, SUM)))


def test_mutator_asked_twice_answers_by_what_it_is_set_to_now():
    mutator = Replacing()
    for image in (relay.Constant(2), relay.Constant(3), relay.Constant(4)):
        mutator.image = image
        assert mutator.visit(SUM).args[1] is image
        assert mutator.visit(ONE) is image


def test_rewriter_asked_twice_answers_by_what_it_is_set_to_now():
    class Setting(relay.MixedModeMutator):
        def rewrite_constant(self, pre, post):
            return self.image

    mutator = Setting()
    for image in (relay.Constant(2), relay.Constant(3)):
        mutator.image = image
        assert mutator.visit(SUM).args[1] is image

    class Rewriting(relay.ExprRewriter):
        def rewrite_constant(self, pre, post):
            return self.image

    rewriter = Rewriting()
    for image in (relay.Constant(2), relay.Constant(3)):
        rewriter.image = image
        assert relay.post_order_rewrite(SUM, rewriter).args[1] is image


def test_functor_asked_twice_answers_by_what_it_is_set_to_now():
    class Size(relay.ExprFunctor[int]):
        def visit_node(self, node):
            return self.unit + sum([self.visit(c) for c in self.traversal.children(node)])

    size = Size()
    for size.unit in (1, 2, 3):
        assert size.visit(SUM) == 4 * size.unit


def test_functors_over_types_asked_twice_begin_anew():
    class Wider(relay.TypeMutator):
        def visit_tensor_type(self, ty):
            return ty.with_fields(dtype=self.dtype)

    class Tensors(relay.TypeVisitor):
        count = 0

        def visit_tensor_type(self, ty):
            self.count += 1

    wider, tensors, ty = Wider(), Tensors(), relay.TupleType([relay.TensorType((2,))])
    for wider.dtype in ("float16", "float64"):
        assert wider.visit(ty).fields[0].dtype == wider.dtype
        tensors.visit(ty)
    assert tensors.count == 2


def test_functor_that_intercepts_every_visit_begins_anew():
    class All(relay.ExprVisitor):
        def __init__(self):
            self.seen = []

        def visit(self, expr):
            self.seen.append(expr)
            super().visit(expr)

    every = All()
    every.visit(SUM)
    once = list(every.seen)
    every.visit(SUM)
    assert every.seen == once * 2


def test_functor_called_with_arguments_begins_anew():
    class Depth(relay.ExprFunctor[int]):
        def visit_tuple(self, tup, depth):
            return max([self.visit(field) for field in tup.fields]) + depth

        def visit_var(self, var):
            self.asked += 1
            return 1

    depth = Depth()
    depth.asked = 0
    assert [depth.visit(relay.Tuple((X, X)), 1), depth.visit(relay.Tuple((X, X)), 2)] == [2, 3]
    assert depth.asked == 2


def test_shared_nodes_are_still_visited_once_within_one_question():
    names = Names()
    names.visit(deep.doublings(60, X))
    assert names.names == ["x"]


def test_visits_that_handlers_ask_for_are_part_of_the_question():
    class Twice(relay.ExprMutator):
        made = 0

        def visit_constant(self, const):
            self.made += 1
            return relay.Constant(const.data)

        def visit_call(self, call):
            args = [self.visit(arg) for arg in call.args]
            again = self.mutate_all(call.args)
            below = self.mutate_children(call)
            assert all(a is b is c for a, b, c in zip(args, again, below.args, strict=True))
            return below

    mutator = Twice()
    mutator.visit(relay.Tuple((SUM, ONE)))
    assert mutator.made == 1


def test_functor_that_another_functor_asks_within_its_handlers_goes_on():
    class Inner(relay.ExprVisitor):
        def visit_var(self, var):
            outer.visit(relay.Tuple((var, Y)))

    class Outer(Names):
        def visit_call(self, call):
            Inner().visit(call)
            Inner().visit(call)

    outer = Outer()
    outer.visit(relay.Tuple((SUM, X)))
    assert outer.names == ["x", "y"]


@pytest.mark.parametrize("work", ["mutate_all", "mutate_children", "visit_children"])
def test_helpers_called_from_outside_ask_one_question(work):
    made = []

    class Renewing(relay.ExprMutator):
        def visit_var(self, var):
            made.append(var)
            return relay.Var(var.name_hint)

    class Visiting(relay.ExprVisitor):
        def visit_var(self, var):
            made.append(var)

    functor = Visiting() if work == "visit_children" else Renewing()
    subject = (
        (X, relay.Tuple((X,)), X)
        if work == "mutate_all"
        else relay.Tuple((X, relay.Tuple((X,)), X))
    )
    for times in (1, 2):
        found = getattr(functor, work)(subject)
        assert made == [X] * times
    if work == "mutate_all":
        assert found[0] is found[1].fields[0] is found[2]


def test_deep_program_is_one_question_across_stacks():
    class Vars(Names):
        def visit_tuple(self, tup):
            for field in tup.fields:
                self.visit(field)
            self.visit(X)

    names = Vars()
    for times in (1, 2):
        names.visit(deep.tuple_nest(30_000, X))
        assert names.names == ["x"] * times


def test_question_after_one_that_failed_begins_anew():
    class Failing(Replacing):
        fails = True

        def visit_call(self, call):
            image = super().visit_call(call)
            if self.fails:
                raise KeyError
            return image

    failing = Failing()
    failing.image = relay.Constant(2)
    with pytest.raises(KeyError):
        failing.visit(SUM)
    assert failing.memo_map[ONE] is failing.image
    failing.fails, failing.image = False, relay.Constant(3)
    assert failing.visit(SUM).args[1] is failing.image


def test_question_asked_in_another_thread_begins_anew():
    mutator, found = Replacing(), []
    for mutator.image in (relay.Constant(2), relay.Constant(3)):
        thread = threading.Thread(target=lambda: found.append(mutator.visit(SUM).args[1]))
        thread.start()
        thread.join()
    assert [image.data for image in found] == [2, 3]


# What is put into the memo by hand counts


def test_image_put_in_by_hand_stands_for_every_question():
    mutator = relay.ExprMutator()
    mutator.memo_map[X] = Y
    for _ in range(3):
        assert mutator.visit(SUM).args == (Y, ONE)
    assert mutator.visit(relay.Tuple((X,))).fields == (Y,)


def test_image_put_in_between_questions_counts():
    mutator = relay.ExprMutator()
    assert mutator.visit(SUM) is SUM
    mutator.memo_map[X] = Y
    assert mutator.visit(SUM).args == (Y, ONE)
    mutator.memo_map[X] = Z
    assert mutator.visit(SUM).args == (Z, ONE)
    mutator.memo_map.update({ONE: Y})
    assert mutator.visit(SUM).args == (Z, Y)
    del mutator.memo_map[X]
    assert mutator.visit(SUM).args == (X, Y)
    mutator.memo_map.clear()
    assert mutator.visit(SUM) is SUM


@pytest.mark.parametrize(
    ("change", "images"),
    [
        (lambda memo: memo.setdefault(X, Y), (Y, ONE)),
        (lambda memo: memo.pop(X, None), (X, ONE)),
        (lambda memo: memo.update([(X, Y), (ONE, Z)]), (Y, Z)),
        (lambda memo: memo.update({}), (X, ONE)),
    ],
)
def test_every_way_to_put_images_in_counts(change, images):
    mutator = relay.ExprMutator()
    mutator.visit(SUM)
    change(mutator.memo_map)
    assert mutator.visit(SUM).args == images


def test_image_put_in_by_hand_is_not_put_aside_by_setdefault():
    mutator = relay.ExprMutator()
    mutator.memo_map[X] = Y
    mutator.visit(SUM)
    assert mutator.memo_map.setdefault(X, Z) is Y
    assert mutator.visit(SUM).args == (Y, ONE)


def test_memo_put_in_the_place_of_the_old_counts():
    mutator = relay.ExprMutator()
    mutator.visit(SUM)
    mutator.memo_map = {X: Y}
    for _ in range(2):
        assert mutator.visit(SUM).args == (Y, ONE)
    mutator.memo_map = {}
    assert mutator.visit(SUM) is SUM


def test_image_that_a_handler_puts_in_is_gone_with_the_question():
    class Binding(relay.ExprMutator):
        binds = True

        def visit_let(self, let):
            if self.binds:
                self.memo_map[let.var] = self.visit(let.value)
            return self.visit(let.body)

    mutator = Binding()
    assert mutator.visit(relay.Let(X, ONE, SUM)).args == (ONE, ONE)
    mutator.binds = False
    assert mutator.visit(relay.Let(X, ONE, SUM)) is SUM


def test_memo_that_a_handler_replaces_is_gone_with_the_question():
    class Scoped(relay.ExprMutator):
        def visit_function(self, func):
            self.memo_map = {X: self.image}
            return self.visit(func.body)

    mutator = Scoped()
    for mutator.image in (Y, Z):
        assert mutator.visit(relay.Function((), SUM)).args == (mutator.image, ONE)
    assert mutator.visit(SUM) is SUM


def test_result_put_in_by_hand_counts_in_functors_and_visitors():
    class Value(relay.ExprFunctor[int]):
        def visit_tuple(self, tup):
            return sum([self.visit(field) for field in tup.fields])

    value = Value()
    value.memo_map[X] = 4
    assert [value.visit(relay.Tuple((X, X))), value.visit(relay.Tuple((X,)))] == [8, 4]

    names = Names()
    names.visit_counter[X] = 1
    for times in (1, 2):
        names.visit(relay.Tuple((X, Y)))
        assert names.names == ["y"] * times
    names.visit_counter[Y] = 1
    names.visit(relay.Tuple((X, Y)))
    assert names.names == ["y"] * 2


# What was found out can be read


def test_memo_can_be_read_after_a_visit():
    mutator = Replacing()
    mutator.image = Y
    image = mutator.visit(SUM)
    memo = mutator.memo_map
    assert (memo[SUM], memo[ONE], memo.get(X)) == (image, Y, X)
    assert Z not in memo
    assert memo.get(Z, ADD) is ADD
    assert len(memo) == len(list(memo)) == 4
    assert set(memo) == {SUM, X, ONE, ADD}
    assert memo == {SUM: image, ONE: Y, X: X, ADD: ADD}
    assert memo.copy() == dict(memo)
    assert repr(memo) == repr(dict(memo))
    with pytest.raises(relay.UnvisitedNodeError, match="holds nothing for %z"):
        memo[Z]


def test_counter_can_be_read_after_a_visit():
    visitor = relay.ExprVisitor()
    visitor.visit(relay.Tuple((SUM, SUM)))
    assert [visitor.visit_counter[node] for node in (SUM, X, Z)] == [2, 1, 0]
    visitor.visit(X)
    assert dict(visitor.visit_counter) == {X: 1}


def test_memo_that_a_handler_took_hold_of_is_the_same_for_all_questions():
    class Holding(Replacing):
        def __init__(self):
            self.held = self.memo_map

        def visit_call(self, call):
            assert self.held is self.memo_map
            return super().visit_call(call)

    holding = Holding()
    for _ in range(3):
        holding.visit(SUM)
    assert holding.held[ONE] is ONE


def test_copy_of_a_functor_that_was_asked_is_asked_anew():
    mutator = relay.ExprMutator()
    mutator.memo_map[X] = Y
    mutator.visit(SUM)
    made, call = copy.deepcopy((mutator, SUM))
    assert made.visit(call).args[0].name_hint == "y"


# Classes that remember


def test_class_that_remembers_answers_from_what_it_found_out():
    class Remembering(Replacing):
        remembers = True

    mutator = Remembering()
    mutator.image = first = relay.Constant(2)
    assert mutator.visit(SUM).args[1] is first
    mutator.image = relay.Constant(3)
    assert mutator.visit(ONE) is first
    assert mutator.visit(SUM) is mutator.memo_map[SUM]


def test_class_that_remembers_is_linear_over_all_questions():
    class Constants(relay.ExprVisitor):
        remembers = True
        looked_at = 0

        def visit_constant(self, const):
            self.looked_at += 1
            return True

        def visit_tuple(self, tup):
            self.looked_at += 1
            return all(map(self.visit, tup.fields))

    expr, checker = ONE, Constants()
    for _ in range(1_000):
        expr = relay.Tuple((expr, ONE))
        assert checker.visit(expr)
    assert checker.looked_at == 1_001


def test_subclass_of_one_that_remembers_may_forget():
    class Remembering(Names):
        remembers = True

    class Forgetting(Remembering):
        remembers = False

    for names, times in ((Remembering(), 1), (Forgetting(), 2)):
        names.visit(X)
        names.visit(X)
        assert names.names == ["x"] * times


@pytest.mark.parametrize("functor", [relay.ExprVisitor, relay.ExprMutator])
def test_object_that_is_told_to_remember_is_refused(functor):
    forgetful = functor()
    forgetful.remembers = True
    with pytest.raises(relay.DeclarationError, match="write remembers = True in a class"):
        forgetful.visit(relay.Var("x"))


def test_memoized_functor_remembers():
    @relay.memoized
    class Reach(relay.ExprFunctor[int]):
        asked = 0

        def visit_var(self, var, height):
            self.asked += 1
            return height

        def visit_tuple(self, tup, height):
            return max([self.visit(field, height + 1) for field in tup.fields])

    reach = Reach()
    assert [reach.visit(relay.Tuple((X, X)), 0) for _ in range(3)] == [1, 1, 1]
    assert reach.asked == 1


# Handlers called by hand


def test_let_handler_called_by_hand_expands_its_chain_as_one_question():
    expanded = []

    class Lets(relay.ExprMutator):
        def visit_let(self, let):
            relay.expand_a_normal_form(
                let,
                expanded.append,
                lambda let: let.with_fields(body=self.visit(let.body)),
            )
            return self.memo_map[let]

    expr = deep.let_body(1_000)
    assert Lets().visit_let(expr) is expr
    assert len(expanded) == 1_000


def test_projection_of_a_default_handler_called_by_hand_is_one_question():
    item = relay.TupleGetItem(relay.Tuple((SUM, SUM)), 0)
    mutator = Replacing()
    mutator.image = relay.Constant(5)
    fields = mutator.visit_tuple_getitem(item).tuple_value.fields
    assert fields[0] is fields[1]
