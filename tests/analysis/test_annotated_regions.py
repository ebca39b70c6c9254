"""Regions between marks, as Relay finds them."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.analysis import AnnotatedRegionSet
from relayish.errors import AnalysisError
from relayish.ir.relay.expr import Call, Expr, Function, If, Let, Tuple, TupleGetItem, Var
from relayish.op import get_op
from tests.support.depth import DEPTH

compiler_begin, compiler_end = relay.annotation.compiler_begin, relay.annotation.compiler_end
BEGIN, END = get_op("annotation.compiler_begin"), get_op("annotation.compiler_end")


def regions_of(expr: Expr) -> AnnotatedRegionSet:
    return AnnotatedRegionSet(expr, BEGIN, END)


def check(regions: AnnotatedRegionSet, args: list[Expr], inner: list[Expr], rets: list[Expr]):
    region = regions.get_region(args[0])
    assert region is not None
    assert set(region.args) == set(args)
    assert set(region.rets) == set(rets)
    assert region.nodes == {*args, *inner, *rets}
    assert region.target == rets[0].attrs.compiler
    assert region in list(regions)


def test_regions_of_two_compilers_around_a_diamond():
    x = Var("x")
    entered = compiler_begin(x, "one")
    first = relay.exp(entered)
    left, also = compiler_end(first, "one"), compiler_end(first, "one")
    middle = compiler_begin(left, "one")
    second = relay.log(middle)
    third = compiler_end(second, "one")
    default = compiler_begin(also, "default")
    other = relay.tanh(default)
    fourth = compiler_end(other, "default")
    a, b = compiler_begin(third, "one"), compiler_begin(fourth, "one")
    last = relay.add(a, b)
    result = compiler_end(last, "one")
    regions = regions_of(Function((x,), result))
    assert len(regions) == 4
    assert [region.id for region in regions.regions] == [0, 1, 2, 3]
    check(regions, [entered], [first], [left, also])
    check(regions, [middle], [second], [third])
    check(regions, [default], [other], [fourth])
    check(regions, [a, b], [last], [result])
    assert regions.get_region(x) is None


def test_what_no_mark_parts_is_one_region():
    x = Var("x")
    entered = compiler_begin(x, "one")
    first = relay.exp(entered)
    left = compiler_end(first, "one")
    second = relay.log(first)
    also = compiler_end(second, "one")
    default = compiler_begin(left, "default")
    other = relay.tanh(default)
    fourth = compiler_end(other, "default")
    regions = regions_of(Tuple((fourth, also)))
    assert len(regions) == 2
    check(regions, [entered], [first, second], [left, also])
    check(regions, [default], [other], [fourth])


def test_value_that_leaves_and_enters_one_region_is_inside():
    entered = compiler_begin(Var("x"), "one")
    first = relay.exp(entered)
    left = compiler_end(first, "one")
    again = compiler_begin(left, "one")
    both = relay.add(again, first)
    result = compiler_end(both, "one")
    regions = regions_of(result)
    assert len(regions) == 1
    [region] = regions
    assert (region.args, region.rets) == ([entered], [result])
    assert region.nodes == {entered, first, left, again, both, result}


def test_regions_hold_tuples_projections_branches_and_lets():
    x, y = compiler_begin(Var("x"), "one"), Var("y")
    pair = Tuple((x, x))
    item = TupleGetItem(pair, 1)
    branch = If(item, item, item)
    let = Let(y, branch, y)
    regions = regions_of(compiler_end(let, "one"))
    for node in (x, pair, item, branch, let, y):
        region = regions.get_region(node)
        assert region is not None
        assert region.id == 0


def test_program_without_marks_has_no_region():
    assert len(regions_of(relay.exp(Var("x")))) == 0


def test_value_that_enters_nothing_is_refused():
    with pytest.raises(AnalysisError, match="lets a value enter, and nothing that uses it leaves"):
        regions_of(relay.exp(compiler_begin(Var("x"), "one")))


def test_region_of_two_compilers_is_refused():
    inner = relay.exp(compiler_begin(Var("x"), "one"))
    with pytest.raises(AnalysisError, match="belongs to regions of 'one' and of 'two'"):
        regions_of(Tuple((compiler_end(inner, "two"), compiler_end(inner, "one"))))


@pytest.mark.deep
def test_regions_are_found_at_any_depth():
    tail: Expr = compiler_begin(Var("x"), "one")
    for _ in range(DEPTH):
        tail = Call(get_op("exp"), (tail,))
    [region] = regions_of(compiler_end(tail, "one"))
    assert len(region.nodes) == DEPTH + 2
