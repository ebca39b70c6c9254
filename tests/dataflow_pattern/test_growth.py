"""Patterns and programs of any depth, and how much work they make, counted."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.dataflow_pattern import (
    DFPatternCallback,
    Matcher,
    dominates,
    is_constant,
    is_let,
    is_op,
    is_tuple,
    is_var,
    rewrite_rules,
    rule,
    wildcard,
)
from relayish.errors import DeclarationError
from tests.support.deep import call_chain, let_body, let_value, tuple_nest
from tests.support.depth import DEPTH
from tests.support.work import lines_run

X = relay.var("x", shape=(1,))
relu, tanh = is_op("nn.relu"), is_op("tanh")


def tower(levels, make, leaf):
    for _ in range(levels):
        leaf = make(leaf)
    return leaf


@pytest.mark.deep
def test_a_pattern_of_many_levels_matches_and_is_shown():
    levels = min(DEPTH, 20_000)  # of calls, each of which may match in two ways
    pattern = tower(levels, lambda p: p + is_constant(), is_constant())
    assert pattern.match(call_chain(levels))
    assert not pattern.match(call_chain(levels - 1))
    assert str(pattern).count("add(") == levels


@pytest.mark.deep
def test_a_pattern_of_many_tuples_matches():
    pattern = tower(DEPTH, lambda p: is_tuple((p,)), is_constant())
    assert pattern.match(tuple_nest(DEPTH))


@pytest.mark.deep
def test_many_alternatives_are_tried_one_after_the_other():
    pattern = tower(min(DEPTH, 20_000), lambda p: p | is_var("y"), is_var("z"))
    assert not pattern.match(X)
    assert (pattern | is_var("x")).match(X)


def steps(pattern, expr):
    matcher = Matcher(pattern, expr)
    assert not matcher.match(expr)
    return matcher.steps


@pytest.mark.parametrize(
    "level",
    [
        lambda p: relu(p) | relu(p),
        lambda p: (relu(p) | tanh(p)) | relu(p),
        lambda p: relu(p | p),
        lambda p: p.optional(relu),
    ],
)
def test_alternatives_that_fail_do_not_multiply(level):
    def work(levels):
        pattern = tower(levels, level, is_var("y"))
        return steps(pattern, tower(levels, relay.nn.relu, X))

    assert work(80) < 20 * work(20)  # at most every part with every expression


def test_alternatives_that_fail_outside_do_not_multiply():
    shared = wildcard()

    def work(levels):
        pattern = tower(levels, lambda p: relu(p) | relu(p), shared)
        expr = relay.Tuple((tower(levels, relay.nn.relu, X), relay.const(1.0)))
        return steps(is_tuple((pattern, shared)), expr)

    assert work(80) < 6 * work(20)


def test_orders_of_commutative_calls_do_not_multiply():
    shared = wildcard()

    def work(levels, other):
        pattern = tower(levels, lambda p: p + other(), is_var("y"))
        expr = tower(levels, lambda e: e + e, X)
        return steps(pattern, expr)

    assert work(80, wildcard) < 20 * work(20, wildcard)
    assert work(80, lambda: shared) < 20 * work(20, lambda: shared)


def test_a_shared_program_is_matched_in_its_distinct_nodes():
    expr = tower(100, lambda e: e + e, X)
    pattern = tower(100, lambda p: p + p, wildcard())
    assert pattern.match(expr)
    assert not tower(101, lambda p: p + p, wildcard()).match(expr)


def test_searching_all_of_a_program_for_dominators_looks_at_each_node_a_bounded_number_of_times():
    elementwise = wildcard().has_attr({"TOpPattern": 0})(wildcard())
    pattern = dominates(is_op("nn.conv2d")(wildcard(), wildcard()), elementwise, elementwise)

    def search(expr):
        matcher, node = Matcher(pattern, expr), expr
        while type(node) is relay.Call:
            assert not matcher.match(node)
            node = node.args[0]

    def work(levels):
        expr = tower(levels, relay.nn.relu, X)
        return lines_run(lambda: search(expr))

    assert work(400) < 5 * work(100)


def test_fits_for_a_parent_that_are_on_the_path_are_searched_a_bounded_way_back():
    add = is_op("add")(wildcard(), wildcard())
    pattern = dominates(relu(wildcard()), relu(wildcard()) | tanh(wildcard()) | add, add)

    class Count(DFPatternCallback):
        def __init__(self):
            super().__init__()
            self.pattern, self.count = pattern, 0

        def callback(self, pre, post, node_map):
            self.count += 1
            return post

    def work(levels):
        expr = tower(levels, lambda e: relay.add(relay.nn.relu(e), relay.nn.relu(relay.tanh(e))), X)
        counting = Count()
        lines = lines_run(lambda: counting.rewrite(expr))
        assert counting.count == levels // 2
        return lines

    assert work(240) < 2.5 * work(120)  # beyond as many fits as are tried


@pytest.mark.deep
@pytest.mark.parametrize("nest", [call_chain, let_body, let_value, tuple_nest])
def test_rules_and_callbacks_go_as_deep_as_the_program(nest):
    x = wildcard()

    class Nothing(DFPatternCallback):
        pattern = x + is_constant()

        def callback(self, pre, post, node_map):
            return post

    @rule(x + is_constant())
    def take(call, found):
        return found[x]

    program = nest(DEPTH)
    assert Nothing().rewrite(program) is program
    image = rewrite_rules([take], program)
    assert (image is program) is (nest is not call_chain)
    if nest is call_chain:
        assert type(image) is relay.Constant


@pytest.mark.deep
def test_a_deep_chain_is_partitioned():
    program = tower(min(DEPTH, 10_000), lambda e: relay.nn.relu(relay.tanh(e)), X)
    image = relu(tanh(wildcard())).partition(program)
    calls = 0
    while type(image) is relay.Call:
        assert type(image.op) is relay.Function
        image = image.args[0]
        calls += 1
    assert calls == min(DEPTH, 10_000)


def test_a_rule_is_asked_once_for_each_distinct_node_it_may_concern():
    asked = []

    @rule(wildcard() + wildcard())
    def look(call, found):
        asked.append(call)
        return call

    program = tower(100, lambda e: e + e, X)
    assert rewrite_rules([look], program) is program
    assert len(asked) == 100


def steps_beside_shared_parts(shared: int, ways: int) -> int:
    """Return the steps that fail to match a nest of sums beside parts that occur twice."""
    parts = [wildcard() for _ in range(shared)]
    nest, expr = is_op("exp")(wildcard()), relay.tanh(relay.var("x"))
    for _ in range(ways):
        nest, expr = nest + wildcard(), relay.add(expr, relay.add(expr, expr))
    fields = [relay.var("v") for _ in range(shared)]
    matcher = Matcher(
        is_tuple([is_tuple([*parts, *parts]), nest]),
        relay.Tuple((relay.Tuple((*fields, *fields)), expr)),
    )
    assert not matcher.match(matcher.root)
    return matcher.steps


@pytest.mark.parametrize("shared", [1, 200, 300, 3000])
def test_no_way_is_gone_twice_however_many_parts_are_shared(shared):
    ways = 60
    assert steps_beside_shared_parts(shared, ways) < 10 * shared + 5 * ways**2


@pytest.mark.parametrize("where", ["parent", "path"])
def test_dominators_inside_one_another_are_matched_or_refused(where):
    def nested(count):
        pattern = is_op("nn.relu")(wildcard())
        for _ in range(count):
            leaf = is_op("exp")(wildcard())
            inside = (pattern,) if where == "parent" else (is_var(), pattern)
            pattern = leaf.dominates(*inside)
        return pattern

    expr = relay.nn.relu(relay.var("x"))
    for _ in range(16):
        expr = relay.exp(expr)
    assert nested(16).match(expr) == (where == "parent")
    with pytest.raises(DeclarationError, match="more than 16 dominator patterns stand inside"):
        nested(17).match(expr)


def test_dominator_that_is_its_own_parent_is_refused():
    again = wildcard()
    pattern = is_op("exp")(wildcard()).dominates(again)
    again.redirect_to(pattern)
    with pytest.raises(DeclarationError, match="part of its own parent or path"):
        pattern.match(relay.exp(relay.var("x")))


def test_dominators_behind_one_another_are_matched_at_any_depth():
    pattern = is_op("nn.relu")(wildcard())
    for _ in range(2_000):
        pattern = pattern.dominates(is_var())
    assert pattern.match(relay.nn.relu(relay.var("x")))


def lets_around_what_is_used_outside(count):
    x = relay.var("x", shape=(2,))
    shared = body = relay.exp(x)
    for index in range(count):
        var = relay.var(f"v{index}")
        body = relay.Let(var, x + x, body + var)
    return relay.Tuple([body, shared])


def test_scopes_that_cannot_be_cut_out_are_refused_by_what_was_found_of_the_outer_one():
    pattern = is_let(wildcard(), wildcard(), wildcard())
    few, many = lets_around_what_is_used_outside(40), lets_around_what_is_used_outside(80)
    assert pattern.partition(few) is few
    steps = lines_run(lambda: pattern.partition(few))
    assert lines_run(lambda: pattern.partition(many)) < 2.5 * steps


def test_what_every_match_uses_is_asked_once_for_each_of_them():
    """One sum is a factor of all products of a chain, each of which leads to the next one."""

    def products(count):
        total = out = X + X
        for _ in range(count):
            out = total * relay.sigmoid(out)
        return out

    pattern = is_op("multiply")(is_op("add")(wildcard(), wildcard()), wildcard())
    few, many = products(100), products(200)
    steps = lines_run(lambda: pattern.partition(few))
    assert lines_run(lambda: pattern.partition(many)) < 2.5 * steps
