from __future__ import annotations

import pytest

import relayish as relay
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from tests.support import deep
from tests.support.depth import DEPTH

ADD = intern_op("add")
X = relay.Var("x")


@pytest.mark.parametrize("limit", [0, 10, -1])
def test_visit_limit_outside_1_to_9_is_an_error(limit):
    with pytest.raises(ValueError, match=f"visit_limit must be 1 to 9; found {limit}"):
        relay.MixedModeVisitor(limit)


def test_visit_limit_holds_without_the_constructor():
    class Careless(relay.MixedModeVisitor):
        def __init__(self):
            self.calls = 0

        def visit_call(self, call):
            self.calls += 1

    visitor = Careless()
    call = relay.Call(ADD, ())
    visitor.visit(relay.Tuple((call, call)))
    assert visitor.calls == 1


class CountsCalls(relay.MixedModeVisitor):
    calls = 0

    def visit_call(self, call):
        self.calls += 1


class CountsCallsByHand(CountsCalls):
    def visit_function(self, func):
        for param in func.params:
            self.visit(param)
        self.visit(func.body)
        self.visit(func.body)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_node_visited_by_hand_is_handled_as_often_as_the_limit_allows(limit):
    visitor, call = CountsCallsByHand(limit), relay.Call(ADD, ())
    visitor.visit(relay.Tuple((relay.Function((), call), relay.Function((), call))))
    assert (visitor.calls, visitor.visit_counter[call]) == (limit, 4)


def test_handler_returns_what_visit_returns():
    class Height(relay.MixedModeVisitor):
        def visit_tuple(self, tup):
            return 1 + max((self.memo_map.get(f, 0) for f in tup.fields), default=0)

        def visit_if(self, if_):
            return "if"

    assert Height().visit(relay.Tuple((relay.Tuple((X,)), X))) == 2
    assert Height().visit(relay.If(X, X, X)) == "if"
    assert Height().visit(X) is None


@pytest.mark.deep
def test_mixed_mode_visitor_needs_no_stack_on_any_nest():
    class Calls(relay.MixedModeVisitor):
        count = 0

        def visit_call(self, call):
            self.count += 1

        def visit_tuple(self, tup):
            self.count += 1

    for nest in (deep.call_chain, deep.tuple_nest, deep.projection_nest):
        visitor = Calls()
        visitor.visit(nest(DEPTH))
        assert visitor.count == DEPTH


@pytest.mark.parametrize("kind", ["call", "tuple", "tuple_getitem"])
def test_visit_override_of_a_dataflow_kind_is_an_error(kind):
    with pytest.raises(
        relay.DeclarationError,
        match=rf"Wrong overrides visit_{kind}; .*define rewrite_{kind}\(self, pre",
    ):
        type("Wrong", (relay.MixedModeMutator,), {f"visit_{kind}": lambda self, node: node})


def test_visit_override_by_a_mix_in_is_an_error():
    class Mixin:
        def visit_call(self, call):
            return call

    with pytest.raises(relay.DeclarationError, match="Wrong overrides visit_call"):

        class Wrong(Mixin, relay.MixedModeMutator):
            pass


def test_visit_handler_takes_over_from_rewriting():
    class Both(relay.MixedModeMutator):
        def visit_let(self, let):
            return self.visit(let.body)

        def rewrite_tuple(self, pre, post):
            return post.fields[0]

    expr = relay.Let(relay.Var("v"), relay.Constant(1), relay.Tuple((X,)))
    assert Both().visit(relay.Tuple((expr, expr))) is X


def test_pre_is_the_old_node_and_post_the_new_one():
    pairs = []

    class Watching(relay.ExprRewriter):
        def rewrite_constant(self, pre, post):
            return X

        def rewrite_tuple(self, pre, post):
            pairs.append((pre, post))
            return post

    untouched, touched = relay.Tuple((X,)), relay.Tuple((relay.Constant(1),))
    relay.post_order_rewrite(relay.Tuple((untouched, touched)), Watching())
    assert pairs[0] == (untouched, untouched)
    assert pairs[1][0] is touched
    assert pairs[1][1].fields == (X,)
    assert pairs[2][1].fields == (untouched, pairs[1][1])


def test_what_a_rewrite_returns_is_not_visited_again():
    class Growing(relay.ExprRewriter):
        def rewrite_tuple(self, pre, post):
            return relay.Tuple((post,))

    image = relay.post_order_rewrite(relay.Tuple(()), Growing())
    assert image.fields[0].fields == ()


def test_shared_nodes_are_rewritten_once_and_stay_shared():
    class Copying(relay.ExprRewriter):
        count = 0

        def rewrite_call(self, pre, post):
            self.count += 1
            return relay.Call(post.op, post.args)

    rewriter = Copying()
    image = relay.post_order_rewrite(deep.doublings(100), rewriter)
    assert rewriter.count == 100
    assert len(EXPRESSIONS.post_order(image)) == 102


@pytest.mark.deep
@pytest.mark.parametrize("nest", deep.DEEP_NESTS)
def test_rewriting_a_leaf_reaches_every_depth(nest):
    class Replace(relay.ExprRewriter):
        def rewrite_var(self, pre, post):
            return relay.Tuple(()) if post is X else post

    image = relay.post_order_rewrite(deep.DEEP_NESTS[nest](DEPTH, X), Replace())
    counter = relay.ExprVisitor()
    counter.visit(image)
    assert X not in counter.visit_counter


@pytest.mark.deep
def test_rewriter_of_constant_projections():
    class Unwrap(relay.MixedModeMutator):
        def rewrite_tuple_getitem(self, pre, post):
            tup = post.tuple_value
            return tup.fields[post.index] if type(tup) is relay.Tuple else post

    assert Unwrap().visit(deep.projection_nest(DEPTH, X)) is X
    kept = relay.TupleGetItem(X, 0)
    assert Unwrap().visit(kept) is kept


def test_leaf_that_is_visited_itself_is_rewritten():
    class Names(relay.MixedModeMutator):
        def rewrite_global_var(self, pre, post):
            return relay.Tuple(())

    class Applied(relay.ExprRewriter):
        def rewrite_global_var(self, pre, post):
            return relay.Tuple(())

    name = relay.GlobalVar("f")
    assert type(Names().visit(name)) is relay.Tuple
    assert type(relay.post_order_rewrite(name, Applied())) is relay.Tuple


def test_leaf_rewritten_to_nothing_is_refused_where_it_is_visited_itself():
    class Nothing(relay.MixedModeMutator):
        def rewrite_global_var(self, pre, post):
            return None

    with pytest.raises(relay.DispatchError, match="Nothing returned None"):
        Nothing().visit(relay.GlobalVar("f"))
