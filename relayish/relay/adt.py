"""Algebraic data types, under the names of ``tvm.relay.adt``."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.ir.relay.adt import (
    Clause,
    Constructor,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
    TypeData,
)

__all__ = [
    "Clause",
    "Constructor",
    "Match",
    "Pattern",
    "PatternConstructor",
    "PatternTuple",
    "PatternVar",
    "PatternWildcard",
    "TypeData",
]

set_finder(__name__)
