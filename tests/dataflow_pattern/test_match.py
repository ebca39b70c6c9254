"""What patterns match: what TVM's tests of its pattern language establish, and more."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish import core, tir
from relayish.dataflow_pattern import (
    CallPattern,
    FunctionPattern,
    Matcher,
    TuplePattern,
    WildcardPattern,
    dominates,
    has_attr,
    has_dtype,
    has_shape,
    has_type,
    is_constant,
    is_expr,
    is_if,
    is_let,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    match,
    wildcard,
)
from relayish.errors import DeclarationError, FieldError, FrozenNodeError, UnknownNameError
from relayish.ir.relay.op import intern_op
from relayish.op.declaration.properties import OpPattern

X = relay.var("x", shape=(1,))
Y = relay.var("y", shape=(1,))
INPUT = relay.var("input", shape=(1, 3, 8, 8))
WEIGHT = relay.var("weight", shape=(3, 3, 1, 1))
relu, leaky, tanh = relay.nn.relu, lambda e: relay.nn.leaky_relu(e, alpha=0.0), relay.tanh


def conv(data=INPUT, weight=WEIGHT):
    return relay.nn.conv2d(data, weight)


# --- single kinds ---------------------------------------------------------------------------


def test_expression_pattern_matches_the_expression_and_its_equals_only():
    assert is_expr(X + Y).match(X + Y)
    assert not is_expr(X + Y).match(Y + X)
    assert is_expr(relay.const(1)).match(relay.const(1))
    assert not is_expr(relay.const(1)).match(relay.const(1.0))
    assert not is_expr(relay.const(0.0)).match(relay.const(-0.0))


def test_variable_pattern_matches_by_name_or_any():
    assert is_var().match(X)
    assert is_var("x").match(X)
    assert not is_var("x").match(Y)
    assert not is_var().match(X + Y)


def test_constant_pattern_matches_constants_only():
    assert is_constant().match(relay.const(np.zeros((2, 2), "float32")))
    assert not is_constant().match(X)


def test_wildcard_matches_anything():
    for expr in (X, X + Y, relay.const(1), relay.Tuple((X,)), intern_op("add")):
        assert wildcard().match(expr)


def test_operator_pattern_matches_the_operator_not_its_calls():
    assert is_op("add").match(intern_op("add"))
    assert not is_op("add").match(intern_op("subtract"))
    assert not is_op("add").match(X + Y)


def test_unknown_operator_is_refused_with_a_suggestion():
    with pytest.raises(UnknownNameError, match=r"nn\.relu"):
        is_op("nn.rellu")


def test_call_pattern_matches_by_callee_and_arguments():
    assert is_op("add")(is_var("x"), is_var("y")).match(X + Y)
    assert not is_op("add")(is_var("x"), wildcard(), wildcard()).match(X + Y)
    assert not is_op("subtract")(wildcard(), wildcard()).match(X + Y)
    assert not is_op("add")(wildcard(), wildcard()).match(X)


def test_commutative_calls_match_in_either_order():
    for name in ("add", "multiply", "maximum", "logical_and"):
        call = relay.Call(intern_op(name), (X, Y))
        assert is_op(name)(is_var("x"), is_var("y")).match(call)
        assert is_op(name)(is_var("y"), is_var("x")).match(call)


def test_other_calls_match_in_their_order_only():
    for name in ("subtract", "divide", "power"):
        call = relay.Call(intern_op(name), (X, Y))
        assert is_op(name)(is_var("x"), is_var("y")).match(call)
        assert not is_op(name)(is_var("y"), is_var("x")).match(call)


def test_python_operators_build_patterns_of_calls():
    x, y = is_var("x"), is_var("y")
    assert (x + y).match(Y + X)
    assert (x - y).match(X - Y)
    assert not (x - y).match(Y - X)
    assert (x * y).match(Y * X)
    assert (x / y).match(X / Y)
    assert not (y / x).match(X / Y)
    assert (x + Y).match(X + Y)
    assert (X + y).match(X + Y)


def test_a_number_in_a_pattern_is_refused_with_advice():
    with pytest.raises(TypeError, match="is_expr"):
        wildcard() + 1


def test_call_without_argument_patterns_matches_any_arguments():
    anything = CallPattern(is_op("concatenate"), None)
    assert anything.match(relay.concatenate([X, Y], axis=0))
    assert CallPattern(wildcard(), None).match(X + Y)
    assert not CallPattern(is_op("add"), ()).match(X + Y)
    assert CallPattern(is_op("add"), args=None).any_args
    assert CallPattern(is_op("add"), (wildcard(),)).with_fields(args=None).any_args
    assert not CallPattern(is_op("add"), None).with_fields(args=(), any_args=False).any_args


def test_products_of_quotients_match_either_way_round():
    w, x, y, z = (relay.var(name, shape=(1,)) for name in "wxyz")
    pattern = is_op("divide")(is_op("multiply")(is_var("x"), is_var("y")), is_var("z"))
    assert pattern.match((x * y) / z)
    assert pattern.match(x * (y / z))
    assert pattern.match(y * (x / z))
    assert pattern.match((x / z) * y)
    assert not pattern.match((x / y) * z)
    assert not pattern.match(w * (x / z))
    other = is_op("multiply")(is_op("divide")(is_var("x"), is_var("z")), is_var("y"))
    assert other.match((x / z) * y)
    assert other.match((x * y) / z)
    assert other.match((y * x) / z)
    assert not other.match((x * z) / y)


def test_no_match_of_regrouped_products_with_other_operators():
    x, y, z = (relay.var(name, shape=(1,)) for name in "xyz")
    pattern = is_op("divide")(is_op("multiply")(is_var("x"), is_var("y")), is_var("z"))
    assert not pattern.match(x * (y - z))
    assert not pattern.match((x + y) / z)


def test_function_pattern_matches_by_parameters_and_body():
    func = relay.Function((X, Y), X + Y)
    assert FunctionPattern([is_var("x"), is_var("y")], wildcard() + wildcard()).match(func)
    assert not FunctionPattern([is_var("x")], wildcard() + wildcard()).match(func)
    assert not FunctionPattern([is_var(), is_var()], wildcard() - wildcard()).match(func)
    assert FunctionPattern(None, wildcard() + wildcard()).match(func)
    assert not FunctionPattern(None, wildcard()).match(X + Y)


def test_call_of_a_function_matches_by_the_function():
    func = relay.Function((X, Y), X + Y)
    call = func(relay.const(1.0), relay.const(2.0))
    assert FunctionPattern([wildcard(), wildcard()], is_op("add")(wildcard(), wildcard()))(
        is_constant(), is_constant()
    ).match(call)


def test_parameter_and_its_use_are_one_expression():
    a, b = is_var(), is_var()
    pattern = FunctionPattern([a, b], is_op("subtract")(b, a))
    assert pattern.match(relay.Function((X, Y), Y - X))
    assert not pattern.match(relay.Function((X, Y), X - Y))


def test_if_pattern_matches_by_its_parts():
    cond = relay.less(X, Y)
    expr = relay.If(cond, X, Y)
    assert is_if(is_op("less")(is_var("x"), is_var("y")), is_var("x"), is_var("y")).match(expr)
    assert not is_if(is_op("less")(wildcard(), wildcard()), is_var("y"), is_var("x")).match(expr)
    assert not is_if(is_op("greater")(wildcard(), wildcard()), wildcard(), wildcard()).match(expr)


def test_let_pattern_matches_by_its_parts():
    v = relay.var("v")
    assert is_let(is_var("v"), is_op("less")(is_var("x"), is_var("y")), is_var("v")).match(
        relay.Let(v, relay.less(X, Y), v)
    )
    assert not is_let(is_var("v"), wildcard(), is_var("x")).match(relay.Let(v, X, v))
    assert not is_let(is_var("w"), wildcard(), wildcard()).match(relay.Let(v, X, v))


def test_tuple_pattern_matches_by_fields_or_any():
    z = relay.op.op.get("add")(X, Y)
    tup = relay.Tuple((X, Y, z))
    assert is_tuple((is_var("x"), wildcard(), is_op("add")(wildcard(), wildcard()))).match(tup)
    assert not is_tuple((is_var("y"), wildcard(), wildcard())).match(tup)
    assert not is_tuple((wildcard(), wildcard())).match(tup)
    assert is_tuple().match(tup)
    assert TuplePattern(None).match(tup)
    assert is_tuple(()).match(relay.Tuple(()))
    assert not is_tuple(()).match(tup)


def test_projection_pattern_matches_by_tuple_and_index():
    tup = relay.Tuple((X, Y))
    item = relay.TupleGetItem(tup, 1)
    assert is_tuple_get_item(is_tuple((is_var("x"), is_var("y"))), 1).match(item)
    assert is_tuple_get_item(is_tuple()).match(item)
    assert is_tuple_get_item(wildcard(), -1).match(item)
    assert not is_tuple_get_item(wildcard(), 0).match(item)
    assert not is_tuple_get_item(is_var()).match(item)


def test_alternative_matches_either_side():
    either = is_op("add")(wildcard(), wildcard()) | is_op("subtract")(wildcard(), wildcard())
    assert either.match(X + Y)
    assert either.match(X - Y)
    assert not either.match(X * Y)
    operators = (is_op("add") | is_op("multiply"))(is_var("y"), is_var("x"))
    assert operators.match(X + Y)
    assert operators.match(X * Y)
    assert not (is_op("add") | is_op("subtract"))(is_var("y"), is_var("x")).match(X - Y)


def test_optional_matches_with_and_without():
    pattern = is_op("nn.conv2d")(wildcard(), wildcard()).optional(is_op("nn.relu"))
    assert pattern.match(conv())
    assert pattern.match(relu(conv()))
    assert not pattern.match(tanh(conv()))
    chain = pattern.optional(is_op("tanh"))
    for expr in (conv(), relu(conv()), tanh(conv()), tanh(relu(conv()))):
        assert chain.match(expr)
    assert not chain.match(relu(tanh(conv())))


# --- types and attributes --------------------------------------------------------------------


def test_type_patterns_match_variables_and_computed_types():
    x = relay.var("x", shape=(10, 10), dtype="float32")
    ty = relay.TensorType((10, 10), "float32")
    assert has_type(ty).match(x)
    assert has_type(ty).match(x + x)
    assert not has_type(relay.TensorType((10, 11), "float32")).match(x + x)
    assert has_dtype("float32").match(x + x)
    assert not has_dtype("float16").match(x)
    assert has_shape((10, 10)).match(x + x)
    assert not has_shape((10,)).match(x)
    assert not has_shape((10, 10)).match(relay.Tuple([x]))
    assert is_op("add")(wildcard(), wildcard()).has_shape((10, 10)).match(x + x)
    assert not is_op("add")(wildcard(), wildcard()).has_dtype("int8").match(x + x)
    assert wildcard().has_type(ty).match(x)
    assert has_type(ty).type is ty


def test_type_pattern_matches_inside_a_program_typed_or_not():
    x = relay.var("x", shape=(4, 1))
    y = relay.var("y", shape=(1, 5))
    whole = relay.nn.relu(x * y)
    pattern = is_op("nn.relu")(has_shape((4, 5)))
    assert pattern.match(whole)
    assert pattern.match(relay.analysis.infer_type(whole))
    assert not is_op("nn.relu")(has_shape((4, 6))).match(whole)


def test_type_pattern_sees_the_result_of_a_function_and_of_an_if():
    x = relay.var("x", shape=(3,))
    func = relay.Function((x,), x + x)
    call = func(relay.var("z", shape=(3,)))
    assert has_shape((3,)).match(call)
    assert not has_shape((4,)).match(call)
    p = relay.var("p", shape=(), dtype="bool")
    assert has_shape((3,)).match(relay.If(p, x, x))


def test_shape_pattern_tells_any_from_numbers():
    x = relay.var("x", relay.TensorType((relay.Any(), 2), "float32"))
    assert has_shape((relay.Any(), 2)).match(x)
    assert not has_shape((3, 2)).match(x)


def test_what_cannot_be_typed_matches_no_type():
    assert not has_dtype("float32").match(relay.var("untyped"))


def test_attributes_of_operators_match_by_relay_names_and_ours():
    elementwise = has_attr({"TOpPattern": 0})
    assert elementwise.match(intern_op("tanh"))
    assert not elementwise.match(intern_op("nn.conv2d"))
    assert is_op("add").has_attr({"TOpPattern": OpPattern.BROADCAST}).match(intern_op("add"))
    assert has_attr({"pattern": OpPattern.ELEMWISE}).match(intern_op("tanh"))
    assert not is_op("add").has_attr({"TOpPattern": 0}).match(intern_op("add"))
    assert not is_op("add").has_attr({"NoSuchThing": 0}).match(intern_op("add"))
    assert has_attr({"TOpPattern": 0})(wildcard()).match(tanh(X))


def test_attributes_of_calls_match_by_value():
    expr = relay.nn.conv2d(INPUT, WEIGHT, kernel_size=(1, 1), data_layout="NCHW", groups=1)
    pattern = is_op("nn.conv2d")(wildcard(), wildcard())
    assert pattern.has_attr({"data_layout": "NCHW"}).match(expr)
    assert pattern.has_attr({"kernel_size": [1, 1], "groups": 1}).match(expr)
    assert not pattern.has_attr({"data_layout": "NHWC"}).match(expr)
    assert not pattern.has_attr({"kernel_size": [3, 3]}).match(expr)
    assert not wildcard().has_attr({"RandomAttr": "NCHW"}).match(expr)


@pytest.mark.parametrize("wrap", [lambda p: p, lambda p: p.has_dtype("float32")])
def test_attribute_that_the_operator_does_not_have_is_refused(wrap):
    pattern = wrap(is_op("nn.conv2d")(wildcard(), wildcard()))
    message = r"nn\.conv2d has no attribute 'data_layuot'; did you mean data_layout\?; it has str"
    with pytest.raises(UnknownNameError, match=message):
        pattern.has_attr({"data_layuot": "NCHW"})
    with pytest.raises(UnknownNameError, match="add has no attribute 'a'; it has none"):
        has_attr({"a": 1}, wrap(is_op("add")(wildcard(), wildcard())))


def test_attributes_of_functions_match():
    func = relay.Function((X,), X, attrs=relay.DictAttrs({"Composite": "add"}))
    assert wildcard().has_attr({"Composite": "add"}).match(func)
    assert not wildcard().has_attr({"Composite": "sub"}).match(func)
    assert not wildcard().has_attr({"Other": "add"}).match(func)
    assert not wildcard().has_attr({"Composite": "add"}).match(relay.Function((X,), X))
    call = FunctionPattern(None, wildcard()).has_attr({"Composite": "add"})(wildcard())
    assert call.match(func(Y))
    assert not wildcard().has_attr({"Composite": "add"}).match(X)


# --- the same part twice ----------------------------------------------------------------------


def test_a_part_met_twice_stands_for_one_expression():
    x = wildcard()
    assert (x - x).match(X - X)
    assert not (x - x).match(X - Y)
    one, other = relay.tanh(X), relay.tanh(X)
    assert not (x - x).match(one - other)


def test_diamond_matches_when_both_sides_meet_in_one_node():
    start = is_op("nn.conv2d")(wildcard(), wildcard())
    diamond = is_op("add")(is_op("nn.relu")(start), is_op("nn.leaky_relu")(start))
    c = conv()
    assert diamond.match(relu(c) + leaky(c))
    assert diamond.match(leaky(c) + relu(c))
    assert not diamond.match(relu(conv()) + leaky(conv()))
    assert not diamond.match(relu(INPUT) + leaky(c))


def test_match_is_found_where_the_first_order_tried_leads_nowhere():
    a, b = wildcard(), wildcard()
    pattern = (a + b) * a
    u, v = X, Y
    assert pattern.match((u + v) * u)
    assert pattern.match((u + v) * v)
    assert pattern.match(v * (u + v))
    assert not pattern.match((u + v) * relay.const(1.0))
    matcher = Matcher(pattern, (u + v) * v)
    assert matcher.match(matcher.root)
    assert matcher.node_map()[a] == (v,)
    assert matcher.node_map()[b] == (u,)


def test_match_is_found_by_the_second_alternative_when_the_first_binds_wrongly():
    x, y = wildcard(), wildcard()
    pair = is_tuple((x, y)) | is_tuple((y, x))
    assert is_tuple((pair, x)).match(relay.Tuple((relay.Tuple((X, Y)), Y)))
    assert is_tuple((pair, x)).match(relay.Tuple((relay.Tuple((X, Y)), X)))
    assert not is_tuple((pair, x)).match(relay.Tuple((relay.Tuple((X, Y)), relay.const(1))))


def test_nothing_remains_bound_by_an_alternative_that_failed():
    x, y = wildcard(), wildcard()
    first, second = is_op("add")(x, is_constant()), is_op("add")(is_var(), y)
    matcher = Matcher(first | second, X + Y)
    assert matcher.match(matcher.root)
    assert x not in matcher.node_map()
    assert first not in matcher.node_map()
    assert y in matcher.node_map()


# --- dominators -------------------------------------------------------------------------------


def diamond_pattern(path=None):
    elementwise = wildcard().has_attr({"TOpPattern": 0})(wildcard())
    return dominates(
        is_op("nn.conv2d")(wildcard(), wildcard()),
        elementwise if path is None else elementwise | path,
        is_op("add")(wildcard(), wildcard()),
    )


def test_dominator_matches_diamonds_with_branches_of_any_length():
    pattern = diamond_pattern()
    c = conv()
    assert pattern.match(relu(relu(c)) + leaky(c))
    assert pattern.match(relu(c) + relu(tanh(leaky(leaky(c)))))
    assert pattern.match(relu(relu(c)) + tanh(relu(c)))
    shared = relu(c)
    assert pattern.match(shared + tanh(shared))
    assert pattern.match(c + relu(c))
    assert pattern.match(relu(c) + c)


def test_dominator_matches_nested_diamonds_when_the_path_may_branch():
    pattern = diamond_pattern(is_op("add")(wildcard(), wildcard()))
    c = conv()
    inner = relu(c)
    assert pattern.match(tanh(inner + inner) + leaky(c))
    assert pattern.match(tanh(relu(c) + tanh(c)) + leaky(c))


def test_dominator_does_not_match_two_parents():
    assert not diamond_pattern().match(relu(relu(conv())) + leaky(conv()))
    assert not diamond_pattern().match(conv() + conv())
    c = conv()
    behind = relay.nn.conv2d(tanh(c), relay.var("k", shape=(8, 8, 1, 1)))
    assert not diamond_pattern().match(behind + relu(c))
    assert not diamond_pattern().match(relu(c) + behind)


def test_dominator_matches_with_an_operand_beside_the_parent_that_leads_to_none():
    assert diamond_pattern().match(conv() + relay.var("bias", shape=(1,)))


def test_dominator_does_not_match_when_the_path_is_left():
    c = conv()
    inner = relu(c)
    assert not diamond_pattern().match(relu(inner + inner) + leaky(c))
    assert not diamond_pattern().match(relu(relu(INPUT)) + leaky(c))
    assert not diamond_pattern().match(relu(relu(INPUT)) + tanh(relu(INPUT)))


def test_dominator_does_not_match_a_parent_used_beside_the_child():
    c = conv()
    child = relu(c) + leaky(c)
    pattern = is_tuple((diamond_pattern(), wildcard()))
    assert pattern.match(relay.Tuple((child, X)))
    assert not pattern.match(relay.Tuple((child, tanh(c))))
    assert not pattern.match(relay.Tuple((child, c)))


@pytest.mark.parametrize("others", [0, 1, 3])
def test_dominator_goes_past_what_fits_as_a_parent_and_stands_on_the_path(others):
    top = relay.nn.leaky_relu(X)
    left = top
    for _ in range(others):
        left = relay.nn.leaky_relu(left)
    pattern = dominates(
        is_op("nn.leaky_relu")(wildcard()), wildcard(), is_op("add")(wildcard(), wildcard())
    )
    diamond = relay.nn.leaky_relu(left) + relay.nn.relu(top)
    assert pattern.match(diamond)
    apart = relay.nn.leaky_relu(left) + relay.nn.relu(relay.nn.leaky_relu(relay.var("z")))
    assert not pattern.match(apart)


def test_dominator_with_types_matches_by_them():
    data = relay.var("data", shape=(1, 3, 8, 8))
    c = conv(data)
    child = relu(c) + leaky(c)
    right, wrong = relay.TensorType((1, 3, 8, 8)), relay.TensorType((1, 4, 8, 8))
    elementwise = wildcard().has_attr({"TOpPattern": 0})(wildcard())

    def typed(ty):
        return dominates(
            is_op("nn.conv2d")(wildcard(), wildcard()),
            elementwise.has_type(ty),
            is_op("add")(wildcard(), wildcard()).has_type(right),
        )

    assert typed(right).match(child)
    assert not typed(wrong).match(child)


def test_dominator_says_what_it_led_over():
    elementwise = wildcard().has_attr({"TOpPattern": 0})(wildcard())
    parent = is_op("nn.conv2d")(wildcard(), wildcard())
    c = conv()
    r, t = relu(c), tanh(c)
    matcher = Matcher(dominates(parent, elementwise, wildcard() + wildcard()), r + t)
    assert matcher.match(matcher.root)
    found = matcher.node_map()
    assert set(found[elementwise]) == {r, t}
    assert found[parent] == (c,)


def test_dominator_without_path_lets_anything_stand_between():
    pattern = is_op("tanh")(wildcard()).dominates(is_op("nn.conv2d")(wildcard(), wildcard()))
    assert (
        pattern.match(tanh(relay.nn.dense(relay.reshape(conv(), (1, -1)), WEIGHT)).args[0]) is False
    )
    assert pattern.match(tanh(relay.nn.softmax(relu(conv()))))
    assert not pattern.match(tanh(relu(INPUT)))


# --- recursive patterns ------------------------------------------------------------------------


def test_a_redirected_wildcard_makes_a_recursive_pattern():
    tower = WildcardPattern()
    tower.redirect_to(is_op("nn.relu")(tower) | is_op("tanh")(tower) | is_var("x"))
    assert tower.match(relu(tanh(relu(X))))
    assert tower.match(X)
    assert not tower.match(relu(Y))
    assert not tower.match(relu(leaky(X)))


@pytest.mark.parametrize(
    "redirect",
    [
        lambda it: it,
        lambda it: is_var() | it,
        lambda it: it.has_dtype("float32").has_attr({"a": 1}),
        lambda it: it.dominates(wildcard(), wildcard()),
    ],
)
def test_a_pattern_that_asks_itself_about_the_same_expression_is_refused(redirect):
    it = wildcard()
    it.redirect_to(redirect(it))
    with pytest.raises(DeclarationError, match="asks it about the same expression again"):
        is_op("exp")(it).match(relay.exp(X))


@pytest.mark.parametrize("program", [tir.Var("i") + tir.Var("j"), core.const(1)])
def test_nodes_of_other_languages_have_no_types_of_relay(program):
    asked = wildcard().has_dtype("float16")
    assert not asked.match(program)
    assert "InferType" not in str(asked.explain(program))


def test_a_recursive_pattern_of_two_operands_needs_no_equal_ones():
    tree = wildcard()
    tree.redirect_to((tree + tree) | is_var())
    assert tree.match((X + Y) + (Y + X))
    assert not tree.match((X + Y) + (Y * X))


def test_a_wildcard_redirected_without_recursion_is_what_it_leads_to():
    held = wildcard()
    held.redirect_to(is_var("x"))
    assert is_op("tanh")(held).match(tanh(X))
    assert not is_op("tanh")(held).match(tanh(Y))


# --- patterns as nodes -------------------------------------------------------------------------


def test_patterns_are_frozen_and_checked():
    pattern = is_op("add")(wildcard(), wildcard())
    with pytest.raises(FrozenNodeError):
        pattern.any_args = True
    with pytest.raises(FieldError, match=r"AltPattern\.left"):
        (wildcard() | wildcard()).with_fields(left=3)
    with pytest.raises(TypeError, match="sequence of patterns"):
        CallPattern(is_op("add"), 3)


def test_patterns_are_shown_as_they_are_written():
    x = wildcard()
    shown = {
        "nn.conv2d(*, is_var())": is_op("nn.conv2d")(wildcard(), is_var()),
        "%0 = *; subtract(%0, %0)": x - x,
        "(add | multiply)(...)": CallPattern(is_op("add") | is_op("multiply"), None),
        "(%a, is_constant()).1": is_tuple_get_item(is_tuple((is_var("a"), is_constant())), 1),
        "(...).?": is_tuple_get_item(is_tuple()),
        "*.has_attr({'TOpPattern': 0})": has_attr({"TOpPattern": 0}),
        "*.has_dtype(float32).has_shape([1, 2])": has_dtype("float32").has_shape((1, 2)),
        "if (*) { * } else { * }": is_if(wildcard(), wildcard(), wildcard()),
        "{ let is_var() = *; * }": is_let(is_var(), wildcard(), wildcard()),
        "fn (...) { * }": FunctionPattern(None, wildcard()),
        "dominates(*, *, *)": dominates(wildcard(), wildcard(), wildcard()),
    }
    assert {text: str(pattern) for text, pattern in shown.items()} == {t: t for t in shown}


def test_match_by_the_function_is_match_by_the_method():
    assert match(wildcard() + wildcard(), X + Y)
    assert not match(wildcard() - wildcard(), X + Y)
