"""Random programs evaluate without fault, and to what a plain recursive evaluator gives."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.analysis import count_nodes, free_type_vars, free_vars, well_formed
from relayish.interpreter import ConstructorValue, RefValue, create_executor, evaluate, same_value
from relayish.interpreter import random_arguments as drawn_arguments
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.relay.adt import (
    Constructor,
    Match,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.type import TensorType
from relayish.op.declaration import properties
from tests.support.random_exprs import (
    random_arguments,
    random_expr,
    random_function,
    random_module,
    random_type,
)
from tests.support.seeds import seeds

SEEDS = seeds(30)
STEPS = 20_000


class TooLong(Exception):
    """The plain evaluator shares nothing, which may take it exponentially long."""


class Plain:
    """Evaluates by recursion, with environments as dictionaries, sharing nothing.

    Random programs bind what has an effect, so that sharing makes no difference to their value.
    """

    def __init__(self, mod=None):
        self.mod = mod
        self.left = STEPS

    def value(self, expr, env):
        self.left -= 1
        if self.left < 0:
            raise TooLong
        match expr:
            case Constant():
                return expr.data
            case Var():
                return env[expr]
            case GlobalVar():
                return self.value(self.mod[expr], {})
            case Tuple():
                return tuple([self.value(item, env) for item in expr.fields])
            case TupleGetItem():
                return self.value(expr.tuple_value, env)[expr.index]
            case Let():
                if isinstance(expr.value, Function):
                    env = {**env}
                    env[expr.var] = (expr.value, env)
                    return self.value(expr.body, env)
                return self.value(expr.body, {**env, expr.var: self.value(expr.value, env)})
            case If():
                taken = self.value(expr.cond, env)
                return self.value(expr.true_branch if taken else expr.false_branch, env)
            case Function():
                return (expr, env)
            case Call():
                return self.call(expr, env)
            case RefCreate():
                return RefValue(self.value(expr.value, env))
            case RefRead():
                return self.value(expr.ref, env).value
            case RefWrite():
                self.value(expr.ref, env).value = self.value(expr.value, env)
                return ()
            case Match():
                data = self.value(expr.data, env)
                for clause in expr.clauses:
                    found = {}
                    if fits(clause.lhs, data, found):
                        return self.value(clause.rhs, {**env, **found})
        raise AssertionError(expr)

    def call(self, call, env):
        if isinstance(call.op, Op):
            args = [self.value(arg, env) for arg in call.args]
            result = properties.evaluate.get(call.op)(call.attrs, *args)
            return result[()] if isinstance(result, np.ndarray) and not result.ndim else result
        if isinstance(call.op, Constructor):
            fields = tuple([self.value(arg, env) for arg in call.args])
            return ConstructorValue(-1, fields, call.op)
        function, outer = self.value(call.op, env)
        args = [self.value(arg, env) for arg in call.args]
        return self.value(function.body, {**outer, **dict(zip(function.params, args, strict=True))})


def fits(pattern, value, found):
    match pattern:
        case PatternWildcard():
            return True
        case PatternVar():
            found[pattern.var] = value
            return True
        case PatternTuple():
            return all(fits(*pair, found) for pair in zip(pattern.patterns, value, strict=True))
        case PatternConstructor():
            return pattern.constructor is value.constructor and all(
                fits(*pair, found) for pair in zip(pattern.patterns, value.fields, strict=True)
            )


def test_random_expressions_are_closed_and_well_formed():
    for seed in SEEDS:
        expr = random_expr(seed, 60)
        assert well_formed(expr)
        assert free_vars(expr) == ()
        assert free_type_vars(expr) == ()


def test_random_programs_evaluate_to_what_a_plain_evaluator_gives():
    compared = 0
    for seed in SEEDS:
        mod = random_module(seed, 100)
        main = mod["main"]
        args = random_arguments(main, seed)
        found = create_executor(mod=mod).evaluate()(*args)
        try:
            with np.errstate(all="ignore"):
                expected = Plain(mod).value(main.body, dict(zip(main.params, args, strict=True)))
        except TooLong:
            continue
        assert same_value(found, expected), seed
        compared += 1
    assert compared > len(SEEDS) / 2


def test_random_expressions_are_the_same_for_the_same_seed():
    for seed in SEEDS:
        first, second = (evaluate(random_expr(seed, 60)) for _ in range(2))
        assert same_value(first, second), seed


def test_random_functions_take_random_arguments():
    for seed in SEEDS:
        function = random_function(seed, 60)
        args = random_arguments(function, seed)
        assert same_value(evaluate(function, args=args), evaluate(function, args=args)), seed


def test_random_types_are_closed():
    assert all(free_type_vars(random_type(seed)) == () for seed in SEEDS)


def test_random_programs_hold_every_kind_of_expression():
    kinds = set()
    for seed in SEEDS:
        for function in random_module(seed, 200).functions.values():
            kinds.update(map(type, EVERYTHING.pre_order(function)))
    assert Expr.kinds <= kinds


@pytest.mark.parametrize("size", [1, 10, 1000])
def test_size_of_random_programs_follows_what_is_asked(size):
    sizes = sorted(count_nodes(random_expr(seed, size)) for seed in seeds(20))
    assert sizes[-1] >= size / 2
    assert sizes[-1] <= 20 * size + 60


def test_arguments_of_every_type_are_drawn_from_its_values() -> None:
    for dtype, values in (("bool", {False, True}), ("uint8", {0, 1, 2, 3})):
        x = Var("x", TensorType((99,), dtype))
        assert set(drawn_arguments(Function((x,), x))[0].tolist()) == values
    x = Var("x", TensorType((99,)))
    assert len(set(drawn_arguments(Function((x,), x))[0].tolist())) > 90
