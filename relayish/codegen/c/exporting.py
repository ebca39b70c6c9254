"""Compiled networks as one file: a shared object, and behind it weights and what calls it.

What loads shared objects passes over what stands behind them::

    object     as the compiler wrote it, filled up to a multiple of 64 bytes
    weights    as they lie in memory
    record     JSON: parameters, result, inputs, outputs, checks, the arena, the source
    end        sizes of weights and record: 2 x u64, SHA-256 of both, "relayish network"
"""

from __future__ import annotations

import hashlib
import json
import mmap
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from relayish import errors
from relayish._support.files import replace_file
from relayish.codegen.c.arena import ALIGNMENT
from relayish.codegen.c.context import Fault
from relayish.codegen.c.entry import CNetwork, Port, Weight
from relayish.codegen.c.executor import CompiledNetwork
from relayish.codegen.c.toolchain import processor
from relayish.errors import CodegenError
from relayish.ir.relay.expr import Function, Tuple
from relayish.text.relay.parser import parse_expr
from relayish.text.relay.printer import astext
from relayish.tir.ir.type import Type

_MAGIC: Final = b"relayish network"
_END: Final = struct.Struct("<QQ32s16s")


def export_network(network: CompiledNetwork, path: Path, name: str) -> None:
    """Write a compiled network into a file, whole or not at all.

    Args:
        network: The network.
        path: The file.
        name: What it is called.

    Raises:
        OSError: If it cannot be written.
    """
    code = network.code
    weights = np.zeros(code.weight_bytes, np.uint8)
    code.write_weights(weights)
    record = json.dumps(
        {
            "signature": astext(Function(network.params, Tuple(()), network.result)),
            "processor": _digest(processor().encode()).hex(),
            "name": code.name,
            "entry": code.entry,
            "arena": code.arena,
            "inputs": [_port(each) for each in code.inputs],
            "outputs": [_port(each) for each in code.outputs],
            "faults": [[each.kind.__name__, str(each)] for each in code.faults],
            "source": code.text,
            "called": name,
        }
    ).encode()
    with _opened(network.shared_object) as content:
        made = content[: _object_size(content)]
    with replace_file(path) as file:
        file.write(made + bytes(-len(made) % ALIGNMENT))
        file.write(weights.data)
        file.write(record)
        file.write(_END.pack(len(weights), len(record), _digest(weights, record), _MAGIC))


def load_network(path: Path) -> tuple[CompiledNetwork, str]:
    """Return a network that was written into a file, and what it is called.

    It runs code that the file holds: load only what comes from where you trust.

    Raises:
        CodegenError: If the file holds none, or was damaged, or is for another processor.
        OSError: If it cannot be read.
    """
    with _opened(path) as content:
        size = _object_size(content)
        if size == len(content):
            raise CodegenError(
                f"{path} holds no network, or was cut off; expected what export_library wrote"
            )
        taken, length, told, _ = _END.unpack(content[-_END.size :])
        middle = len(content) - _END.size - length
        weights = np.frombuffer(content[middle - taken : middle], np.uint8)
        text = content[middle : len(content) - _END.size]
    if _digest(weights, text) != told:
        raise CodegenError(f"{path} was damaged: its checksum is another; export it again")
    record = json.loads(text)
    if record["processor"] != _digest(processor().encode()).hex():
        raise CodegenError(
            f"{path} was compiled for another processor; build and export it on this one, or "
            f"write its source by relayish compile"
        )
    signature = parse_expr(record["signature"])
    assert isinstance(signature, Function)
    assert signature.ret_type is not None
    code = CNetwork(
        record["name"],
        record["source"],
        record["entry"],
        [Fault(getattr(errors, kind), found, None) for kind, found in record["faults"]],
        [_read_port(*each) for each in record["inputs"]],
        [_read_port(*each) for each in record["outputs"]],
        [Weight("weights", 0, weights, Type("uint8"))],
        record["arena"],
    )
    return CompiledNetwork(signature.params, signature.ret_type, code, path), record["called"]


def _port(port: Port) -> Sequence[object]:
    return port.name, port.label, port.shape, port.type.element


def _read_port(name: str, label: str, shape: Sequence[int], element: str) -> Port:
    return Port(name, label, tuple(shape), Type(element))


def _digest(*parts: Any) -> bytes:  # Any: bytes, or what holds some
    found = hashlib.sha256()
    for each in parts:
        found.update(each)
    return found.digest()


@contextmanager
def _opened(path: Path) -> Iterator[mmap.mmap | bytes]:
    """Give what a file holds, of which only what is asked for is read."""
    with path.open("rb") as file:
        if not file.seek(0, 2):  # nothing can be mapped of an empty file
            yield b""
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            yield content


def _object_size(content: mmap.mmap | bytes) -> int:
    """Return how many bytes in front of the weights are the object: all, where there are none."""
    if len(content) < _END.size:
        return len(content)
    taken, length, _, magic = _END.unpack(content[-_END.size :])
    behind: int = taken + length + _END.size
    return len(content) if magic != _MAGIC or behind > len(content) else len(content) - behind
