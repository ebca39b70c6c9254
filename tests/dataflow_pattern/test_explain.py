"""Why a pattern does not match: the nearest match, where it ends, and what was expected there."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

import relayish as relay
from relayish import tir
from relayish.dataflow_pattern import (
    DEMANDS,
    CallPattern,
    DFPattern,
    Explanation,
    FunctionPattern,
    Matcher,
    dominates,
    has_shape,
    has_type,
    is_constant,
    is_expr,
    is_if,
    is_let,
    is_node,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    wildcard,
)
from relayish.errors import PassError
from relayish.ir.nodes.node import declared_temporarily, node
from relayish.ir.relay.traversal import EXPRESSIONS
from tests.support.deep import DEEP_NESTS, call_chain
from tests.support.depth import DEPTH
from tests.support.random_exprs import random_expr
from tests.support.random_patterns import follow, instance, mend, random_pattern
from tests.support.seeds import seeds
from tests.support.work import lines_run

X, Y, Z = (relay.var(name, shape=(2, 3)) for name in "xyz")
IMAGE, WEIGHT = relay.var("i", shape=(1, 3, 8, 8)), relay.var("w", shape=(3, 3, 1, 1))
relu, tanh, exp, softmax = map(is_op, ("nn.relu", "tanh", "exp", "nn.softmax"))
conv2d = is_op("nn.conv2d")(wildcard(), wildcard())
dense = is_op("nn.dense")(wildcard(), wildcard())
CONV = relay.nn.conv2d(IMAGE, WEIGHT)
RELU = relay.nn.relu(CONV)
elementwise = wildcard().has_attr({"TOpPattern": 0})(wildcard())
chain = dominates(conv2d, elementwise, elementwise)
shared = wildcard()
i, j = tir.Var("i"), tir.Var("j")
C = relay.var("c", shape=(), dtype="bool")


def ways(parent: str, path: str) -> str:
    """Return what a dominator pattern expects, as explanations say it."""
    return f"every way back from exp(%0), over {path}, to lead to one {parent} used nowhere else"


NEITHER = "which is neither on the path nor at its beginning"
CONV_LINE = "nn.conv2d(%i, %w)"
WAYS = ways("nn.conv2d(*, *)", "*.has_attr({'TOpPattern': 0})(*)")

CASES = {
    "callee": (
        relu(tanh(wildcard())),
        relay.nn.relu(relay.exp(X)),
        "args[0]",
        "a call of tanh; found exp(%x)",
    ),
    "deep": (
        relu(conv2d + wildcard()),
        relay.exp(relay.nn.relu(X * Y + Z)),
        "args[0].args[0]",
        "a call of nn.conv2d; found multiply(%x, %y)",
    ),
    "other order": (
        relu(conv2d + is_constant()),
        relay.nn.relu(relay.const(1.0) + relay.exp(X)),
        "args[0].args[1]",
        "a call of nn.conv2d; found exp(%x)",
    ),
    "no call": (relu(conv2d), relay.nn.relu(X), "args[0]", "a call of nn.conv2d; found %x"),
    "any callee": (CallPattern(wildcard(), None), X, "", "a call; found %x"),
    "operands": (is_op("add")(wildcard()), X + Y, "", "1 operand; found 2 in add(%x, %y)"),
    "arms": (
        tanh(conv2d | dense),
        relay.tanh(X + Y),
        "args[0]",
        "a call of nn.conv2d or a call of nn.dense; found add(%x, %y)",
    ),
    "constant": (X * is_constant(), X * Y, "args[1]", "a constant; found %y"),
    "value": (
        wildcard() - is_expr(relay.const(2.0)),
        X - relay.const(1.0),
        "args[1]",
        "2f; found 1f",
    ),
    "variable": (exp(is_var("y")), relay.exp(X), "args[0]", "the variable %y; found %x"),
    "any variable": (
        exp(is_var()),
        relay.exp(CONV),
        "args[0]",
        "a variable; found nn.conv2d(%i, %w)",
    ),
    "same": (
        (shared - wildcard()) * shared,
        (X - Y) * Y,
        "args[1]",
        "the same node as before, %x; found %y, another one",
    ),
    "tuple": (relu(is_tuple()), relay.nn.relu(X), "args[0]", "a Tuple; found %x"),
    "fields": (
        is_tuple((wildcard(),)),
        relay.Tuple((X, Y)),
        "",
        "1 of its fields; found 2 in (%x, %y)",
    ),
    "projection": (
        relu(is_tuple_get_item(wildcard(), 1)),
        relay.nn.relu(relay.TupleGetItem(relay.Tuple((X, Y)), 0)),
        "args[0]",
        "field 1 of a tuple; found field 0: %0.0",
    ),
    "no projection": (is_tuple_get_item(wildcard()), X, "", "a projection of a tuple; found %x"),
    "if": (
        is_if(wildcard(), exp(wildcard()), tanh(wildcard())),
        relay.If(C, relay.exp(X), X),
        "false_branch",
        "a call of tanh; found %x",
    ),
    "let": (
        is_let(wildcard(), tanh(wildcard()), wildcard()),
        relay.Let(Y, relay.exp(X), Y),
        "value",
        "a call of tanh; found exp(%x)",
    ),
    "function": (
        FunctionPattern((is_var("x"),), exp(wildcard())),
        relay.Function([X], relay.tanh(X)),
        "body",
        "a call of exp; found tanh(%x)",
    ),
    "attribute": (
        relu(conv2d.has_attr({"groups": 4})),
        relay.nn.relu(CONV),
        "args[0]",
        "groups = 4; found groups = 1 in nn.conv2d(%i, %w)",
    ),
    "no attribute": (
        wildcard().has_attr({"axis": 1})(wildcard()),
        relay.nn.relu(X),
        "op",
        "axis = 1; found no axis in nn.relu",
    ),
    "dtype": (
        relu(wildcard().has_dtype("int8")),
        relay.nn.relu(X),
        "args[0]",
        "dtype int8; found float32 of %x",
    ),
    "shape": (exp(has_shape((2, 4))), relay.exp(X), "args[0]", "shape (2, 4); found (2, 3) of %x"),
    "type": (
        exp(has_type(relay.TensorType((2,), "int8"))),
        relay.exp(X),
        "args[0]",
        "type Tensor[(2), int8]; found Tensor[(2, 3), float32] of %x",
    ),
    "type of no tensor": (
        has_shape((1,), is_tuple()),
        relay.Tuple((X,)),
        "",
        "shape (1); found (Tensor[(2, 3), float32],) of (%x,)",
    ),
    "untyped": (
        relu(has_shape((2, 3))),
        relay.nn.relu(relay.Var("q")),
        "args[0]",
        "shape (2, 3); found no inferred type of %q: run InferType first",
    ),
    "astray": (
        chain,
        relay.exp(relay.nn.softmax(CONV)),
        "",
        f"{WAYS}; found nn.softmax(%0), {NEITHER}",
    ),
    "escapes": (
        chain,
        relay.Tuple((relay.exp(relay.nn.relu(CONV)), relay.nn.softmax(CONV))),
        "",
        f"{WAYS}; found nn.conv2d(%i, %w) used by nn.softmax(%0), too",
    ),
    "escapes on the way": (
        dominates(conv2d, elementwise, exp(wildcard())),
        relay.Tuple((relay.exp(RELU), relay.nn.softmax(RELU))),
        "",
        f"{WAYS}; found nn.relu(%0) used by nn.softmax(%0), too",
    ),
    "astray beside": (
        dominates(conv2d, elementwise, is_op("add")(wildcard(), wildcard())),
        relay.nn.relu(CONV) + relay.nn.softmax(IMAGE),
        "",
        f"{WAYS.replace('exp(%0)', 'add(%0, %1)')}; found nn.softmax(%i), {NEITHER}",
    ),
    "several parents": (
        dominates(conv2d, is_op("add")(wildcard(), wildcard()), exp(wildcard())),
        relay.exp(CONV + relay.nn.conv2d(IMAGE, IMAGE)),
        "",
        f"{ways('nn.conv2d(*, *)', 'add(*, *)')}; found several: {CONV_LINE} and nn.conv2d(%i, %i)",
    ),
    "parent": (
        dominates(relu(tanh(wildcard())), wildcard(), exp(wildcard())),
        relay.exp(relay.nn.relu(X)),
        "",
        f"{ways('nn.relu(tanh(*))', '*')}; found %x, {NEITHER}",
    ),
    "kind": (is_node(tir.Add)(wildcard(), is_node(tir.Minus)), i + j, "b", "a Minus; found j"),
    "regrouped": (
        is_op("divide")(is_op("multiply")(is_var("x"), is_var("y")), is_var("z")),
        X - Y,
        "",
        "a call of divide; found subtract(%x, %y)",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_explanation_names_the_place_and_what_was_expected_there(case: str) -> None:
    pattern, expr, path, reason = CASES[case]
    found = pattern.explain(expr)
    assert not found
    assert not pattern.match(expr)
    assert (found.mismatches[0].path, str(found.mismatches[0])) == (
        path,
        f"at {path or 'the root'}: expected {reason}",
    )
    assert found.mismatches[0].node is follow(found.nearest, path)


def test_explanation_is_a_few_lines() -> None:
    expr = relay.parse_expr(
        "free_var %x: Tensor[(2), float32]; nn.relu(add(exp(%x), 1f))", "net.relay"
    )
    assert str(relu(conv2d + is_constant()).explain(expr)) == (
        "nn.relu(add(nn.conv2d(*, *), is_constant())) does not match\n"
        "nearest: nn.relu(add(exp(%x), 1f)) at net.relay:1:36, of which 4 parts had matched\n"
        "  at args[0].args[0]: expected a call of nn.conv2d; found exp(%x) at net.relay:1:48"
    )


def test_place_is_told_where_values_differ_that_look_alike() -> None:
    zeros, ones = relay.const(np.zeros((3, 4))), relay.const(np.ones((3, 4)))
    told = is_expr(zeros + X).explain(ones + X).mismatches[0]
    assert (told.expected, told.found.partition(":")[0]) == (
        "add(float32[3, 4], %x)",
        "add(float32[3, 4], %x)",
    )
    assert told.found.endswith(": different values at <root>.args[0].data")


def test_what_matches_is_told() -> None:
    pattern = exp(wildcard())
    root, inside = pattern.explain(relay.exp(X)), pattern.explain(relay.tanh(relay.exp(X)))
    assert (bool(root), root.matches_root, root.mismatches) == (True, True, ())
    assert str(root) == "exp(*) matches the root: exp(%x)"
    assert (bool(inside), inside.matches_root) == (True, False)
    assert str(inside) == (
        "exp(*) matches: exp(%x)\nbut not the root: tanh(exp(%x))\n"
        "  at the root: expected a call of exp; found tanh(%0)"
    )


def test_part_that_matches_is_told_where_the_operator_around_it_is_missing() -> None:
    biased = CONV + relay.const(1.0)
    pattern = relu((conv2d + is_constant()).has_dtype("float32"))
    found = pattern.explain(relay.Tuple((relay.exp(relay.tanh(biased)),)))
    assert found.held == 0
    assert (found.part.pattern, found.part.node) == (pattern.args[0].pattern, biased)
    assert str(found).splitlines()[-1] == (
        "  though its part add(nn.conv2d(*, *), is_constant()) matches "
        "add(nn.conv2d(%i, %w), 1f), used by tanh(%0)"
    )
    whole = pattern.explain(biased)
    assert whole.part.user is None
    assert str(whole).endswith("matches add(nn.conv2d(%i, %w), 1f)")


def test_inner_part_is_told_where_no_larger_one_matches() -> None:
    pattern = relu(tanh(conv2d - is_constant()))
    assert pattern.explain(relay.exp(CONV)).part.pattern is conv2d
    assert pattern.explain(relay.exp(X)).part is None
    assert pattern.explain(relay.nn.relu(CONV)).part is None
    assert relu(wildcard()).explain(relay.Tuple((X,))).part is None


def test_variable_that_a_let_binds_is_told_with_what_it_stands_for() -> None:
    bound = relay.Let(Y, relay.tanh(X), relay.Let(Z, relay.exp(X), relay.nn.relu(Y)))
    told = relu(tanh(wildcard())).explain(bound)
    assert str(told.mismatches[0]) == (
        "at args[0]: expected a call of tanh; found %y, bound to tanh(%x) by a let: "
        "run ToGraphNormalForm first"
    )


def test_of_equally_near_matches_the_outermost_is_told() -> None:
    expr = relay.nn.relu(relay.tanh(relay.nn.relu(relay.tanh(X))))
    assert relu(exp(wildcard())).explain(expr).nearest is expr


def test_nearer_match_inside_is_told_instead_of_the_root() -> None:
    inner = relay.nn.relu(relay.exp(X))
    found = relu(exp(is_constant())).explain(relay.nn.relu(inner))
    assert (found.nearest, found.held) == (inner, 4)


def test_what_matches_anything_does_not_make_a_match_nearer() -> None:
    found = (wildcard() - (wildcard() - conv2d)).explain(relay.Tuple((X - (Y - Z), CONV)))
    assert found.held == 4
    assert is_tuple((wildcard(), wildcard())).explain(X).held == 0


def test_operator_that_fits_is_nearer_than_another_one() -> None:
    expr = relay.Tuple((relay.exp(X), relay.nn.relu(X)))
    assert relu(wildcard(), wildcard()).explain(expr).nearest is expr.fields[1]


def test_alternatives_around_a_part_do_not_make_a_match_nearer() -> None:
    expr = relay.Tuple((relay.nn.softmax(X), relay.exp(X)))
    pattern = (exp(conv2d) | tanh(conv2d)) | softmax(conv2d)
    assert pattern.explain(expr).nearest is expr.fields[0]


def test_arms_of_alternatives_are_all_told() -> None:
    pattern = relu(tanh(conv2d)) | relu(exp(wildcard())) | softmax(wildcard())
    told = pattern.explain(relay.nn.relu(relay.tanh(X)))
    assert [(each.path, each.expected) for each in told.mismatches] == [
        ("args[0].args[0]", "a call of nn.conv2d"),
        ("args[0]", "a call of exp"),
        ("", "a call of nn.softmax"),
    ]
    assert str(told).count("\n  or at ") == 2


def test_many_alternatives_are_cut_short() -> None:
    rows = [
        [wildcard()] * place + [tanh(wildcard())] + [wildcard()] * (9 - place)
        for place in range(10)
    ]
    pattern = relu(wildcard())
    for row in rows:
        pattern = pattern | is_tuple(row)
    told = str(pattern.explain(relay.Tuple([X] * 10)))
    assert told.count("\n  or at ") == 5
    assert told.endswith("\n  or by other alternatives")


def test_part_that_failed_before_is_explained_where_it_is_met_again() -> None:
    """Its failure is known when the outer arm comes to it, by another way."""
    inside = (tanh(conv2d) | exp(wildcard())) - wildcard()
    pattern = relu(inside) | inside
    inner = relay.tanh(X) - Y
    told = pattern.explain(relay.nn.relu(relay.Tuple((inner,))))
    assert (told.nearest, told.mismatches[0].path) == (inner, "args[0].args[0]")
    told = (is_tuple((inside, exp(wildcard()))) | is_tuple((inside, wildcard()))).explain(
        relay.Tuple((relay.tanh(X) - Y, Z))
    )
    assert told.mismatches[0].path == "fields[0].args[0].args[0]"


def test_failure_that_is_known_has_the_path_by_which_it_is_met_last() -> None:
    inner = tanh(conv2d) | tanh(dense)
    pattern = (exp(inner) | wildcard()) - exp(exp(inner))
    node = relay.tanh(X)
    told = pattern.explain(relay.exp(node) - relay.exp(relay.exp(node)))
    assert told.mismatches[0].path == "args[1].args[0].args[0].args[0]"


def test_node_that_is_held_twice_is_told_where_it_failed() -> None:
    assert (exp(wildcard()) - tanh(wildcard())).explain(relay.subtract(relay.exp(X), X)).mismatches[
        0
    ].path == "args[1]"
    pattern = is_op("where")(wildcard(), wildcard(), is_constant())
    assert pattern.explain(relay.where(X, X, X)).mismatches[0].path == "args[2]"


def test_root_of_another_language_is_explained() -> None:
    told = is_node(tir.Add)(wildcard(), is_node(tir.Minus)).explain(tir.Minus(i + (j + i)))
    assert (told.nearest, told.mismatches[0].path) == (told.nearest, "b")


def test_what_is_no_node_is_refused() -> None:
    with pytest.raises(PassError, match="explain takes an expression; found 3"):
        wildcard().explain(3)


@pytest.fixture
def same_operands() -> Iterator[type[DFPattern]]:
    with declared_temporarily():

        @node("same_operands_to_explain")
        class SameOperands(DFPattern):
            pattern: DFPattern

        @DEMANDS.register(SameOperands)
        def demand(pattern: SameOperands, expr: relay.Expr) -> object:
            if type(expr) is not relay.Call or expr.args[0] is not expr.args[-1]:
                return None
            return [(pattern.pattern, arg) for arg in expr.args]

        yield SameOperands


def test_kind_that_a_user_adds_is_explained(same_operands: type[DFPattern]) -> None:
    pattern = relu(same_operands(exp(wildcard())))
    told = pattern.explain(relay.nn.relu(X * Y)).mismatches[0]
    assert (told.path, told.found) == ("args[0]", "multiply(%x, %y)")
    assert told.expected == "what same_operands_to_explain(exp(*)) demands"
    told = pattern.explain(relay.nn.relu(X * X)).mismatches[0]
    assert (told.path, told.expected) == ("args[0].args[0]", "a call of exp")


# --- properties -----------------------------------------------------------------------------


def random_cases(seed: int) -> Iterator[tuple[DFPattern, relay.Expr]]:
    rng = random.Random(seed)
    expr, other = random_expr(seed, 30), random_expr(seed + 1, 30)
    nodes = [each for each in EXPRESSIONS.post_order(expr) if isinstance(each, relay.Expr)]
    for _ in range(4):
        pattern = random_pattern(rng, rng.choice(nodes))
        yield pattern, expr
        yield pattern, other


@pytest.mark.parametrize("seed", seeds(20))
def test_explanation_agrees_with_match(seed: int) -> None:
    for pattern, expr in random_cases(seed):
        matcher = Matcher(pattern, expr)
        order = [e for e in EXPRESSIONS.pre_order(expr) if isinstance(e, relay.Expr)]
        first = next(filter(matcher.match, order), None)
        found = pattern.explain(expr)
        assert found.matched is first
        assert bool(found) is (first is not None)
        assert found.matches_root is pattern.match(expr)
        assert bool(found.mismatches) is not found.matches_root


@pytest.mark.parametrize("seed", seeds(20))
def test_mending_the_named_place_lets_the_match_go_further(seed: int) -> None:
    for pattern, expr in random_cases(seed):
        told = pattern.explain(expr)
        for _ in range(40):
            if told.matches_root:
                break
            first = told.mismatches[0]
            assert follow(told.nearest, first.path) is first.node
            image = mend(told.nearest, first.path, instance(first.pattern))
            again = pattern.explain(image)
            assert again.matches_root or again.held > told.held or gone_on(told, again)
            told = again
        assert told.matches_root


def gone_on(before: Explanation, after: Explanation) -> bool:
    """Return whether a match went further by parts that match anything, which are not counted."""
    return after.held == before.held and after.mismatches[0].path != before.mismatches[0].path


# --- cost ------------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("nest", DEEP_NESTS.values(), ids=DEEP_NESTS)
def test_program_of_any_depth_is_explained(nest) -> None:
    assert relu(conv2d).explain(nest(DEPTH)).nearest is not None


@pytest.mark.deep
def test_tuple_of_any_width_is_explained() -> None:
    pattern, expr = is_tuple([wildcard()] * DEPTH), relay.Tuple([X] * (DEPTH - 1) + [Y])
    assert pattern.explain(expr).mismatches[0].path == f"fields[{DEPTH - 1}]"


@pytest.mark.deep
def test_pattern_that_is_part_of_itself_is_explained_at_any_depth() -> None:
    tower = wildcard()
    tower.redirect_to(relu(tower) | is_var())
    expr = relay.exp(X)
    for _ in range(DEPTH):
        expr = relay.nn.relu(expr)
    told = tower.explain(expr)
    assert told.matched is X
    assert told.mismatches[0].path.count("args[0]") == DEPTH


@pytest.mark.parametrize(
    "pattern",
    [
        relu((conv2d | dense) + is_constant()).optional(tanh),
        ((wildcard() + is_constant()) + is_constant()) + conv2d,
        dominates(conv2d, wildcard() + wildcard(), wildcard() + wildcard()),
    ],
)
def test_explaining_takes_work_linear_in_the_program(pattern: DFPattern) -> None:
    few, many = call_chain(60), call_chain(240)
    assert lines_run(lambda: pattern.explain(many)) < 4.8 * lines_run(lambda: pattern.explain(few))


def test_explaining_many_alternatives_looks_at_some() -> None:
    def work(count: int) -> int:
        pattern = is_var("y")
        for _ in range(count):
            pattern = pattern | is_var("z")
        told = pattern.explain(X).mismatches[0]
        assert told.expected.startswith("the variable %y or the variable %z")
        return lines_run(lambda: pattern.explain(X))

    assert work(400) < 4.5 * work(100)


def test_explaining_alternatives_that_fail_does_not_multiply() -> None:
    def work(levels: int) -> int:
        pattern, expr = is_var("y"), X
        for _ in range(levels):
            pattern, expr = relu(pattern) | relu(pattern), relay.nn.relu(expr)
        return lines_run(lambda: pattern.explain(expr))

    assert work(40) < 5 * work(20)
