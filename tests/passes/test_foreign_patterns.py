"""Passes on matches with patterns of a kind that another package declares."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import relayish as relay
from relayish import Call, Function, IRModule, Let, Tuple, TupleGetItem, Var
from relayish.analysis import PATTERN_COVERS, PATTERN_TYPE_RULES, infer_type, well_formed
from relayish.errors import GradientError, RelayishError, UnknownKindError
from relayish.interpreter import MATCHERS, evaluate
from relayish.ir.nodes.node import declared_temporarily, field, node
from relayish.ir.relay.adt import Clause, Match, Pattern, PatternTuple, PatternVar
from relayish.ir.relay.type import TensorType, TupleType
from relayish.passes.relay.gradient.ad.kind_rules import GRADIENT_RULES, ControlFlow
from relayish.passes.relay.gradient.gradient import gradient
from relayish.passes.relay.normal_form.to_cps import to_cps
from relayish.passes.relay.normal_form.un_cps import un_cps
from relayish.transform import get_pass
from tests.support.declared import known_in_tests
from tests.support.each import each
from tests.support.languages_of_passes import OTHER_PASSES, RELAY_PASSES, check_given_back
from tests.support.random_exprs import same_value

DECLARED = declared_temporarily()
with DECLARED:

    @node("pattern_as")
    class PatternAs(Pattern):
        """``var @ pattern``: binds the whole, and what is inside."""

        var: Var = field(binder=True)
        pattern: Pattern

    @PATTERN_TYPE_RULES.register(PatternAs)
    def type_as(pattern, infer, matched):
        infer.bind(pattern.var, matched)
        return [(pattern.pattern, matched)]

    @MATCHERS.register(PatternAs)
    def match_as(pattern, value):
        return ((pattern.var, value), (pattern.pattern, value))

    PATTERN_COVERS.register(PatternAs, lambda pattern: pattern.pattern)


_kinds = known_in_tests(DECLARED)

TENSOR = TensorType((2,), "float32")
GIVEN = np.array([1.5, -2.0], "float32")


def program(source: str) -> Function:
    """A function that matches a pair by the pattern, and uses it whole and in parts."""
    x, pair = Var("x", TENSOR), Var("pair", TupleType((TENSOR, TENSOR)))
    whole, left, right = Var("whole"), Var("left"), Var("right")
    data = {
        "made": Tuple((x, relay.exp(x))),
        "zeros": Tuple((x, relay.zeros_like(x))),
        "constant": Tuple((relay.const(GIVEN), relay.const(GIVEN + 1))),
    }.get(source, pair)
    pattern = PatternAs(whole, PatternTuple((PatternVar(left), PatternVar(right))))
    result = relay.exp(TupleGetItem(whole, 0)) + left * right + TupleGetItem(whole, 1) + x
    body = Match(data, (Clause(pattern, result),))
    zeros = Tuple((x, relay.zeros_like(x)))
    if source == "named":
        body = Let(pair, zeros, Tuple((TupleGetItem(pair, 1) + x, body)))
    elif source == "given":
        body = Call(Function((pair,), body), (zeros,))
    return infer_type(Function((x,), body))


SOURCES = ("made", "zeros", "constant", "given", "named")


@each("source", SOURCES)
@each("name", [name for name in RELAY_PASSES if name != "RaiseToOnnx"])
def test_pass_keeps_the_value_of_a_match(name, source):
    check_keeps(name, source)


@pytest.mark.references
@each("source", SOURCES)
def test_raising_to_onnx_keeps_the_value_of_a_match(source):
    pytest.importorskip("onnx")
    check_keeps("RaiseToOnnx", source)


@each("source", SOURCES)
@each("name", OTHER_PASSES)
def test_pass_of_another_language_gives_a_match_back(name, source):
    check_given_back(name, [IRModule.from_expr(program(source))])


def check_keeps(name, source):
    mod = IRModule.from_expr(program(source))
    expected = evaluate(mod["main"], mod, [GIVEN])
    try:
        made = get_pass(name)
    except RelayishError:
        return  # it has options that must be given
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        if name == "FirstOrderGradient":
            with pytest.raises(GradientError):
                made(mod)
            return
        out = made(mod)
    assert well_formed(out)
    if name not in ("ToMixedPrecision", "FastMath"):  # which round otherwise
        assert same_value(evaluate(out["main"], out, [GIVEN]), expected)


@pytest.mark.parametrize("source", SOURCES)
def test_partial_evaluation_leaves_a_match_of_another_kind_of_pattern(source):
    mod = IRModule.from_expr(program(source))
    out = get_pass("PartialEvaluate")(mod)
    assert well_formed(out)
    assert same_value(evaluate(out["main"], out, [GIVEN]), evaluate(mod["main"], mod, [GIVEN]))


@pytest.mark.parametrize("source", SOURCES)
def test_continuations_go_through_a_match_of_another_kind_of_pattern(source):
    func = program(source)
    image = un_cps(to_cps(func))
    assert well_formed(image)
    assert same_value(evaluate(image, None, [GIVEN]), evaluate(func, None, [GIVEN]))


def test_gradient_refuses_a_kind_of_pattern_that_nothing_is_known_of():
    with pytest.raises(UnknownKindError, match=r"GRADIENT_RULES\.register\(PatternAs"):
        gradient(program("made"))


def test_gradient_goes_through_a_kind_of_pattern_that_only_leads_values():
    with declared_temporarily():
        GRADIENT_RULES.register(PatternAs, ControlFlow())
        image = gradient(program("made"))
        assert well_formed(image)
        value, (found,) = evaluate(image, None, [GIVEN])
    exp = np.exp(GIVEN)
    assert np.allclose(value, exp + GIVEN * exp + exp + GIVEN)
    assert np.allclose(found, exp + exp + GIVEN * exp + exp + 1)


@pytest.mark.parametrize("source", SOURCES)
def test_zeros_that_another_kind_of_pattern_looks_at_are_made(source):
    mod = IRModule.from_expr(program(source))
    out = get_pass("LazyGradientInit")(mod)
    assert same_value(evaluate(out["main"], out, [GIVEN]), evaluate(mod["main"], mod, [GIVEN]))
