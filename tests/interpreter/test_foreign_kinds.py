"""Random programs with kinds of other packages, against a recursive evaluator of their fields."""

from __future__ import annotations

import numpy as np

from relayish.analysis import infer_type
from relayish.interpreter import Closure, RefValue, create_executor
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, RefType, TensorType, TupleType
from tests.support import effect_trace
from tests.support.foreign_kinds import (
    ForeignKinds,
    random_foreign_module,
    register_evaluators,
    register_types,
)
from tests.support.seeds import seeds

SEEDS = seeds(80)

NOTES = []
KINDS = ForeignKinds()
register_types(KINDS)
register_evaluators(KINDS, lambda *noted: NOTES.append(noted))


def plain(value):
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, RefValue):
        return ("ref", plain(value.value))
    return "function" if isinstance(value, Closure) else value


def plain_expected(value):
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(map(plain_expected, value))
    if hasattr(value, "content"):
        return ("ref", plain_expected(value.content))
    return "function" if hasattr(value, "frame") else value


def arguments(main):
    return [
        as_value(effect_trace.example_argument(param, at)) for at, param in enumerate(main.params)
    ]


def as_value(value):
    if isinstance(value, tuple):
        return tuple(map(as_value, value))
    return np.bool_(value) if isinstance(value, bool) else np.int32(value)


def is_of_type(value, ty):
    if isinstance(ty, TensorType):
        return value.dtype.name == ty.dtype and value.shape == ty.shape
    if isinstance(ty, TupleType):
        fields = zip(value, ty.fields, strict=True)
        return all(is_of_type(item, field) for item, field in fields)
    if isinstance(ty, RefType):
        return is_of_type(value.value, ty.value)
    assert isinstance(ty, FuncType)
    return isinstance(value, Closure) and len(value.function.params) == len(ty.arg_types)


def evaluated(mod):
    """Return the value of ``main`` and the effects there were."""
    NOTES.clear()
    with np.errstate(over="ignore"):
        value = create_executor(mod=mod).evaluate()(*arguments(mod["main"]))
    return value, [(what, tag, *map(plain, values)) for what, tag, *values in NOTES]


def test_programs_evaluate_to_what_a_recursive_evaluator_gives():
    with KINDS.declared():
        for seed in SEEDS:
            mod = random_foreign_module(KINDS, seed)
            expected = effect_trace.run(mod)
            value, noted = evaluated(mod)
            assert plain(value) == plain_expected(expected.value), seed
            assert tuple(noted) == expected.trace, seed


def test_inferred_types_are_those_of_the_values():
    with KINDS.declared():
        for seed in SEEDS:
            typed = infer_type(random_foreign_module(KINDS, seed))
            value, _ = evaluated(typed)
            assert is_of_type(value, typed["main"].checked_type.ret_type), seed


def test_typed_programs_do_what_they_did_before():
    with KINDS.declared():
        for seed in SEEDS:
            mod = random_foreign_module(KINDS, seed)
            value, noted = evaluated(mod)
            again, noted_again = evaluated(infer_type(mod))
            assert (plain(again), noted_again) == (plain(value), noted), seed


def test_random_programs_hold_every_foreign_kind():
    with KINDS.declared():
        names = {
            type(node).__name__
            for seed in SEEDS
            for func in random_foreign_module(KINDS, seed).functions.values()
            for node in EXPRESSIONS.post_order(func)
        }
    assert names >= {"Opaque", "Pure", "Switch", "While", "PureWhile", "Thunk", "Do"}
    assert names >= {"With", "Each", "Declare", "Phases"}
