"""Schedules that the generators of code apply where nobody says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from relayish.tir.schedule.defaults.bind_loops import bind_loops
from relayish.tir.schedule.defaults.contractions import contractions
from relayish.tir.schedule.defaults.fuse_loops import fuse_loops
from relayish.tir.schedule.defaults.sink_parallel_loops import sink_parallel_loops
from relayish.tir.schedule.defaults.split_reductions import split_reductions
from relayish.tir.schedule.defaults.unroll_and_jam import unroll_and_jam

__all__ = [
    "DEFAULT_SCHEDULES",
    "bind_loops",
    "contractions",
    "fuse_loops",
    "sink_parallel_loops",
    "split_reductions",
    "unroll_and_jam",
]

DEFAULT_SCHEDULES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "c": "contractions,fuse_loops,sink_parallel_loops,unroll_and_jam,split_reductions",
        "cuda": "bind_loops",
    }
)
"""By target, the schedules of the functions of networks, as ``ApplySchedules`` takes them."""
