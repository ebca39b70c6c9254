"""Whether a program comes back from binary form as what it was, and files that are damaged."""

from __future__ import annotations

import struct
import zlib
from typing import Any

from relayish.binary import from_binary, to_binary
from relayish.binary.layout import HEAD_SIZE
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import Traversal


class _Everything(Traversal):
    """Follows what was inferred as well."""

    def fields(self, kind: type[Node]) -> list[Any]:
        return [declared for declared in kind.fields_ if declared.kind is not None]


_EVERYTHING = _Everything(Node)


def count_nodes(program: Any) -> int:
    """Return how many distinct nodes there are, those of inferred types included."""
    roots = program.nodes() if isinstance(program, Module) else program
    return len(_EVERYTHING.post_order(roots))


def read_back(program: Any, **options: Any) -> Any:
    """Return what is read of what is written of ``program``, which has to be the same.

    That is: structurally equal, with as many distinct nodes, and written alike again: the form
    numbers what a program consists of, so what is another object, or holds another value, is
    written otherwise.
    """
    data = to_binary(program, **options)
    made = from_binary(data, allow_unknown_ops=True)
    assert_structural_equal(program, made, map_free_vars=True)
    if not options:
        assert count_nodes(program) == count_nodes(made)
    assert to_binary(made, **options) == data
    return made


def with_program(data: bytes, program: bytes) -> bytes:
    """Return a file like ``data`` that holds another program, with checksums that are right."""
    head = list(struct.unpack("<8sIIQQQQQII", data[:HEAD_SIZE]))
    behind = -(-(HEAD_SIZE + head[4]) // 64) * 64
    padded = program + bytes(-(HEAD_SIZE + len(program)) % 64)
    rest = data[behind:]
    head[3], head[4], head[8] = (
        HEAD_SIZE + len(padded) + len(rest),
        len(program),
        zlib.crc32(program),
    )
    return with_checksum(struct.pack("<8sIIQQQQQII", *head)) + padded + rest


def with_checksum(head: bytes) -> bytes:
    """Return the head of a file with its checksum."""
    return head[:-4] + struct.pack("<I", zlib.crc32(head[:-4]))


def program_of(data: bytes) -> bytes:
    """Return the program in a file."""
    (size,) = struct.unpack_from("<Q", data, 24)
    return data[HEAD_SIZE : HEAD_SIZE + size]
