"""An error that leaves a handler says in one note which node was handled, and where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

import relayish as relay
from tests.support import deep

TEXT = """#[version = "0.0.5"]
def @main(%a: float32, %b: float32) -> float32 {
  let %c = tanh(%b);
  subtract(add(%a, 1f), %c)
}
"""
ADD = "while visiting add(%a, 1f) at prog.relay:4:12"


def main():
    return relay.parse(TEXT, "prog.relay")["main"]


def notes_of(work, error=ZeroDivisionError):
    with pytest.raises(error) as caught:
        work()
    return caught.value.__notes__


def refuse(node):
    if type(node) is relay.Call and node.op.name == "add":
        raise ZeroDivisionError


class Visiting(relay.ExprVisitor):
    def visit_call(self, call):
        refuse(call)
        super().visit_call(call)


class Counting(relay.ExprFunctor[int]):
    def visit_node(self, node):
        refuse(node)
        return 1 + sum([self.visit(child) for child in self.traversal.children(node)])


class WithArguments(relay.ExprFunctor[int]):
    def visit_node(self, node, depth=0):
        refuse(node)
        return max([self.visit(c, depth + 1) for c in self.traversal.children(node)], default=depth)


class Intercepting(relay.ExprVisitor):
    def visit(self, expr):
        refuse(expr)
        super().visit(expr)


class Mutating(relay.ExprMutator):
    def visit_call(self, call):
        refuse(call)
        return super().visit_call(call)


class ByHand(relay.ExprMutator):
    def visit_let(self, let):
        return let.with_fields(value=self.visit(let.value), body=self.visit(let.body))

    def visit_call(self, call):
        refuse(call)
        return call.with_fields(args=self.mutate_all(call.args))


class AfterChildren(relay.MixedModeVisitor):
    def visit_call(self, call):
        refuse(call)


class Rebuilding(relay.MixedModeMutator):
    def rewrite_call(self, pre, post):
        refuse(pre)
        return post


class Rewriting(relay.ExprRewriter):
    def rewrite_call(self, pre, post):
        refuse(pre)
        return post


def call_in_let_list(self, let):
    relay.expand_a_normal_form(let, lambda _: None, lambda let: self.visit(let.body))


class Expanding(Visiting):
    visit_let = call_in_let_list


@pytest.mark.parametrize(
    "functor",
    [
        Visiting,
        Counting,
        WithArguments,
        relay.memoized(Counting),
        relay.memoized(WithArguments),
        Intercepting,
        Mutating,
        ByHand,
        AfterChildren,
        Rebuilding,
        Expanding,
    ],
)
def test_note_shows_the_node_that_was_handled_and_its_place(functor):
    assert notes_of(lambda: functor().visit(main())) == [ADD]


def test_note_shows_the_node_of_a_rewriter():
    assert notes_of(lambda: relay.post_order_rewrite(main(), Rewriting())) == [ADD]


def test_note_shows_the_node_of_a_post_order_visit():
    assert notes_of(lambda: relay.analysis.post_order_visit(main(), refuse)) == [ADD]


def test_note_shows_the_node_of_a_functor_called_with_arguments():
    assert notes_of(lambda: WithArguments().visit(main(), 3)) == [ADD]


def test_note_shows_the_node_of_the_inner_of_two_functors():
    class Outer(relay.ExprVisitor):
        def visit_let(self, let):
            Visiting().visit(let.body)

    assert notes_of(lambda: Outer().visit(main())) == [ADD]


def test_note_shows_the_outer_node_once_the_inner_functor_is_done():
    class Outer(relay.ExprVisitor):
        def visit_let(self, let):
            relay.ExprVisitor().visit(let.body)
            raise ZeroDivisionError

    assert notes_of(lambda: Outer().visit(main())) == [
        "while visiting let %c = %0; ... at prog.relay:3:7"
    ]


def test_note_stands_beside_those_of_passes():
    @relay.transform.function_pass(opt_level=0)
    def failing(func, mod, ctx):
        return Mutating().visit(func)

    mod = relay.parse(TEXT, "prog.relay")
    assert notes_of(lambda: failing(mod)) == [ADD, "in function @main", "in pass failing"]


def test_note_stands_on_what_a_handler_raises_from_another_error():
    class Catching(Visiting):
        def visit_let(self, let):
            try:
                self.visit(let.body)
            except ZeroDivisionError as error:
                raise KeyError from error

    assert notes_of(lambda: Catching().visit(main()), KeyError) == [
        "while visiting let %c = %0; ... at prog.relay:3:7"
    ]


def test_note_of_a_program_without_places_shows_the_node():
    a, b = relay.Var("a"), relay.Var("b")
    assert notes_of(lambda: Mutating().visit(relay.exp(relay.add(relay.exp(a), b)))) == [
        "while visiting add(%0, %b), where %0 is exp(%a)"
    ]


def test_note_shows_types_and_patterns():
    class Types(relay.TypeMutator):
        def visit_tensor_type(self, ty):
            raise ZeroDivisionError

    class Patterns(relay.PatternVisitor):
        def visit_pattern_wildcard(self, wildcard):
            raise ZeroDivisionError

    tensor, wildcard = relay.TensorType((3,)), relay.PatternWildcard()
    types, pattern = relay.TupleType([tensor]), relay.PatternTuple([wildcard])
    assert notes_of(lambda: Types().visit(types)) == [f"while visiting {tensor!r}"]
    assert notes_of(lambda: Patterns().visit(pattern)) == [f"while visiting {wildcard!r}"]


def test_note_is_bounded_however_large_the_node_is():
    class Refusing(relay.ExprVisitor):
        def visit_tuple(self, tup):
            raise ZeroDivisionError

    (note,) = notes_of(lambda: Refusing().visit(relay.Tuple([relay.Var("v" * 1000)] * 100_000)))
    assert len(note) < 200


class Deep(relay.ExprMutator):
    def visit_constant(self, const):
        if const.data == 7:
            raise ZeroDivisionError
        return const


class DeepByHand(Deep):
    def visit_node(self, node):
        for child in self.traversal.children(node):
            self.visit(child)
        return node


@pytest.mark.parametrize("nest", [deep.call_chain, deep.let_body, deep.if_true, deep.tuple_nest])
@pytest.mark.parametrize("functor", [Deep, DeepByHand])
def test_deep_program_gathers_one_note(nest, functor):
    expr = nest(50_000, relay.Constant(7))
    assert notes_of(lambda: functor().visit(expr)) == ["while visiting 7"]


def test_unwinding_asks_for_the_node_once_for_each_stack_and_not_for_each_level(monkeypatch):
    asked = []

    class Failing(relay.ExprFunctor[int]):
        def visit_constant(self, const):
            raise ZeroDivisionError

        def visit_tuple(self, tup):
            return self.visit(tup.fields[0])

        def _note_failure(self, error):
            asked.append(error)
            super()._note_failure(error)

    assert notes_of(lambda: Failing().visit(deep.tuple_nest(50_000))) == ["while visiting 0"]
    assert len(asked) < 50_000 // 400


def test_interrupt_carries_no_note():
    class Interrupted(relay.ExprVisitor):
        def visit_var(self, var):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        Interrupted().visit(relay.Tuple([relay.Var("x")]))
    assert not hasattr(caught.value, "__notes__")


# Errors of dispatch


@pytest.mark.parametrize(("image", "shown"), [(None, "None"), (3, "3 (int)")])
def test_mutator_that_returns_no_expression_is_told_where(image, shown):
    class Wrong(relay.ExprMutator):
        def visit_call(self, call):
            return image if call.op.name == "add" else call

    with pytest.raises(relay.DispatchError) as caught:
        Wrong().visit(relay.parse(TEXT, "prog.relay")["main"].body.body.args[0])
    assert str(caught.value) == (
        f"Wrong returned {shown} for add(%a, 1f); its handler for Call must return Expr, "
        f"the node itself where nothing changes"
    )
    assert caught.value.__notes__ == [ADD]


@pytest.mark.parametrize(("image", "shown"), [(None, "None"), (3, "3 (int)")])
def test_rewriter_that_returns_no_expression_is_named(image, shown):
    class Wrong(relay.ExprRewriter):
        def rewrite_call(self, pre, post):
            return image if pre.op.name == "add" else post

    with pytest.raises(relay.DispatchError, match=f"^Wrong returned {re.escape(shown)}") as caught:
        relay.post_order_rewrite(main(), Wrong())
    assert caught.value.__notes__ == [ADD]


def test_missing_handler_is_met_at_a_place():
    class NoCalls(relay.ExprFunctor[int]):
        def visit_function(self, func):
            return self.visit(func.body.body.args[0])

    with pytest.raises(
        relay.DispatchError, match=r"no handler for Call, met at add\(%a, 1f\)"
    ) as caught:
        NoCalls().visit(main())
    assert caught.value.__notes__ == [ADD]


def test_endless_recursion_has_a_place():
    class Circle(relay.ExprVisitor):
        def visit_call(self, call):
            Circle.visit_call(self, call)

        def visit_let(self, let):
            self.visit_counter.clear()
            self.visit(let)

    (note,) = notes_of(lambda: Circle().visit(main()), relay.EndlessRecursionError)
    assert note == "while visiting let %c = %0; ... at prog.relay:3:7"


# Images that a node cannot hold


def test_image_that_a_node_cannot_hold_is_told_with_the_handler_that_returned_it():
    class Constants(relay.ExprMutator):
        def visit_var(self, var):
            return relay.Constant(1.0)

    func = relay.parse_expr("fn (%x: float32) { %x }", "f.relay")
    (note,) = notes_of(lambda: Constants().visit(func), relay.FieldError)
    assert note.startswith(f"while visiting fn (%x) {{...}} at {func.span}")
    assert note.endswith(
        ": Constants.visit_var returned 1f for %x, in whose place only a Var can stand"
    )


def test_image_that_a_handler_builds_into_a_node_is_told_as_well():
    class Constants(relay.ExprMutator):
        def visit_var(self, var):
            return relay.Constant(1.0)

        def visit_function(self, func):
            return func.with_fields(params=self.mutate_all(func.params))

    (note,) = notes_of(lambda: Constants().visit(main()), relay.FieldError)
    assert "Constants.visit_var returned 1f for %a" in note


def test_image_that_a_rewriter_returns_is_told_with_the_rewriter():
    class Constants(relay.ExprRewriter):
        def rewrite_var(self, pre, post):
            return relay.Constant(1.0)

    x = relay.Var("x")
    (note,) = notes_of(
        lambda: relay.post_order_rewrite(relay.Function([x], x), Constants()), relay.FieldError
    )
    assert "Constants.rewrite_var returned 1f for %x" in note


def test_image_that_was_put_in_by_hand_is_told_as_such():
    x = relay.Var("x")
    mutator = relay.ExprMutator()
    mutator.memo_map[x] = relay.Constant(1.0)
    (note,) = notes_of(lambda: mutator.visit(relay.Function([x], x)), relay.FieldError)
    assert "memo_map of ExprMutator holds 1f for %x" in note


def test_field_of_a_wrong_value_that_no_image_is_to_blame_for_is_told_by_its_place():
    class Wrong(relay.ExprMutator):
        def visit_call(self, call):
            return call.with_fields(args=3) if call.op.name == "add" else call

    (note,) = notes_of(lambda: Wrong().visit(main().body.body.args[0]), relay.FieldError)
    assert note == ADD


@dataclass(frozen=True)
class Frozen(Exception):
    """An error of which no attribute can be set."""


class Refusing(Exception):
    def add_note(self, note):
        raise RuntimeError


class OtherNotes(Exception):
    __notes__ = None


@pytest.mark.parametrize("error", [Frozen, Refusing, OtherNotes])
def test_error_that_refuses_notes_is_noted_and_not_replaced(error):
    class Raising(relay.ExprMutator):
        def visit_call(self, call):
            raise error

    assert notes_of(lambda: Raising().visit(main()), error)[0].startswith("while visiting ")


def test_error_below_mutate_all_names_the_node_whose_handler_failed():
    class Failing(relay.ExprMutator):
        fails = False

        def visit_tuple(self, tup):
            if self.fails and not tup.fields:
                raise KeyError
            return tup.with_fields(fields=self.mutate_all(tup.fields))

    x = relay.Var("x")
    expr = relay.Tuple((relay.Tuple((x, relay.Tuple(()), x)), x))
    failing = Failing()
    assert failing.visit(expr) is expr  # its tables are filled
    failing.fails = True
    with pytest.raises(KeyError) as caught:
        failing.visit(expr)
    assert caught.value.__notes__ == ["while visiting ()"]
