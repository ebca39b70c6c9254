from __future__ import annotations

import numpy as np
import pytest

from relayish.ir.relay.type import TensorType
from relayish.op import get_op, make_attrs
from tests.support.checking import assert_same, evaluated, inferred, random_values, reference
from tests.support.seeds import quickly

pytest.importorskip("hypothesis")
from hypothesis import given
from hypothesis import strategies as st

FEW = quickly(25)
sizes = st.integers(1, 4)
dtypes = st.sampled_from(["float32", "float64", "int32"])
indices = st.sampled_from(["int32", "int64"])
fractions = st.floats(0, 1)


def compressed(matrix, index, block=None):
    """Compress rows of numbers, or of blocks of ``block`` rows and columns, of a dense matrix."""
    height, width = block or (1, 1)
    rows, columns = matrix.shape[0] // height, matrix.shape[1] // width
    blocks = matrix.reshape(rows, height, columns, width).swapaxes(1, 2)
    data, places, starts = [], [], [0]
    for row in blocks:
        kept = [at for at in range(columns) if row[at].any()]
        data += [row[at] for at in kept]
        places += kept
        starts.append(len(places))
    numbers = np.array(data, matrix.dtype).reshape(-1, height, width)
    return (
        numbers if block else numbers.reshape(-1),
        np.array(places, index),
        np.array(starts, index),
    )


def with_holes(rows, columns, density, dtype, block=(1, 1)):
    rng = np.random.default_rng([rows, columns, int(density * 100)])
    kept = rng.random((rows, columns)) < density
    whole = random_values(rows * block[0], columns * block[1], dtype=dtype, low=-4)
    return whole * np.kron(kept, np.ones(block)).astype(dtype)


@reference("numpy", "nn.sparse_dense", "nn.internal.sparse_dense_padded")
@FEW
@given(sizes, sizes, sizes, fractions, dtypes, indices, st.none() | st.tuples(sizes, sizes))
def test_sparse_dense_multiplies_by_the_dense_matrix(m, n, k, density, dtype, index, block):
    matrix = with_holes(n, k, density, dtype, block or (1, 1))
    dense = random_values(m, matrix.shape[1], dtype=dtype, seed=3)
    sparse = compressed(matrix, index, block)
    assert_same(evaluated("nn.sparse_dense", dense, *sparse), dense @ matrix.T, 1e-4)
    found = evaluated("nn.sparse_dense", dense, *sparse, sparse_lhs=True)
    assert_same(found, matrix @ dense.T, 1e-4)
    found = evaluated("nn.internal.sparse_dense_padded", dense, *sparse)
    assert_same(found, dense @ matrix.T, 1e-4)


@reference("numpy", "nn.sparse_add")
@FEW
@given(sizes, sizes, fractions, dtypes, indices)
def test_sparse_add_adds_the_dense_matrix(rows, columns, density, dtype, index):
    matrix = with_holes(rows, columns, density, dtype)
    dense = random_values(rows, columns, dtype=dtype, seed=3)
    found = evaluated("nn.sparse_add", dense, *compressed(matrix, index))
    assert_same(found, dense + matrix)


@reference("numpy", "nn.sparse_transpose")
@FEW
@given(st.integers(1, 6), fractions, dtypes, indices)
def test_sparse_transpose_compresses_columns(size, density, dtype, index):
    matrix = with_holes(size, size, density, dtype)
    found = evaluated("nn.sparse_transpose", *compressed(matrix, index))
    assert_same(found, compressed(matrix.T, index))


@reference("numpy", "nn.sparse_conv2d")
@FEW
@given(sizes, sizes, sizes, fractions, st.sampled_from([None, (2, 1), (2, 3)]), st.booleans())
def test_sparse_convolution_multiplies_channels(h, outs, ins, density, block, last):
    matrix = with_holes(outs, ins, density, "float32", block or (1, 1))
    data = random_values(2, h, 3, matrix.shape[1])
    expected = data @ matrix.T
    sparse = compressed(matrix, "int32", block)
    if block == (2, 1):
        sparse = (sparse[0].squeeze(-1), *sparse[1:])
    if last:
        found = evaluated("nn.sparse_conv2d", data, *sparse, layout="NHWC")
    else:
        first = np.moveaxis(data, -1, 1)
        found = np.moveaxis(evaluated("nn.sparse_conv2d", first, *sparse, layout="NCHW"), 1, -1)
    assert_same(found, expected, 1e-4)


@reference("formula", "nn.bitpack")
@FEW
@given(
    st.sampled_from(["uint8", "uint16", "uint32", "uint64"]),
    st.integers(1, 3),
    st.integers(0, 1),
    st.integers(-3, 2),
)
def test_bitpack_puts_the_first_number_into_the_highest_bit(word, bits, pack_axis, bit_axis):
    width = 8 * np.dtype(word).itemsize
    shape = [3, 3]
    shape[pack_axis] = 2 * width
    data = random_values(*shape, dtype="int64", low=0, high=8)
    options = {"bits": bits, "pack_axis": pack_axis, "bit_axis": bit_axis, "pack_type": word}
    planes = np.moveaxis(evaluated("nn.bitpack", data, **options), bit_axis, 0)
    planes = planes if pack_axis == 1 else planes.swapaxes(1, 2)
    numbers = (data if pack_axis == 1 else data.T).tolist()
    for bit in range(bits):
        for row, line in enumerate(numbers):
            for at in range(2):
                digits = "".join(str(n >> bit & 1) for n in line[at * width : (at + 1) * width])
                assert int(planes[bit, row, at]) == int(digits, 2)


@reference("formula", "nn.bitserial_dense")
@FEW
@given(sizes, sizes, st.integers(1, 3), st.integers(1, 3), st.booleans(), st.booleans())
def test_bitserial_dense_counts_bits(m, n, data_bits, weight_bits, unipolar, packed):
    data = random_values(m, 16, dtype="int16", low=0, high=2**data_bits)
    weight = random_values(n, 16, dtype="int16", low=0, high=2**weight_bits, seed=1)
    expected = np.zeros((m, n), np.int32)
    for a in range(data_bits):
        for b in range(weight_bits):
            left, right = data >> a & 1, weight >> b & 1
            signs = 2 * right.astype("int32") - 1 if unipolar else right.astype("int32")
            expected += (left.astype("int32") @ signs.T) << (a + b)
    given_weight = weight
    if packed:
        given_weight = evaluated(
            "nn.bitpack", weight, bits=weight_bits, pack_axis=1, bit_axis=1, pack_type="uint8"
        )
    found = evaluated(
        "nn.bitserial_dense",
        data,
        given_weight,
        units=n,
        data_bits=data_bits,
        weight_bits=weight_bits,
        unipolar=unipolar,
        pack_dtype="uint8",
        out_dtype="int32",
    )
    assert_same(found, expected)


def test_axis_of_bits_is_the_last_by_default_in_type_and_value():
    options = {"bits": 2, "pack_axis": 1, "pack_type": "uint32"}
    attrs = make_attrs(get_op("nn.bitpack"), options)
    expected = (3, 2, 2)  # Relay's type is (3, 2), of which it cannot compute a value
    assert inferred("nn.bitpack", attrs, TensorType((3, 64), "int32")).shape == expected
    data = random_values(3, 64, dtype="int32", low=0, high=4)
    assert evaluated("nn.bitpack", data, **options).shape == expected
