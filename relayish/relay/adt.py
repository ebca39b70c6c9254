"""Algebraic data types, under the names of ``tvm.relay.adt``."""

from __future__ import annotations

from relayish._support.absent import names_of
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

__getattr__ = names_of(__name__)
