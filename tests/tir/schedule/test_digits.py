"""Quotients and remainders that split and fused loops leave."""

from __future__ import annotations

import itertools
import random

import pytest

from relayish import tir
from relayish.tir.analysis.values.context import Context
from relayish.tir.schedule.digits import tidy_digits
from tests.support.depth import DEPTH
from tests.support.seeds import seeds
from tests.support.tir_small import loop, memory

ROW, COLUMN = tir.Var("i"), tir.Var("j")


def tidied(value: tir.Expr, rows: int = 8, columns: int = 32, low: int = 0) -> tir.Expr:
    """What becomes of an index in a nest of so many iterations."""
    nest = loop(ROW, low, rows, loop(COLUMN, 0, columns, tir.store(memory("A", 9999), 0, value)))
    image = tidy_digits(nest, Context(), {})
    return next(iter(tir.collect_ir_nodes(image, lambda x: isinstance(x, tir.Store)))).indices[0]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ((ROW * 32 + COLUMN) / 16, "((i * 2) + (j / 16))"),
        ((ROW * 32 + COLUMN) % 16, "(j % 16)"),
        ((ROW * 32 + COLUMN) / 32, "i"),
        ((ROW * 32 + COLUMN) % 32, "j"),
        ((ROW * 32 + COLUMN + 64) / 32, "(i + 2)"),
        ((ROW * 32 + COLUMN) / 24, "(((i * 32) + j) / 24)"),
        (ROW / 4 * 4 + ROW % 4, "i"),
        (COLUMN / 16 * 2 + COLUMN % 16 / 8, "(j / 8)"),
        (COLUMN % 16 % 8, "(j % 8)"),
        (COLUMN % 8 % 16, "(j % 8)"),
        ((COLUMN / 4 * 4 + COLUMN % 4) / 8, "(j / 8)"),
        (COLUMN / 4 * 8 + COLUMN % 4, "(((j / 4) * 8) + (j % 4))"),
        (COLUMN / 4 * 4 + ROW % 4, "(((j / 4) * 4) + (i % 4))"),
    ],
)
def test_digits_are_tidied(value, text):
    assert tir.astext(tidied(value)).split("\n")[0] == text


def test_what_may_be_negative_is_rounded_as_it_was():
    value = (ROW * 32 + COLUMN) / 16
    assert tidied(value, low=-1) is value


def drawn(rng: random.Random, depth: int = 3) -> tir.Expr:
    if not depth or rng.random() < 0.2:
        return rng.choice([ROW, COLUMN, tir.const(rng.randint(-3, 9))])
    one = drawn(rng, depth - 1)
    match rng.randrange(5):
        case 0:
            return one + drawn(rng, depth - 1)
        case 1:
            return one * rng.choice([2, 4, 8, 3])
        case 2:
            return one / rng.choice([2, 4, 8, 3])
        case 3:
            return one % rng.choice([2, 4, 8, 3])
    by = rng.choice([2, 4, 8])
    return one / (by * 2) * 2 + one % (by * 2) / by


def test_tidied_digits_are_the_same_numbers():
    for seed in seeds(25):
        rng = random.Random(seed)
        value, low = drawn(rng) / rng.choice([2, 4, 8]), rng.choice([0, 0, -3])
        image = tidied(value, 5, 9, low)
        for i, j in itertools.product(range(low, low + 5, 2), range(0, 9, 3)):
            known = {ROW: i, COLUMN: j}
            assert int(tir.evaluate(image, known)) == int(tir.evaluate(value, known)), seed


@pytest.mark.deep
def test_deep_quotients_stay_what_they_are():
    value: tir.Expr = ROW
    for _ in range(DEPTH):
        value = (value + COLUMN) / 2
    assert tidied(value) is value
