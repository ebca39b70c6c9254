from __future__ import annotations

import random

import numpy as np
import pytest

from relayish.binary.columns import Cursor, encode_column, encode_counts
from relayish.binary.varints import (
    count_bytes,
    decode_varints,
    encode_varint,
    encode_varints,
    to_signed,
    to_unsigned,
)
from relayish.errors import BinaryFormatError
from tests.support.each import each
from tests.support.seeds import seeds

EDGES = [0, 1, 127, 128, 2**14 - 1, 2**14, 2**32, 2**63 - 1, 2**63, 2**64 - 1]


def draw(seed: int) -> list[int]:
    pick = random.Random(seed)
    return [pick.getrandbits(pick.choice((1, 7, 8, 21, 40, 64))) for _ in range(pick.randrange(60))]


@each("numbers", [EDGES, EDGES[::-1], [], *map(draw, seeds(50))])
def test_numbers_come_back_and_take_the_bytes_that_one_alone_takes(numbers: list[int]) -> None:
    given = np.array(numbers, np.uint64)
    data = encode_varints(given)
    assert decode_varints(data).tolist() == numbers
    assert data == b"".join(map(encode_varint, numbers))
    assert int(count_bytes(given).sum()) == len(data)


def test_signed_numbers_come_back_small_where_they_are_near_zero() -> None:
    given = np.array([0, -1, 1, -64, 64, 2**63 - 1, -(2**63)], np.int64)
    unsigned = to_unsigned(given)
    assert unsigned.tolist() == [0, 1, 2, 127, 128, 2**64 - 2, 2**64 - 1]
    assert to_signed(unsigned).tolist() == given.tolist()


@each("data", [b"\x80", b"\x01\xff", b"\xff" * 9 + b"\x02", b"\x80" * 10 + b"\x01"])
def test_bytes_that_are_no_numbers_of_64_bits_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"does not end|more than 64 bits"):
        decode_varints(data)


def read(data: bytes, owners: list[int], counts: list[int] | None = None) -> list[int]:
    cursor = Cursor(memoryview(data), 0)
    many = None if counts is None else cursor.counts(len(owners), "counts")
    found: list[int] = cursor.column(np.array(owners), many, "the column").tolist()
    assert cursor.left == 0
    return found


@each("numbers", [[5, 5, 5], [9, 10, 11], [0, 1, 2], [9, 0, 7]])
def test_column_comes_back_however_it_is_kept(numbers: list[int]) -> None:
    owners = np.array([10, 11, 12])
    assert read(encode_column(numbers, owners), owners.tolist()) == numbers


def test_column_takes_the_fewest_bytes() -> None:
    owners = np.arange(1000, 2000)
    assert len(encode_column([3] * 1000, owners)) == 3
    assert len(encode_column((owners - 1).tolist(), owners)) == 1 + 2 + 1000
    assert len(encode_column([number % 7 for number in range(1000)], owners)) == 1 + 2 + 1000


@each("counts", [[2, 2, 2], [0, 3, 1], [0, 0, 0]])
def test_columns_of_many_come_back(counts: list[int]) -> None:
    owners = np.array([10, 11, 12])
    numbers = list(range(sum(counts)))
    data = encode_counts(counts) + encode_column(numbers, owners, counts)
    assert read(data, owners.tolist(), counts) == numbers


@each("numbers", [[10], [11], [2**63]])
def test_object_that_would_hold_itself_or_a_later_one_is_refused(numbers: list[int]) -> None:
    data = encode_column(numbers, np.array([2**63 - 1]))
    with pytest.raises(BinaryFormatError, match=r"object 10 holds object \d+, not before it"):
        read(data, [10])
