"""Files that are damaged, cut short or made up: a clear error each, or an equal program."""

from __future__ import annotations

import random
import re
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relayish.binary import from_binary, inspect_binary, read_binary, read_phase, to_binary
from relayish.binary.layout import HEAD_SIZE
from relayish.binary.varints import encode_varint
from relayish.errors import BinaryFormatError, RelayishError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Call, Constant, Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import TensorType
from relayish.transform import InferType
from tests.support import deep
from tests.support.core_programs import random_core_program
from tests.support.each import each
from tests.support.random_exprs import random_module
from tests.support.seeds import SOAK, many
from tests.support.stored import program_of, with_checksum, with_program
from tests.support.tir_programs import random_func

TRIES = many(200)


def _with_arrays() -> Any:
    x = Var("x", TensorType((3, 5)))
    weight = Constant(np.arange(15, dtype="float32").reshape(3, 5))
    return IRModule.from_expr(
        Tuple((Call(intern_op("add"), (x, weight)), Constant(np.arange(40)), Constant(1.5)))
    )


PROGRAMS: list[Any] = [
    _with_arrays(),
    Var("x"),
    InferType()(_with_arrays()),
    random_module(1, 12),
    random_core_program(2),
    random_func(3),
    random_func(4),
    deep.doublings(20),
    (1, 2.5, "x", 10**30, b"bytes", np.float32(1), DictAttrs({"a": (None, True)})),
    Function((), Constant(np.ones((4, 8), "int8"))),
]
"""Ten programs, whose files are damaged."""

FILES = [to_binary(program, phase="somewhere") for program in PROGRAMS]

SAYS = re.compile(r"byte \d+: .*(again|newer|relayish\.text\.parse)", re.DOTALL)
"""What an error says: at which byte something was found, and what to do."""


def read(data: bytes) -> tuple[Any, str]:
    """Return what is read of ``data``, or what the error says that it ends in."""
    try:
        return from_binary(data), ""
    except RelayishError as error:
        return error, str(error) or repr(error)


def check(data: bytes, program: Any) -> None:
    made, said = read(data)
    if not said:
        assert structural_equal(program, made, map_free_vars=True)
        return
    assert SAYS.match(said), said
    assert made.offset <= max(len(data), HEAD_SIZE)


@each("number", range(len(FILES)))
def test_every_prefix_of_a_file_is_refused(number: int) -> None:
    data = FILES[number]
    for size in range(len(data)):
        with pytest.raises(BinaryFormatError) as caught:
            from_binary(data[:size])
        assert SAYS.match(str(caught.value)), str(caught.value)


def test_flipped_bits_are_noticed_or_mean_nothing() -> None:
    pick = random.Random(SOAK)
    for _ in range(TRIES):
        number = pick.randrange(len(FILES))
        data = bytearray(FILES[number])
        for _ in range(pick.choice((1, 1, 1, 2, 8))):
            data[pick.randrange(len(data))] ^= 1 << pick.randrange(8)
        check(bytes(data), PROGRAMS[number])


def test_files_that_somebody_made_up_are_refused_or_hold_something() -> None:
    """Here all checksums are right, so that what is damaged is what the reader has to judge."""
    pick = random.Random(SOAK + 1)
    for _ in range(TRIES):
        data = FILES[pick.randrange(len(FILES))]
        program = bytearray(program_of(data))
        for _ in range(pick.choice((1, 1, 2, 5))):
            at = pick.randrange(len(program))
            match pick.randrange(4):
                case 0:
                    program[at] ^= 1 << pick.randrange(8)
                case 1:
                    program[at] = pick.choice((0, 1, 127, 128, 255))
                case 2:
                    del program[at : at + pick.choice((1, 1, 2, 9))]
                case _:
                    program[at:at] = pick.randbytes(pick.choice((1, 1, 2, 9)))
        made, said = read(with_program(data, bytes(program)))
        assert said or not isinstance(made, Exception)


def test_bytes_behind_the_end_are_refused() -> None:
    with pytest.raises(BinaryFormatError, match="goes on behind its end"):
        from_binary(FILES[0] + b"\0")


def test_what_is_no_file_in_binary_form_is_refused_with_what_to_do() -> None:
    for data in (b"", b"#[version = 0.0.5]", b"\x89PNG\r\n\x1a\n" + bytes(80), b"PK", bytes(100)):
        with pytest.raises(BinaryFormatError, match=r"byte 0: found .* relayish\.text\.parse"):
            from_binary(data)


def test_a_file_whose_line_ends_were_changed_is_refused() -> None:
    with pytest.raises(BinaryFormatError, match="byte 0"):
        from_binary(FILES[0].replace(b"\r\n", b"\n"))


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "cut.rly"
    path.write_bytes(FILES[0][:-1])
    for read in (read_binary, read_phase, inspect_binary):
        with pytest.raises(
            BinaryFormatError, match=r"cut\.rly: byte \d+: the file ends, so it was"
        ):
            read(path)


def test_damage_in_an_array_is_noticed_unless_that_is_not_asked_for() -> None:
    program = Constant(np.arange(100, dtype="int64"))
    data = bytearray(to_binary(program))
    at = bytes(data).index(struct.pack("<3q", 50, 51, 52))
    data[at] ^= 1
    with pytest.raises(BinaryFormatError, match="checksum of an array of 800 bytes"):
        from_binary(bytes(data))
    assert from_binary(bytes(data), verify=False).data[50] == 51


def test_sizes_in_the_head_that_contradict_one_another_are_refused() -> None:
    pick = random.Random(SOAK + 2)
    for _ in range(TRIES):
        data = bytearray(FILES[0])
        data[pick.randrange(12, 56)] = pick.randrange(256)
        data[:HEAD_SIZE] = with_checksum(bytes(data[:HEAD_SIZE]))
        check(bytes(data), PROGRAMS[0])


def test_nothing_is_allocated_that_the_file_has_no_bytes_for() -> None:
    """Whatever number is made huge, reading takes no more memory than for the file as it is."""
    data = FILES[0]
    program = program_of(data)
    tracemalloc.start()
    try:
        from_binary(data)
        limit = 4 * tracemalloc.get_traced_memory()[1] + 2**20
        huge = [b"\xff" * 9 + b"\x01", b"\xff\xff\xff\xff\x0f", b"\x80\x80\x80\x80\x40"]
        for at in range(0, len(program), max(len(program) // many(60), 1)):
            tracemalloc.reset_peak()
            changed = program[:at] + huge[at % 3] + program[at + 1 :]
            read(with_program(data, changed))
            assert tracemalloc.get_traced_memory()[1] < limit, at
    finally:
        tracemalloc.stop()


def test_a_column_that_stands_twice_is_refused() -> None:
    data = to_binary(Tuple(()))
    program = program_of(data)
    twice = program.replace(b"\x04span\x00", b"\x06fields\x01")
    assert twice != program
    with pytest.raises(BinaryFormatError, match=r"node relay\.tuple has 3 columns, which are not"):
        from_binary(with_program(data, twice))


@each(
    "name",
    ["|O", "object", "<U99999999999999999999", "<i4,<i4", "<f4,(9,9)<f4", "<V0", "(" * 1000, "no",
     "", "<M8[99999999999999999us]", "float" + "9" * 30, "<i4" * 100],
)  # fmt: skip
def test_element_types_that_no_array_in_a_file_has_are_refused(name: str) -> None:
    for value in (np.arange(40, dtype="<i4"), np.int32(1)):
        data = to_binary((value,))
        spelt = encode_varint(len(name)) + name.encode()
        program = program_of(data).replace(b"\x03<i4", spelt)
        with pytest.raises(BinaryFormatError, match="element type"):
            from_binary(with_program(data, program))


@pytest.mark.deep
def test_deep_nests_are_refused_where_python_would_hash_them() -> None:
    """The element type of a tensor is looked up by its hash, and that of tuples recurses."""
    nest: Any = "int8"
    for _ in range(100_000):
        nest = (nest,)
    data = to_binary(TensorType._make((), nest, None))
    with pytest.raises(RelayishError, match="tuples nest deeper than 1000 levels"):
        from_binary(data)
