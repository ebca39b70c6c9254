"""Writing the tables of a program as bytes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from relayish._support.version import VERSION
from relayish.binary.arrays import pieces_of, size_of
from relayish.binary.columns import (
    Owners,
    encode_block,
    encode_column,
    encode_counts,
    encode_numbers,
)
from relayish.binary.encoder import Array, Encoded, Encoder, Table
from relayish.binary.layout import ALIGNMENT, HEAD_SIZE, align, make_head
from relayish.binary.records import PAYLOADS, Record, Sort
from relayish.binary.varints import encode_varint, to_unsigned

Pieces: TypeAlias = Iterator[bytes | memoryview]


def write_pieces(root: object, phase: str | None, *, spans: bool, types: bool) -> Pieces:
    """Yield the bytes of a file that holds ``root``, in order, arrays a piece at a time.

    Raises:
        FieldError: At once, if something in it is of a class that files cannot hold.

    Complexity:
        Linear in the distinct objects and in the bytes of arrays; no recursion. Memory for the
        program, none for arrays.
    """
    encoded = Encoder(spans=spans, types=types).encode(root)
    program = _spell_program(encoded, phase)
    head = make_head(program, size_of(encoded.arrays), len(encoded.arrays))
    between = bytes(head.data_offset - HEAD_SIZE - len(program))
    assert align(len(between), ALIGNMENT) <= ALIGNMENT
    return chain((head.pack(), program, between), pieces_of(encoded.arrays))


def write_program(root: object) -> tuple[bytes, list[Array]]:
    """Return the program that a file would hold of ``root``, and the arrays that it would.

    Raises:
        FieldError: As :func:`write_pieces`.
    """
    encoded = Encoder(spans=True, types=True).encode(root)
    return _spell_program(encoded, None), encoded.arrays


def _spell_program(encoded: Encoded, phase: str | None) -> bytes:
    out = [_text(f"relayish {VERSION}"), bytes([phase is not None]), _text(phase or "")]
    out.append(encode_varint(len(encoded.tables)))
    out += [_spell_record(table.record) for table in encoded.tables]
    records = np.array(encoded.records, np.uint64)
    out += (encode_varint(len(records)), encode_numbers(records))
    order = np.argsort(records, kind="stable")
    ends = np.cumsum(np.bincount(records.astype(np.int64), minlength=len(encoded.tables)))
    for table, owners in zip(encoded.tables, np.split(order, ends[:-1]), strict=True):
        if table.record.sort in PAYLOADS:
            out += _spell_payload(table.record.sort, table.payload)
        else:
            out += _spell_columns(table, owners)
    out.append(encode_varint(encoded.root))
    return b"".join(out)


def _text(text: str) -> bytes:
    return encode_block(text.encode("utf-8", "surrogatepass"))


def _spell_record(record: Record) -> bytes:
    columns = [_text(column.name) + bytes([column.many]) for column in record.columns]
    return b"".join(
        (bytes([record.sort]), _text(record.name), encode_varint(len(columns)), *columns)
    )


def _spell_columns(table: Table, owners: Owners) -> Iterator[bytes]:
    for column, numbers, counts in zip(
        table.record.columns, table.columns, table.counts, strict=True
    ):
        if column.many:
            yield encode_counts(counts)
            yield encode_column(numbers, owners, counts)
        else:
            yield encode_column(numbers, owners)


def _spell_payload(sort: Sort, payload: list[Any]) -> Iterator[bytes]:  # Any: as the sort says
    if sort is Sort.INT:
        yield encode_numbers(to_unsigned(np.array(payload, np.int64)))
    elif sort is Sort.FLOAT:
        yield encode_block(np.array(payload, "<f8").tobytes())
    elif sort is Sort.COMPLEX:
        yield encode_block(np.array(payload, "<c16").tobytes())
    elif sort is Sort.SCALAR:
        yield encode_block(b"".join(payload))
    elif sort is Sort.ARRAY:
        yield _lengths(payload)
        yield encode_numbers(np.array(list(chain.from_iterable(payload)), np.uint64))
    elif sort is Sort.STRING:
        yield _lengths(payload)
        yield _text("".join(payload))
    else:
        assert sort in (Sort.BYTES, Sort.LONG)
        data = payload if sort is Sort.BYTES else [_spell_long(number) for number in payload]
        yield _lengths(data)
        yield encode_block(b"".join(data))


def _lengths(items: list[Any]) -> bytes:  # Any: of which each has a length
    return encode_numbers(np.array([len(item) for item in items], np.uint64))


def _spell_long(number: int) -> bytes:
    return number.to_bytes(number.bit_length() // 8 + 1, "little", signed=True)
