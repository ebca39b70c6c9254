"""Type inference takes time linear in the program, and no stack, whatever its types are."""

from __future__ import annotations

import pytest

from relayish.analysis import infer_type
from relayish.errors import TypeInferenceError
from relayish.ir.relay.expr import Function, If, Tuple, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.text import astext
from tests.support.deep import DEEP_NESTS, doublings, function_nest
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.open_programs import NUMBER, OPEN_PROGRAMS, TRUE, zero
from tests.support.work import lines_run


def annotated_function_nest(levels):
    expr = zero()
    for _ in range(levels):
        expr = Function((Var("x", NUMBER),), expr)
    return expr


NESTS = DEEP_NESTS | {"function_nest": annotated_function_nest}


def grows_linearly(build, size):
    """Return whether twice the program takes no more than a bit over twice the work."""
    once, twice = (build(n) for n in (size, 2 * size))
    infer_type(once)  # what is looked up once and for all is there
    first = lines_run(lambda: infer_type(once, fresh=True))
    second = lines_run(lambda: infer_type(twice, fresh=True))
    return second <= 2.4 * first


@pytest.mark.parametrize("name", OPEN_PROGRAMS)
def test_late_types_are_inferred_in_linear_time(name):
    assert grows_linearly(OPEN_PROGRAMS[name], 80)


@pytest.mark.parametrize("name", NESTS)
def test_nests_are_inferred_in_linear_time(name):
    assert grows_linearly(NESTS[name], 100)


@each("name", OPEN_PROGRAMS)
def test_late_types_are_inferred_once_and_for_all(name):
    typed = infer_type(OPEN_PROGRAMS[name](40))
    assert infer_type(typed) is typed
    assert infer_type(typed, fresh=True) is typed


@pytest.mark.deep
@pytest.mark.parametrize("name", NESTS)
def test_nest_as_deep_as_one_likes_is_inferred(name):
    typed = infer_type(NESTS[name](DEPTH))
    assert typed.checked_type is not None
    assert infer_type(typed) is typed


@pytest.mark.deep
@pytest.mark.parametrize("name", ["curried", "pending_projections", "pending_reads", "wide_match"])
def test_late_types_as_deep_as_one_likes_are_inferred(name):
    assert astext(infer_type(OPEN_PROGRAMS[name](min(DEPTH, 20_000))).checked_type) == "int32"


@pytest.mark.deep
def test_many_functions_in_a_cycle_are_inferred():
    mod = infer_type(OPEN_PROGRAMS["cycle_of_unannotated_globals"](min(DEPTH, 10_000)))
    assert all(f.ret_type is not None for f in mod.functions.values())
    assert astext(mod["f0"].checked_type) == "fn (int32) -> int32"


@pytest.mark.deep
def test_wide_tuple_is_inferred():
    typed = infer_type(OPEN_PROGRAMS["wide_projections"](DEPTH))
    assert len(typed.checked_type.fields) == DEPTH


def test_shared_nodes_are_looked_at_once():
    typed = infer_type(doublings(100))
    assert len(EXPRESSIONS.post_order(typed)) == len(EXPRESSIONS.post_order(doublings(100)))


@pytest.mark.parametrize("depth", [1, 10, 1_000])
def test_type_that_contains_itself_is_told_at_any_depth(depth):
    inner = outer = Var("x")
    for _ in range(depth):
        outer = Tuple((outer,))
    with pytest.raises(TypeInferenceError, match="would contain itself"):
        infer_type(Function((inner,), If(TRUE, inner, outer)))


def test_two_types_that_contain_themselves_are_compared_without_end():
    one, other = Var("x"), Var("y")
    deep_one, deep_other = one, other
    for _ in range(200):
        deep_one, deep_other = Tuple((deep_one,)), Tuple((deep_other,))
    pairs = [(one, deep_one), (other, deep_other), (one, other)]
    body = Tuple(tuple(If(TRUE, *pair) for pair in pairs))
    with pytest.raises(TypeInferenceError, match="would contain itself"):
        infer_type(Function((one, other), body))


def test_parameters_whose_type_nothing_tells_cost_the_same_however_deep_they_stand():
    def refused(levels):
        nested = function_nest(levels)

        def run():
            with pytest.raises(TypeInferenceError, match="the type of %x cannot be told"):
                infer_type(nested)

        return run

    refused(10)()  # what is looked up once and for all is there
    assert lines_run(refused(400)) <= 2.4 * lines_run(refused(200))
