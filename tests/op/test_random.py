"""Random numbers: the generator's words, the distributions, and what keeps them from folding."""

from __future__ import annotations

import math

import numpy as np
import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import EvaluationError
from relayish.interpreter import evaluate
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Call, Constant, Function, Var
from relayish.ir.relay.type import TensorType, TupleType
from relayish.op import get_op, make_attrs
from relayish.op.random import threefry
from relayish.op.random.operators import threefry_key
from relayish.passes.relay.fold.fold_constant import fold_constant
from tests.support.checking import assert_same, evaluated, reference

MASK = (1 << 64) - 1


def cipher(key, counter):
    """The cipher in Python's own integers, one block, the rounds as Relay has them."""
    rotations = [(14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32)]
    keys = [*key, 0x1BD11BDAA9FC1A22]
    for word in key:
        keys[4] ^= word
    block = list(counter)
    for index in range(20):
        if index % 4 == 0:
            step = index // 4
            for j in range(4):
                block[j] = (block[j] + keys[(step + j) % 5] + (step if j == 3 else 0)) & MASK
        for j in range(2):
            x, y, turn = block[2 * j], block[2 * j + 1], rotations[index % 8][j]
            turned = ((y << turn) | (y >> (64 - turn))) & MASK
            block[2 * j], block[2 * j + 1] = (x + y) & MASK, (x + 2 * y & MASK) ^ turned
        block = [block[0], block[3], block[2], block[1]]
    return block


def key_of(seed):
    return threefry_key(seed).data


def draw(key, *shape):
    return evaluated("random.threefry_generate", key, out_shape=shape)


@reference("TVM", "random.threefry_generate")
def test_first_words_are_those_recorded_of_relay():
    key, words = draw(key_of(1), 12)
    assert words[2:6].tolist() == [
        17198659010121151173,
        5672677121325786426,
        16457847829685253138,
        17264354600695271599,
    ]
    assert key.tolist() == [1, 0, 0, 0, 0, 0, 0, 12, 1 << 63, 0]
    assert draw(key_of(1), 5)[1][4] == 14101498703966615081


@reference("formula", "random.threefry_generate")
@pytest.mark.parametrize("seed", [0, 7, MASK])
def test_words_are_blocks_of_the_cipher_counted_on(seed):
    key, words = draw(key_of(seed), 3, 4)
    blocks = [cipher([seed, 0, 0, 0], [n] * 4) for n in range(3)]
    assert words.tolist() == blocks
    assert key[7] == 12
    assert draw(key, 4)[1].tolist() == cipher([seed, 0, 0, 0], [0, 0, 0, 12])


def test_key_whose_counter_is_used_up_goes_on_with_a_longer_path():
    key = key_of(3).copy()
    key[7] = MASK - 3
    after, words = draw(key, 4)
    assert after.tolist() == [3, 0, 0, 0, 1 << 63, 0, 0, 4, 1 << 62, 0]
    assert words.tolist() == cipher([3, 0, 0, 0], [1 << 63, 0, 0, 0])


def test_key_whose_path_is_used_up_too_gets_a_new_cipher_key():
    key = np.array([3, 0, 0, 0, 5, 9, 0, MASK - 3, 0, 0], np.uint64)
    after, words = draw(key, 4)
    fresh = cipher([3, 0, 0, 0], [MASK] * 4)
    assert after.tolist() == [*fresh, 0, 0, 0, 4, 1 << 63, 0]
    assert words.tolist() == cipher(fresh, [0, 0, 0, 0])


@reference("formula", "random.threefry_split")
def test_split_keys_differ_in_one_bit_of_the_path():
    left, right = evaluated("random.threefry_split", key_of(5))
    assert left.tolist() == [5, 0, 0, 0, 0, 0, 0, 0, 1 << 62, 0]
    assert right.tolist() == [5, 0, 0, 0, 1 << 63, 0, 0, 0, 1 << 62, 0]


def test_splitting_goes_on_past_both_words_of_the_path():
    key, seen, full = key_of(5), set(), []
    for depth in range(300):
        seen.add(tuple(key.tolist()))
        if not key[8:].any():
            full.append(depth)
        key = evaluated("random.threefry_split", key)[depth % 2]
    assert len(seen) == 300
    assert full == [128, 256]


def test_generating_leaves_the_key_that_is_given_alone():
    key = key_of(5)
    key.flags.writeable = False
    draw(key, 7)
    threefry.split(key)
    assert key.tolist() == key_of(5).tolist()


@reference("formula", "random.uniform")
@pytest.mark.parametrize(("dtype", "bits"), [("float32", 23), ("float64", 52)])
def test_uniform_numbers_are_the_top_bits_of_the_words(dtype, bits):
    kind = np.dtype(dtype).type
    low, high = kind(-2), kind(6)
    key, found = evaluated(
        "random.uniform", key_of(9), low, high, out_shape=(3, 5), out_dtype=dtype
    )
    after, words = draw(key_of(9), 3, 5)
    size = 8 * np.dtype(dtype).itemsize
    unit = [
        ((w & ((1 << size) - 1)) >> (size - bits)) / (1 << bits) for w in words.ravel().tolist()
    ]
    expected = np.array([u * 8 - 2 for u in unit], dtype).reshape(3, 5)
    assert_same(found, expected, rtol=1e-6)
    assert key.tolist() == after.tolist()


@reference("formula", "random.normal")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_normal_numbers_are_those_of_box_and_muller(dtype):
    kind = np.dtype(dtype).type
    args = key_of(2), kind(3), kind(0.5)
    _, found = evaluated("random.normal", *args, out_shape=(2, 7), out_dtype=dtype)
    _, unit = evaluated(
        "random.uniform", args[0], kind(0), kind(1), out_shape=(2, 2, 7), out_dtype=dtype
    )
    pairs = unit.reshape(2, -1).T.tolist()
    each = [math.sqrt(-2 * math.log(1 - a)) * math.sin(2 * math.pi * b) for a, b in pairs]
    expected = np.array([3 + 0.5 * number for number in each], dtype).reshape(2, 7)
    np.testing.assert_allclose(found, expected, rtol=2e-4 if dtype == "float32" else 1e-9)


def test_drawn_numbers_have_the_moments_of_their_distributions():
    one = np.float32(1)
    _, flat = evaluated(
        "random.uniform",
        key_of(4),
        np.float32(0),
        one,
        out_shape=(20000,),
        out_dtype="float32",
    )
    assert 0 <= flat.min() < flat.max() < 1
    assert abs(flat.mean() - 0.5) < 0.01
    assert abs(flat.var() - 1 / 12) < 0.005
    _, bell = evaluated(
        "random.normal",
        key_of(4),
        np.float32(0),
        one,
        out_shape=(20000,),
        out_dtype="float32",
    )
    assert abs(bell.mean()) < 0.03
    assert abs(bell.std() - 1) < 0.03


@reference("formula", "random.multinomial")
def test_multinomial_draws_in_proportion_and_never_the_impossible():
    probs = np.array([[1, 0, 3, -2], [0, 0, 0, 5]], np.float32)
    _, found = evaluated("random.multinomial", key_of(8), probs, num_samples=4000)
    assert found.dtype == np.int32
    assert found.shape == (2, 4000)
    shares = np.bincount(found[0], minlength=4) / 4000
    assert np.allclose(shares, [0.25, 0, 0.75, 0], atol=0.03)
    assert set(found[1].tolist()) == {3}


def test_multinomial_takes_the_first_sum_beyond_each_uniform_number():
    probs = np.array([0.2, 0.3, 0.5], np.float32)
    _, found = evaluated("random.multinomial", key_of(1), probs, num_samples=9)
    _, unit = evaluated(
        "random.uniform",
        key_of(1),
        np.float32(0),
        np.float32(1),
        out_shape=(9,),
        out_dtype="float32",
    )
    assert found.tolist() == [next(i for i, s in enumerate((0.2, 0.5, 2)) if s > u) for u in unit]


def test_type_of_a_key_is_inferred():
    key = Var("key")
    call = Call(get_op("random.threefry_split"), (key,))
    found = infer_type(Function((key,), call)).checked_type
    expected = TensorType((10,), "uint64")
    assert structural_equal(found.arg_types[0], expected)
    assert structural_equal(found.ret_type, TupleType((expected, expected)))


def test_what_is_no_key_is_not_evaluated():
    with pytest.raises(EvaluationError, match="10 words of uint64"):
        threefry.generate(np.zeros(10, np.int64), 4)
    for seed in (-1, 1 << 256):
        with pytest.raises(EvaluationError, match="seed"):
            key_of(seed)


def test_key_is_an_expression():
    assert evaluate(threefry_key(7)).tolist() == key_of(7).tolist()


def test_words_of_a_long_seed_are_those_of_the_cipher_key():
    seed = 5 + (6 << 64) + (7 << 128) + (8 << 192)
    assert key_of(seed).tolist() == [5, 6, 7, 8, 0, 0, 0, 0, 1 << 63, 0]
    assert draw(key_of(seed), 4)[1].tolist() == cipher([5, 6, 7, 8], [0] * 4)


def test_random_numbers_are_not_folded_into_the_program():
    attrs = make_attrs(get_op("random.threefry_generate"), {"out_shape": (4,)})
    call = Call(get_op("random.threefry_generate"), (Constant(key_of(1)),), attrs)
    assert fold_constant(call) is call
