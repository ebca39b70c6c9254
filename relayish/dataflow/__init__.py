"""Data-flow analysis: lattices, program points, a solver, functors as transfers."""

from relayish.dataflow.direction import Direction
from relayish.dataflow.fixpoint import FixpointFunctor
from relayish.dataflow.occurrence import Occurrence
from relayish.dataflow.recording import BeforeAfter, MemorizingPolicy, RecordingFunctor, by_node
from relayish.functor.memoized import Memoized

__all__ = [
    "BeforeAfter",
    "Direction",
    "FixpointFunctor",
    "Memoized",
    "MemorizingPolicy",
    "Occurrence",
    "RecordingFunctor",
    "by_node",
]
