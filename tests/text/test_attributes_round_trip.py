"""Attributes of every operator, changed at random, are the same when printed and parsed again."""

from __future__ import annotations

import random
import struct

from relayish.errors import FieldError
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Call, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.op import get_op
from relayish.text import astext, parse
from tests.support.each import each
from tests.support.mutated import Mutator
from tests.support.operator_programs import plain
from tests.support.seeds import SOAK, many
from tests.support.sound_calls import sound_calls

CALLS = {name: call for name, call in sound_calls().items() if getattr(call[1], "field_names", ())}
TRIES = many(4)
ODD = ('"', "\\", "\n", "a'b", "é\u2028", "\x00", "//", "/*", "meta[0]", "", "\U0001f600", "{}")
OF_OBJECTS = ("debug", "meta_schedule_layout_transform")
"""Operators with attributes that are Python objects, which text does not hold."""


def any_float(pick):
    """Return a floating point number of any bits."""
    return struct.unpack("d", pick.randbytes(8))[0]


def odd(value, pick):
    """Return a value of the same kind, hard to print."""
    if isinstance(value, str):
        return pick.choice(ODD)
    if isinstance(value, float):
        return pick.choice((any_float(pick), -0.0, 1e-320, 1e300, 5.0))
    if type(value) is int:
        return pick.choice((value, -(2**63), 2**63 - 1, 2**31, -1, 2**80))
    if isinstance(value, tuple):
        return tuple(odd(item, pick) for item in value)
    return value


@each("name", sorted(set(CALLS) - set(OF_OBJECTS)))
def test_attributes_are_the_same_when_parsed_again(name):
    types, attrs = CALLS[name]
    op, tried = get_op(name), 0
    mutator, pick = Mutator(f"{name} {SOAK}"), random.Random(f"{name} {SOAK}")
    for _ in range(TRIES):
        _, values = mutator.changed(types, attrs)
        values = {key: plain(value) for key, value in values.items()}
        if pick.random() < 0.5:
            key = pick.choice(sorted(values))
            values[key] = odd(values[key], pick)
        try:
            changed = type(attrs)(**values)
        except FieldError:
            continue
        tried += 1
        params = [Var("x", ty) for ty in types]
        mod = IRModule({"main": Function(params, Call(op, params, changed))})
        text = astext(mod)
        again = parse(text)
        assert_structural_equal(again, mod)
        assert astext(again) == text
    assert tried or TRIES < 10
