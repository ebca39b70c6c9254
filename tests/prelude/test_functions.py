"""Every function of the prelude, against what Python makes of lists."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path

import pytest

from relayish.errors import EvaluationError
from relayish.interpreter import ConstructorValue, create_executor
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Call, Function, If, Tuple
from relayish.op import equal, multiply, subtract
from relayish.prelude import Prelude
from relayish.text import parse_expr
from tests.support.depth import DEPTH
from tests.support.seeds import quickly

hypothesis = pytest.importorskip("hypothesis")
given, st = hypothesis.given, hypothesis.strategies
few = quickly(15)

P = Prelude()
RUN = create_executor(mod=P.mod)
_, CONS, NIL = P.mod.get_type("List")
_, SOME, NONE = P.mod.get_type("Option")
_, ROSE = P.mod.get_type("Tree")
_, ZERO, SUCC = P.mod.get_type("nat")

numbers = st.lists(st.integers(-1000, 1000), max_size=12)
some_numbers = st.lists(st.integers(-1000, 1000), min_size=1, max_size=12)
trees = st.recursive(
    st.tuples(st.integers(-9, 9), st.just([])),
    lambda below: st.tuples(st.integers(-9, 9), st.lists(below, max_size=3)),
    max_leaves=10,
)


def call(name, *args):
    return RUN.evaluate(name)(*args)


def function(text):
    return RUN.evaluate(parse_expr(text))


def to_list(items):
    made = ConstructorValue(1, (), NIL)
    for item in reversed(items):
        made = ConstructorValue(0, (item, made), CONS)
    return made


def from_list(value):
    items = []
    while value.constructor is CONS:
        item, value = value.fields
        items.append(item)
    assert value.constructor is NIL
    return items


def to_nat(number):
    made = ConstructorValue(0, (), ZERO)
    for _ in range(number):
        made = ConstructorValue(1, (made,), SUCC)
    return made


def from_nat(value):
    number = 0
    while value.constructor is SUCC:
        (value,) = value.fields
        number += 1
    assert value.constructor is ZERO
    return number


def to_tree(tree):
    value, below = tree
    return ConstructorValue(0, (value, to_list([to_tree(item) for item in below])), ROSE)


def from_tree(value):
    assert value.constructor is ROSE
    return value.fields[0], [from_tree(item) for item in from_list(value.fields[1])]


DOUBLED = "fn (%x: int32) -> int32 { %x * 2 }"
MINUS = "fn (%x: int32, %y: int32) -> int32 { 3 * %x - %y }"


def minus(x, y):
    return 3 * x - y


def wrapped(number):
    """Return a number as 32 bits hold it."""
    return (number + 2**31) % 2**32 - 2**31


@given(st.integers(-99, 99))
@few
def test_functions_of_functions_do_what_they_say(x):
    less, twice = function("fn (%x: int32) { %x - 1 }"), function(DOUBLED)
    assert call("id", x) == x
    assert call("compose", less, twice)(x) == 2 * x - 1
    assert call("flip", function(MINUS))(x, 7) == minus(7, x)


@given(some_numbers, st.data())
@few
def test_elements_are_found_and_replaced(xs, data):
    n = data.draw(st.integers(0, len(xs) - 1))
    given_list = to_list(xs)
    assert call("hd", given_list) == xs[0]
    assert from_list(call("tl", given_list)) == xs[1:]
    assert call("nth", given_list, n) == xs[n]
    assert from_list(call("update", given_list, n, 77)) == [*xs[:n], 77, *xs[n + 1 :]]
    assert call("nat_nth", given_list, to_nat(n)) == xs[n]
    changed = call("nat_update", given_list, to_nat(n), 77)
    assert from_list(changed) == [*xs[:n], 77, *xs[n + 1 :]]
    assert from_list(given_list) == xs


@pytest.mark.parametrize(
    ("name", "further"), [("hd", ()), ("tl", ()), ("nth", (0,)), ("update", (0, 1))]
)
def test_elements_of_an_empty_list_are_an_error(name, further):
    with pytest.raises(EvaluationError):
        call(name, to_list([]), *further)


@given(numbers, numbers)
@few
def test_lists_are_made_of_lists(xs, ys):
    assert call("length", to_list(xs)) == len(xs)
    assert from_list(call("map", function(DOUBLED), to_list(xs))) == [2 * x for x in xs]
    assert from_list(call("concat", to_list(xs), to_list(ys))) == xs + ys
    positive = function("fn (%x: int32) { %x > 0 }")
    assert from_list(call("filter", positive, to_list(xs))) == [x for x in xs if x > 0]
    assert from_list(call("zip", to_list(xs), to_list(ys))) == list(zip(xs, ys, strict=False))
    assert from_list(call("rev", to_list(xs))) == xs[::-1]


@given(numbers, st.integers(-9, 9))
@few
def test_folds_go_from_the_side_they_are_called_after(xs, start):
    f = function(MINUS)
    assert call("sum", to_list(xs)) == sum(xs)
    left = wrapped(functools.reduce(minus, xs, start))
    assert call("foldl", f, start, to_list(xs)) == left
    flipped = functools.partial(functools.reduce, lambda acc, x: minus(x, acc))
    assert call("foldr", f, start, to_list(xs)) == wrapped(flipped(xs[::-1], start))
    if xs:
        assert call("foldr1", f, to_list(xs)) == wrapped(flipped(xs[::-1]))


@given(numbers, st.integers(-9, 9))
@few
def test_accumulating_maps_pass_on_what_they_gather(xs, start):
    step = function("fn (%a: int32, %x: int32) { (%a + %x, %a * 2 + %x) }")
    gathered, made = call("map_accuml", step, start, to_list(xs))
    sums = list(itertools.accumulate(xs, initial=start))
    assert gathered == sums[-1]
    assert from_list(made) == [2 * a + x for a, x in zip(sums, xs, strict=False)][::-1]
    gathered, made = call("map_accumr", step, start, to_list(xs))
    sums = list(itertools.accumulate(xs[::-1], initial=start))
    assert gathered == sums[-1]
    assert from_list(made) == [2 * a + x for a, x in zip(sums, xs[::-1], strict=False)][::-1]


@given(st.integers(0, 12))
@few
def test_unfolds_yield_until_there_is_nothing(n):
    seed = var("seed", "int32")
    more = Call(SOME, (Tuple((subtract(seed, const(1)), multiply(seed, seed))),))
    step = RUN.evaluate(Function((seed,), If(equal(seed, const(0)), Call(NONE, ()), more)))
    squares = [k * k for k in range(n, 0, -1)]
    assert from_list(call("unfoldr", step, n)) == squares
    assert from_list(call("unfoldl", step, n)) == squares[::-1]


@given(trees)
@few
def test_trees_are_mapped_and_measured(tree):
    def doubled(node):
        return 2 * node[0], [doubled(item) for item in node[1]]

    def size(node):
        return 1 + sum(size(item) for item in node[1])

    assert from_tree(call("tmap", function(DOUBLED), to_tree(tree))) == doubled(tree)
    assert call("size", to_tree(tree)) == size(tree)


@given(st.integers(0, 9), st.integers(0, 9))
@few
def test_natural_numbers_are_counted(m, n):
    assert from_nat(call("nat_add", to_nat(m), to_nat(n))) == m + n
    assert from_nat(call("nat_double", to_nat(n))) == 2 * n
    times = function("fn (%x: int32) { %x * 3 + 1 }")
    expected = functools.reduce(lambda x, _: 3 * x + 1, range(n), m)
    assert call("nat_iterate", times, to_nat(n))(m) == expected
    assert call("iterate", times, n)(m) == expected


def test_every_function_of_the_prelude_is_tested_here():
    source = Path(__file__).read_text(encoding="utf-8")
    untested = [v.name_hint for v in P.mod if f'call("{v.name_hint}"' not in source]
    assert untested == []


@pytest.mark.deep
def test_long_lists_are_computed_with():
    n = min(DEPTH, 10_000)
    xs = to_list(list(range(n)))
    assert call("length", xs) == n
    assert from_list(call("map", function(DOUBLED), xs)) == [2 * x for x in range(n)]
    assert call("foldl", function("fn (%a: int32, %x: int32) { %a + %x }"), 0, xs) == sum(range(n))
    assert call("foldr", function("fn (%x: int32, %a: int32) { %a - %x }"), 0, xs) == -sum(range(n))
    assert from_list(call("concat", xs, call("rev", xs)))[-2:] == [1, 0]
    assert len(from_list(call("zip", xs, xs))) == n
    assert call("iterate", function("fn (%x: int32) { %x + 1 }"), n)(0) == n
    assert from_nat(call("nat_double", to_nat(n))) == 2 * n
