"""Sound calls of all operators, and what becomes of them when they are changed at random."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError, FieldError, TypeInferenceError
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.op import get_op
from relayish.op.declaration.properties import arguments, evaluate, relation, rule
from tests.support.checking import assert_describes, type_of
from tests.support.each import each
from tests.support.mutated import Mutator
from tests.support.seeds import SOAK, many
from tests.support.sound_calls import sound_calls
from tools.operator_table import OPERATORS as DECLARED

CALLS = sound_calls()
EXAMPLES = many(30)


class Listener:
    """A reporter that takes whatever it is told, as long as it is a type."""

    def assign(self, unknown, found):
        assert isinstance(unknown, Type)
        assert isinstance(found, Type)


def typed(name, attrs, types):
    """Return what the rule or the relation of an operator makes of ``types``."""
    op = get_op(name)
    if op in rule:
        return rule.get(op)(attrs, *types)
    return relation.get(op)(attrs, tuple(types), Listener())


def test_every_operator_has_a_sound_call():
    assert set(CALLS) == set(DECLARED)


@each("name", DECLARED)
def test_sound_call_has_a_type(name):
    types, attrs = CALLS[name]
    assert len(types) == len(arguments.get(get_op(name)))
    assert isinstance(typed(name, attrs, types), Type)


@each("name", DECLARED)
def test_changed_call_has_a_type_or_is_refused(name):
    """More calls are drawn where all were refused: some neighbour of each sound call is sound."""
    (sound, attrs), op, mutator = CALLS[name], get_op(name), Mutator(f"{name} {SOAK}")
    drawn = typed_ones = 0
    while drawn < EXAMPLES or not typed_ones:
        assert drawn < EXAMPLES + 1000, "each of them is refused"
        drawn += 1
        types, values = mutator.changed(sound, attrs)
        try:
            changed = type(attrs)(**values) if values else attrs
        except FieldError:
            continue
        if op in relation and mutator.pick.random() < 0.4:
            types = mutator.hidden(types)
        try:
            found = typed(name, changed, types)
        except TypeInferenceError:
            continue
        typed_ones += 1
        assert isinstance(found, Type) or (found is None and op in relation), (changed, types)


def sizes_of(ty):
    """Return the sizes that stand in a type, at any depth of tuples."""
    if isinstance(ty, TupleType):
        return {size for field in ty.fields for size in sizes_of(field)}
    return set(ty.shape)


def with_size(ty, old, new):
    if isinstance(ty, TupleType):
        return TupleType([with_size(field, old, new) for field in ty.fields])
    return TensorType([new if size == old else size for size in ty.shape], ty.dtype)


def emptied(types):
    """Yield ``types`` with one size of them 0, at all its places or at one alone."""
    for old in sorted({size for ty in types for size in sizes_of(ty)}):
        yield [with_size(ty, old, 0) for ty in types]
        for place, ty in enumerate(types):
            if old in sizes_of(ty):
                yield [*types[:place], with_size(ty, old, 0), *types[place + 1 :]]
    for place, ty in enumerate(types):
        if isinstance(ty, TensorType):
            for axis in range(len(ty.shape)):
                shape = (*ty.shape[:axis], 0, *ty.shape[axis + 1 :])
                yield [*types[:place], TensorType(shape, ty.dtype), *types[place + 1 :]]


def values_of(ty, rng):
    if isinstance(ty, TupleType):
        return tuple(values_of(field, rng) for field in ty.fields)
    return np.asarray(rng.integers(0, 2, ty.shape)).astype(ty.dtype)[()]


OF_VALUES = ("arange", "dyn.broadcast_to", "dyn.image.resize2d", "nn.sparse_add")
OF_VALUES += ("nn.sparse_transpose", "sparse_fill_empty_rows", "nn.sparse_conv2d")
"""Operators that few of the values drawn here are meant for: row pointers, shapes, bounds."""


@each("name", [n for n in DECLARED if get_op(n) in evaluate])
def test_call_on_nothing_has_a_value_of_its_type_or_says_why_not(name):
    types, attrs = CALLS[name]
    rng, values = np.random.default_rng(7), 0
    for given in [types, *emptied(types)]:
        try:
            expected = typed(name, attrs, given)
        except TypeInferenceError:
            continue
        inputs = [values_of(ty, rng) for ty in given]
        try:
            with np.errstate(all="ignore"):
                found = evaluate.get(get_op(name))(attrs, *inputs)
        except EvaluationError:
            continue
        values += 1
        if name != "arange":  # whose attributes, not these arguments, say how many there are
            assert_describes(expected, type_of(found))
    assert values or name in OF_VALUES
