from __future__ import annotations

import contextlib
import random
import struct

import numpy as np
import pytest

import relayish as relay
from relayish.binary.param_dict import load_param_dict, save_param_dict
from relayish.errors import FieldError, RelayishError
from tests.support.seeds import SOAK, many


def tensor(code: int, bits: int, shape: tuple[int, ...], content: bytes) -> bytes:
    """Return the bytes of one array, as the format is defined."""
    return b"".join(
        (
            bytes.fromhex("3fa1b496f0405edd"),  # the mark of an array, lowest byte first
            bytes(8),  # reserved
            struct.pack("<i", 1),  # the kind of device: the CPU
            struct.pack("<i", 0),  # its number
            struct.pack("<i", len(shape)),
            struct.pack("<B", code) + struct.pack("<B", bits) + struct.pack("<H", 1),
            *(struct.pack("<q", size) for size in shape),
            struct.pack("<q", len(content)),
            content,
        )
    )


def blob(**arrays: bytes) -> bytes:
    """Return the bytes of a file of arrays by name, as the format is defined."""
    names = b"".join(struct.pack("<Q", len(name)) + name.encode() for name in arrays)
    return b"".join(
        (
            bytes.fromhex("b79c04054f8de5f7"),
            bytes(8),
            struct.pack("<Q", len(arrays)),
            names,
            struct.pack("<Q", len(arrays)),
            *arrays.values(),
        )
    )


def test_file_is_byte_for_byte_that_of_the_definition():
    weight = np.array([[1.5, -2.0, 3.25]], "<f4")
    written = relay.save_param_dict({"w": weight, "b": np.array([7, -1], "<i8")})
    assert bytes(written) == blob(
        w=tensor(2, 32, (1, 3), bytes.fromhex("0000c03f000000c000005040")),
        b=tensor(0, 64, (2,), struct.pack("<qq", 7, -1)),
    )


@pytest.mark.parametrize(
    ("dtype", "code", "bits"),
    [
        ("int8", 0, 8),
        ("int16", 0, 16),
        ("int32", 0, 32),
        ("int64", 0, 64),
        ("uint8", 1, 8),
        ("uint16", 1, 16),
        ("uint32", 1, 32),
        ("uint64", 1, 64),
        ("bool", 1, 1),
        ("float16", 2, 16),
        ("float32", 2, 32),
        ("float64", 2, 64),
    ],
)
def test_element_type_has_the_code_of_dlpack(dtype, code, bits):
    array = np.array([0, 1, 1], dtype)
    assert bytes(relay.save_param_dict({"a": array})) == blob(
        a=tensor(code, bits, (3,), array.tobytes())
    )


def test_bfloat16_has_a_code_of_its_own():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([1, 2], ml_dtypes.bfloat16)
    written = relay.save_param_dict({"a": array})
    assert bytes(written) == blob(a=tensor(4, 16, (2,), bytes.fromhex("803f0040")))
    assert relay.load_param_dict(written)["a"].dtype == ml_dtypes.bfloat16


def test_arrays_come_back_as_they_were_in_their_order():
    rng = np.random.default_rng(0)
    params = {
        "z": rng.normal(size=(2, 3)),
        "": np.float32(2.5),
        "größe": rng.integers(0, 9, size=(4, 0, 2)).astype("uint16"),
        "a.b": rng.normal(size=5).astype("float16"),
    }
    loaded = relay.load_param_dict(relay.save_param_dict(params))
    assert list(loaded) == list(params)
    for name, value in params.items():
        assert (loaded[name].dtype, loaded[name].shape) == (value.dtype, value.shape)
        np.testing.assert_array_equal(loaded[name], value)
        assert loaded[name].flags.writeable


def test_array_of_another_byte_order_or_stride_is_written_as_any_other():
    array = np.arange(12, dtype="int32").reshape(3, 4)
    plain = relay.save_param_dict({"a": array.T.copy()})
    assert relay.save_param_dict({"a": array.T}) == plain
    assert relay.save_param_dict({"a": array.T.astype(">i4")}) == plain


def test_no_parameters_are_a_file_too():
    assert relay.load_param_dict(relay.save_param_dict({})) == {}


def test_infinities_and_nans_keep_every_bit():
    bits = np.array([0x7F800001, 0xFFC12345, 0x80000000], "uint32")
    loaded = relay.load_param_dict(relay.save_param_dict({"a": bits.view("float32")}))
    np.testing.assert_array_equal(loaded["a"].view("uint32"), bits)


GOOD = blob(w=tensor(2, 32, (2,), bytes(8)))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "the mark of a parameter file should follow, 8 bytes; found 0, at byte 0"),
        (bytes(64), "begins with b79c04054f8de5f7"),
        (GOOD[:-1], "the elements of an array should follow, 8 bytes; found 7"),
        (GOOD + b"x", "1 bytes follow the last array"),
        (GOOD[:16] + b"\xff" * 8 + GOOD[24:], "18446744073709551615 names are announced"),
        (GOOD[:24] + b"\xff" * 8 + GOOD[32:], "bytes of a name are announced"),
        (blob(w=bytes(80)), "an array begins with 3fa1b496f0405edd"),
        (blob(w=tensor(9, 32, (2,), bytes(8))), "no element type has code 9, 32 bits"),
        (blob(w=tensor(2, 33, (2,), bytes(8))), "no element type has code 2, 33 bits"),
        (blob(w=tensor(2, 32, (3,), bytes(8))), r"an array \(3,\) of float32 has not 8 bytes"),
        (blob(w=tensor(2, 32, (-2, -1), bytes(8))), r"an array \(-2, -1\) of float32"),
    ],
)
def test_file_that_is_none_says_where_and_why(content, complaint):
    with pytest.raises(FieldError, match=complaint):
        relay.load_param_dict(content)


def test_every_truncation_of_a_file_is_an_error():
    for length in range(len(GOOD)):
        with pytest.raises(FieldError, match="not a parameter file"):
            relay.load_param_dict(GOOD[:length])


def test_two_arrays_of_one_name_are_refused():
    array = tensor(2, 32, (), bytes(4))
    twice = blob(w=array, v=array).replace(b"v", b"w")
    with pytest.raises(FieldError, match="two parameters go by one name"):
        relay.load_param_dict(twice)


def test_path_in_place_of_bytes_says_to_read_it():
    with pytest.raises(FieldError, match=r"path\.read_bytes\(\)"):
        relay.load_param_dict("deploy.params")


def test_element_type_without_a_code_is_refused_by_name():
    with pytest.raises(FieldError, match="parameter 'c' has elements of complex64"):
        relay.save_param_dict({"c": np.zeros(2, "complex64")})


def test_name_that_is_no_string_is_refused():
    with pytest.raises(FieldError, match="parameters go by names; found 3"):
        relay.save_param_dict({3: np.zeros(2)})


def test_damaged_files_are_refused_or_read():
    pick = random.Random(SOAK)
    original = save_param_dict({"w": np.arange(12, dtype="float32").reshape(3, 4), "b": np.int8(1)})
    for _ in range(many(300)):
        data = bytearray(original)
        for _ in range(pick.choice((1, 1, 2, 8))):
            at = pick.randrange(len(data))
            match pick.randrange(3):
                case 0:
                    data[at] ^= 1 << pick.randrange(8)
                case 1:
                    data[at : at + 8] = pick.choice((b"\xff", b"\0", b"\x7f")) * 8
                case _:
                    data[at:at] = pick.randbytes(pick.choice((1, 9)))
        with contextlib.suppress(RelayishError):
            load_param_dict(bytes(data))
