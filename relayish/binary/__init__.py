"""Serialisation of programs of any mix of languages in a binary form: compact, safe, mapped.

A file holds a module, a node or a value: all kinds from the declarations of their fields, what is
shared once, with constants as they are in memory, aligned, so that they are read by mapping the
file. ``docs/binary_format.md`` tells what stands where. The modules here know no kind of node;
``relay`` says that operators have to be declared.
"""

from __future__ import annotations

from relayish.binary import relay as _relay  # noqa: F401 - completes the tables
from relayish.binary.files import (
    SUFFIX,
    BinaryInfo,
    from_binary,
    inspect_binary,
    is_binary,
    read_binary,
    read_phase,
    to_binary,
    write_binary,
)
from relayish.binary.records import REQUIREMENTS, register_value

__all__ = [
    "REQUIREMENTS",
    "SUFFIX",
    "BinaryInfo",
    "from_binary",
    "inspect_binary",
    "is_binary",
    "read_binary",
    "read_phase",
    "register_value",
    "to_binary",
    "write_binary",
]
