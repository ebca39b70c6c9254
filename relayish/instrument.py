"""Instruments of passes, under the names of ``tvm.instrument``."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.ir.instrument import (
    PassInstrument,
    PassPrintingInstrument,
    PassTimingInstrument,
    PrintAfterAll,
    PrintBeforeAll,
    pass_instrument,
)

__all__ = [
    "PassInstrument",
    "PassPrintingInstrument",
    "PassTimingInstrument",
    "PrintAfterAll",
    "PrintBeforeAll",
    "pass_instrument",
]

set_finder(__name__)
