"""Exported networks: a shared object, and behind it in the same file weights and a description.

What loads shared objects reads as far as their own tables say, so the file is one of these as well.
It ends in a checksum, the number of bytes of weights and of the description, and a mark.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

import relayish.errors
from relayish._support.files import replace_file
from relayish._support.this_machine import processor
from relayish.codegen.c.context import Fault
from relayish.codegen.c.entry import CNetwork, Port, Size
from relayish.codegen.c.executor import CompiledNetwork, aligned_bytes
from relayish.errors import BinaryFormatError
from relayish.ir.relay.expr import Var
from relayish.ir.relay.type import Any as AnySize
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.tir.ir.type import Type as ElementType

MARK: Final = b"relayish network"
"""What a file of an exported network ends in."""

_END: Final = struct.Struct("<32sQQ16s")


def export_network(network: CompiledNetwork, path: Path) -> None:
    """Write a compiled network to a file, whole or not at all.

    Raises:
        OSError: If it cannot be written.
    """
    told = json.dumps(_described(network)).encode()
    weights = network.weights.tobytes()
    digest = hashlib.sha256(weights + told).digest()
    with replace_file(path) as file:
        file.write(_object_of(network.library.read_bytes()))
        file.write(weights)
        file.write(told)
        file.write(_END.pack(digest, len(weights), len(told), MARK))


def load_network(path: Path) -> CompiledNetwork:
    """Return a network from the file that :func:`export_network` wrote.

    Its code runs in this process: load what you trust.

    Raises:
        BinaryFormatError: If the file is none, is damaged, or for another processor.
        OSError: If it cannot be read, or is for another machine.
    """
    held = path.read_bytes()
    if len(held) < _END.size or not held.endswith(MARK):
        raise BinaryFormatError(
            f"{path} is no exported network: it does not end in {MARK.decode()!r}",
        )
    digest, weight_bytes, told_bytes, _ = _END.unpack(held[-_END.size :])
    start = len(held) - _END.size - weight_bytes - told_bytes
    body = held[max(start, 0) : -_END.size]
    if start < 0 or hashlib.sha256(body).digest() != digest:
        raise BinaryFormatError(f"{path} is damaged: its checksum is another one")
    told = json.loads(body[weight_bytes:])
    if told["processor"] != _processor():
        raise BinaryFormatError(
            f"{path} was compiled for another processor; build and export it on this one, or write "
            f"its source by relayish compile"
        )
    weights = aligned_bytes(weight_bytes)
    weights[:] = np.frombuffer(body, np.uint8, weight_bytes)
    code = CNetwork(
        told["name"],
        told["text"],
        told["entry"],
        [
            Fault(getattr(relayish.errors, kind), what, None, tuple(shown))
            for kind, what, shown in told["faults"]
        ],
        _ports(told["inputs"]),
        _ports(told["outputs"]),
        (),
        told["arena"],
        [Size(*each) for each in told["sizes"]],
        None,
        tuple(told["measured"]),
    )
    params = [Var(name) for name in told["params"]]
    return CompiledNetwork(params, _type_of(told["result"]), code, path, weights)


def _object_of(held: bytes) -> bytes:
    """Return the shared object alone, of a file in which more may stand behind it."""
    if len(held) < _END.size or not held.endswith(MARK):
        return held
    _, weight_bytes, told_bytes, _ = _END.unpack(held[-_END.size :])
    return held[: len(held) - _END.size - int(weight_bytes) - int(told_bytes)]


def _processor() -> str:
    return hashlib.sha256(processor().encode()).hexdigest()


def _described(network: CompiledNetwork) -> dict[str, object]:
    code = network.code
    return {
        "processor": _processor(),
        "name": code.name,
        "text": code.text,
        "entry": code.entry,
        "faults": [[each.kind.__name__, str(each), each.shown] for each in code.faults],
        "inputs": _told(code.inputs),
        "outputs": _told(code.outputs),
        "arena": code.arena,
        "sizes": code.sizes,
        "measured": code.measured,
        "params": [param.name_hint for param in network.params],
        "result": _described_type(network.result),
    }


def _told(ports: Sequence[Port]) -> list[list[object]]:
    return [[each.name, each.label, each.shape, str(each.type)] for each in ports]


def _ports(told: Sequence[Any]) -> list[Port]:  # Any: what JSON holds
    return [Port(name, label, tuple(shape), ElementType(ty)) for name, label, shape, ty in told]


def _described_type(ty: Type) -> object:
    if isinstance(ty, TupleType):
        return {"fields": [_described_type(field) for field in ty.fields]}
    assert isinstance(ty, TensorType)
    return {"rank": len(ty.shape), "dtype": ty.dtype}


def _type_of(told: Any) -> Type:  # Any: what JSON holds
    if "fields" in told:
        return TupleType([_type_of(field) for field in told["fields"]])
    return TensorType([AnySize()] * told["rank"], told["dtype"])
