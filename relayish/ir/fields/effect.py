"""Side effects: what an evaluation may do beside giving a value."""

from __future__ import annotations

from enum import IntFlag


class Effect(IntFlag):
    """What an evaluation may do; no flag at all means that only its value counts."""

    NONE = 0
    READS = 1  # the content of a reference, buffer or variable
    WRITES = 2  # to one of these
    STATE = 4  # the state of an operator: random numbers, devices, memory
    UNKNOWN = 8  # anything at all
