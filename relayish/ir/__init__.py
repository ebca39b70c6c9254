"""The ground of every language: nodes, roles and traits, scopes, comparison, storage, modules."""

from relayish._support.missing import set_finder
from relayish.ir.equality.structural_equal import (
    assert_structural_equal,
    get_first_structural_mismatch,
    structural_equal,
)
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.kinds import opcode as _opcode  # gives nodes their place among the operators
from relayish.ir.nodes import storage as _storage  # gives nodes their pickling and copying

__all__ = [
    "assert_structural_equal",
    "get_first_structural_mismatch",
    "structural_equal",
    "structural_hash",
]

del _opcode, _storage

set_finder(__name__)
