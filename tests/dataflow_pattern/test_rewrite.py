"""Rewriting by callbacks and cutting out parts, as TVM's tests have it, and by rules."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.analysis import free_vars
from relayish.analysis.infer_type import infer_type
from relayish.dataflow_pattern import (
    CallPattern,
    DFPatternCallback,
    FunctionPattern,
    RuleSet,
    dominates,
    is_constant,
    is_expr,
    is_if,
    is_let,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    partition,
    rewrite,
    rewrite_rules,
    rule,
    wildcard,
)
from relayish.errors import DeclarationError, PassError
from relayish.interpreter import evaluate
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.op import intern_op
from relayish.ir.values.dtype import numpy_dtype
from tests.support.each import each
from tests.support.random_exprs import random_arguments, random_module, same_value
from tests.support.seeds import seeds

X, Y, Z, W = (relay.var(name, shape=(4,)) for name in "xyzw")
relu, tanh = relay.nn.relu, relay.tanh


def callback(pattern, replace, **options):
    class Callback(DFPatternCallback):
        def __init__(self):
            super().__init__(**options)
            self.pattern = pattern

        def callback(self, pre, post, node_map):
            return replace(pre, post, node_map)

    return Callback()


def same(left, right):
    return structural_equal(left, right, map_free_vars=False)


# --- callbacks --------------------------------------------------------------------------------


def test_callback_replaces_what_matches():
    x, y = wildcard(), wildcard()
    swap = callback(x + y, lambda pre, post, found: found[x][0] - found[y][0])
    assert same(swap.rewrite(X + Y), X - Y)
    assert same(rewrite(swap, tanh(X + Y)), tanh(X - Y))


def test_program_without_match_is_returned_itself():
    swap = callback(wildcard() - wildcard(), lambda pre, post, found: pre.args[0])
    program = tanh(X + Y)
    assert swap.rewrite(program) is program


def test_callback_sees_post_over_what_was_rewritten_below():
    seen = []
    x = wildcard()

    def replace(pre, post, found):
        seen.append((pre, post, found[x][0]))
        return tanh(found[x][0])

    program = relu(relu(X))
    image = callback(is_op("nn.relu")(x), replace).rewrite(program)
    assert same(image, tanh(tanh(X)))
    (inner, inner_post, _), (outer, outer_post, outer_arg) = seen
    assert outer is program
    assert inner is inner_post
    assert outer_post.args[0] is outer_arg
    assert same(outer_arg, tanh(X))


def test_batch_norm_becomes_its_operators_and_back():
    x, mean, var, beta, gamma = (relay.var(n, shape=(4,)) for n in ("x", "m", "v", "b", "g"))
    eps = relay.const(1e-5)
    written = gamma * (x - mean) / relay.sqrt(var + eps) + beta
    parts = [wildcard() for _ in range(5)]
    p_x, p_mean, p_var, p_beta, p_gamma = parts
    p_eps = is_constant()
    pattern = p_gamma * (p_x - p_mean) / is_op("sqrt")(p_var + p_eps) + p_beta

    def replace(pre, post, found):
        args = [found[p][0] for p in (p_x, p_gamma, p_beta, p_mean, p_var)]
        return relay.nn.batch_norm(*args, epsilon=float(found[p_eps][0].data))[0]

    image = callback(pattern, replace).rewrite(written)
    assert type(image) is relay.TupleGetItem
    call = image.tuple_value
    assert call.op.name == "nn.batch_norm"
    assert call.args == (x, gamma, beta, mean, var)
    assert call.attrs.epsilon == pytest.approx(1e-5)
    regrouped = (gamma * ((x - mean) / relay.sqrt(var + eps))) + beta
    assert same(callback(pattern, replace).rewrite(regrouped), image)


def test_several_callbacks_are_applied_in_turn_until_nothing_changes():
    x = wildcard()
    first = callback(is_op("nn.relu")(x), lambda pre, post, found: tanh(found[x][0]))
    second = callback(is_op("tanh")(is_op("tanh")(x)), lambda pre, post, found: tanh(found[x][0]))
    assert same(rewrite([first, second], relu(relu(relu(X)))), tanh(X))


def test_callback_is_applied_once_when_it_asks_so():
    x = wildcard()
    grow = callback(
        is_op("tanh")(x), lambda pre, post, found: tanh(relu(found[x][0])), rewrite_once=True
    )
    assert same(grow.rewrite(tanh(X)), tanh(relu(X)))


def test_callbacks_that_never_come_to_rest_are_an_error_that_names_them():
    x, y = wildcard(), wildcard()
    swap = callback(is_op("subtract")(x, y), lambda pre, post, found: found[y][0] - found[x][0])
    with pytest.raises(PassError, match="100 rounds of rewriting by Callback"):
        swap.rewrite(X - Y)


def test_callback_that_requires_types_sees_them_each_round():
    x = wildcard()
    seen = []

    def replace(pre, post, found):
        seen.append(pre.checked_type.shape)
        return tanh(found[x][0])

    program = relay.Function((X,), relu(X))
    image = callback(is_op("nn.relu")(x), replace, require_type=True).rewrite(program)
    assert seen == [(4,)]
    assert same(image.body, tanh(image.params[0]))
    untouched = relay.Function((X,), X)
    assert callback(is_op("tanh")(x), replace, require_type=True).rewrite(untouched) is untouched


def test_match_whose_inside_is_used_elsewhere_is_left():
    x = wildcard()
    fuse = callback(is_op("tanh")(is_op("nn.relu")(x)), lambda pre, post, found: found[x][0])
    inner = relu(X)
    program = relay.Tuple((tanh(inner), inner))
    assert fuse.rewrite(program) is program


def test_of_overlapping_matches_one_is_taken_at_a_time():
    x = wildcard()
    pair = callback(
        is_op("nn.relu")(is_op("nn.relu")(x)), lambda pre, post, found: relu(found[x][0])
    )
    assert same(pair.rewrite(relu(relu(relu(relu(X))))), relu(X))


def test_dominator_is_rewritten_with_all_the_path():
    data, weight = relay.var("d", shape=(1, 3, 8, 8)), relay.var("w", shape=(3, 3, 1, 1))
    d, w = wildcard(), wildcard()
    path = wildcard().has_attr({"TOpPattern": 0})(wildcard())
    pattern = dominates(is_op("nn.conv2d")(d, w), path, wildcard() + wildcard())
    seen = []

    def replace(pre, post, found):
        seen.append(len(found[path]))
        return relay.nn.dense(found[d][0], found[w][0])

    conv = relay.nn.conv2d(data, weight)
    program = tanh(relu(relu(conv)) + tanh(conv))
    assert same(callback(pattern, replace).rewrite(program), tanh(relay.nn.dense(data, weight)))
    assert seen == [3]


def test_functions_ifs_lets_and_tuples_are_rewritten():
    x, y, cond = wildcard(), wildcard(), wildcard()
    swap_if = callback(
        is_if(cond, x, y),
        lambda pre, post, found: relay.If(found[cond][0], found[y][0], found[x][0]),
        rewrite_once=True,
    )
    test = relay.less(X, Y)
    assert same(swap_if.rewrite(relay.If(test, X, Y)), relay.If(test, Y, X))
    v = relay.var("v")
    inline = callback(is_let(wildcard(), x, y), lambda pre, post, found: found[y][0])
    assert inline.rewrite(relay.Let(v, X, Y)) is Y
    item = callback(is_tuple_get_item(is_tuple((x, y)), 0), lambda pre, post, found: found[x][0])
    assert item.rewrite(relay.TupleGetItem(relay.Tuple((X, Y)), 0)) is X
    func = callback(
        FunctionPattern([wildcard(), wildcard()], x + y)(wildcard(), wildcard()),
        lambda pre, post, found: post.args[0] + post.args[1],
    )
    assert same(func.rewrite(relay.Function((X, Y), X + Y)(Z, W)), Z + W)


def test_callback_that_returns_no_expression_is_an_error():
    with pytest.raises(PassError, match="must return an expression"):
        callback(wildcard() + wildcard(), lambda *_: None).rewrite(X + Y)


def test_callback_without_pattern_or_method_is_an_error():
    with pytest.raises(DeclarationError, match=r"self\.pattern"):
        DFPatternCallback().rewrite(X)


@pytest.mark.parametrize("given", [None, 5, relay.IRModule.from_expr(relay.Function([X], X))])
def test_what_is_no_expression_is_refused(given):
    anything = callback(wildcard(), lambda pre, post, node_map: post)
    for verb, apply in (
        ("match", anything.pattern.match),
        ("rewrite", anything.rewrite),
        ("partition", anything.pattern.partition),
    ):
        with pytest.raises(PassError, match=f"{verb} takes an expression; found"):
            apply(given)


def test_what_is_no_callback_is_refused():
    with pytest.raises(DeclarationError, match="rewrite takes a DFPatternCallback or several"):
        rewrite(5, X)
    with pytest.raises(DeclarationError, match="a rule is applied by rewrite_rules"):
        rewrite([wildcard()], X)


class Counts(DFPatternCallback):
    """Leaves every match as it is, and keeps it."""

    def __init__(self, pattern):
        super().__init__()
        self.pattern = pattern
        self.found = []

    def callback(self, pre, post, node_map):
        self.found.append(pre)
        return post


def test_scopes_in_a_scope_that_matches_are_looked_through():
    a, b = relay.var("a"), relay.var("b")
    inner = relay.Let(b, relay.tanh(a) + X, b + X)
    outer = relay.Let(a, relay.tanh(X), inner)
    counts = Counts(is_let(is_var(), wildcard(), wildcard()))
    assert counts.rewrite(outer) is outer
    assert counts.found == [inner, outer]


def test_function_of_any_parameters_matches_whatever_it_does_with_them():
    func = relay.Function([X], relay.tanh(X) + X)
    counts = Counts(FunctionPattern(None, wildcard()))
    assert counts.rewrite(func) is func
    assert counts.found == [func]


def test_long_chain_of_lets_is_rewritten_in_one_round():
    names = [relay.var(f"v{index}") for index in range(300)]
    program = names[-1]
    for index in reversed(range(300)):
        program = relay.Let(names[index], relu(names[index - 1] if index else X), program)

    class Inlines(DFPatternCallback):
        def __init__(self):
            super().__init__(rewrite_once=True)
            self.var, self.value, self.body = is_var(), wildcard(), wildcard()
            self.pattern = is_let(self.var, self.value, self.body)

        def callback(self, pre, post, node_map):
            return relay.bind(post.body, {post.var: post.value})

    image = Inlines().rewrite(program)
    depth = 0
    while image is not X:
        (image,) = image.args
        depth += 1
    assert depth == 300


# --- partition --------------------------------------------------------------------------------


def attrs_of(func):
    return dict(func.attrs.items())


def test_partition_calls_what_matches_as_a_function():
    data, weight, bias = (
        relay.var(n, shape=s) for n, s in (("d", (1, 3, 8, 8)), ("w", (3, 3, 1, 1)), ("b", (3,)))
    )
    program = relu(relay.nn.bias_add(relay.nn.conv2d(data, weight), bias))
    pattern = is_op("nn.relu")(
        is_op("nn.bias_add")(is_op("nn.conv2d")(wildcard(), wildcard()), wildcard())
    )
    image = pattern.partition(program)
    func = image.op
    assert image.args == (data, weight, bias)
    assert attrs_of(func) == {"PartitionedFromPattern": "nn.conv2d_nn.bias_add_nn.relu_"}
    p, q, r = func.params
    assert same(func.body, relu(relay.nn.bias_add(relay.nn.conv2d(p, q), r)))
    assert [param.type_annotation for param in func.params] == [None] * 3


def test_parameters_of_a_partition_have_the_types_that_were_inferred():
    program = infer_type(relay.Function([X, Y], relu(X + Y + relay.const(1.0))))
    image = (wildcard() + is_constant()).partition(program.body.args[0])
    assert [str(p.type_annotation) for p in image.op.params] == [
        str(arg.checked_type) for arg in image.args
    ]


def test_partition_without_match_returns_the_program_itself():
    program = X + Y
    assert (wildcard() - wildcard()).partition(program) is program


def test_partition_adds_attributes_and_asks_first():
    pattern = wildcard() + wildcard()
    image = pattern.partition(X + Y, {"Composite": "add"})
    assert attrs_of(image.op) == {"PartitionedFromPattern": "add_", "Composite": "add"}
    program = X + Y
    assert pattern.partition(program, check=lambda expr: False) is program
    asked = []
    partition(pattern, program, check=lambda expr: asked.append(expr) or True)
    assert asked == [program]


def test_name_of_a_partition_with_a_function_in_it_is_relays():
    inner = relay.Function([X], relu(X))
    pattern = FunctionPattern([wildcard()], is_op("nn.relu")(wildcard()))(wildcard()) + wildcard()
    image = pattern.partition(relay.Call(inner, [Y]) + Z)
    assert attrs_of(image.op) == {"PartitionedFromPattern": "nn.relu_FunctionCall_add_"}


def test_partition_computes_again_what_only_its_inputs_use_as_well():
    """As TVM does where all that uses the sum outside leads back to the product."""
    total = X + Y
    image = (is_op("add")(wildcard(), wildcard()) * wildcard()).partition(total * tanh(total))
    assert [param.name_hint for param in image.op.params] == [
        f"FunctionVar_0_{n}" for n in range(3)
    ]
    assert image.args[:2] == (X, Y)
    assert same(image.args[2], tanh(total))
    values = [np.arange(4, dtype="float32") + n for n in range(2)]
    found = evaluate(relay.Function([X, Y], image), args=values)
    assert np.allclose(found, sum(values) * np.tanh(sum(values)))


@pytest.mark.parametrize(
    "around",
    [
        lambda whole, total: relay.Tuple([whole, tanh(total)]),
        lambda whole, total: relay.Tuple([whole, total]),
        lambda whole, total: whole + total,
    ],
    ids=["used beside", "is a result", "used behind"],
)
def test_partition_leaves_what_is_used_where_it_does_not_come_back(around):
    total = X + Y
    expr = around(total * tanh(total), total)
    assert (is_op("add")(wildcard(), wildcard()) * wildcard()).partition(expr) is expr


def test_partition_does_not_repeat_what_acts():
    drawn = relay.TupleGetItem(relay.nn.dropout_raw(X), 0) + Y
    expr = drawn * tanh(drawn)
    assert (is_op("add")(wildcard(), wildcard()) * wildcard()).partition(expr) is expr


def test_callback_replaces_what_its_inputs_use_as_well():
    total = X + Y
    x, y, z = wildcard(), wildcard(), wildcard()
    replace = callback(
        (x + y) * z, lambda pre, post, found: found[x][0] - found[z][0], rewrite_once=True
    )
    assert same(rewrite(replace, total * tanh(total)), X - tanh(total))


def test_partition_keeps_constants_the_pattern_asks_for_inside():
    two = relay.const(np.full(4, 2, "float32"))
    inside = (wildcard() * is_constant()).partition(X * two)
    assert inside.args == (X,)
    assert inside.op.body.args[1] is two
    outside = (wildcard() * wildcard()).partition(X * two)
    assert outside.args == (X, two)
    exact = (wildcard() * is_expr(two)).partition(X * two)
    assert exact.args == (X,)


def test_partition_takes_each_input_once():
    image = ((wildcard() + wildcard()) * wildcard()).partition((X + X) * X)
    assert image.args == (X,)
    assert len(image.op.params) == 1


def test_partition_of_chains_nests_calls():
    pattern = is_op("nn.relu")(wildcard() + wildcard())
    image = pattern.partition(relu(relu(X + Y) + Z))
    assert type(image.op) is relay.Function
    inner, last = image.args
    assert type(inner.op) is relay.Function
    assert inner.args == (X, Y)
    assert last is Z


def test_partition_leaves_matches_whose_inside_is_used_elsewhere():
    shared = X + Y
    program = relay.Tuple((relu(shared), shared))
    assert is_op("nn.relu")(wildcard() + wildcard()).partition(program) is program


def test_partition_of_tuples_and_any_arguments_takes_their_fields_as_inputs():
    program = relay.concatenate([X, Y, relu(Z)], axis=0)
    image = is_op("concatenate")(is_tuple()).partition(program)
    assert image.args[:2] == (X, Y)
    assert attrs_of(image.op) == {"PartitionedFromPattern": "Tuple_concatenate_"}
    anything = CallPattern(is_op("add"), None).partition(X + Y)
    assert anything.args == (X, Y)


def test_partition_twice_with_different_patterns_keeps_the_first():
    conv_relu = is_op("nn.relu")(wildcard() + wildcard())
    once = conv_relu.partition(relu(X + Y) * Z, {"Composite": "first"})
    twice = (wildcard() * wildcard()).partition(once, {"Composite": "second"})
    assert attrs_of(twice.op)["Composite"] == "second"
    assert attrs_of(twice.args[0].op)["Composite"] == "first"


def test_partition_of_a_dominator_keeps_the_path_inside():
    data, weight = relay.var("d", shape=(1, 3, 8, 8)), relay.var("w", shape=(3, 3, 1, 1))
    path = wildcard().has_attr({"TOpPattern": 0})(wildcard())
    pattern = dominates(is_op("nn.conv2d")(wildcard(), wildcard()), path, wildcard() + wildcard())

    def diamond(d, w):
        conv = relay.nn.conv2d(d, w)
        return relu(relu(conv)) + tanh(conv)

    image = pattern.partition(diamond(diamond(data, weight), weight))
    assert same(image.op.body, diamond(*image.op.params))
    assert image.args[1] is weight
    assert same(image.args[0].op.body, diamond(*image.args[0].op.params))


def test_partition_takes_what_a_scope_captures_as_inputs():
    a, p = relay.var("a"), relay.var("p")
    let = relay.Let(a, relay.tanh(X), a * Y)
    image = is_let(is_var(), is_op("tanh")(wildcard()), wildcard()).partition(let + Y)
    call = image.args[0]
    assert call.args == (X, Y)
    params = [relay.var("x"), relay.var("y")]
    inside = relay.bind(let, dict(zip((X, Y), params, strict=True)))
    assert same(call.op.with_fields(attrs=None), relay.Function(params, inside))
    func = relay.Function([p], p + Z)
    call = FunctionPattern([wildcard()], wildcard())(wildcard()).partition(relay.Call(func, [X]))
    assert call.args == (X, Z)
    assert free_vars(call.op) == ()


def test_partition_leaves_scopes_that_share_work_with_what_is_outside():
    shared = relay.exp(X)
    names = [relay.var(f"v{index}") for index in range(300)]
    program = names[-1] + shared
    for index in reversed(range(300)):
        program = relay.Let(names[index], relu(names[index - 1] if index else X), program)
    program = relay.Tuple([program, shared])
    pattern = is_let(is_var(), wildcard(), wildcard())
    assert pattern.partition(program) is program


def test_partition_keeps_what_a_let_binds_inside_its_scope():
    v = relay.var("v")
    program = relay.Let(v, X + Y, tanh(v))
    image = is_let(is_var(), wildcard(), wildcard()).partition(program)
    assert image.args[0].op.name == "add"
    assert type(image.op.body) is relay.Let
    assert same(image.op.body.body, tanh(image.op.body.var))


@each("seed", seeds(20))
def test_partition_keeps_the_value_of_random_programs(seed):
    mod = infer_type(random_module(seed, 60))
    args = random_arguments(mod["main"], seed)
    pattern = (wildcard() + wildcard()) | (wildcard() * wildcard()) | is_op("tanh")(wildcard())
    pattern = pattern | is_op("subtract")(pattern, wildcard())
    image = pattern.partition(mod["main"])
    out = mod.with_functions({"main": image})
    assert same_value(
        evaluate(infer_type(out)["main"], out, args), evaluate(mod["main"], mod, args)
    )


# --- rules ------------------------------------------------------------------------------------

_x, _y, _c = wildcard(), wildcard(), is_constant()


@rule(_x + is_expr(relay.const(0.0)))
def add_zero(call, found):
    return found[_x]


@rule(is_op("negative")(is_op("negative")(_x)))
def double_negative(call, found):
    return found[_x]


def test_rules_apply_until_none_does_at_each_node():
    program = relay.negative(relay.negative(relay.negative(X + relay.const(0.0))))
    assert same(rewrite_rules([add_zero, double_negative], program), relay.negative(X))


def test_rules_that_do_not_apply_leave_the_program_itself():
    program = tanh(X + Y)
    assert rewrite_rules([add_zero, double_negative], program) is program


def test_what_a_rule_makes_is_walked_as_well():
    @rule(is_op("tanh")(_x))
    def through(call, found):
        return relay.negative(relay.negative(relu(found[_x])))

    assert same(rewrite_rules([through, double_negative], tanh(tanh(X))), relu(relu(X)))


def test_what_a_rule_was_given_stays_in_its_own_result():
    @rule(is_op("tanh")(_x))
    def wrap(call, found):
        return relu(call)

    assert same(rewrite_rules([wrap], tanh(tanh(X))), relu(tanh(relu(tanh(X)))))


def test_rules_that_undo_one_another_are_an_error_that_names_them():
    @rule(is_op("subtract")(_x, _y))
    def swap(call, found):
        return found[_y] - found[_x]

    with pytest.raises(PassError, match="swap"):
        rewrite_rules([swap], X - Y)


def test_rules_that_grow_without_end_are_an_error():
    @rule(is_op("tanh")(_x))
    def grow(call, found):
        return relu(tanh(found[_x]))

    with pytest.raises(PassError, match="grow"):
        rewrite_rules([grow], tanh(X))


def test_rule_that_returns_no_expression_is_an_error_that_names_it():
    @rule(is_op("tanh")(_x))
    def nothing(call, found):
        return None

    with pytest.raises(PassError, match="rule nothing returned None"):
        rewrite_rules([nothing], tanh(X))


def test_rule_with_a_dominator_is_refused():
    with pytest.raises(DeclarationError, match="DFPatternCallback"):
        rule(wildcard().dominates(wildcard()))(lambda call, found: call)


def test_what_is_no_rule_is_refused():
    with pytest.raises(DeclarationError, match="@rule"):
        RuleSet([lambda call, found: call])


def test_rule_is_told_types_also_of_what_was_rewritten():
    seen = []

    @rule(is_op("tanh")(_x))
    def look(call, found):
        seen.append((found.type_of(call).shape, found.type_of(found[_x]).shape))
        return call

    program = infer_type(relay.Function((X,), tanh(relay.negative(relay.negative(relu(X))))))
    rewrite_rules([look, double_negative], program)
    assert seen == [((4,), (4,))]


def test_rules_on_any_kind_of_expression_apply():
    @rule(is_tuple_get_item(is_tuple((_x, _y)), 1))
    def second(item, found):
        return found[_y]

    @rule(is_var("x"))
    def rename(var, found):
        return Y

    program = relay.TupleGetItem(relay.Tuple((X, tanh(X))), 1)
    assert same(rewrite_rules([second, rename], program), tanh(Y))


def test_rule_of_any_expression_is_asked_everywhere():
    seen = []

    @rule(wildcard())
    def look(expr, found):
        seen.append(type(expr).__name__)
        return expr

    rewrite_rules([look], relay.If(relay.less(X, Y), X, relay.Function((Z,), Z)(Y)))
    assert set(seen) >= {"Var", "Op", "Call", "If", "Function"}


def test_alternatives_of_a_rule_say_which_part_matched():
    left, right = is_op("tanh")(_x), is_op("nn.relu")(_y)

    @rule(left | right)
    def which(call, found):
        assert (_x in found) != (_y in found)
        return found[_x] if _x in found else relay.negative(found[_y])

    assert same(rewrite_rules([which], tanh(X)), X)
    assert same(rewrite_rules([which], relu(X)), relay.negative(X))


def test_large_and_ambiguous_patterns_serve_as_rules_too():
    a, b = wildcard(), wildcard()

    @rule((a + b) * a)
    def distribute(call, found):
        return found[b]

    assert rewrite_rules([distribute], (X + Y) * Y) is X
    assert rewrite_rules([distribute], (X + Y) * X) is Y


NUMBERS = [0.0, -0.0, 1.5, float("nan"), float("inf"), -1e-45]


@each("dtype", ["float16", "float32", "float64", "bfloat16", "int8", "bool"])
@each("wanted", NUMBERS)
def test_constant_in_a_rule_is_the_same_bit_by_bit(dtype, wanted):
    if not np.isfinite(wanted) and dtype in ("int8", "bool"):
        return
    number = np.array(wanted).astype(numpy_dtype(dtype), casting="unsafe")[()]
    part = is_expr(relay.Constant(number))

    @rule(is_op("negative")(part))
    def found_it(call, found):
        return found[part]

    x = relay.var("x")
    for other in NUMBERS[:3] if dtype in ("int8", "bool") else NUMBERS:
        for other_dtype in (dtype, "float64"):
            data = np.array(other).astype(numpy_dtype(other_dtype))[()]
            expr = relay.Tuple((relay.negative(relay.Constant(data)), x))
            same = other_dtype == dtype and data.tobytes() == number.tobytes()
            assert (rewrite_rules([found_it], expr) is not expr) == same


@pytest.mark.parametrize("keep_order", [True, False])
def test_rule_that_swaps_calls_of_undeclared_operators_is_left_out_to_keep_order(keep_order):
    first, second = (relay.Call(intern_op(f"somebody.{name}"), (X,)) for name in ("one", "two"))
    left, right = wildcard(), wildcard()

    @rule(left - right)
    def swapped(_call, found):
        return relay.negative(found[right]) + found[left]

    difference = first - second
    image = rewrite_rules([swapped], difference, keep_order=keep_order)
    assert (image is difference) is keep_order
